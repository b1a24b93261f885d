/**
 * What peers do in the place of `fit`, on the same conversation: their trigger is asked and nothing is due. Each is loaded by name and taken by
 * shape, so that nothing but this bench needs it; one that is not installed is left out.
 */

import type { Contender } from "./turn.ts";
import { MESSAGES_PER_TURN, sharedMessages, type Turn } from "./turn-conversation.ts";

const KEEP_TOKENS = 20_000;
/** What takes the square of its length is not waited for. */
const QUADRATIC_MAX = 1_000;
/** Never reached: what is measured is the turn in which nothing happens, which is nearly every turn. */
const TRIGGER_TOKENS = Number.MAX_SAFE_INTEGER;

/** A list that grows by one turn and is then asked about. */
function listContender<Shape>(
  name: string,
  shapeOf: (turn: Turn) => readonly Shape[],
  ask: (list: Shape[]) => unknown,
  messagesMax = Number.POSITIVE_INFINITY,
): Contender {
  const shared = sharedMessages(shapeOf);
  return {
    name,
    messagesMax,
    open: (messageCount) => {
      const list: Shape[] = [];
      let turns = 0;
      while (list.length < messageCount) list.push(...shared(turns++));
      return {
        turn: () => {
          list.push(...shared(turns++));
          return ask(list);
        },
      };
    },
  };
}

export async function loadPeers(): Promise<readonly Contender[]> {
  const peers = await Promise.all([piContenders(), langchainContenders(), aiContenders()]);
  return peers.flat();
}

async function load<Shape>(specifier: string): Promise<Shape | undefined> {
  try {
    // The shapes below are the few functions we call; a peer that has changed fails loudly in its first turn.
    return (await import(specifier)) as Shape;
  } catch (error) {
    console.error(`${specifier} is left out: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

interface Pi {
  estimateContextTokens(messages: readonly unknown[]): { readonly tokens: number };
  shouldCompact(contextTokens: number, contextWindow: number, settings: object): boolean;
  findCutPoint(entries: readonly unknown[], start: number, end: number, keepRecentTokens: number): unknown;
  prepareCompaction(entries: readonly unknown[], settings: object): unknown;
}

async function piContenders(): Promise<readonly Contender[]> {
  // Its index names only half of these functions, so the file that holds them all is loaded by its path.
  const path = "./node_modules/@earendil-works/pi-coding-agent/dist/core/compaction/compaction.js";
  const pi = await load<Pi>(new URL(path, import.meta.url).href);
  if (pi === undefined) return [];
  const settings = { enabled: true, reserveTokens: 16_384, keepRecentTokens: KEEP_TOKENS };
  const shared = sharedMessages(piTurn);
  const contender = (name: string, ask: (entries: readonly unknown[]) => unknown): Contender => ({
    name,
    messagesMax: 100_000,
    open: (messageCount) => {
      const messages: unknown[] = [];
      const entries: { readonly id: string }[] = [];
      const append = (): void => {
        for (const message of shared(messages.length / MESSAGES_PER_TURN)) {
          const parentId = entries.at(-1)?.id ?? null;
          const entry = {
            type: "message",
            id: `e${entries.length}`,
            parentId,
            timestamp: "2026-01-01T00:00:00Z",
            message,
          };
          messages.push(message);
          entries.push(entry);
        }
      };
      while (messages.length < messageCount) append();
      return {
        turn: () => {
          append();
          const { tokens } = pi.estimateContextTokens(messages);
          return pi.shouldCompact(tokens, TRIGGER_TOKENS, settings) || ask(entries);
        },
      };
    },
  });
  return [
    contender("pi 0.87.1, trigger alone", () => undefined),
    contender("pi 0.87.1, trigger + findCutPoint", (entries) =>
      pi.findCutPoint(entries, 0, entries.length, KEEP_TOKENS),
    ),
    contender("pi 0.87.1, trigger + prepareCompaction", (entries) => pi.prepareCompaction(entries, settings)),
  ];
}

/** With usage on every answer, as pi records it: its trigger then looks at the newest only. */
function piTurn({ callId, question, path, output, answer }: Turn): readonly object[] {
  const usage = { input: 10, output: 10, cacheRead: 1_000, cacheWrite: 10, totalTokens: 1_030 };
  const text = (said: string): readonly object[] => [{ type: "text", text: said }];
  const assistant = { role: "assistant", usage, api: "x", provider: "x", model: "x", timestamp: 1 };
  return [
    { role: "user", content: question, timestamp: 1 },
    {
      ...assistant,
      stopReason: "toolUse",
      content: [{ type: "toolCall", id: callId, name: "read", arguments: { path } }],
    },
    { role: "toolResult", toolCallId: callId, toolName: "read", content: text(output), isError: false, timestamp: 1 },
    { ...assistant, stopReason: "stop", content: text(answer) },
  ];
}

interface LangchainMessages {
  readonly HumanMessage: new (content: string) => unknown;
  readonly AIMessage: new (fields: object) => unknown;
  readonly ToolMessage: new (fields: object) => unknown;
  trimMessages(messages: readonly unknown[], options: object): Promise<unknown>;
}

interface Langchain {
  countTokensApproximately(messages: readonly unknown[]): number;
  summarizationMiddleware(options: object): { beforeModel(state: object, runtime: object): Promise<unknown> };
}

async function langchainContenders(): Promise<readonly Contender[]> {
  const core = await load<LangchainMessages>("@langchain/core/messages");
  const langchain = await load<Langchain>("langchain");
  if (core === undefined || langchain === undefined) return [];
  const turn = ({ callId, question, path, output, answer }: Turn): readonly unknown[] => [
    new core.HumanMessage(question),
    new core.AIMessage({ content: "", tool_calls: [{ id: callId, name: "read", args: { path }, type: "tool_call" }] }),
    new core.ToolMessage({ content: output, tool_call_id: callId }),
    new core.AIMessage({ content: answer }),
  ];
  const tokenCounter = langchain.countTokensApproximately;
  const trimming = { maxTokens: KEEP_TOKENS, strategy: "last", startOn: "human", tokenCounter };
  // The trigger is never reached, so the model is never asked.
  const options = { model: {}, trigger: { tokens: TRIGGER_TOKENS }, keep: { messages: 20 } };
  const middleware = langchain.summarizationMiddleware(options);
  return [
    listContender(
      "@langchain/core 1.2.13, trimMessages",
      turn,
      (list) => core.trimMessages(list, trimming),
      QUADRATIC_MAX,
    ),
    listContender("langchain 1.5.14, summarization middleware, not triggered", turn, (messages) =>
      middleware.beforeModel({ messages }, { context: {} }),
    ),
  ];
}

interface Ai {
  pruneMessages(options: object): unknown;
}

async function aiContenders(): Promise<readonly Contender[]> {
  const ai = await load<Ai>("ai");
  if (ai === undefined) return [];
  const turn = ({ callId, question, path, output, answer }: Turn): readonly object[] => {
    const call = { toolCallId: callId, toolName: "read" };
    return [
      { role: "user", content: question },
      { role: "assistant", content: [{ type: "tool-call", ...call, input: { path } }] },
      { role: "tool", content: [{ type: "tool-result", ...call, output: { type: "text", value: output } }] },
      { role: "assistant", content: [{ type: "text", text: answer }] },
    ];
  };
  const settings = { reasoning: "before-last-message", toolCalls: "before-last-10-messages", emptyMessages: "remove" };
  return [listContender("ai 7.0.169, pruneMessages", turn, (messages) => ai.pruneMessages({ ...settings, messages }))];
}
