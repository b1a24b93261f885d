import { expect, test } from "vitest";
import { EMPTY_CHECKPOINT } from "../../../core/checkpoint/checkpoint.ts";
import { type Message, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";
import { correctedIn } from "./corrected-numbers.ts";

/** Whether a sentence of the assistant's is corrected by what the user says next. */
function corrected(told: string, said: string): boolean {
  const at = { speaker: "", isFinal: false };
  const prose = [
    { ...at, message: 0, isUser: true, isRequest: true, text: "Please build the gate." },
    { ...at, message: 1, isUser: false, isRequest: false, text: told },
    { ...at, message: 2, isUser: true, isRequest: true, text: said },
  ];
  // Only what was said is looked at.
  const isCorrected = correctedIn(
    { prose } as unknown as Parameters<typeof correctedIn>[0],
    { prose: [] } as unknown as Parameters<typeof correctedIn>[1],
  );
  expect(isCorrected?.(told, 3) ?? false, "what is said later is no longer the old").toBe(false);
  return isCorrected?.(told, 1) ?? false;
}

test.each([
  ["The gate is shut again 5 times.", "Shutting should be tried 3 times, not 5."],
  ["Hung the gate on 5 hinges.", "Good. Now use 3 hinges instead of 5."],
  ["Hung the gate on 5 hinges.", "3, not 5."],
  ["Die Lampe hat 5 Schrauben.", "Die Lampe bekommt 3 Schrauben statt 5."],
  ["Die Lampe hat 5 Schrauben.", "Nicht 5 Schrauben, sondern 3."],
  ["La lampe a reçu 5 vis.", "La lampe doit avoir 3 vis, pas 5."],
  ["La lámpara lleva 5 tornillos.", "Que sean 3 tornillos, no 5."],
  ["A lâmpada tem 5 parafusos.", "São 3 parafusos em vez de 5."],
  ["La lampada ha 5 viti.", "Metti 3 viti invece di 5 sulla lampada."],
  ["У лампы 5 винтов.", "Нужно 3 винта, а не 5."],
  ["灯上装了5个螺丝。", "螺丝应该是3个，不是5个。"],
  ["灯上装了5个螺丝。", "螺丝不是5个，是3个。"],
  ["ランプにネジを5本付けました。", "ネジは5本ではなく3本です。"],
  ["램프에 손잡이 5개를 달았습니다.", "손잡이는 5개가 아니라 3개예요."],
  ["ركبت 5 براغي في المصباح.", "المطلوب 3 براغي بدلا من 5."],
])("%s | %s", (told, said) => expect(corrected(told, said)).toBe(true));

test.each([
  ["of something else", "Hung the gate on 5 hinges.", "The lamp gets 3 bolts, not 5."],
  ["of another number", "Hung the gate on 15 hinges.", "It should be 3 hinges, not 5."],
  ["that the sentence has as well", "The gate hangs on 3 hinges, no longer on 5.", "It should be 3 hinges, not 5."],
  ["that is only asked", "Hung the gate on 5 hinges.", "Should it be 3 hinges, not 5?"],
  ["that sets no other right", "Hung the gate on 5 hinges.", "Put 3 hinges on the small gate."],
])("no correction: one %s", (_, told, said) => expect(corrected(told, said)).toBe(false));

let next = 0;
const message = (role: Message["role"], words: string): Message => ({ id: `m${next++}`, role, parts: [text(words)] });

async function summarize(...messages: readonly Message[]) {
  const { checkpoint } = await extractive().summarize(
    { messages, turnPrefix: [], kept: [], budgetTokens: 2_000, counter: estimateTokens() },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  return checkpoint ?? EMPTY_CHECKPOINT;
}

test("what was done with the old number is not told, as done or otherwise, until it is done with the new", async () => {
  const told = "The gate is in place: it hangs on 5 hinges. Shall I paint it?";
  const begun = [message("user", "Please build the gate of the northern quay."), message("assistant", told)];
  expect((await summarize(...begun, message("user", "Paint it red, please."))).done).toEqual([
    "The gate is in place: it hangs on 5 hinges.",
  ]);
  const order = message("user", "Paint it red, please. The hinges should be 3, not 5.");
  const { done, criticalContext } = await summarize(...begun, order);
  expect([...done, ...criticalContext].filter((line) => line.includes("hangs on 5"))).toEqual([]);
  const again = message("assistant", "The gate is now repaired: it hangs on 3 hinges.");
  expect((await summarize(...begun, order, again)).done).toEqual(["The gate is now repaired: it hangs on 3 hinges."]);
});
