import { setImmediate as turn } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { CompactionError } from "../src/core/errors.ts";
import type { SettingsInput } from "../src/core/settings/settings.ts";
import { type LoopOptions, type LoopTool, runLoop } from "../src/run-loop.ts";
import { openSession } from "../src/session.ts";
import { llm } from "../src/summarizers/llm.ts";
import {
  type Fault,
  type ModelRequest,
  type ProviderServer,
  type RecordedRequest,
  type ScriptedReply,
  startProviderServer,
} from "../src/testing/server.ts";
import { isFlush, LOOP_MODEL_NAMES, LOOP_MODELS, type LoopModel, readTool, resultProblems } from "./loop-models.ts";
import { sampleOf } from "./sample.ts";
import { checkpointText } from "./summarizer-script.ts";

/** Everything that can go wrong with a call, at every kind of call that a loop makes, in turn. The official clients, over real HTTP. */

let server: ProviderServer;
afterEach(() => server.close());

const FAULTS: readonly Fault[] = [
  { type: "rate-limit", retryAfterSeconds: 0 },
  { type: "server-error" },
  { type: "overloaded" },
  { type: "server-error", inStream: true },
  { type: "overloaded", inStream: true },
  { type: "cut", afterEvents: 3 },
  { type: "cut", afterEvents: 0 },
  { type: "slow", pause: () => turn() },
  { type: "garbage" },
  { type: "overflow" },
  { type: "overflow", inStream: true },
  { type: "truncate" },
];

type Kind = "chat" | "summarizer" | "native" | "flush";

function kindOf({ kind, model, body }: Pick<RecordedRequest, "kind" | "model" | "body">, small: string): Kind {
  if (kind === "compact") return "native";
  if (model === small) return "summarizer";
  return isFlush(body) ? "flush" : "chat";
}

/** What the run is made of, besides the faults. */
const SETTINGS: Readonly<Record<Kind, SettingsInput>> = {
  chat: {},
  summarizer: {},
  native: { compact: { strategy: "native" } },
  flush: { memoryFlush: { enabled: true, softThresholdTokens: 1_000 } },
};

const WINDOW_TOKENS = 12_000;
const CALLS_MAX = 600;

interface Run {
  readonly name: (typeof LOOP_MODEL_NAMES)[number];
  readonly kind: Kind;
  readonly stream: boolean;
  /** Of the client itself. */
  readonly maxRetries?: number;
}

async function run({ name, kind, stream, maxRetries = 0 }: Run): Promise<void> {
  const { make, small, body }: LoopModel = LOOP_MODELS[name];
  const struck = new Set<RecordedRequest>();
  let calls = 0;
  let last: number | undefined;
  const reply = ({ model, body: asked, conversation }: ModelRequest): ScriptedReply => {
    if (model === small) return { text: checkpointText("Read all files.", "The files are src/1.ts to src/600.ts.") };
    if (isFlush(asked)) {
      const isNoted = JSON.stringify(conversation.messages.at(-1)).includes("noted");
      return isNoted ? { text: "NO_REPLY" } : { toolCalls: [{ name: "note", input: { text: "Files." } }] };
    }
    // A few more calls when everything has gone wrong once.
    if (struck.size === FAULTS.length) last ??= calls + 5;
    const count = (last ?? CALLS_MAX) > calls ? (calls % 10 === 0 ? 2 : 1) : 0;
    const toolCalls = Array.from({ length: count }, () => ({ name: "read", input: { path: `src/${calls++}.ts` } }));
    return { reasoning: `Now ${calls}.`, text: count === 0 ? "All files are read." : "Reading.", toolCalls };
  };
  server = await startProviderServer({
    reply,
    windowTokens: { [small]: 100_000, [String(body.model)]: WINDOW_TOKENS },
  });
  // Every call of the kind, and every fourth answer: between two failures the loop goes on.
  let seen = 0;
  const due = new WeakMap<RecordedRequest, boolean>();
  const isDue = (record: RecordedRequest): boolean => {
    const known = due.get(record);
    if (known !== undefined) return known;
    const isHere = kindOf(record, small) === kind && ++seen % (kind === "chat" ? 4 : 1) === 0;
    due.set(record, isHere);
    if (isHere && struck.size < FAULTS.length) struck.add(record);
    return isHere;
  };
  for (const fault of FAULTS) server.failNext(fault, isDue);

  const model = make(server.origin, undefined, maxRetries);
  const summarizer = llm({ model: make(server.origin, small, maxRetries) });
  const native = kind === "native" ? { native: model.native } : {};
  const compactor = { format: model.format, windowTokens: WINDOW_TOKENS, summarizer, ...native, ...SETTINGS[kind] };
  const session = await openSession("s", { store: "memory:", compactor, body });
  const ran: string[] = [];
  const note: LoopTool = { name: "note", run: () => "noted" };
  const loop = {
    session,
    model,
    tools: [readTool(ran)],
    memory: kind === "flush" ? [note] : [],
    stream,
    maxSteps: 2_000,
    retry: { firstDelayMs: 0 },
  };
  const { text, failures } = await untilDone(loop);
  expect(text).toBe("All files are read.");
  // Only what has a status, or is no answer at all, reaches the caller, and that only where the model itself was asked.
  const unhealed = kind !== "chat" ? 0 : maxRetries > 0 ? 1 : stream ? 4 : 6;
  expect(failures).toHaveLength(unhealed);

  expect(struck.size).toBe(FAULTS.length);
  expect(server.requests.flatMap(({ outcome }) => (outcome?.type === "refused" ? [outcome.message] : []))).toEqual([]);
  expect(await resultProblems(session, ran)).toEqual([]);
  await session.close();
}

