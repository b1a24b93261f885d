import { expect, test } from "vitest";
import { type Message, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";
import { createProse } from "../reading/prose.ts";
import { replacedIn } from "./replaced.ts";

/** Whether the first of two messages is replaced by the second; `A ` before what the assistant says. */
function check(first: string, second: string, isReplaced: boolean): void {
  const [before, after] = [first, second].map((line, message) => {
    const isUser = !line.startsWith("A ");
    const text = isUser ? line : line.slice(2);
    return createProse({ message, isUser, isRequest: isUser, isFinal: true, speaker: "", text });
  });
  if (before === undefined || after === undefined) throw new Error("Two messages are needed.");
  expect(replacedIn([before, after])?.(before.text, before) ?? false, first).toBe(isReplaced);
}

test("the same subject with another number, said to be a correction", () => {
  check("The eastern berth has number 12.", "Actually, the eastern berth has number 14.", true);
  check("A The pump holds 300 litres of oil.", "A Correction: the pump holds 250 litres of oil.", true);
  check("Der östliche Liegeplatz hat die Nummer 12.", "Korrektur: der östliche Liegeplatz hat die Nummer 14.", true);
});

test("not another subject, the same number, another speaker or no correction", () => {
  check("The eastern berth has number 12.", "Actually, the ferry leaves at 14.", false);
  check("The eastern berth has number 12.", "Actually, the eastern berth number 12 is too small.", false);
  check("The eastern berth has number 12.", "A Actually, the eastern berth has number 14.", false);
  check("The eastern berth has number 12.", "The western berth has number 14.", false);
  check("The eastern berth has no number.", "Actually, the eastern berth has number 14.", false);
});

test("a summary tells only what holds", async () => {
  const said = (role: Message["role"], words: string): Message => ({ id: words, role, parts: [text(words)] });
  const messages = [
    said("user", "Please plan the mooring of my boat for the summer, and mind the tide."),
    said("assistant", "Which berth is it?"),
    said("user", "The eastern berth has number 12."),
    said("assistant", "The berth is noted in the harbour book."),
    said("user", "Actually, the eastern berth has number 14."),
    said("assistant", "The harbour book now has it."),
    said("user", "The boat is called Mathilde and has a red sail."),
    said("assistant", "A fine name for a boat with such a sail."),
  ];
  const { text: summary } = await extractive().summarize(
    { messages, turnPrefix: [], kept: [], budgetTokens: 1_000, counter: estimateTokens() },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  expect(summary).toContain("number 14");
  expect(summary).not.toContain("number 12.");
});
