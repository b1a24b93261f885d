import { expect, test } from "vitest";
import type { Language } from "../../../core/checkpoint/language.ts";
import { settledBy } from "./answers.ts";

/** What the decision says beside the reply; nothing where nothing is decided. */
function check(asked: string, reply: string, expected: string | undefined, language: Language = "en"): void {
  const settled = settledBy({ asked, reply, language, askedIn: language });
  expect(settled?.reason).toBe(expected);
  if (settled !== undefined) expect(settled.decision).toContain(reply);
}

const WAYS = "We can pave the pier completely, or pave only the parts that ships touch.";

test("which one was asked for stands with the sentence that names the ways", () => {
  check(`${WAYS} Which one do you want?`, "Pave only what they touch.", WAYS);
  check(`${WAYS} It is late already. Which one do you want?`, "The lamp is out again.", undefined);
  check(`${WAYS} Which one do you want?`, "Neither, thanks.", undefined);
});

test("a name tells which of the offers was taken", () => {
  const asked = "Berth 402 lies by the lock and costs 95. Berth 310 is calmer and costs 80. Which one do you prefer?";
  check(asked, "402 please.", "Berth 402 lies by the lock and costs 95.");
  check(asked, "310 please.", "Berth 310 is calmer and costs 80.");
  check(asked, "Is 402 free on Monday?", undefined);
  check(asked, "My boat has the number 77.", undefined);
});

test("a yes stands with the offer", () => {
  const offer = "I can move the tide tables to the northern server.";
  check(`${offer} It holds 40 of them. Is that okay?`, "Yes, tonight please.", offer);
  check("The lock closes at 20:00. Is that okay?", "Yes.", "The lock closes at 20:00.");
});

test("where nothing was offered, a yes is about nothing", () => {
  check("Thank you. Is that okay?", "Yes.", undefined);
  check("I cannot open the lock at 20:00. Is that okay?", "Yes.", undefined);
  check("The lock closes at 20:00. Would you like me to do that?", "Yes.", undefined);
  check(`${WAYS} Which one do you want?`, "Yes please.", undefined);
});

test.each<[Language, string, string, string]>([
  ["de", "Wir können den Kai aus Stein oder aus Holz bauen.", "Welchen möchten Sie?", "Den aus Holz bitte."],
  ["fr", "Le poste 402 donne sur le port.", "Laquelle préférez-vous ?", "Le 402."],
  ["fr", "Je peux réserver le poste 402 pour 285 €.", "Cela vous convient-il ?", "Oui, écrivez à Claire."],
  ["es", "Podemos hacer el muelle de piedra o de madera.", "¿Cuál prefiere?", "De madera."],
  ["pt", "Podemos construir o cais em pedra ou em madeira.", "Qual prefere?", "Em madeira."],
  ["it", "Possiamo fare il molo in pietra o in legno.", "Quale preferisce?", "In legno."],
  ["ru", "Можно построить причал из камня или из дерева.", "Какой вариант хотите?", "Из дерева."],
  ["ko", "돌로 만들거나 아니면 나무판자로 만들 수 있습니다.", "어느 것을 원하시나요?", "나무판자로 해 주세요"],
  ["ar", "يمكننا بناء الرصيف من الحجر أو الخشب.", "أيهما تفضل؟", "الخشب"],
  ["zh", "可以用石头，或者用木板。", "您更喜欢哪个？", "用木板吧"],
  ["zh", "我会把潮汐表移到新的服务器。", "这样可以吗？", "好的"],
  ["ja", "石で作るか、または木材で作るかです。", "どちらがよろしいですか？", "木材でお願いします"],
])("%s: %s", (language, offer, question, reply) => {
  const settled = settledBy({ asked: `${offer} ${question}`, reply, language, askedIn: language });
  expect(settled?.decision).toContain(reply);
  expect(settled?.reason?.startsWith(offer)).toBe(true);
  expect(settledBy({ asked: question, reply: "404", language, askedIn: language })).toBeUndefined();
});

test("a question that says something stands behind the ways", () => {
  const question = "Which of them do you prefer for the northern harbour?";
  check(`${WAYS} ${question}`, "Pave only what they touch.", `${WAYS} ${question}`);
});

test("an article is no alternative", () => check("O cais é do porto. Qual prefere?", "O porto.", undefined, "pt"));

const CROSSING =
  "The quickest crossing on Monday is:\n\n- **First leg:**\n  - Ferry: FX229\n  - Quay: north\n- **Second leg:**\n  - Ferry: FX266";
const NAMED = "The quickest crossing on Monday is: Ferry: FX229; Ferry: FX266";

test("a question that only points stands with the list that names it", () => {
  check(
    `${CROSSING}\n\nThis option takes 5 hours in all. Would you like to proceed with this option?`,
    "Yes, please.",
    NAMED,
  );
  check(
    `${CROSSING}\n\nWould you like to move the whole cargo to these ferries?`,
    "Yes, please.",
    `${NAMED}. Would you like to move the whole cargo to these ferries?`,
  );
  const sentence = "Ferry FX310 leaves at noon.";
  check(`${sentence} This ferry is never full. Would you like to proceed with this ferry?`, "Yes.", sentence);
});

test("where several ways are listed, or the question names it, the list is left alone", () => {
  const ways = "There are two crossings:\n\n1. Ferry FX229\n2. Ferry FX266";
  const asked = "Would you like to move the cargo to this crossing?";
  check(`${ways}\n\n${asked}`, "Yes, please.", asked);
  const named = "Would you like to move the cargo to this ferry, FX229?";
  check(`${CROSSING}\n\n${named}`, "Yes, please.", named);
  const far = "The pier is old. The lamp is new. The rope is long. The tide is low.";
  check(`${CROSSING}\n\n${far} ${asked}`, "Yes, please.", asked);
});

test.each<[Language, string, string, string, string]>([
  ["de", "Die schnellste Überfahrt ist:", "Diese Variante dauert 5 Stunden.", "Möchten Sie diese Variante?", "Ja."],
  ["fr", "La traversée la plus rapide est :", "Cette option dure 5 heures.", "Voulez-vous cette option ?", "Oui."],
  ["es", "La travesía más rápida es:", "Esta opción dura 5 horas.", "¿Desea tomar esta opción?", "Sí."],
  ["pt", "A travessia mais rápida é:", "Esta opção dura 5 horas.", "Deseja seguir com esta opção?", "Sim."],
  ["it", "La traversata più rapida è:", "Questa opzione dura 5 ore.", "Vuole prendere questa opzione?", "Sì."],
  ["ru", "Самая быстрая переправа:", "Этот вариант занимает 5 часов.", "Хотите выбрать этот вариант?", "Да."],
  ["zh", "最快的渡轮是：", "这个方案需要5个小时。", "您希望选择这个方案吗？", "好的"],
  ["ja", "最も速い便は次の通りです：", "この案は5時間かかります。", "この案でよろしいですか？", "はい"],
  ["ko", "가장 빠른 배편은 다음과 같습니다:", "이 방법은 5시간이 걸립니다.", "이 방법을 원하시나요?", "네"],
  ["ar", "أسرع رحلة هي:", "هذا الخيار يستغرق 5 ساعات.", "هل تريد هذا الخيار؟", "نعم"],
])("%s: what is pointed at stands in the list: %s", (language, opening, pointing, question, reply) => {
  const asked = `${opening}\n\n- FX229\n- FX266\n\n${pointing} ${question}`;
  const reason = settledBy({ asked, reply, language, askedIn: language })?.reason;
  expect(reason).toContain("FX229; FX266");
  expect(reason).not.toContain(pointing);
});
