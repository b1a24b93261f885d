/**
 * One synthetic agent conversation in the shape of each contender: user, tool call, tool result, answer, and so on.
 * A few hundred distinct messages are shared by all positions, so that a million of them are made in a moment.
 */

import type { JsonObject } from "../src/core/json.ts";

/** What a turn says, before it takes anybody's shape. */
export interface Turn {
  readonly callId: string;
  readonly question: string;
  readonly path: string;
  readonly output: string;
  readonly answer: string;
}

export const MESSAGES_PER_TURN = 4;
const DISTINCT_TURNS = 64;

const WORDS =
  "the build fails because module resolution picks an older copy of parser when tests run in watch mode so we pin it and check again".split(
    " ",
  );

const TURNS: readonly Turn[] = Array.from({ length: DISTINCT_TURNS }, (_, seed) => ({
  callId: `toolu_${seed.toString(36).padStart(6, "0")}`,
  question: words(seed, 40),
  path: `src/packages/${words(seed + 3, 2).replace(" ", "-")}/index.ts`,
  output: Array.from({ length: 24 }, (__, line) => `${line + 1}: ${words(seed + line, 12)};`).join("\n"),
  answer: words(seed + 7, 60),
}));

export function turnAt(index: number): Turn {
  const turn = TURNS[index % TURNS.length];
  if (turn === undefined) throw new RangeError(`no turn ${index}`);
  return turn;
}

/** The first `messages` messages, made by a shape that is asked once for each distinct turn. */
export function sharedMessages<Shape>(
  shapeOf: (turn: Turn) => readonly Shape[],
): (turnIndex: number) => readonly Shape[] {
  const shapes = TURNS.map(shapeOf);
  return (turnIndex) => shapes[turnIndex % shapes.length] ?? [];
}

export function anthropicTurn(turn: Turn): readonly JsonObject[] {
  const { callId, question, path, output, answer } = turn;
  return [
    { role: "user", content: question },
    { role: "assistant", content: [{ type: "tool_use", id: callId, name: "read", input: { path } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: callId, content: output }] },
    { role: "assistant", content: [{ type: "text", text: answer }] },
  ];
}

function words(seed: number, count: number): string {
  return Array.from({ length: count }, (_, index) => WORDS[(seed * 7 + index * 5 + (index >> 2)) % WORDS.length]).join(
    " ",
  );
}
