import { expect, test } from "vitest";
import type { Language } from "../../../core/checkpoint/language.ts";
import { type Message, type Part, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";
import { openingOf } from "./leaning-replies.ts";

let next = 0;
const message = (role: Message["role"], ...parts: Part[]): Message => ({ id: `m${next++}`, role, parts });
const QUESTION = "Shall I print the mended timetable of the northern ferry on red card for forty crowns?";

/** What is next once this was said in answer to the question. */
async function stepsAfter(reply: string, budgetTokens = 2_000): Promise<readonly string[]> {
  const callId = `c${next++}`;
  const messages = [
    message("user", text("Please mend the ferry timetable.")),
    message("assistant", { type: "tool-call", callId, name: "bash", input: { command: "draw" } }),
    message("user", { type: "tool-result", callId, content: [text("drawn")], isError: false }),
    message("assistant", text(`It is mended. ${QUESTION}`)),
    message("user", text(reply)),
  ];
  const { checkpoint } = await extractive().summarize(
    { messages, turnPrefix: [], kept: [], budgetTokens, counter: estimateTokens() },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  return checkpoint?.nextSteps ?? [];
}

test("in little room the question is cut, not the answer to it", async () => {
  const reply = "No, leave the red card for the pilots";
  expect(await stepsAfter(reply)).toEqual([`take up: ${reply} — ${QUESTION}`]);
  const [step = ""] = await stepsAfter(reply, 70);
  expect(step.startsWith(`take up: ${reply}`)).toBe(true);
  expect(step).toMatch(/…$/);
});

test("what is asked beside an answer is the goal, and only the answer is told with its question", async () => {
  const UNANSWERED = "The newest request is still unanswered: take it up.";
  const more = "Yes. Please also draw the map of the northern harbour, with every berth that is free in May.";
  expect(await stepsAfter(more)).toEqual([UNANSWERED, `take up: Yes — ${QUESTION}`]);
  expect(await stepsAfter(more, 70)).toEqual([UNANSWERED]);
  expect(await stepsAfter("Yes, on Monday.")).toEqual([`take up: Yes, on Monday. — ${QUESTION}`]);
});

test.each<[Language, string, boolean]>([
  ["es", "Sí, y además quiero añadir dos maletas y cambiar el nombre del pasajero.", true],
  ["es", "Sí, a Lucía", false],
  ["en", "No. Can you sell it?", true],
  ["en", "Paint it, please draw the map.", false],
  ["de", "Ja, bitte zeichne auch die Karte des Hafens.", true],
])("%s: %s", (language, reply, expected) => expect(openingOf(reply, language).asksMore).toBe(expected));
