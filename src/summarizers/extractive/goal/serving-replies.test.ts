import { expect, test } from "vitest";
import type { Language } from "../../../core/checkpoint/language.ts";
import { servedBy } from "./serving-replies.ts";

/** `?` before a request marks it as an answer to a question of the assistant. */
function serves(said: string, language: Language = "en"): boolean {
  return servedBy({ text: said.replace(/^\?/, ""), isReply: said.startsWith("?") }, language) !== undefined;
}

test.each([
  "Yes, please go ahead with that berth.",
  "Yes, everything looks correct. Please go ahead and finalize the berth.",
  "That all sounds right. Please proceed with the sale.",
  "?Let's go with berth nine, which opens at three. Please proceed with the change.",
  "?I would like to use the card that is on file.",
  "?In that case, please go ahead and use my voucher instead.",
  "I found it. The number is B74. Can we proceed with the sale now?",
  "?I do not know the number. Can you still help me with the sale?",
  "?My name is Yara Lund. Can you look that up for me?",
  "I'd like to go with the second berth, the cheaper one.",
  "Yes, please proceed with berth two. Also, I would like to use my voucher.",
  "make it 30 seconds",
  "use port 8080",
  "please take the blue one",
])("wants nothing of its own: %s", (said) => expect(serves(said)).toBe(true));

test.each([
  "Please move my boat to another berth.",
  "ok, create a new harbour map for me",
  "Yes, please go ahead with the berth. And could you send the bill to my brother?",
  "?Let's use brass and repair the whole gate.",
  "?No. Please sell the boat instead.",
  "My boat has run onto a bank near Brest. Can you help me with that?",
  "make it print the tide table on one page",
  "Use the new parser in every reader of the harbour.",
  "go ahead and build a gate for the northern quay",
  "Yes, let's proceed with moving the Gull to berth nine and painting her hull.",
  "?The number is B74. What does the berth cost?",
])("does not: %s", (said) => expect(serves(said)).toBe(false));

test("in other languages", () => {
  expect(serves("?Ich nehme den zweiten Liegeplatz.", "de")).toBe(true);
  expect(serves("?Ich nehme den zweiten Liegeplatz. Bitte schick mir die Rechnung.", "de")).toBe(false);
  expect(serves("好的，继续。", "zh")).toBe(false);
});

test("says what is to go on", () =>
  expect(servedBy({ text: "Yes, please go ahead with the berth.", isReply: false }, "en")).toBe(" with the berth."));
