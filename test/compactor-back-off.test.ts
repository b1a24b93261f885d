import { describe, expect, test } from "vitest";
import type { Passes } from "../src/compactor/passes.ts";
import { createCompactor } from "../src/compactor.ts";
import { CompactionError } from "../src/core/errors.ts";
import type { JsonObject } from "../src/core/json.ts";
import type { FailureStep } from "../src/core/settings/settings.ts";
import { openaiChat } from "../src/formats/openai-chat.ts";
import { scriptedSummarizer } from "./watched-pass.ts";

/** D13: after a summary that failed, automatic passes wait until there is more; asked for, they happen. D26 beside it. */

const say = (role: string, content: string): JsonObject => ({ role, content });
const chatter = (turns: number): readonly JsonObject[] =>
  Array.from({ length: turns }, (_, index) => [
    say("user", `Please do step ${index} of the plan for src/module-${index}.ts. `.repeat(8)),
    say("assistant", `Did step ${index}. `.repeat(40)),
  ]).flat();

function failing(ladder: readonly FailureStep[], answer: string | Error = new Error("no model")) {
  const summarizer = scriptedSummarizer(answer);
  const compactor = createCompactor({
    format: openaiChat,
    windowTokens: 8_000,
    summarizer,
    failure: { ladder },
    protect: { tailTokens: 500 },
  });
  const outcome = async (messages: readonly JsonObject[], checkPoint?: "onOverflow"): Promise<string> => {
    const call = checkPoint === undefined ? {} : { checkPoint };
    return compactor.fit({ messages: structuredClone(messages) }, call).then(
      ({ report }) => (report.compacted ? "compacted" : report.reason),
      (error: CompactionError) => error.code,
    );
  };
  return { compactor, outcome, calls: summarizer.calls };
}

const LARGE = chatter(30);

describe.each([
  [["throw"], "summary-failed", "thrashing"],
  [["keep-and-trim"], "frees-nothing", "thrashing"],
  [["truncate"], "compacted", "not-triggered"],
  [["annotate"], "compacted", "not-triggered"],
  [["extractive"], "compacted", "not-triggered"],
] satisfies [FailureStep[], string, string][])("ladder %s", (ladder, first, then) => {
  test("waits until the conversation has grown by a tenth, then tries again", async () => {
    const { outcome, calls } = failing(ladder);
    expect(await outcome(LARGE)).toBe(first);
    expect(await outcome(LARGE)).toBe(then);
    expect(await outcome([...LARGE, say("user", "and?")])).toBe(then);
    expect(calls).toHaveLength(1);
    expect(await outcome([...LARGE, ...chatter(30)])).toBe(first);
    expect(calls).toHaveLength(2);
  });

  test("an overflow and whoever asks are not kept waiting", async () => {
    const { outcome, compactor, calls } = failing(ladder);
    await outcome(LARGE);
    await outcome([...LARGE, ...chatter(8)], "onOverflow");
    await compactor.compact({ messages: [...LARGE, ...chatter(16)] }).catch(() => undefined);
    expect(calls).toHaveLength(3);
  });
});

test("a request that is not compacted comes back as the very same object", async () => {
  const { compactor } = failing(["throw"]);
  const body = { messages: [...LARGE] };
  await expect(compactor.fit(body)).rejects.toThrow(CompactionError);
  const { request, report } = await compactor.fit(body);
  expect(report).toMatchObject({ compacted: false, reason: "thrashing", ok: false });
  expect(request).toBe(body);
});

test.each([[["truncate"]], [["keep-and-trim"]], [["extractive"]], [["annotate"]]] satisfies [FailureStep[]][])(
  "ladder %s: the summary from before stays",
  async (ladder) => {
    const first = await createCompactor({
      format: openaiChat,
      windowTokens: 8_000,
      protect: { tailTokens: 500 },
      summarizer: scriptedSummarizer("The port of the orders service is 5432."),
    }).fit({ messages: [...LARGE] });
    expect(first.report.compacted).toBe(true);
    const { compactor } = failing(ladder);
    const { request, report } = await compactor.fit({ messages: [...first.request.messages, ...LARGE] });
    expect(report.fallbacks.length).toBeGreaterThan(0);
    expect(JSON.stringify(request)).toContain("5432");
  },
);

test("who keeps the view is told what to wait with", async () => {
  const { compactor, calls } = failing(["throw"]);
  const view = openaiChat.decode({ messages: [...LARGE] });
  const told: Passes[] = [];
  const failed = (passes: Passes): void => void told.push(passes);
  await expect(
    compactor.passOver(view, { keeper: { begin: () => true, originals: () => [], commit: () => undefined, failed } }),
  ).rejects.toThrow(CompactionError);
  const [passes] = told;
  expect(told).toHaveLength(1);
  const waiting = await compactor.passOver(view, passes === undefined ? {} : { passes });
  expect(waiting.report.reason).toBe("thrashing");
  expect(waiting.passes).toEqual(passes);
  expect(calls).toHaveLength(1);
});

test("a summary that is far over its budget is a failure, and not asked for again and again", async () => {
  const { outcome, calls } = failing(["throw"], "word ".repeat(20_000));
  expect(await outcome(LARGE)).toBe("summary-failed");
  for (let request = 0; request < 5; request++) await outcome(LARGE);
  expect(calls).toHaveLength(1);
  expect(await outcome(LARGE)).toBe("thrashing");
});

/** A first request of almost the trigger, kept whatever happens: what is said after it is all that a pass can free. */
describe.each(["what comes back", "the full list"])("passes that free little, over %s", (next) => {
  test("stop after two, and go on when the conversation has grown by a tenth (D26)", async () => {
    const { calls, ...summarizer } = scriptedSummarizer("S");
    const compactor = createCompactor({
      format: openaiChat,
      profile: "micro-agent",
      compact: { auto: true },
      maxMessages: 0,
      summarizer,
    });
    let list: readonly JsonObject[] = [say("user", "x".repeat(316_000))];
    const outcomes: string[] = [];
    for (let turn = 0; turn < 45; turn++) {
      list = [...list, say("assistant", `${turn} `.repeat(200)), say("user", `${turn}? `.repeat(200))];
      const { request, report } = await compactor.fit({ messages: [...list] });
      if (next === "what comes back") list = request.messages;
      if (report.reason !== "not-triggered") outcomes.push(report.compacted ? "compacted" : report.reason);
    }
    expect(outcomes.slice(0, 3)).toEqual(["compacted", "compacted", "thrashing"]);
    expect(outcomes.lastIndexOf("compacted")).toBeGreaterThan(3);
    expect(calls).toHaveLength(3);
  });
});
