/**
 * One conversation that a store keeps: the view of its session as the client's request. Messages that are sent as they were stored go out
 * as the client wrote them this time, cache marks included. One request of a conversation after the other is fitted; each is one pass.
 */

import type { Report } from "../compactor/report.ts";
import type { Compactor } from "../compactor.ts";
import { invariant } from "../core/errors.ts";
import type { HookContext } from "../core/hooks/hook-events.ts";
import { isSameJson } from "../core/identity.ts";
import { isArray, isObject, type JsonObject, type JsonValue, numberOf } from "../core/json.ts";
import { type Conversation, isUntouched, type Message } from "../core/message.ts";
import { RECALL_NAME } from "../core/plan/user-voice.ts";
import type { Format } from "../core/ports.ts";
import { attachmentsIn } from "../core/store/attachments.ts";
import type { Batch, SessionState, Store, SystemEdit } from "../core/store/store.ts";
import { sequenceOf } from "../core/store/store-rules.ts";
import { isTurnStart } from "../core/structure/structure.ts";
import { withoutThinking } from "../core/thinking.ts";
import { RECALL_DEFINITION, recallTool } from "../recall-tool.ts";
import { compactView, createParts, type SessionParts } from "../session/compact-view.ts";
import { createSession } from "../session/create-session.ts";
import { heedRefusal, keepWindows, recalibrate, restoreWindows } from "../session/learned-windows.ts";
import { createLiveView, type Entry, frameOf, type LiveView, type Snapshot } from "../session/session-view.ts";
import { digestOf, withoutMarks } from "./identity.ts";
import type { RefusedRequest } from "./keeper.ts";

/** A conversation that this process has open. */
export interface StoredView {
  readonly parts: SessionParts & { readonly live: LiveBody };
  /** Where each message of the view stands in the client's list, by its id. */
  places: Map<string, number>;
  /** The list of entries that `places` belongs to. */
  placed: Snapshot["list"] | undefined;
  /** Ends when the requests before have been fitted. */
  turn: Promise<unknown>;
  /** When the request before came. */
  askedMs?: number;
  /** What the compactions in force took out, by the newest of them. */
  saved: { readonly head: string | null; readonly tokens: number } | undefined;
  /** The fields beside the messages that the store has. */
  storedBase: JsonObject;
}

export function openView(store: Store, compactor: Compactor, state: SessionState): StoredView {
  const live = withLiveBody(createLiveView(store, compactor.format, state), compactor.format);
  const parts = { ...createParts({ id: state.id, store, compactor }, live), live };
  restoreWindows(compactor, state);
  recalibrate(compactor, live.current());
  return {
    parts,
    places: new Map(),
    placed: undefined,
    turn: Promise.resolve(),
    saved: undefined,
    storedBase: state.base,
  };
}

export interface ViewDemand {
  /** The client's request, with all of its messages. */
  readonly asked: JsonObject;
  readonly list: readonly JsonValue[];
  /** The request without its messages. */
  readonly base: JsonObject;
  readonly refused?: RefusedRequest | undefined;
  /** Whether to offer the recall tool. */
  readonly recall: boolean;
  /** Whether the provider has forgotten the prefix, so that an edit costs no cached one. */
  readonly isCacheCold: boolean;
  readonly hookContext?: HookContext;
  readonly signal?: AbortSignal | undefined;
}

export interface FittedView {
  /** The same object as `asked` where nothing has to change. */
  readonly request: JsonObject;
  readonly report: Report;
  readonly estimatedTokens: number;
  readonly eventId?: string;
  /** What the client's list would come to. */
  readonly fullTokens: number;
  /** Present where the recall tool is offered. */
  readonly recall?: Recaller;
}

