import { expect, test } from "vitest";
import type { Language } from "../../../core/checkpoint/language.ts";
import { CUES } from "../cues/cues.ts";
import { decisionIn } from "./decisions.ts";

const decide = (sentence: string, language: Language) =>
  decisionIn(sentence, CUES[language], { isUser: true, isAtWork: true });

test.each<[Language, string]>([
  ["en", "Use a bronze hinge (two inches) with four screws instead."],
  ["en", "Please take the chain instead, it holds."],
  ["de", "Nimm stattdessen die Kette."],
  ["fr", "Utilise la chaîne à la place."],
  ["es", "Usa la cadena en su lugar."],
  ["pt", "Use a corrente em vez disso."],
  ["it", "Usa la catena al suo posto."],
  ["it", "Usa la catena invece."],
  ["ru", "Используй цепь вместо этого."],
  ["ru", "Возьми цепь взамен."],
  ["zh", "用链条代替。"],
  ["ja", "代わりに鎖を使ってください。"],
  ["ko", "대신 사슬을 사용해 주세요."],
  ["ar", "استخدم السلسلة بدلا من ذلك."],
])("a user who orders another way, %s: %s", (language, sentence) => {
  expect(decide(sentence, language)?.decision).toBe(sentence);
});

test.each<[Language, string]>([
  ["en", "Look at the other gate instead."],
  ["en", "Show me the list instead."],
  ["en", "Use a bronze hinge with four screws."],
  ["en", "Should we use a bronze hinge instead?"],
  ["en", "Always use the chain instead."],
  ["en", "Use what stands there instead in the meantime to look around."],
  ["es", "Usa la cadena del muelle."],
  ["it", "Usa la catena del molo."],
])("a user who only wants something, %s: %s", (language, sentence) => {
  expect(decide(sentence, language)).toBeUndefined();
});
