import { expect, test } from "vitest";
import type { Language } from "../../core/checkpoint/language.ts";
import { CUES } from "./cues.ts";
import { decisionIn } from "./decisions.ts";

const decide = (sentence: string, isUser = false, language: Language = "en") =>
  decisionIn(sentence, CUES[language], { isUser });

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
])("%j is none", (sentence) => expect(decide(sentence)).toBeUndefined());

test("whoever has a say decides without a reason, but not by telling what was", () => {
  expect(decide("Let's use the small gift card.", true)).toEqual({ decision: "Let's use the small gift card." });
  expect(decide("Let's use the small gift card.")).toBeUndefined();
  expect(decide("I used the small gift card.", true)).toBeUndefined();
  expect(decide("In that case, let's keep the berth as it is but pay less.", true)?.reason).toBeUndefined();
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
