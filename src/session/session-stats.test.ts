import { expect, test } from "vitest";
import type { CompactorOptions } from "../compactor.ts";
import type { JsonObject } from "../core/json.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { openSession } from "../session.ts";
import type { Session } from "./session-port.ts";

const say = (index: number, tokens: number): JsonObject => ({
  role: index % 2 === 0 ? "user" : "assistant",
  content: `m${index} `.padEnd(tokens * 4, "x"),
});
const chat = (count: number, tokensEach: number): JsonObject[] =>
  Array.from({ length: count }, (_, index) => say(index, tokensEach));
const loop = (rounds: number, resultChars: number): JsonObject[] => [
  say(0, 10),
  ...Array.from({ length: rounds }, (_, index) => [
    { role: "assistant", content: [{ type: "tool_use", id: `t${index}`, name: "read", input: {} }] },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `t${index}`, content: "word ".repeat(resultChars / 5) }],
    },
  ]).flat(),
  say(1, 10),
];

type Options = Omit<CompactorOptions, "format">;

async function sessionWith(messages: readonly JsonObject[], options: Options): Promise<Session> {
  const compactor = { format: anthropicMessages, telemetry: false, ...options } as const;
  const session = await openSession("s", { store: "memory:", compactor });
  await session.append(messages);
  return session;
}

/** The statistics before a request, and whether that request stored a compaction. */
async function check(messages: readonly JsonObject[], options: Options, expected: readonly [boolean, string]) {
  const session = await sessionWith(messages, options);
  const { shouldCompact, reason } = await session.stats();
  expect([shouldCompact, reason]).toEqual(expected);
  await session.fit();
  expect((await session.stats()).compactionCount > 0).toBe(shouldCompact);
  await session.close();
}

test("below every trigger", () => check(chat(4, 10), {}, [false, "not-triggered"]));
test("a trigger fires", () => check(chat(40, 100), { windowTokens: 2_000 }, [true, "ratio"]));
test("results that are shortened at every request are no compaction", () =>
  check(loop(9, 9_000), { profile: "nous", maxMessages: 0 }, [false, "prune"]));
test("nor is a limit on messages where compaction is off (R044, R045)", () =>
  check(chat(26, 10), { profile: "nous" }, [false, "prune"]));

test("nor are tool turns that are dropped (R097)", () =>
  check(loop(9, 100), { profile: "auto-compact", prune: { enabled: true } }, [false, "prune"]));
test("nor is the limit that micro-agent has without compaction (R002)", () =>
  check(chat(60, 10), { profile: "micro-agent" }, [false, "prune"]));

test("nous without compaction sends the last 20 messages, and the session keeps them all (R013, R045)", async () => {
  const messages = chat(26, 10);
  const session = await sessionWith(messages, { profile: "nous" });
  for (let more = 0; more < 3; more++) {
    const { request, eventId } = await session.fit();
    expect(request).toMatchObject({ messages: messages.slice(-20) });
    expect(eventId).toBeUndefined();
    messages.push(say(26 + 2 * more, 10), say(27 + 2 * more, 10));
    await session.append(messages.slice(-2));
  }
  expect(await session.stats()).toMatchObject({ viewMessages: 32, archivedMessages: 0, compactionCount: 0 });
  session.compactor.configure({ compact: { auto: true } });
  expect(await session.request()).toMatchObject({ messages });
  await session.close();
});

test("passes that freed too little hold off the next one, and the statistics say so (D26)", async () => {
  const session = await sessionWith(chat(16, 60), {
    windowTokens: 2_000,
    maxOutputTokens: 200,
    compact: { triggers: [{ type: "ratio", ratio: 0.5, comparison: "gte" }] },
    protect: { tailTokens: 900, tailMessages: 6 },
  });
  await session.setBody({ system: "You are a build agent. ".repeat(170) });
  const seen = new Set<string>();
  for (let index = 16; index < 40; index += 2) {
    const { shouldCompact, reason, currentTokens } = await session.stats();
    const { report } = await session.fit();
    expect([report.compacted, report.reason, report.tokensBefore]).toEqual([shouldCompact, reason, currentTokens]);
    seen.add(reason);
    await session.append([say(index, 20), say(index + 1, 20)]);
  }
  expect(seen).toContain("thrashing");
  await session.close();
});
