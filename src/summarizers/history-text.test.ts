import { expect, test } from "vitest";
import { openaiChat } from "../formats/openai-chat.ts";
import { type ProfileName, profileNamed } from "../profiles/profiles.ts";
import { type HistoryTextOptions, historyText } from "./history-text.ts";

interface Case {
  readonly profile?: ProfileName;
  readonly options?: HistoryTextOptions;
}

function check(messages: readonly object[], expected: string, { profile = "nous", options }: Case = {}): void {
  expect(historyText({ messages }, { format: openaiChat, settings: profileNamed(profile) }, options)).toBe(expected);
}

const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });
const { opening, acknowledgement } = profileNamed("nous").render;
const PAIR = [user(`${opening}## Goal\nShip it.`), assistant(acknowledgement.text)];
const many = Array.from({ length: 25 }, (_, index) => user(`line ${index}`));
const newest = (count: number): string =>
  many
    .slice(-count)
    .map(({ content }) => `**User:** ${content}`)
    .join("\n\n");

test("messages only", () => check([user("hi"), assistant("hello")], "**User:** hi\n\n**Assistant:** hello"));
test("the summary first, without the pair that carries it", () =>
  check([...PAIR, user("hi")], "[Previous context summary]\n## Goal\nShip it.\n\n**User:** hi"));
test("at most the last 20 messages", () => check(many, newest(20)));
test("the summary's own messages are none of the 20", () =>
  check([...PAIR, ...many], `[Previous context summary]\n## Goal\nShip it.\n\n${newest(20)}`));
test("as many as are asked for", () => check(many, newest(3), { options: { messagesMax: 3 } }));
test("none but the summary", () =>
  check([...PAIR, user("hi")], "[Previous context summary]\n## Goal\nShip it.", { options: { messagesMax: 0 } }));
test("a summary that was merged into the first message is told once", () => {
  const render = profileNamed("micro-agent").render;
  const merged = user(`Find a job.\n\n${render.opening}S${render.closing}`);
  check([merged, assistant("ok")], "[Previous context summary]\nS\n\n**User:** Find a job.\n\n**Assistant:** ok", {
    profile: "micro-agent",
  });
});
test("nothing", () => check([], ""));
