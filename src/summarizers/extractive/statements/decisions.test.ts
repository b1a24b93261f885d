import { expect, test } from "vitest";
import type { Language } from "../../../core/checkpoint/language.ts";
import { CUES } from "../cues/cues.ts";
import { decisionIn } from "./decisions.ts";

const decide = (sentence: string, isUser = false, language: Language = "en") =>
  decisionIn(sentence, CUES[language], { isUser, isAtWork: true });

test.each(["I'll learn your songs so that we can sing together.", "The best solution is to sleep more."])(
  "among those who only talk %j is none",
  (sentence) => {
    expect(decide(sentence)).toBeDefined();
    expect(decisionIn(sentence, CUES.en, { isUser: false, isAtWork: false })).toBeUndefined();
  },
);

test.each([
  ["I'll use a table because the rules change often.", "I'll use a table", "because the rules change often."],
  [
    "Rather than patch each test, I'll add one shared theme.",
    "Rather than patch each test, I'll add one shared theme.",
    undefined,
  ],
  ["Let's go with the second design.", "Let's go with the second design.", undefined],
  [
    "We agreed to keep SQLite since the harbour has no server.",
    "We agreed to keep SQLite",
    "since the harbour has no server.",
  ],
  ["The user chose the blue layout.", "The user chose the blue layout.", undefined],
  ["Because the disk cannot grow, we'll keep seven days.", "we'll keep seven days.", "Because the disk cannot grow"],
  ["I think option 2 makes more sense.", "I think option 2 makes more sense.", undefined],
  [
    "Kept the old parser because the new one drops comments.",
    "Kept the old parser",
    "because the new one drops comments.",
  ],
  [
    "I'll make the tide table public so both the gate and the lock can read it.",
    "I'll make the tide table public",
    "so both the gate and the lock can read it.",
  ],
  [
    "To fix this, we should round the height before it is stored.",
    "we should round the height before it is stored.",
    "To fix this",
  ],
  ["The fix is to send the height as text.", "The fix is to send the height as text.", undefined],
  ["The suggested fix is a wider gate.", "The suggested fix is a wider gate.", undefined],
  ["The fix: Send the height as text.", "The fix: Send the height as text.", undefined],
  [
    "I'll count the waves in one pass without opening a gate for each.",
    "I'll count the waves in one pass without opening a gate for each.",
    undefined,
  ],
  [
    "We should send the raw height, not wrap it in a row.",
    "We should send the raw height, not wrap it in a row.",
    undefined,
  ],
  ["Best solution: Add a second gate.", "Best solution: Add a second gate.", undefined],
  ["So we should widen the gap.", "So we should widen the gap.", undefined],
  ["Therefore, I will pay with the certificate.", "Therefore, I will pay with the certificate.", undefined],
  [
    "We need to modify this check to leave out the pier.",
    "We need to modify this check to leave out the pier.",
    undefined,
  ],
  [
    "The loader should skip the row instead of crashing.",
    "The loader should skip the row instead of crashing.",
    undefined,
  ],
  ["The gate should send the height, not the row.", "The gate should send the height, not the row.", undefined],
  ["Let me take that back and instead ignore the row.", "Let me take that back and instead ignore the row.", undefined],
  [
    "For high tides, we use the long rope instead of the chain.",
    "For high tides, we use the long rope instead of the chain.",
    undefined,
  ],
  [
    "Instead of a plain difference, it should be the absolute one.",
    "Instead of a plain difference, it should be the absolute one.",
    undefined,
  ],
  [
    "Let me add the pier to the list since the gate reads it.",
    "Let me add the pier to the list",
    "since the gate reads it.",
  ],
  ["I'm keeping the old pump because the new one leaks.", "I'm keeping the old pump", "because the new one leaks."],
  ["I've kept the long rope since the pilots ask for it.", "I've kept the long rope", "since the pilots ask for it."],
  ["I kept `rope-2` so there's still room at the gate.", "I kept `rope-2`", "so there's still room at the gate."],
  [
    "I deliberately did not touch the tide table, since it is already printed.",
    "I deliberately did not touch the tide table",
    "since it is already printed.",
  ],
  [
    "I implemented the gate as a valve rather than a door.",
    "I implemented the gate as a valve rather than a door.",
    undefined,
  ],
  [
    "Since there is no converter, let me write the table as text.",
    "let me write the table as text.",
    "Since there is no converter",
  ],
])("%j is a choice", (sentence, decision, reason) =>
  expect(decide(sentence)).toEqual(reason === undefined ? { decision } : { decision, reason }),
);

