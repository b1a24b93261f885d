import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isObject, type JsonObject, type JsonValue } from "../src/core/json.ts";
import type { SettingsInput } from "../src/core/settings/settings.ts";
import { anthropic, type CompactingModel, gemini, openaiChat, openaiResponses } from "../src/models.ts";
import { type LoopTool, runLoop } from "../src/run-loop.ts";
import { openSession } from "../src/session.ts";
import {
  type ModelRequest,
  type ProviderServer,
  type ScriptedReply,
  startProviderServer,
} from "../src/testing/server.ts";

/**
 * Each way in which a provider compacts by itself: an agent works through it against a server that refuses what the providers refuse; then the
 * pass is rolled back, and the session goes on with each other provider. The official clients, over real HTTP.
 */

const FACT = "The release key is stored in vault-7731.";
/** What the model finds out on the way, in the fourth file. */
const FOUND = "The mail goes through the backup host mx-backup-19.";
const QUESTION = "Which vault is the release key in, and what host does the mail go through?";
const ANSWER = "vault-7731 and mx-backup-19";

let server: ProviderServer;
beforeEach(async () => {
  server = await startProviderServer({ reply, windowTokens: 200_000, summarize: readOn });
});
afterEach(() => server.close());

/** What a provider's own summary says: the facts that were there to be read. */
function readOn(request: ModelRequest): string {
  const known = toldIn(request);
  return ["Files were read.", known.includes("vault-7731") && FACT, known.includes("mx-backup-19") && FOUND]
    .filter((fact) => fact !== false)
    .join(" ");
}

function toldIn({ conversation, summaries }: ModelRequest): string {
  return [JSON.stringify(conversation.messages), ...summaries].join();
}

/** The model reads on until it is asked, and then says what it can see. */
function reply(request: ModelRequest): ScriptedReply {
  const { conversation, index } = request;
  const told = toldIn(request);
  if (told.includes(QUESTION)) {
    const known = ["vault-7731", "mx-backup-19"].filter((name) => told.includes(name));
    return { text: known.join(" and ") || "I do not know." };
  }
  const calls = JSON.stringify(conversation.messages.at(-1)).includes("ENOUGH")
    ? []
    : [{ name: "read", input: { index } }];
  const text = index === 3 ? `Reading ${index}. ${FOUND}` : `Reading ${index}.`;
  return { reasoning: `File ${index} is next.`, text, toolCalls: calls };
}

interface Path {
  readonly make: () => CompactingModel;
  readonly body: JsonObject;
  readonly settings?: SettingsInput;
  /** Whether the provider compacts in passes of ours, which are then events of the session. */
  readonly isAsked: boolean;
  /** What an answer or a request shows of it. */
  readonly trace: RegExp;
}

const claude = (): CompactingModel =>
  anthropic(new Anthropic({ baseURL: server.origin, apiKey: "any", maxRetries: 0 }), "claude-opus-5-5");
const openai = () => new OpenAI({ baseURL: `${server.origin}/v1`, apiKey: "any", maxRetries: 0 });
const gpt = (compaction: "endpoint" | "trigger" = "endpoint"): CompactingModel =>
  openaiResponses(openai(), "gpt-6-sol", { compaction });

const CLAUDE: JsonObject = { model: "claude-opus-5-5", max_tokens: 900, thinking: { type: "adaptive" } };
const GPT: JsonObject = { model: "gpt-6-sol", store: false, include: ["reasoning.encrypted_content"] };
const NATIVE: SettingsInput = {
  compact: {
    strategy: "native",
    triggers: [{ type: "absolute", tokens: 12_000 }],
    target: { type: "tokens", tokens: 6_000 },
  },
  protect: { firstUser: false, tailTokens: 2_000 },
};

const PATHS: Readonly<Record<string, Path>> = {
  "Responses, the endpoint": {
    make: gpt,
    body: GPT,
    settings: NATIVE,
    isAsked: true,
    trace: /"id":"cmp_/,
  },
  "Responses, the trigger item": {
    make: () => gpt("trigger"),
    body: GPT,
    settings: NATIVE,
    isAsked: true,
    trace: /"encrypted_content":"\S+"/,
  },
  "Responses, past a threshold": {
    make: gpt,
    body: { ...GPT, context_management: [{ type: "compaction", compact_threshold: 12_000 }] },
    isAsked: false,
    trace: /"type":"compaction"/,
  },
  "Anthropic, on demand": {
    make: claude,
    body: CLAUDE,
    settings: NATIVE,
    isAsked: true,
    trace: /"type":"compaction","content"/,
  },
  "Anthropic, past a threshold": {
    make: claude,
    body: {
      ...CLAUDE,
      context_management: { edits: [{ type: "compact_20260112", trigger: { type: "input_tokens", value: 50_000 } }] },
    },
    isAsked: false,
    trace: /"type":"compaction"/,
  },
  "Anthropic, clear_tool_uses": {
    make: claude,
    body: {
      ...CLAUDE,
      context_management: {
        edits: [{ type: "clear_tool_uses_20250919", trigger: { type: "input_tokens", value: 12_000 } }],
      },
    },
    isAsked: false,
    trace: /"cleared_tool_uses":[1-9]/,
  },
  "Anthropic, clear_thinking": {
    make: claude,
    body: {
      ...CLAUDE,
      context_management: {
        edits: [{ type: "clear_thinking_20251015", keep: { type: "thinking_turns", value: 2 } }],
      },
    },
    isAsked: false,
    trace: /"cleared_thinking_turns":[1-9]/,
  },
};