export async function fitView(view: StoredView, demand: ViewDemand): Promise<FittedView> {
  const { parts } = view;
  const { asked, list, base, refused, isCacheCold, hookContext, signal } = demand;
  parts.live.setBase(base);
  await keepBase(view, demand);
  await keepWindows(parts, { signal });
  if (refused?.because === "reasoning") await leaveOutReasoning(view, signal);
  const heeded = refused?.because === "length" ? await heedLength(view, refused, signal) : {};
  const { sent, report, estimatedTokens, eventId } = await compactView(parts, {
    ...heeded,
    isCacheCold,
    // The tool is offered as soon as something was taken out.
    ...(demand.recall && { settings: { render: { mentionsRecall: true } } }),
    ...(signal !== undefined && { signal }),
    ...(hookContext !== undefined && { hookContext }),
  });
  const fullTokens = report.tokensAfter + (await savedTokens(view));
  const told = { report, estimatedTokens, fullTokens, ...(eventId !== undefined && { eventId }) };
  const current = { ...sent, messages: asWritten(view, sent.messages, list) };
  const isSame = isAsAsked(current, parts.live.current().frame, list);
  // A frame is decoded from an object, and encodes to one.
  const request = isSame ? asked : (parts.compactor.format.encode(current) as JsonObject);
  const offering = demand.recall ? withRecall(view, request) : undefined;
  return offering === undefined ? { request, ...told } : { request: offering, ...told, recall: recallerOf(view) };
}

async function heedLength(
  { parts }: StoredView,
  { overflow, request }: Extract<RefusedRequest, { readonly because: "length" }>,
  signal: AbortSignal | undefined,
) {
  return heedRefusal(parts, { overflow, ...(signal !== undefined && { signal }) }, request);
}

/** The key in the session's metadata: up to this number, messages are sent without reasoning. */
const UNREASONED = "unreasonedSequence";

async function leaveOutReasoning({ parts }: StoredView, signal: AbortSignal | undefined): Promise<void> {
  const { id, store, live } = parts;
  const { metadata, version } = (await live.refresh()).record;
  await store.update(id, { type: "metadata", metadata: { ...metadata, [UNREASONED]: version.sequence } }, { signal });
  await live.refresh();
}

/** What the model and the host see of a session beside its messages; the rest changes with every request. */
const KEPT_FIELDS = ["model", "system", "instructions", "systemInstruction", "system_instruction", "tools"];

async function keepBase(view: StoredView, { base, signal }: ViewDemand): Promise<void> {
  const isKept = KEPT_FIELDS.every((key) => isSameJson(view.storedBase[key], base[key]));
  if (isKept) return;
  const { id, store, live } = view.parts;
  await store.update(id, { type: "base", base }, { signal });
  view.storedBase = base;
  await live.refresh();
}

/** The messages of a view that are sent as they were stored, as the client wrote them this time. */
function asWritten(view: StoredView, messages: readonly Message[], list: readonly JsonValue[]): readonly Message[] {
  const snapshot = view.parts.live.current();
  if (view.placed !== snapshot.list) {
    view.places = placesIn(snapshot.entries, list);
    view.placed = snapshot.list;
  }
  const unreasoned = numberOf(snapshot.record.metadata[UNREASONED]) ?? 0;
  return messages.map((message) => {
    const json = list[view.places.get(message.id) ?? list.length];
    const isSame = json === undefined || !isUntouched(message) || message.wire.json === json;
    const { role, parts } = message;
    const written = isSame ? message : { ...message, wire: { json, role, parts } };
    const isUnreasoned = unreasoned > 0 && (sequenceOf(message.id) ?? Number.POSITIVE_INFINITY) <= unreasoned;
    return isUnreasoned ? withoutThinking(written) : written;
  });
}

/** Both lists have the same order; what a compaction edited or inserted is in no client's list. */
function placesIn(entries: readonly Entry[], list: readonly JsonValue[]): Map<string, number> {
  const places = new Map<string, number>();
  const byDigest = Map.groupBy(list.keys(), (at) => digestOf(list[at] ?? null));
  let end = list.length;
  for (const { stored } of entries.toReversed()) {
    if (stored.madeBy !== null || stored.isEdited) continue;
    const candidates = byDigest.get(digestOf(stored.body)) ?? [];
    while ((candidates.at(-1) ?? -1) >= end) candidates.pop();
    const place = candidates.pop();
    if (place === undefined) continue;
    places.set(stored.id, place);
    end = place;
  }
  return places;
}

function isAsAsked(sent: Conversation, frame: Conversation, list: readonly JsonValue[]): boolean {
  const { messages, system, tools, wire } = sent;
  if (messages.length !== list.length || system !== frame.system || tools !== frame.tools || wire !== frame.wire) {
    return false;
  }
  return messages.every((message, at) => isUntouched(message) && message.wire.json === list[at]);
}

