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
