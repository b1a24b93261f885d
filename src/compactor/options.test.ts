import { expect, test } from "vitest";
import { type CallOptions, type CompactorOptions, createCompactor, type ViewCall } from "../compactor.ts";
import { CompactionError } from "../core/errors.ts";
import type { SettingsInput } from "../core/settings/settings.ts";
import { estimateTokens } from "../core/tokens/tokens.ts";
import { openaiChat } from "../formats/openai-chat.ts";

/** The one line about the problem; undefined where there is none. */
async function refusal(action: () => unknown): Promise<string | undefined> {
  try {
    await action();
    return undefined;
  } catch (error) {
    if (!(error instanceof CompactionError)) throw error;
    expect(error.code).toBe("invalid-settings");
    expect(error.message).not.toContain("\n");
    return error.message;
  }
}

const BODY = { messages: [{ role: "user", content: "hi" }] };

/** Wrong values are the point of every cast below. */
const ask = (call: unknown) => () => createCompactor({ format: openaiChat }).fit(BODY, call as CallOptions);
const pass = (call: unknown) => () =>
  createCompactor({ format: openaiChat }).passOver(openaiChat.decode(BODY), call as ViewCall);
const create = (options: unknown) => () => createCompactor(options as CompactorOptions);
const configure = (settings: unknown) => () =>
  createCompactor({ format: openaiChat }).configure(settings as SettingsInput);

test.each([
  ["an unknown option", ask({ instruction: "x" }), /^Unknown call option "instruction"; did you mean instructions\?$/],
  ["one that is near nothing", ask({ zzzzzz: 1 }), /^Unknown call option "zzzzzz"; allowed: instructions, target, /],
  ["no object", ask(null), "The call options must be an object, but are null"],
  [
    "a check point",
    ask({ checkPoint: "afterUsr" }),
    /^checkPoint must be one of .*"afterUsr"; did you mean afterUser\?$/,
  ],
  ["pins that are no list", ask({ pinned: 0 }), "pinned must be a list of message numbers, counted from 0, but is 0"],
  ["a pin that is not there", ask({ pinned: [1] }), "pinned names message 1, but the list has 1, counted from 0"],
  ["a pin that is no number", ask({ pinned: ["0"] }), 'pinned names message "0", but the list has 1, counted from 0'],
  ["instructions", ask({ instructions: 5 }), "instructions must be a text, but is 5"],
  ["a target", ask({ target: { ratio: 2 } }), /^target must be \{ tokens \} above 0, or /],
  ["a signal", ask({ signal: 5 }), "signal must be an AbortSignal, but is 5"],
  ["settings", ask({ settings: { windowtokens: 5 } }), /^Unknown key windowtokens; did you mean windowTokens\?/],
  ["of a view", pass({ checkPoint: "afterUsr" }), /did you mean afterUser\?$/],
  ["a view's own option", pass({ askd: "manual" }), 'Unknown call option "askd"; did you mean asked?'],
  ["pins for a view", pass({ pinned: [0] }), /^pinned is for a list that is given with the call/],
])("%s of a call", async (_, action, expected) => {
  const message = await refusal(action);
  if (typeof expected === "string") expect(message).toBe(expected);
  else expect(message).toMatch(expected);
});

test.each([
  [
    "half a logger",
    create({ format: openaiChat, logger: { info: () => {} } }),
    /^logger must be a logger with debug, info/,
  ],
  ["nothing", create(undefined), /^createCompactor takes \{ format, … \}, not undefined$/],
  ["no format", create({}), /^format is missing; import one, e\.g\. anthropicMessages from /],
  [
    "a format's name",
    create({ format: "openai-chat" }),
    /^format must be a format, or formatNamed\(name\), but is "op/,
  ],
  [
    "a misspelt option",
    create({ format: openaiChat, summarizr: 3 }),
    'Unknown option "summarizr"; did you mean summarizer?',
  ],
  [
    "a misspelt setting",
    create({ format: openaiChat, windowtokens: 3 }),
    /^Unknown key windowtokens; did you mean windowTokens\?/,
  ],
  ["a setting near an option", create({ format: openaiChat, prunes: {} }), /^Unknown key prunes; did you mean prune\?/],
  ["a summarizer", create({ format: openaiChat, summarizer: {} }), /^summarizer must be a summarizer, or a function/],
  ["prices", create({ format: openaiChat, prices: { input: "3", output: 1 } }), /^prices must be \{ input, output,/],
  ["native", create({ format: openaiChat, native: 5 }), /^native must be \{ kind, compact \}, /],
  [
    "a counter",
    create({ format: openaiChat, counter: 3 }),
    "counter must be a token counter, such as messageCounter({ name, countText }) makes, but is 3",
  ],
  [
    "half a counter",
    create({ format: openaiChat, counter: { ...estimateTokens(), countParts: undefined } }),
    /^counter must be a token counter, such as /,
  ],
  [
    "a counter without a margin",
    create({ format: openaiChat, counter: { ...estimateTokens(), safetyMargin: undefined } }),
    /^counter must be a token counter, such as /,
  ],
  ["a model", create({ format: openaiChat, model: 7 }), "model must be a model id, but is 7"],
])("a compactor made of %s", async (_, action, expected) => {
  const message = await refusal(action);
  if (typeof expected === "string") expect(message).toBe(expected);
  else expect(message).toMatch(expected);
});

test.each([
  [{ windowtokens: 1 }, "Unknown key windowtokens; did you mean windowTokens?"],
  [{ prune: { enabeld: 1 } }, "Unknown key prune.enabeld; did you mean prune.enabled?"],
  [{ format: openaiChat }, /^Unknown key format; /],
  [7, "The settings must be an object, but is 7"],
])("configure(%j)", async (settings, expected) => {
  const message = await refusal(configure(settings));
  if (typeof expected === "string") expect(message).toBe(expected);
  else expect(message).toMatch(expected);
});

test("what is right passes, undefined included", async () => {
  const call = { pinned: [0], target: { tokens: 5 }, checkPoint: "afterUser", signal: new AbortController().signal };
  expect(await refusal(ask({ ...call, instructions: undefined }))).toBeUndefined();
  expect(await refusal(pass({ checkPoint: undefined, passes: undefined, keeper: undefined }))).toBeUndefined();
  expect(await refusal(configure({ windowTokens: 9_000, prune: { stub: false } }))).toBeUndefined();
});