/** Read again only after a compaction or a rollback. */
async function savedTokens(view: StoredView): Promise<number> {
  const { id, store, live } = view.parts;
  const { head } = live.current().record.version;
  if (view.saved?.head === head) return view.saved.tokens;
  let tokens = 0;
  if (head !== null) {
    for await (const { undoneAt, originalTokens, compactedTokens, strategy } of store.events(id)) {
      if (undoneAt === null && strategy !== "rewind") tokens += originalTokens - compactedTokens;
    }
  }
  view.saved = { head, tokens };
  return tokens;
}

/** Messages as they are stored: as they came, without the marks of one request. */
export function batchOf(format: Format, list: readonly JsonValue[]): Batch {
  const bodies = list.map(withoutMarks);
  const { messages } = format.decode(bodies);
  invariant(messages.length === bodies.length, "every message of a list is one message");
  return {
    messages: messages.map(({ role, parts }, at) => {
      const body = bodies[at] ?? null;
      return { role, body, attachments: attachmentsIn(body, parts) };
    }),
    turns: messages.filter(isTurnStart).length,
  };
}

/** Answers calls of the recall tool for the client. */
export interface Recaller {
  /** Stores the provider's answer and what its calls of the tool found: the next request has both. */
  keep(answer: JsonObject): Promise<void>;
}

function recallerOf({ parts }: StoredView): Recaller {
  const { id, store, compactor, live } = parts;
  const { format } = compactor;
  const session = createSession(parts, { isOwnStore: false, fork: () => Promise.reject(new Error("not here")) });
  return {
    keep: async (answer) => {
      const said = format.readReply(answer) ?? [];
      const found = await recallTool(session).answer(answer);
      // Wire messages are JSON.
      const batch = batchOf(format, [...said, ...(found as readonly JsonValue[])]);
      live.appended(batch, await store.append(id, batch));
    },
  };
}

/** The request with the recall tool; undefined where the client has one of that name, or nothing was taken out yet. */
function withRecall({ parts }: StoredView, request: JsonObject): JsonObject | undefined {
  const { format } = parts.compactor;
  const { toolsKey } = format.rules();
  const own = request[toolsKey];
  const isTaken = format.readTools(own).definitions.some(({ name }) => name === RECALL_NAME);
  if (isTaken || parts.live.current().record.version.head === null) return undefined;
  const offered = format.writeTools([RECALL_DEFINITION]);
  return { ...request, [toolsKey]: joinedTools(isArray(own) ? own : [], isArray(offered) ? offered : []) };
}

/** Tools in groups (Gemini) stand in one group. */
function joinedTools(own: readonly JsonValue[], added: readonly JsonValue[]): readonly JsonValue[] {
  const [group] = added;
  const [key, list] = (isObject(group) && Object.entries(group).find(([, value]) => isArray(value))) || [];
  const at = key === undefined ? -1 : own.findIndex((tool) => isObject(tool) && isArray(tool[key]));
  const before = own[at];
  if (key === undefined || !isObject(before) || !isArray(list)) return [...own, ...added];
  const known = before[key];
  return own.with(at, { ...before, [key]: [...(isArray(known) ? known : []), ...list] });
}

interface LiveBody extends LiveView {
  /** From now on snapshots have these fields. */
  setBase(base: JsonObject): void;
}

interface Frame {
  readonly base: JsonObject;
  readonly system: SystemEdit | null;
  readonly frame: Conversation;
}

/**
 * A session's live view under the request that is being made: the fields beside the messages are those of this request, because clients
 * change some of them every time. Stores nothing.
 */
function withLiveBody(live: LiveView, format: Format): LiveBody {
  let base = live.current().record.base;
  let known: Frame | undefined;
  const shown = (snapshot: Snapshot): Snapshot => {
    const { record, list, length } = snapshot;
    const { system } = record;
    // The same frame for the same fields: views under it are not read again from their beginning.
    if (known?.base !== base || !isSameJson(known.system, system)) {
      known = { base, system, frame: frameOf(format, { base, system }) };
    }
    return {
      record: { ...record, base },
      frame: known.frame,
      list,
      length,
      get entries() {
        return snapshot.entries;
      },
    };
  };
  return {
    ...live,
    current: () => shown(live.current()),
    refresh: async () => shown(await live.refresh()),
    setBase: (next) => {
      if (!isSameJson(base, next)) base = next;
    },
  };
}
