/**
 * Keeps a conversation inside its window for the exchange: in the memory of this process, or as a session of a store. Both find it by the
 * hashes of its messages.
 */

import type { Report } from "../compactor/report.ts";
import type { Compactor } from "../compactor.ts";
import { CompactionError } from "../core/errors.ts";
import { isArray, type JsonObject, type JsonValue } from "../core/json.ts";
import { takePreservedIn } from "../core/marks.ts";
import type { FormatName } from "../core/message.ts";
import type { Format } from "../core/ports.ts";
import { setBounded } from "../core/remember.ts";
import type { Store } from "../core/store/store.ts";
import type { TrafficStore } from "../core/store/traffic.ts";
import { withoutThinking } from "../core/thinking.ts";
import { createIdentity } from "./identity.ts";
import { createStoredConversations } from "./stored-conversations.ts";
import { fitView, type Recaller } from "./stored-view.ts";

/** A request to be fitted, and what is known of who sends it. */
export interface KeptRequest {
  readonly compactor: Compactor;
  /** With the model that the address names. */
  readonly asked: JsonObject;
  /** What the hashes begin with: whose it is, and what the caller calls it. */
  readonly root: readonly string[];
  readonly metadata: JsonObject;
  /** As the caller names it. */
  readonly name: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A request that the provider refused: as too long, with its answer, or for reasoning of earlier answers. */
export type RefusedRequest =
  | { readonly because: "length"; readonly request: JsonObject; readonly overflow: unknown }
  | { readonly because: "reasoning" };

export interface Fitted {
  /** The same object as the one that was asked where nothing has to change. */
  readonly request: JsonObject;
  readonly report: Report;
  /** The estimate of the request, not calibrated; undefined where the compactor knows it. */
  readonly estimatedTokens?: number;
  /** What the client's list would come to, by the calibrated estimate. */
  readonly fullTokens: number;
  readonly sessionId?: string;
  readonly eventId?: string;
  /** Present where the recall tool is offered in the request. */
  readonly recall?: Recaller;
}

export interface Keeper {
  fit(request: KeptRequest, refused?: RefusedRequest): Promise<Fitted>;
}

/** In the memory of this process, which forgets the conversation unused for longest. */
export function memoryKeeper(conversationsMax: number): Keeper {
  const identity = createIdentity();
  const conversations = createRememberedConversations(conversationsMax);
  return {
    fit: async ({ compactor, asked, root, name, signal }, refused) => {
      const { format } = compactor;
      const list = listOf(asked, format.listKey);
      const conversation = conversations.find(identity.chain([format.name, ...root], list), compactor);
      if (refused?.because === "reasoning") conversation.unreasoned = list.length;
      const { unreasoned } = conversation;
      const plain = list.slice(0, unreasoned).map((message) => withoutReasoning(format, message));
      const given = unreasoned === 0 ? asked : { ...asked, [format.listKey]: [...plain, ...list.slice(unreasoned)] };
      const { request, report } = await inTurn(conversation, () =>
        conversation.compactor.fit(given, {
          isCacheCold: isCacheCold(conversation, asked, format.name),
          ...(signal !== undefined && { signal }),
          ...(refused?.because === "length" && { overflow: refused.overflow }),
          ...(name !== undefined && { hookContext: { sessionId: name } }),
        }),
      );
      if (report.compacted) conversation.savedTokens += report.tokensBefore - report.tokensAfter;
      return { request, report, fullTokens: report.tokensAfter + conversation.savedTokens };
    },
  };
}

/** As sessions of a store. */
export function storeKeeper(
  store: Promise<Store & TrafficStore>,
  limits: { readonly conversationsMax: number; readonly recall: boolean; failed(error: unknown): void },
): Keeper {
  const identity = createIdentity();
  const conversations = store.then((opened) => createStoredConversations(opened, limits));
  // Whoever makes a request hears of it.
  conversations.catch(() => {});
  return {
    fit: async (given, refused) => {
      const { compactor, root, metadata, signal } = given;
      const { listKey, name } = compactor.format;
      const { request: asked } = takePreservedIn(given.asked, listKey);
      const list = listOf(asked, listKey);
      if (list.length === 0) throw new CompactionError("invalid-request", "The request has no messages.");
      const base = { ...asked, [listKey]: [] };
      const hashes = identity.chain([name, ...root], list);
      const view = await (await conversations).enter({ compactor, list, hashes, base, metadata, signal });
      const fitted = await inTurn(view, () =>
        fitView(view, {
          ...{ asked, list, base, signal, refused, recall: limits.recall },
          isCacheCold: isCacheCold(view, asked, name),
        }),
      );
      return { ...fitted, sessionId: view.parts.id };
    },
  };
}

/** A conversation while this process keeps it. */
interface KeptConversation {
  /** Ends when the requests before have been fitted. */
  turn: Promise<unknown>;
  /** When the request before came. */
  askedMs?: number;
}

/** Single flight: requests of one conversation are fitted one after the other, so that each compaction is made once. */
async function inTurn<T>(conversation: KeptConversation, work: () => Promise<T>): Promise<T> {
  const done = conversation.turn.then(work);
  conversation.turn = done.catch(() => {});
  return done;
}

const MINUTE_MS = 60_000;
/** How long Anthropic keeps a prefix that nobody asks for, unless its marks ask for an hour. */
const SHORT_CACHE_MS = 5 * MINUTE_MS;
/** The other providers keep one for up to an hour. */
const LONG_CACHE_MS = 60 * MINUTE_MS;

/** Whether the provider has forgotten the prefix since the last request of a conversation; false where that is not known. */
function isCacheCold(conversation: KeptConversation, asked: JsonObject, format: FormatName): boolean {
  const nowMs = Date.now();
  const idleMs = nowMs - (conversation.askedMs ?? nowMs);
  conversation.askedMs = nowMs;
  if (idleMs <= SHORT_CACHE_MS) return false;
  return idleMs > LONG_CACHE_MS || (format === "anthropic-messages" && !JSON.stringify(asked).includes('"ttl":"1h"'));
}

function listOf(body: JsonObject, listKey: string): readonly JsonValue[] {
  const list = body[listKey];
  return isArray(list) ? list : [];
}

interface RememberedConversation extends KeptConversation {
  /** Remembers the edits of this conversation. */
  readonly compactor: Compactor;
  /** What its compactions took out. */
  savedTokens: number;
  /** How many of its first messages are sent without reasoning, which the provider refused. */
  unreasoned: number;
  /** The hashes by which it is found. */
  ends: readonly string[];
}

interface RememberedConversations {
  /** `hashes` has one for each message of the list, over all up to it. Never waits. */
  find(hashes: readonly string[], compactor: Compactor): RememberedConversation;
}

/** Where a remembered list is looked for, from its end: clients change the newest messages when they send them again. */
const ENDS = [0, 1, 2, 4];

/**
 * Finds the conversation that a list of messages continues, with no more work for ten thousand than for one. A list that leaves a
 * remembered one gets a memory of its own, which begins as a copy. The conversation unused for longest is forgotten.
 */
function createRememberedConversations(conversationsMax: number): RememberedConversations {
  const byEnd = new Map<string, RememberedConversation>();
  // In the order of their use.
  const kept = new Map<RememberedConversation, RememberedConversation>();
  const forget = (one: RememberedConversation): void => {
    for (const end of one.ends) if (byEnd.get(end) === one) byEnd.delete(end);
  };
  const keep = (one: RememberedConversation, hashes: readonly string[]): RememberedConversation => {
    forget(one);
    one.ends = ENDS.flatMap((fromEnd) => hashes[hashes.length - 1 - fromEnd] ?? []);
    for (const end of one.ends) byEnd.set(end, one);
    const [oldest] = kept.keys();
    setBounded(kept, [one, one], conversationsMax);
    if (oldest !== undefined && !kept.has(oldest)) forget(oldest);
    return one;
  };
  return {
    find: (hashes, compactor) => {
      const end = hashes.findLast((hash) => byEnd.has(hash));
      const found = end === undefined ? undefined : byEnd.get(end);
      if (found !== undefined && found.ends[0] === end) return keep(found, hashes);
      const source = found?.compactor ?? compactor;
      const { savedTokens = 0, unreasoned = 0 } = found ?? {};
      const own = { compactor: source.forConversation(), turn: Promise.resolve() };
      return keep({ ...own, savedTokens, unreasoned: Math.min(unreasoned, hashes.length), ends: [] }, hashes);
    },
  };
}

const unreasonedMessages = new WeakMap<object, JsonValue>();

/** A wire message without its reasoning, for a provider that refuses its signatures. The same message gives the same object. */
function withoutReasoning(format: Format, message: JsonValue): JsonValue {
  if (typeof message !== "object" || message === null) return message;
  const before = unreasonedMessages.get(message);
  if (before !== undefined) return before;
  const decoded = format.decode([message]);
  const encoded = format.encode({ ...decoded, messages: decoded.messages.map(withoutThinking) });
  const [made = message] = isArray(encoded) ? encoded : [];
  unreasonedMessages.set(message, made);
  return made;
}
