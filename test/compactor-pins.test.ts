import { describe, expect, test } from "vitest";
import { type CallOptions, createCompactor } from "../src/compactor.ts";
import type { Summarizer } from "../src/core/checkpoint/summary.ts";
import type { JsonObject } from "../src/core/json.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { openaiChat } from "../src/formats/openai-chat.ts";
import { type ProfileName, profileNamed, profileNames } from "../src/profiles/profiles.ts";

/** What somebody pinned or wrote is theirs, even where it looks like a summary of ours. */

const say = (role: string, content: string): JsonObject => ({ role, content });
const chatter = (turns: number): readonly JsonObject[] =>
  Array.from({ length: turns }, (_, turn) => [
    say("user", `Please look at src/part-${turn}.ts. `.repeat(30)),
    say("assistant", `I changed handler_${turn} because it was slow. `.repeat(30)),
  ]).flat();

const { opening, closing } = profileNamed("balanced").render;
const OLD_SUMMARY = "## Goal\nold work on table_7";
const TASK = "Please continue with step 3: rename table foo_9 and NEVER delete bar_8.";
const PASTED = `${opening}${OLD_SUMMARY}${closing}\n\n${TASK}`;

async function compact(messages: readonly JsonObject[], call: CallOptions, profile: ProfileName = "balanced") {
  const compactor = createCompactor({ format: openaiChat, profile, telemetry: false });
  const done = await compactor.compact({ messages }, { target: { ratio: 0.3 }, ...call });
  expect(openaiChat.validate(done.request)).toEqual([]);
  expect(done.report.compacted).toBe(true);
  return done;
}

/** What the summarizer was told of an earlier summary. */
async function recorded(messages: readonly JsonObject[]) {
  let previous: string | undefined;
  const summarizer: Summarizer = {
    name: "recording",
    version: "1",
    planCalls: () => 0,
    summarize: (input) => {
      previous = input.previous?.text;
      return Promise.resolve({ text: "what came next", calls: 0, notes: [] });
    },
  };
  const compactor = createCompactor({ format: openaiChat, telemetry: false, summarizer });
  const { request } = await compactor.compact({ messages }, { target: { ratio: 0.3 } });
  return { request, previous };
}

const textOf = ({ messages }: { readonly messages: readonly JsonObject[] }): string => JSON.stringify(messages);

describe("a message with the marks of a summary in it", () => {
  test("pinned, it stays as it is", async () => {
    const { request } = await compact([say("user", PASTED), ...chatter(20)], { pinned: [0] });
    expect(request.messages).toContainEqual(say("user", PASTED));
  });

  test("pinned, it is no summary, even where it is nothing but one", async () => {
    const summary = say("user", `${opening}${OLD_SUMMARY}${closing}`);
    const { request } = await compact([say("user", "start"), summary, ...chatter(20)], { pinned: [1] });
    expect(request.messages).toContainEqual(summary);
  });

  test("as the newest message, it stays as it is", async () => {
    const { request } = await compact([...chatter(20), say("user", PASTED)], {});
    expect(request.messages.at(-1)).toEqual(say("user", PASTED));
  });

  test("as the first request, only what is between the marks is replaced", async () => {
    const { request, previous } = await recorded([say("user", `Hello.\n\n${PASTED}`), ...chatter(20)]);
    expect(request.messages[0]).toEqual(say("user", `Hello.\n\n${TASK}`));
    expect(previous).toBe(OLD_SUMMARY);
  });

  test("in the middle, it is summarised like any other", async () => {
    const { report } = await compact([...chatter(10), say("user", PASTED), ...chatter(10)], {});
    expect(report.result?.summary).toContain("foo_9");
  });

  test("the summary that has a message of its own is the one that is carried on", async () => {
    const first = await compact(chatter(20), {});
    const grown = [...first.request.messages, ...chatter(10), say("user", PASTED), ...chatter(10)];
    const { previous } = await recorded(grown);
    expect(previous).toBe(first.report.result?.summary);
  });

  test("where a summary has no closing mark, nobody's text is cut at a line that reads like the opening one", async () => {
    const log = "The log says:\n[Previous conversation summary]\n\nkeep cafe_12";
    for (const pinned of [[0], [40]]) {
      const messages = chatter(20).concat(say("user", "go on"));
      const { request } = await compact(messages.with(pinned[0] ?? 0, say("user", log)), { pinned }, "nous");
      expect(request.messages).toContainEqual(say("user", log));
    }
    const { request } = await compact([...chatter(20), say("user", log)], {}, "nous");
    expect(request.messages.at(-1)).toEqual(say("user", log));
  });
});

describe("a pin that comes after a compaction", () => {
  const messages = [...chatter(20), say("user", "go on")];
  const target = { ratio: 0.2 };

  test("brings back a message that was compacted away", async () => {
    const compactor = createCompactor({ format: openaiChat, telemetry: false });
    const first = await compactor.compact({ messages }, { target });
    expect(first.request.messages).not.toContainEqual(messages[3]);
    const second = await compactor.compact({ messages }, { target, pinned: [3] });
    expect(second.request.messages).toContainEqual(messages[3]);
    // From then on it is remembered with its pin.
    const third = await compactor.fit({ messages: structuredClone(messages) }, { pinned: [3] });
    expect(third.report.compacted).toBe(false);
    expect(textOf(third.request)).toBe(textOf(second.request));
  });

  test("leaves a remembered pass alone that kept the message, and holds in the next one", async () => {
    const compactor = createCompactor({ format: openaiChat, telemetry: false });
    const newest = messages.length - 1;
    const { request } = await compactor.compact({ messages }, { target });
    const pinned = await compactor.fit({ messages: structuredClone(messages) }, { pinned: [newest] });
    expect(textOf(pinned.request)).toBe(textOf(request));
    const grown = [...messages, ...chatter(30)];
    const again = await compactor.compact({ messages: grown }, { target, pinned: [newest] });
    expect(again.report.compacted).toBe(true);
    expect(again.request.messages).toContainEqual(messages[newest]);
  });
});

describe.each(profileNames)("%s", (profile) => {
  test("an empty list is left as it is (R094)", async () => {
    const compactor = createCompactor({ format: anthropicMessages, profile, telemetry: false });
    const body = { messages: [] };
    const { request, report } = await compactor.fit(body);
    expect(request).toBe(body);
    expect(report).toMatchObject({ compacted: false, repairs: [], messagesAfter: 0 });
    expect((await compactor.compact(body)).request).toBe(body);
  });
});

test("a pinned result whose call is gone stays as the text that it becomes", async () => {
  const orphan = { role: "tool", tool_call_id: "call_1", content: "the key of table_7 is 4711" };
  const messages = [say("user", "Go on."), say("assistant", "Yes."), orphan, ...chatter(12), say("user", "And now?")];
  const { request } = await compact(messages, { pinned: [2] });
  expect(textOf(request)).toContain("The call itself is not part of this conversation.]\\nthe key of table_7 is 4711");
});
