/**
 * A server on the loopback interface that answers as the model providers do, for tests of whatever talks to them: Anthropic Messages, OpenAI
 * Chat and Responses, Gemini, as JSON and as events, over real HTTP. It refuses what they refuse, in their words. The test says what the
 * model says. Nothing in it depends on time or chance.
 */

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { FormatName } from "../core/message.ts";
import { estimateTokens, type TokenCounter } from "../core/tokens/tokens.ts";
import type { Fault } from "./server/deliver.ts";
import type { OverflowMode } from "./server/exchange.ts";
import { handleRequest, type RecordedRequest, type ServerState } from "./server/handle-request.ts";
import { createPromptCache } from "./server/prompt-cache.ts";
import type { ModelRequest, ScriptedReply } from "./server/provider-api.ts";

export interface ProviderServerOptions {
  /** What the model says: computed from the request, or a list with one entry for each answer. */
  readonly reply: Reply | readonly (ScriptedReply | string)[];
  /** What the provider's own compaction writes; "" for one that fails (Anthropic). Default: how many messages it read. */
  readonly summarize?: (request: ModelRequest) => string;
  /** Of every model, or by name; a model without a name here is then unknown. Default: 200,000. */
  readonly windowTokens?: number | Readonly<Record<string, number>>;
  /** How a full window shows. Default: `status`. */
  readonly overflow?: OverflowMode;
  /** How the server counts. Default: the estimate of `palimpsest/parts`. */
  readonly counter?: (format: FormatName, model: string) => TokenCounter;
  /** Milliseconds; time passes for the prompt cache only. Default: it stands still. */
  readonly now?: () => number;
  /** Default: one that is free. */
  readonly port?: number;
}

export type Reply = (request: ModelRequest) => ScriptedReply | string | Promise<ScriptedReply | string>;

export interface ProviderServer {
  /** `http://127.0.0.1:PORT`, which Anthropic's and Gemini's clients take; OpenAI's takes it with `/v1`. */
  readonly origin: string;
  /** Everything that came in, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Has the next request fail, or the next of those that match. Several calls queue up. */
  failNext(fault: Fault, matches?: (request: RecordedRequest) => boolean): void;
  close(): Promise<void>;
}

const WINDOW_TOKENS = 200_000;

export type { Fault } from "./server/deliver.ts";
export type { OverflowMode } from "./server/exchange.ts";
export type { RecordedRequest, RequestOutcome } from "./server/handle-request.ts";
export type { ModelRequest, ProviderCall, ScriptedReply, ScriptedStop, ToolCall } from "./server/provider-api.ts";

/**
 * Starts a server for a test.
 *
 * @example
 * const server = await startProviderServer({ reply: () => "Done." });
 * const client = new Anthropic({ baseURL: server.origin, apiKey: "any" });
 */
export async function startProviderServer(options: ProviderServerOptions): Promise<ProviderServer> {
  const requests: RecordedRequest[] = [];
  const state = createState(options, requests);
  const server = createServer(
    (request: IncomingMessage, response: ServerResponse) => void handleRequest(request, response, state),
  );
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    failNext: (fault, matches = () => true) => void state.faults.push({ fault, matches }),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function createState(options: ProviderServerOptions, requests: RecordedRequest[]): ServerState {
  const { reply, windowTokens = WINDOW_TOKENS, now = () => 0 } = options;
  const counters = new Map<string, TokenCounter>();
  const ids = new Map<string, number>();
  const newCounter = options.counter ?? ((format, model) => estimateTokens({ format, model }));
  return {
    requests,
    faults: [],
    answers: 0,
    cache: createPromptCache(now),
    overflow: options.overflow ?? "status",
    windowOf: (model) => (typeof windowTokens === "number" ? windowTokens : windowTokens[model]),
    summarize: options.summarize ?? (({ conversation }) => `Summary of ${conversation.messages.length} messages.`),
    reply: async (request) => {
      const said = typeof reply === "function" ? await reply(request) : reply[request.index];
      if (said === undefined) throw new Error(`The script has no reply ${request.index}.`);
      return typeof said === "string" ? { text: said } : said;
    },
    memory: {
      nextId: (prefix) => {
        const number = (ids.get(prefix) ?? 0) + 1;
        ids.set(prefix, number);
        return `${prefix}${number}`;
      },
      counterOf: ({ format, model }) => {
        const key = `${format} ${model}`;
        const counter = counters.get(key) ?? newCounter(format, model);
        counters.set(key, counter);
        return counter;
      },
      nowSeconds: () => Math.floor(now() / 1_000),
      storedResponses: new Map(),
      storedItems: new Map(),
      reasoningOf: new Map(),
    },
  };
}
