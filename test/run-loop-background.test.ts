import { afterEach, describe, expect, test } from "vitest";
import type { SummarizeContext, Summarizer } from "../src/core/checkpoint/summary.ts";
import type { SettingsInput } from "../src/core/settings/settings.ts";
import { type LoopEvent, runLoop } from "../src/run-loop.ts";
import { openSession } from "../src/session.ts";
import { type ProviderServer, startProviderServer } from "../src/testing/server.ts";
import { LOOP_MODEL_NAMES, LOOP_MODELS, type LoopModel, reading, readTool } from "./loop-models.ts";

/** Compactions that are prepared while a loop goes on. Nothing here is timed: who waits for what is told by the order of events. */

let server: ProviderServer;
afterEach(() => server.close());

const CALLS = 40;
const WIDE_TOKENS = 60_000;
const FULL_TOKENS = 12_000;

/** Begins at 8,000 tokens and aims at 4,000. */
const SETTINGS = {
  compact: {
    strategy: "summarize",
    triggers: [{ type: "absolute", tokens: 8_000 }],
    target: { type: "tokens", tokens: 4_000 },
  },
  prune: { enabled: false },
  protect: { tailTokens: 1_000 },
} as const;

function summarizerThat(summarize: (context: SummarizeContext) => Promise<string>): Summarizer {
  return {
    name: "scripted",
    version: "1",
    planCalls: () => 1,
    summarize: async (_input, context) => ({ text: await summarize(context), calls: 1, notes: [] }),
  };
}

interface Outcome {
  readonly text: string;
  readonly events: readonly LoopEvent[];
  readonly compactions: number;
}

interface Circumstances {
  readonly windowTokens?: number;
  readonly settings?: SettingsInput;
  readonly onEvent?: (event: LoopEvent) => void;
}

async function loopWith(
  { make, body }: LoopModel,
  summarizer: Summarizer,
  { windowTokens = WIDE_TOKENS, onEvent, settings = SETTINGS }: Circumstances = {},
): Promise<Outcome> {
  server = await startProviderServer({ reply: reading(CALLS), windowTokens });
  const model = make(server.origin);
  const compactor = { format: model.format, windowTokens, summarizer, ...settings };
  const session = await openSession("s", { store: "memory:", compactor, body });
  const events: LoopEvent[] = [];
  const ran: string[] = [];
  const { text } = await runLoop({
    session,
    model,
    tools: [readTool(ran)],
    input: "Read all files.",
    background: true,
    onEvent: (event) => {
      events.push(event);
      onEvent?.(event);
    },
  });
  expect(server.requests.filter(({ outcome }) => outcome?.type !== "answered")).toEqual([]);
  expect(new Set(ran).size).toBe(ran.length);
  const { compactionCount } = await session.stats();
  await session.close();
  return { text, events, compactions: compactionCount };
}

const DONE = "All files are read.";

