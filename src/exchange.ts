/**
 * One exchange with a provider: the request is recognised, kept inside its model's window and sent, its answer is passed on as it came, and
 * a refusal as too long is answered by a compaction. Whatever goes wrong here, the request is sent as it came. It retries nothing else.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import type { Report } from "./compactor/report.ts";
import { type Compactor, type CompactorOptions, createCompactor } from "./compactor.ts";
import { CompactionError } from "./core/errors.ts";
import type { JsonObject } from "./core/json.ts";
import type { FormatName } from "./core/message.ts";
import { checkSchema, refuseProblems } from "./core/settings/check-schema.ts";
import { amount, filledText, flag, group, type ObjectSchema } from "./core/settings/schema.ts";
import type { Store } from "./core/store/store.ts";
import { hasTraffic, type TrafficStore } from "./core/store/traffic.ts";
import { converse, type ExchangeCall, type Recognised } from "./exchange/converse.ts";
import { endpointAt, isConversation, threadRefusal, withModel } from "./exchange/endpoints.ts";
import { callerOf } from "./exchange/identity.ts";
import { memoryKeeper, storeKeeper } from "./exchange/keeper.ts";
import { createKnownTexts } from "./exchange/known-texts.ts";
import type { ExchangeRecord } from "./exchange/record.ts";
import { createTextReader, hasTooManyValues } from "./exchange/request-body.ts";
import { type LiveRequest, selfSummarizer } from "./exchange/self.ts";
import { formatNamed, withRollingMark } from "./formats.ts";
import { openStore } from "./stores.ts";

export type { ExchangeCall, ExchangeChange } from "./exchange/converse.ts";
export type { ExchangeRecord } from "./exchange/record.ts";

/** Everything that a compactor takes, for every conversation that passes. */
export interface ExchangeOptions extends Omit<CompactorOptions, "format" | "model" | "summarizer"> {
  /** As a compactor takes it, or `self`: asks the model, endpoint and account of the request that is compacted. Default: no model. */
  readonly summarizer?: CompactorOptions["summarizer"] | "self";
  /** Keeps every conversation as a session: a store, or the address of one. Default: none, and what is removed is in the client's list only. */
  readonly store?: Store | string;
  /** Offers the model a tool that reads what compactions took out, and answers its calls unseen by the client. Needs `store`. Default: false. */
  readonly recall?: boolean;
  /** The key of the hash by which callers are told apart in a store. The same for all that share it. Default: a fixed one. */
  readonly callerKey?: string;
  /** An id of the conversation: a header that has it, or a function. It keeps conversations apart; each is found by its messages. */
  readonly conversation?: string | ((call: { readonly url: string; readonly headers: Headers }) => string | undefined);
  /** Marks the newest results of a tool loop for Anthropic's cache where a client does not. Default: false; a gateway's is true. */
  readonly cacheMarks?: boolean;
  /** Called after a compaction, before the request is sent. */
  readonly onCompaction?: (event: ExchangeCompaction) => void;
  /** Called for every request to a provider, once its answer has ended. */
  readonly onExchange?: (record: ExchangeRecord) => void;
  /** Called with whatever went wrong here; the request was sent all the same. */
  readonly onError?: (error: unknown) => void;
}

export interface ExchangeCompaction {
  readonly report: Report;
  readonly format: FormatName;
  readonly model?: string;
  /** As the option `conversation` names it. */
  readonly conversation?: string;
  /** The session that keeps it, where there is a store. */
  readonly sessionId?: string;
}

export interface Exchange {
  /** Whether requests to this address may hold a conversation; the body of any other need not be read. */
  recognises(method: string, url: string): boolean;
  exchange(call: ExchangeCall): Promise<Response>;
  /** Resolves once the store has answered; throws why it does not. */
  ready(): Promise<void>;
  /** Closes a store that was given as an address. */
  close(): Promise<void>;
}

/** Requests of one process come from many conversations. */
const CONVERSATIONS = 256;

