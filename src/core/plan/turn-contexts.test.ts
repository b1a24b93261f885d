import { expect, test } from "vitest";
import { openaiChat } from "../../formats/openai-chat.ts";
import { profileNamed } from "../../profiles/profiles.ts";
import { trimTurnContexts } from "./turn-contexts.ts";

const nous = { format: openaiChat, settings: profileNamed("nous") };
const { opening, acknowledgement } = nous.settings.render;
const SUMMARY = [
  { role: "user", content: `${opening}S` },
  { role: "assistant", content: acknowledgement.text },
];

/** So many contexts, beside so many messages behind a summary. */
function check(contexts: number, recent: number, expected: readonly number[]): void {
  const messages = [...SUMMARY, ...Array.from({ length: recent }, () => ({ role: "user", content: "x" }))];
  const given = Array.from({ length: contexts }, (_, index) => index);
  expect(trimTurnContexts(given, { messages }, nous)).toEqual(expected);
}

test("more contexts than messages: the newest half-count stays", () => check(9, 6, [6, 7, 8]));
test("an odd number is rounded down", () => check(9, 5, [7, 8]));
test("no more contexts than messages: all stay", () => check(6, 6, [0, 1, 2, 3, 4, 5]));
test("with one message one stays, not all (D11)", () => check(9, 1, [8]));
test("with none, one still", () => check(9, 0, [8]));
test("none stays none", () => check(0, 0, []));
test("without a summary nothing was trimmed", () => {
  expect(trimTurnContexts([1, 2, 3], { messages: [{ role: "user", content: "x" }] }, nous)).toEqual([1, 2, 3]);
});