test.each([
  "The footer now uses the dim colour.",
  "I'll use the search tool to find the handler.",
  "Let me read the file because the test fails.",
  "You can choose any harbour you like.",
  "We haven't decided on a colour yet.",
  "If the tide is too high, I'll use the other gate instead of this one.",
  "Either we keep SQLite or we switch to Postgres.",
  "Both render alike since we're using plain values instead of names.",
  "Should we go with the second design?",
  "I'll open the tide table so I can see how it is read.",
  "To fix this, we should first locate the gate and then open it.",
  "I need to run the tests again to avoid surprises.",
  "I'll add the tide table to the manual.",
  "Let me remove the old table since it is no longer needed.",
  "Streaming fix: done.",
  "The solution: We need to mend the gate or move the pier.",
  "The gate should open, not sure why it stays shut.",
  "Let me take that back and instead check the row.",
  "Let me use the chart reading tool instead.",
  "I did not change the gate because I could not find it.",
  "We keep getting wet since the roof leaks.",
  "I'm keeping an eye on the gate because it squeaks.",
  "I am leaving the harbour.",
  "Since you stay three days, I'll calculate the dates.",
  "To solve this, I must connect to the harbour office.",
  "Now I need to change the callers of the pump to take three values.",
  "Both should now look alike since we use plain values instead of names.",
  "Let me update the manual since the pump changed.",
  "So I need to run the pump again.",
  "So let me check the pump.",
  "Also, let me add the pier.",
  "I should change the folder to run the pump.",
])("%j is none", (sentence) => expect(decide(sentence)).toBeUndefined());

test("whoever has a say decides without a reason, but not by telling what was", () => {
  expect(decide("Let's use the small gift card.", true)).toEqual({ decision: "Let's use the small gift card." });
  expect(decide("Let's use the small gift card.")).toBeUndefined();
  expect(decide("I used the small gift card.", true)).toBeUndefined();
  expect(decide("In that case, let's keep the berth as it is but pay less.", true)?.reason).toBeUndefined();
});

test.each([
  ["en", "Turn off the pump rather than raising the dam, because the tide keeps growing."],
  ["en", "Go with the northern gate, since the southern one is silted."],
  ["de", "Den kleinen Schlepper, weil nur er durch die Schleuse passt."],
  ["es", "Usa la esclusa del norte, porque la otra está cerrada."],
  ["zh", "用北边的闸门，因为南边的已经淤塞。"],
] as const)("%s: what users order for a reason is chosen: %s", (language, sentence) =>
  expect(decide(sentence, true, language)?.reason).toBeDefined(),
);

/** An order that names the other way, and a sentence with the same words that orders nothing. */
test.each([
  ["en", "Disable the pump rather than raising the wall.", "Walked the wall rather than raising the flag."],
  ["en", "They want a short pier, so we need one arm instead of two.", "We need two arms over the weekend."],
  ["de", "Schalte die Pumpe ab, statt die Mauer zu erhöhen.", "Die Pumpe lief gestern statt der Mauer."],
  ["fr", "Désactive la pompe au lieu d'élever le mur.", "La pompe tournait hier au lieu du moteur."],
  ["es", "Apaga la bomba en lugar de elevar el muro.", "La bomba giraba ayer en lugar del motor."],
  ["pt", "Desligue a bomba em vez de elevar o muro.", "A bomba girava ontem em vez do motor."],
  ["it", "Spegni la pompa invece di alzare il muro.", "La pompa girava ieri invece del motore."],
  ["ru", "Отключи насос вместо того, чтобы поднимать стену.", "Насос вчера работал вместо мотора."],
  ["zh", "关掉水泵，而不是加高围墙。", "昨天转的是水泵而不是马达。"],
  ["ja", "壁を高くするのではなく、ポンプを止めてください。", "昨日動いたのはモーターではなくポンプでした。"],
  ["ko", "벽을 높이는 대신 펌프를 꺼 주세요.", "어제는 모터 대신 펌프가 돌았습니다."],
] as const)("%s: an order against another way is chosen without a reason: %s", (language, order, told) => {
  expect(decide(order, true, language)).toBeDefined();
  expect(decide(told, true, language)).toBeUndefined();
});

test.each([
  "When the tide is high, use the northern gate instead of the southern one.",
  "Always use the northern gate, because the southern one is silted.",
  "Use the northern gate.",
  "Please fix the gate because it is broken.",
])("neither a rule nor a mere request is: %s", (sentence) => expect(decide(sentence, true)).toBeUndefined());

test("I went with it", () => expect(decide("I went with rope instead of chain, because it floats.")).toBeDefined());

test("what users need and why decides nothing", () => {
  const said = "I need to cancel the berth because the ship is late.";
  expect(decide(said, true)).toBeUndefined();
  expect(decide("I'll cancel the berth because the ship is late.")?.reason).toBe("because the ship is late.");
});