export function createExchange(options: ExchangeOptions): Exchange {
  const { conversation, onCompaction, onExchange, onError, summarizer, ...kept } = options;
  const { store: given, callerKey, recall = false, cacheMarks = false, ...others } = kept;
  const own = { callerKey, recall, cacheMarks, conversations: others.conversations };
  const named = typeof conversation === "function" ? undefined : conversation;
  refuseProblems(checkSchema({ ...own, conversation: named }, OWN_OPTIONS, { partial: true }));
  if (recall && given === undefined) throw new CompactionError("invalid-settings", "`recall` needs a `store`.");
  const live = new AsyncLocalStorage<LiveRequest>();
  if (typeof summarizer === "string" && summarizer !== "self") {
    throw new CompactionError("invalid-settings", 'summarizer must be "self", or a summarizer.');
  }
  const summarizing = summarizer === "self" ? selfSummarizer(() => live.getStore()) : summarizer;
  const compactors = new Map<FormatName, Compactor>();
  const texts = createKnownTexts();
  const readText = createTextReader();
  const conversations = others.conversations ?? CONVERSATIONS;
  const compactorFor = (name: FormatName): Compactor => {
    const known = compactors.get(name);
    if (known !== undefined) return known;
    const settings = { ...others, conversations: 1, ...(summarizing !== undefined && { summarizer: summarizing }) };
    const made = createCompactor({ ...settings, format: formatNamed(name) });
    compactors.set(name, made);
    return made;
  };
  // Options that are wrong are refused now and not with the first request.
  compactorFor("anthropic-messages");
  const store = given === undefined ? undefined : openTraffic(given);
  const { failed, told } = tellers(onError);
  const keeper =
    store === undefined
      ? memoryKeeper(conversations)
      : storeKeeper(store, { conversationsMax: conversations, recall, failed });
  const hearing = { failed, compacted: told(onCompaction), exchanged: told(onExchange) };
  const recognise = async (call: ExchangeCall): Promise<Recognised | undefined> => {
    const endpoint = endpointAt(call.method, call.url);
    if (endpoint === undefined) return undefined;
    const compactor = compactorFor(endpoint.format);
    const { listKey } = compactor.format;
    const text = await readText(call.body, call.headers.get("content-encoding"));
    const body = text === undefined || hasTooManyValues(text) ? undefined : texts.parse(text, listKey);
    if (!isConversation(body, listKey, call.headers)) return undefined;
    const from = {
      caller: () => callerOf(call, callerKey ?? CALLER_KEY),
      client: clientOf(call.headers),
      conversation: () =>
        typeof conversation === "string" ? (call.headers.get(conversation) ?? undefined) : conversation?.(call),
    };
    const mark = (sent: JsonObject): JsonObject => (cacheMarks ? withRollingMark(endpoint.format, sent) : sent);
    return { call, endpoint, body, compactor, keeper, store, mark, hearing, from };
  };
  return {
    recognises: (method, url) => endpointAt(method, url) !== undefined,
    exchange: async (call) => {
      const request = await recognise(call).catch(failed);
      if (request === undefined) return call.send();
      const refused = threadRefusal(request.body, request.endpoint);
      return refused ?? live.run(liveRequest(request), () => converse(request));
    },
    ready: async () => {
      await (await store)?.findPrefix(["ready"]);
    },
    close: async () => {
      if (typeof given === "string") await (await store)?.close();
    },
  };
}

/** Those that are data, and that no compactor takes. */
const OWN_OPTIONS: ObjectSchema = group("Options of an exchange.", {
  recall: flag("Whether the model is offered the recall tool."),
  cacheMarks: flag("Whether marks for the cache are added."),
  callerKey: filledText("The key of the hash by which callers are told apart."),
  conversations: amount("How many are remembered.", 1),
  conversation: filledText("A header that has an id of the conversation."),
});

/** Whoever needs more than hashes of high-entropy keys gives a key of their own. */
const CALLER_KEY = "palimpsest";

function openTraffic(given: Store | string): Promise<Store & TrafficStore> {
  const checked = <Port extends Store>(store: Port): Port & TrafficStore => {
    if (hasTraffic(store)) return store;
    const message = `The store ${store.url} cannot keep what passes through an exchange. Use SQLite or Postgres.`;
    throw new CompactionError("invalid-settings", message);
  };
  if (typeof given !== "string") return Promise.resolve(checked(given));
  const opened = openStore(given).then(checked);
  // Whoever makes a request, or asks whether it is ready, hears of it.
  opened.catch(() => {});
  return opened;
}

/** Listeners that throw disturb nothing. */
function tellers(onError: ExchangeOptions["onError"]) {
  const failed = (error: unknown): void => {
    try {
      onError?.(error);
    } catch {
      // Nobody is left to hear of it, and the request goes on.
    }
  };
  const told =
    <Event>(listener: ((event: Event) => void) | undefined) =>
    (event: Event): void => {
      try {
        listener?.(event);
      } catch (error) {
        failed(error);
      }
    };
  return { failed, told };
}

/** What a client calls itself, without what it runs on. */
function clientOf(headers: Headers): string {
  return headers.get("user-agent")?.trim().split(/\s+/)[0] ?? "";
}

function liveRequest({ call, endpoint, body, compactor: { format } }: Recognised): LiveRequest {
  const asked = withModel(body, endpoint);
  return { format, url: call.url, body: asked, endpoint, send: (question) => call.send(question) };
}