/** What the loop does not heal is told to the caller, who runs it again: it goes on where it was. */
async function untilDone(loop: LoopOptions): Promise<{ readonly text: string; readonly failures: readonly string[] }> {
  const failures: string[] = [];
  for (;;) {
    try {
      const { text } = await runLoop({ ...loop, ...(failures.length === 0 && { input: "Read all files." }) });
      return { text, failures };
    } catch (error) {
      const isTold = error instanceof CompactionError && error.code === "model-failed";
      if (!isTold || failures.push(error.message) > FAULTS.length) throw error;
    }
  }
}

const KINDS: readonly Kind[] = ["chat", "summarizer", "native", "flush"];
const RUNS = LOOP_MODEL_NAMES.flatMap((name) =>
  KINDS.flatMap((kind) => {
    const has = kind !== "native" || LOOP_MODELS[name].make("http://127.0.0.1").native !== undefined;
    return has ? [true, false].map((stream): Run => ({ name, kind, stream })) : [];
  }),
);

describe("each fault in turn", () => {
  // A sample takes every other run, streamed and not by turns.
  const some = RUNS.filter((_, index) => sampleOf(1, 0) === 1 || [0, 3].includes(index % 4));
  test.each(some)("$name, at the $kind call, streamed: $stream", run);

  test.runIf(sampleOf(1, 0) === 1).each(RUNS)("$name, with retries of the client: $kind, streamed: $stream", (given) =>
    run({ ...given, maxRetries: 2 }),
  );
});

test.each(LOOP_MODEL_NAMES)("%s: a count that fails is an error, and the next one counts", async (name) => {
  const { make, body }: LoopModel = LOOP_MODELS[name];
  server = await startProviderServer({ reply: () => "Hi.", windowTokens: WINDOW_TOKENS });
  const model = make(server.origin);
  if (model.countTokens === undefined) return expect(name).toBe("chat");
  const { request } = { request: { ...body, [model.format.listKey]: [question(name)] } };
  for (const fault of FAULTS) {
    if (fault.type === "slow" || fault.type === "truncate") continue;
    server.failNext(fault);
    const isRefused = fault.type !== "overflow";
    if (isRefused) await expect(model.countTokens(request), fault.type).rejects.toMatchObject({ code: "model-failed" });
    expect(await model.countTokens(request)).toBeGreaterThan(0);
  }
});

function question(name: string): object {
  return name === "gemini" ? { role: "user", parts: [{ text: "Go." }] } : { role: "user", content: "Go." };
}
