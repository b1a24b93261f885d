import { describe, expect, test } from "vitest";
import { parseShorthand } from "../../testing/shorthand.ts";
import { type Message, type Part, text } from "../message.ts";
import { quoteResult } from "../repair/pass.ts";
import { INTERRUPTED_TEXT } from "../repair/rounds.ts";
import { CLEARED_TEXT } from "./pruned-texts.ts";
import { firstRequest, isRequest, requestOf, userVoice } from "./user-voice.ts";

/** A message with a result, and texts beside it. */
function bringing(...texts: readonly string[]): Message {
  const [, , result] = parseShorthand("u c1 r1");
  if (result === undefined) throw new Error("three messages");
  return { ...result, role: "user", parts: [...result.parts, ...texts.map(text)] };
}

const { hasWordsBeside } = userVoice([]);

test("what a user says beside results is told from what clients add", () => {
  expect(hasWordsBeside(bringing("Stop, use the other file."))).toBe(true);
  expect(hasWordsBeside(bringing("<system-reminder>3 todos</system-reminder>", "Go on."))).toBe(true);
  expect(hasWordsBeside(bringing("[Request interrupted by user for tool use]", "Use brass."))).toBe(true);
  expect(hasWordsBeside(bringing())).toBe(false);
  expect(hasWordsBeside(bringing(" ", "<system-reminder>3 todos</system-reminder>", "OBSERVATION: ok"))).toBe(false);
  expect(hasWordsBeside(bringing("[Request interrupted by user for tool use]"))).toBe(false);
});

test("without a result there is nothing beside it", () => {
  const [request] = parseShorthand("u");
  if (request === undefined) throw new Error("a message");
  expect(hasWordsBeside(request)).toBe(false);
  expect(userVoice([request]).speaksIn(request)).toBe(true);
});

test("what comes with one result after another is nobody's word", () => {
  const notes = [7, 6, 5].map((left) => bringing(`You have ${left} calls left.`));
  const spoken = bringing("You have 4 calls left.", "Paint the gate instead.");
  const { speaksIn } = userVoice([...notes, spoken]);
  expect(notes.map(speaksIn)).toEqual([false, false, false]);
  expect(speaksIn(spoken)).toBe(true);
});

test("of a user's message its own words, and no output that a client labels", () => {
  const [request] = parseShorthand("u");
  if (request === undefined) throw new Error("a message");
  const saying = (...texts: readonly string[]): Message => ({ ...request, parts: texts.map(text) });
  const { wordsIn } = userVoice([]);
  expect(wordsIn(saying("Go on.", "<system-reminder>3 todos</system-reminder>"))).toEqual(["Go on."]);
  expect(wordsIn(saying("OBSERVATION: the user wants more", "Go on."))).toEqual(["Go on."]);
  expect(
    wordsIn(saying("[Result of the tool call c1. The call itself is not part of this conversation.]\nUser: go")),
  ).toEqual([]);
  expect(wordsIn(saying("[Conversation summary]\n## Goal\n> Delete it."))).toEqual([]);
});

const REFUSAL = "The user doesn't want to proceed with this tool use. The user said: Use brass.";

interface Answer {
  readonly isError?: boolean;
  /** True: leaves out the call of the result. */
  readonly isOrphan?: boolean;
}

/** The user's words in the result of `ask_user` or another tool, where `ask_*` speaks for the user. */
function said(name: string, output: string, { isError = false, isOrphan = false }: Answer = {}): readonly string[] {
  const call: Part = { type: "tool-call", callId: "c", name, input: {} };
  const result: Part = { type: "tool-result", callId: "c", name: "ask_user", content: [text(output)], isError };
  const asking: Message = { id: "a", role: "assistant", parts: isOrphan ? [text("Well?")] : [call] };
  const answering: Message = { id: "r", role: "tool", parts: [result] };
  const voice = userVoice([asking, answering], ["ask_*"]);
  expect(voice.hasWordsBeside(answering)).toBe(voice.answerIn(result) !== "");
  expect(voice.speaksIn(answering)).toBe(voice.answerIn(result) !== "");
  return voice.wordsIn(answering);
}

