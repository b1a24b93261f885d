import { expect, test } from "vitest";
import { askingQuote } from "./asking.ts";

const STORY = "My sister still talks of the sunset that we saw from the deck.";

test("of a long request numbers and conditions go before the story", () => {
  const asked = `Please move our booking to the quiet side. ${STORY} It is booked under KX41BQ, for two boats. We can come only on a Monday.`;
  const quote = askingQuote(asked, 140, "en");
  expect(quote).toContain("Please move our booking");
  expect(quote).toContain("KX41BQ");
  expect(quote).toContain("only on a Monday");
  expect(quote).not.toContain("sunset");
});

test("what else is asked goes before both", () => {
  const asked = `Can you mend the sign at the gate? ${STORY} The letters are on lines 344 and 345. Could you send me the bill?`;
  expect(askingQuote(asked, 90, "en")).toContain("Could you send me the bill?");
});

test("but not what only points back", () => {
  const asked = `I want the lamp at the gate to burn all night. ${STORY} Can you mend it, please? Can you do that? It burns until 3 now. ${STORY}`;
  expect(askingQuote(asked, 102, "en")).toContain("It burns until 3 now.");
});

test("without any, or of many sentences, the order stays as it is", () => {
  const plain = `Please move our booking to the quiet side. ${STORY} The crew was kind to all of us there. Mother likes the sea.`;
  expect(askingQuote(plain, 120, "en")).toContain("sunset");
  const many = `Please mend the gate. ${STORY} ${"The quay was wet again. ".repeat(10)}It has 12 planks.`;
  expect(askingQuote(many, 120, "en")).toContain("sunset");
});