const FILES = 60;

function reading(files: number): LoopTool {
  let read = 0;
  return {
    name: "read",
    parameters: { type: "object", properties: { index: { type: "number" } } },
    run: () => `${++read === files ? "ENOUGH " : ""}${"a line of the file that was read\n".repeat(120)}`,
  };
}

/** The other providers, with the fields that each needs. */
const OTHERS: readonly (readonly [() => CompactingModel, JsonObject])[] = [
  [claude, CLAUDE],
  [gpt, GPT],
  [() => openaiChat(openai(), "gpt-5.1"), { model: "gpt-5.1" }],
  [
    () => gemini(new GoogleGenAI({ apiKey: "any", httpOptions: { baseUrl: server.origin } }), "gemini-3.8-flash"),
    { model: "gemini-3.8-flash" },
  ],
];

function refused(): readonly unknown[] {
  return server.requests.flatMap(({ outcome }) => (outcome?.type === "answered" ? [] : [outcome]));
}

describe.each(Object.keys(PATHS))("%s", (name) => {
  const path = PATHS[name];
  if (path === undefined) throw new Error(name);

  test("an agent goes on through it, it is rolled back, and another provider goes on", async () => {
    const model = path.make();
    const session = await openSession("s", {
      store: "memory:",
      compactor: { format: model.format, windowTokens: 200_000, native: model.native, ...path.settings },
      body: path.body,
    });
    const responses: JsonValue[] = [];
    const tool = reading(FILES);
    await runLoop({
      session,
      model,
      tools: [tool],
      input: `${FACT} Read all files.`,
      onEvent: (event) => {
        if (event.type === "reply" && isObject(event.reply.response)) responses.push(event.reply.response);
      },
    });
    expect(refused()).toEqual([]);
    const sent = JSON.stringify([...responses, server.requests.map(({ body }) => body ?? null)]);
    expect(path.trace.test(sent)).toBe(true);
    await checkReplayed(session, responses);
    const ask = { session, model, tools: [tool] };
    expect((await runLoop({ ...ask, input: QUESTION })).text).toBe(ANSWER);

    const events = (await session.history()).filter(({ strategy }) => strategy === "native");
    expect(events.length > 0).toBe(path.isAsked);
    // What only the provider can read has a checkpoint of ours beside it, with what was found out; the user's words stay in the view.
    if (path.isAsked) expect(events.map(({ summary }) => summary).join()).toContain("mx-backup-19");

    for (const [make, body] of OTHERS) {
      const other = make();
      const { request, format } = await session.export({ format: other.format });
      expect(format).toBe(other.format.name);
      const moved = await openSession(`on-${other.id}`, {
        store: "memory:",
        compactor: { format: other.format, windowTokens: 200_000 },
        body: { ...request, ...body },
      });
      expect((await runLoop({ session: moved, model: other, input: QUESTION })).text, other.id).toBe(ANSWER);
      await moved.close();
    }
    expect(refused()).toEqual([]);

    const logged = (await session.export({ all: true })).log ?? [];
    for (const { id } of events.toReversed()) await session.rollback({ to: id });
    const view = await session.view();
    expect(view.map(({ id }) => id)).toEqual(logged.filter(({ madeBy }) => madeBy === null).map(({ id }) => id));
    expect(view.some(({ isEdited }) => isEdited)).toBe(false);
    expect((await runLoop({ ...ask, input: QUESTION })).text).toBe(ANSWER);
    expect(refused()).toEqual([]);
    await session.close();
  });
});

/** What a provider wrote stands in the next requests byte for byte. */
async function checkReplayed(session: { request(): Promise<object> }, responses: readonly JsonValue[]): Promise<void> {
  const request = JSON.stringify(await session.request());
  const newest = responses.flatMap(nativeItems).at(-1);
  if (newest !== undefined) expect(request.includes(JSON.stringify(newest))).toBe(true);
}

function nativeItems(response: JsonValue): readonly JsonValue[] {
  const { content, output } = isObject(response) ? response : {};
  const list = content ?? output;
  return Array.isArray(list) ? list.filter((item: JsonValue) => isObject(item) && item.type === "compaction") : [];
}

test.each(OTHERS.map(([make], index) => [index, make] as const))(
  "model %d compacts by hand, history to history",
  async (_, make) => {
    const model = make();
    const messages = Array.from({ length: 40 }, (_unused, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: index === 0 ? FACT : `Part ${index}: ${"a line of the file that was read ".repeat(20)}`,
    }));
    const list = model.format.name === "gemini" ? messages.map(asGemini) : messages;
    const { request, report } = await model.compact(list);
    expect(report).toMatchObject({ compacted: true, messagesBefore: 40 });
    expect(report.steps).toEqual(model.native === undefined ? { summarize: 1 } : { native: 1 });
    expect(report.calls).toBeGreaterThan(0);
    expect(model.format.validate(request)).toEqual([]);
    expect(JSON.stringify(request.slice(-10))).toBe(JSON.stringify(list.slice(-10)));
    expect(refused()).toEqual([]);
  },
);

function asGemini({ role, content }: { readonly role: string; readonly content: string }) {
  return { role: role === "user" ? "user" : "model", parts: [{ text: content }] };
}