/** Something is made for a purpose; something is looked at for one. */
test.each([
  [
    "de",
    "Ich mache die Tabelle öffentlich, damit beide Dienste sie lesen können.",
    "Ich werde die Tabelle öffnen, um den Fehler zu finden.",
  ],
  [
    "fr",
    "Je vais rendre la table publique afin que les deux services la lisent.",
    "Je vais ouvrir la table afin de trouver l'erreur.",
  ],
  [
    "es",
    "Voy a hacer pública la tabla para que ambos servicios la lean.",
    "Voy a revisar la tabla para que veamos el error.",
  ],
  [
    "pt",
    "Vou tornar a tabela pública para que os dois serviços a leiam.",
    "Vou verificar a tabela para que possamos ver o erro.",
  ],
  [
    "it",
    "Dobbiamo rendere pubblica la tabella in modo che i due servizi la leggano.",
    "Dobbiamo controllare la tabella in modo da trovare l'errore.",
  ],
  ["ru", "Вынесу таблицу в модуль, чтобы оба сервиса могли её читать.", "Нужно проверить таблицу, чтобы найти ошибку."],
  ["zh", "我会把潮汐表公开，以便两个服务都能读取。", "我会检查潮汐表，以便找到错误。"],
  ["ja", "両方のサービスが読めるため、潮汐表を公開します。", "原因を調べるため、潮汐表を確認します。"],
  ["ko", "두 서비스가 읽기 위해, 조석표를 공개하겠습니다.", "원인을 찾기 위해, 조석표를 확인하겠습니다."],
] as const)("%s: what is made for a purpose is chosen, what is looked at is not", (language, made, looked) => {
  expect(decide(made, false, language)?.reason).toBeDefined();
  expect(decide(looked, false, language)).toBeUndefined();
});

/** What follows from what was found is chosen; what is looked at next is not. */
test.each([
  ["de", "Daher werden wir die Tabelle öffentlich machen.", "Daher werden wir die Tabelle prüfen."],
  ["fr", "Donc, nous devons rendre la table publique.", "Donc, nous devons vérifier la table."],
  ["es", "Así que vamos a publicar la tabla.", "Así que vamos a revisar la tabla."],
  ["pt", "Portanto, vamos publicar a tabela.", "Portanto, vamos verificar a tabela."],
  ["it", "Quindi dobbiamo pubblicare la tabella.", "Quindi dobbiamo controllare la tabella."],
  ["ru", "Решение: хранить таблицу в модуле.", "Решение этой задачи ещё впереди."],
  ["zh", "解决方案：把潮汐表放进模块。", "潮汐表还在模块里。"],
] as const)("%s: %s", (language, made, looked) => {
  expect(decide(made, false, language)).toEqual({ decision: made });
  expect(decide(looked, false, language)).toBeUndefined();
});

/** A choice with its other way named, a choice that is still open, and advice to the reader. */
test.each([
  [
    "de",
    "Wir verwenden SQLite statt Postgres.",
    "Wir haben uns noch nicht entschieden, ob wir Postgres nehmen.",
    "Du kannst Postgres statt SQLite nehmen.",
  ],
  [
    "fr",
    "Nous utilisons SQLite au lieu de Postgres.",
    "Nous n'avons pas encore décidé de la base.",
    "Vous pouvez choisir Postgres au lieu de SQLite.",
  ],
  [
    "es",
    "Usaremos SQLite en lugar de Postgres.",
    "Todavía no hemos decidido qué base usaremos.",
    "Puedes usar Postgres en lugar de SQLite.",
  ],
  [
    "pt",
    "Usaremos SQLite em vez de Postgres.",
    "Ainda não decidimos qual base usaremos.",
    "Você pode usar Postgres em vez de SQLite.",
  ],
  [
    "it",
    "Useremo SQLite invece di Postgres.",
    "Non abbiamo ancora deciso quale base useremo.",
    "Puoi usare Postgres invece di SQLite.",
  ],
  [
    "ru",
    "Будем использовать SQLite вместо Postgres.",
    "Мы ещё не решили, какую базу взять.",
    "Можно взять Postgres вместо SQLite.",
  ],
  ["zh", "我们采用文件保存而不是数据库。", "我们还没决定用哪个数据库。", "换工作是很大的决定，你可以选择慢慢来。"],
  [
    "ja",
    "データベースの代わりにファイルを使います。",
    "どのデータベースにするかまだ決めていません。",
    "データベースを使うこともできます。",
  ],
  [
    "ko",
    "데이터베이스 대신 파일을 사용하겠습니다.",
    "어떤 데이터베이스를 쓸지 아직 결정하지 않았습니다.",
    "데이터베이스를 선택할 수 있습니다.",
  ],
  ["ar", "سنستخدم الملفات بدلا من الخادم.", "لم نقرر بعد أي خادم سنستخدم.", "يمكنك استخدام الخادم بدلا من الملفات."],
] as const)("%s: a choice is told from an open one and from advice", (language, chosen, open, advice) => {
  expect(decide(chosen, false, language)).toEqual({ decision: chosen });
  expect(decide(open, false, language)).toBeUndefined();
  expect(decide(advice, false, language)).toBeUndefined();
});