describe.each(LOOP_MODEL_NAMES)("%s", (name) => {
  const model: LoopModel = LOOP_MODELS[name];

  test("no turn waits for a summary that never comes", async () => {
    const asked: string[] = [];
    const never = summarizerThat(({ signal }) => {
      asked.push("summary");
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    });
    const { text, events, compactions } = await loopWith(model, never);
    expect(text).toBe(DONE);
    expect(asked).toEqual(["summary"]);
    expect(compactions).toBe(0);
    expect(events.filter(({ type }) => type === "reply")).toHaveLength(CALLS + 1);
  });

  test("a summary that takes as long as ten answers is swapped in between two calls", async () => {
    const ready = Promise.withResolvers<string>();
    let meanwhile = 0;
    let isAsked = false;
    const slow = summarizerThat(() => {
      isAsked = true;
      return ready.promise;
    });
    const { text, events, compactions } = await loopWith(model, slow, {
      onEvent: ({ type }) => {
        if (type === "reply" && isAsked && ++meanwhile === 10) ready.resolve("Some files were read.");
      },
    });
    expect(text).toBe(DONE);
    expect(compactions).toBeGreaterThan(0);
    const made = events.findIndex(
      (event) => event.type === "compaction" && event.event.type === "conversation-compacted",
    );
    expect(events.slice(0, made).filter(({ type }) => type === "reply").length).toBeGreaterThanOrEqual(10);
    // Never in the middle of an answer or of a round: what stands before it is a result.
    const before = events.slice(0, made).findLast(({ type }) => type !== "compaction");
    expect(before?.type).toBe("tool-result");
  });

  test.each(["summarize", "hybrid"] as const)("a full window waits for it, with %s", async (strategy) => {
    const steps: string[] = [];
    const slow = summarizerThat(async () => {
      steps.push("begun");
      // As long as the loop can still go on, it does: this ends when nothing else happens in the process.
      for (let seen = -1; seen !== server.requests.length; ) {
        seen = server.requests.length;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      steps.push("ended");
      return "Some files were read.";
    });
    const { text, compactions } = await loopWith(model, slow, {
      windowTokens: FULL_TOKENS,
      // Where results are pruned too, that waits for the same lease.
      settings: { ...SETTINGS, compact: { ...SETTINGS.compact, strategy }, prune: { enabled: strategy === "hybrid" } },
    });
    expect(text).toBe(DONE);
    expect(compactions).toBeGreaterThan(0);
    if (strategy === "summarize") expect(steps.slice(0, 2)).toEqual(["begun", "ended"]);
  });

  test("one that fails is tried again later, and stops nobody", async () => {
    let failures = 0;
    const failing = summarizerThat(() => {
      failures++;
      return Promise.reject(new Error("no summary today"));
    });
    const { text } = await loopWith(model, failing);
    expect(text).toBe(DONE);
    expect(failures).toBeGreaterThan(0);
  });
});

test("one that was overtaken by a change of the session is discarded", async () => {
  const { make, body }: LoopModel = LOOP_MODELS.anthropic;
  server = await startProviderServer({ reply: reading(CALLS), windowTokens: WIDE_TOKENS });
  const model = make(server.origin);
  const ready = Promise.withResolvers<string>();
  const slow = summarizerThat(() => ready.promise);
  const compactor = { format: model.format, windowTokens: WIDE_TOKENS, summarizer: slow, ...SETTINGS };
  const session = await openSession("s", { store: "memory:", compactor, body });
  let replies = 0;
  await runLoop({
    session,
    model,
    tools: [
      {
        ...readTool([]),
        // A pin is a change: the prepared compaction was planned over another view.
        run: async () => {
          if (++replies === 25) await session.pin((await session.view())[0]?.id ?? "");
          if (replies === 26) ready.resolve("Some files were read.");
          return "a line of the file\n".repeat(80);
        },
      },
    ],
    input: "Read all files.",
    background: true,
  });
  for (const { preservedMessageIds } of await session.history()) expect(preservedMessageIds).toContain("m1");
  expect(server.requests.filter(({ outcome }) => outcome?.type !== "answered")).toEqual([]);
  await session.close();
});

/** Turns of one call each, so that no loop lasts as long as a summary. */
async function shortTurns(summarizer: Summarizer, windowTokens = WIDE_TOKENS) {
  const { make, body }: LoopModel = LOOP_MODELS.anthropic;
  server = await startProviderServer({
    reply: ({ index }) =>
      index % 2 === 0 ? { toolCalls: [{ name: "read", input: { path: `src/${index}.ts` } }] } : { text: "It is read." },
    windowTokens,
  });
  const model = make(server.origin);
  const compactor = { format: model.format, windowTokens, summarizer, ...SETTINGS };
  const session = await openSession("s", { store: "memory:", compactor, body });
  const loop = { session, model, tools: [readTool([])], background: true };
  const turns = async (count: number): Promise<void> => {
    for (let turn = 0; turn < count; turn++) await runLoop({ ...loop, input: "Read the next file." });
  };
  return { session, loop, turns };
}

test("a summary that takes longer than a turn is asked for once, and used", async () => {
  const ready = Promise.withResolvers<string>();
  let asked = 0;
  const { session, turns } = await shortTurns(
    summarizerThat(() => {
      asked++;
      return ready.promise;
    }),
  );
  const stored = Promise.withResolvers<void>();
  session.compactor.on("notify", ({ type }) => type === "conversation-compacted" && stored.resolve());
  await turns(20);
  expect(asked).toBe(1);
  expect((await session.stats()).compactionCount).toBe(0);
  ready.resolve("Some files were read.");
  // No loop runs: it is stored by itself.
  await stored.promise;
  await turns(1);
  // What was said since may be enough for a second one.
  expect((await session.stats()).compactionCount).toBeGreaterThan(0);
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("Some files were read.");
  expect(server.requests.filter(({ outcome }) => outcome?.type !== "answered")).toEqual([]);
  await session.close();
});

test("an abort ends a loop that waits in a full window, and the summary", async () => {
  const controller = new AbortController();
  let hasEnded = false;
  const { session, loop } = await shortTurns(
    summarizerThat(({ signal }) => {
      signal.addEventListener("abort", () => {
        hasEnded = true;
      });
      return new Promise(() => {});
    }),
    FULL_TOKENS,
  );
  const watched = {
    ...session,
    stats: async () => {
      const stats = await session.stats();
      // What a loop asks last before it waits. When everything that is due now has been done, it waits.
      if (stats.usedRatio > 1) setImmediate(() => controller.abort(new Error("enough")));
      return stats;
    },
  };
  const untilFull = async (): Promise<void> => {
    for (;;) await runLoop({ ...loop, session: watched, input: "Read the next file.", signal: controller.signal });
  };
  await expect(untilFull()).rejects.toMatchObject({ code: "aborted", cause: new Error("enough") });
  expect(hasEnded).toBe(true);
  await session.close();
});

test("a compaction by hand takes the place of the one that is prepared", async () => {
  let asked = 0;
  const { session, loop, turns } = await shortTurns(
    summarizerThat(({ signal }) => {
      if (asked++ > 0) return Promise.resolve("Only the paths.");
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    }),
  );
  await turns(20);
  expect(asked).toBe(1);
  const { text } = await runLoop({ ...loop, input: "/compact only the paths", commands: true });
  expect(text).toMatch(/^Compacted: \d+ tokens freed\.$/);
  expect(await session.history()).toMatchObject([{ summary: expect.anything(), instructions: "only the paths" }]);
  const { text: again } = await runLoop({ ...loop, input: "/compact", commands: true });
  expect(again).toMatch(/^(?!Compacted)/);
  await session.close();
});