test("the result of a declared tool is the user's word, as it is", () => {
  expect(said("ask_user", " <answer>North</answer>\n")).toEqual(["<answer>North</answer>"]);
  expect(said("ask_user", REFUSAL)).toEqual([REFUSAL]);
});

test.each([
  ["another tool, whatever it says and whatever name its result bears", "fetch", REFUSAL, {}],
  ["one that no call explains", "ask_user", "North", { isOrphan: true }],
  ["an error", "ask_user", "No terminal", { isError: true }],
  ["an empty one", "ask_user", " ", {}],
  ["one that was cleared", "ask_user", CLEARED_TEXT, {}],
  ["one that never came", "ask_user", INTERRUPTED_TEXT, { isError: true }],
])("a result is not: %s", (_, name, output, answer) => expect(said(name, output, answer)).toEqual([]));

test("answers count however often the same is given", () => {
  const rounds = ["1", "2"].flatMap((callId): readonly Message[] => [
    { id: `c${callId}`, role: "assistant", parts: [{ type: "tool-call", callId, name: "ask", input: {} }] },
    {
      id: `r${callId}`,
      role: "user",
      parts: [{ type: "tool-result", callId, content: [text("yes")], isError: false }],
    },
  ]);
  expect([...userVoice(rounds, ["ask"]).beside()].map(({ id }) => id)).toEqual(["r1", "r2"]);
  expect(userVoice(rounds).beside().size).toBe(0);
});

describe("the user's own words", () => {
  test.each([
    ["Fix the parser.", "Fix the parser."],
    ["<system-reminder>Mind the plan.</system-reminder>\nFix the parser.", "Fix the parser."],
    ["<system-reminder>Mind the plan.</system-reminder>", ""],
    ["<command-name>/clear</command-name>\n<command-args></command-args>", ""],
    ["<command-name>/fix</command-name>\n<command-args>the tide parser</command-args>", "the tide parser"],
    ["<task-notification><status>completed</status></task-notification>\nRead the output file.", ""],
    [
      "<system-reminder>\nThe user sent the following message:\nPaint the door, too.\n\nPlease address this message and continue.\n</system-reminder>",
      "Paint the door, too.",
    ],
    ["<local-command-stdout>ok</local-command-stdout>", ""],
    ["<bash-input>ls</bash-input><bash-stdout>a b</bash-stdout>", ""],
    ["<user_query>Fix the parser.</user_query>", "Fix the parser."],
    ["[Request interrupted by user for tool use]", ""],
    ["Base directory for this skill: /skills/docs\n# Docs", ""],
    ["/model", ""],
    ["/", ""],
    ["Use <b>bold</b> for names.", "Use <b>bold</b> for names."],
  ])("%j is said as %j", (message, expected) => expect(requestOf(message)).toBe(expected));
});

describe("which messages are requests", () => {
  const user = (...parts: Part[]): Message => ({ id: "m", role: "user", parts });
  const QUOTED = quoteResult({ type: "tool-result", callId: "c1", content: [text("3 rows")], isError: false });

  test.each([
    ["what a user says", user(text("Count the boats.")), true],
    ["a result that was quoted for want of its call", user(...QUOTED), false],
    ["an observation of a tool", user(text("OBSERVATION:\n3 rows")), false],
    ["a result beside what a user says", user(...QUOTED, text("Count the boats.")), true],
    ["another tool's summary", user(text("This session is being continued from a previous conversation.")), false],
    [
      "an image alone",
      user({
        type: "media",
        kind: "image",
        mediaType: "image/png",
        source: { type: "url", url: "https://x.example/a.png" },
      }),
      true,
    ],
  ])("%s", (_, message, expected) => expect(isRequest(message)).toBe(expected));

  test("the first request is the first in a user's own words", () => {
    const note = user(text("<local-command-caveat>Generated while running local commands.</local-command-caveat>"));
    const command = user(text("<command-name>/clear</command-name>\n<command-args></command-args>"));
    const task = user(text("Count the boats."));
    const summary = user(text("This session is being continued from a previous conversation."));
    expect(firstRequest([summary, note, command, task, task], isRequest)).toBe(3);
    expect(firstRequest([summary, command, note], isRequest)).toBe(1);
    expect(firstRequest([summary], isRequest)).toBe(-1);
  });
});
