import { expect, test } from "vitest";
import { type Message, text } from "../../../core/message.ts";
import { messageCounter } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";

const counter = messageCounter({ name: "quarters", countText: (words) => Math.ceil(words.length / 4) });

/** Whether a sentence is told that was said before a command ended so. */
async function isTold(sentence: string, command: string, output: string): Promise<boolean> {
  const messages: readonly Message[] = [
    { id: "1", role: "user", parts: [text("Bring the tide tables of the harbour up to date and publish them.")] },
    { id: "2", role: "assistant", parts: [text(`The tables come from the old office. ${sentence}`)] },
    { id: "3", role: "user", parts: [text("Then see to it.")] },
    { id: "4", role: "assistant", parts: [{ type: "tool-call", callId: "c", name: "bash", input: { command } }] },
    { id: "5", role: "tool", parts: [{ type: "tool-result", callId: "c", content: [text(output)], isError: false }] },
    { id: "6", role: "assistant", parts: [text("The tables of the harbour are where they belong by now.")] },
  ];
  const { text: summary } = await extractive().summarize(
    { messages, turnPrefix: [], kept: [], budgetTokens: 600, counter },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  return summary.includes(sentence);
}

test.each([
  ["The commit failed - we're still on the old commit.", "git commit -m 'Tables of May'"],
  ["There are merge conflicts in several files.", "git add . && git commit --no-edit"],
  ["Unfortunately the push was rejected by the harbour's server.", "git push origin main"],
  ["Der Push wurde vom Server des Hafens nicht angenommen, der Push ist fehlgeschlagen.", "git push origin main"],
  ["On this machine `make tables` failed for want of a compiler.", "make tables && ls out"],
])("%j is over once %j succeeded", async (sentence, command) => {
  expect(await isTold(sentence, command, "done")).toBe(false);
  expect(await isTold(sentence, command, "fatal: it did not work")).toBe(true);
  expect(await isTold(sentence, "git fetch origin", "done")).toBe(true);
});

test.each([
  ["The push notification of the gate failed on two phones.", "git push origin main"],
  ["The queue of the office keeps merge conflicts away.", "git commit -m 'Tables of May'"],
  ["A commit holds the tables of one month and no more.", "git commit -m 'Tables of May'"],
])("%j stays whatever %j did", async (sentence, command) => expect(await isTold(sentence, command, "done")).toBe(true));
