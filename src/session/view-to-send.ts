/**
 * The view as this process sends it: stored bodies, with texts shortened for requests only, and without thinking that a
 * binding model signed over another prefix. Stored bodies never change for it. Reads only what is new since the last request.
 */

import type { ViewPass } from "../compactor.ts";
import { copyJson, isArray, isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { type Conversation, isUntouched, type Message } from "../core/message.ts";
import type { Format } from "../core/ports.ts";
import { bindsThinking, stripBoundThinking, withDroppableThinking } from "../core/thinking.ts";
import type { SessionParts } from "./compact-view.ts";
import { type Entry, modelOf, type Snapshot } from "./session-view.ts";
import { type EventFacts, isSignedElsewhere } from "./signing.ts";
import { encodeMessages } from "./wire-input.ts";

/** The messages of a view in the form they are sent: one list, which grows while the view only grows. */
export interface SendableView {
  readonly messages: Message[];
  readonly list: Snapshot["list"];
  readonly frame: Conversation;
  readonly revision: number;
  /** Whether thinking was removed from it. */
  isStripped: boolean;
  /** The first number that the newest event in force gave to an inserted message. */
  firstMade(eventId: string): number | undefined;
}

export interface ViewToSend {
  /** Its list may be the growing one: copy it before waiting. */
  readonly conversation: Conversation;
  readonly notes: readonly string[];
}

export async function viewToSend(parts: SessionParts, snapshot: Snapshot): Promise<ViewToSend> {
  const mustStrip = bindsHere(parts, snapshot);
  const sendable = sendableFor(parts, snapshot, mustStrip);
  const { messages } = sendable;
  const mayBeForeign = mustStrip && isThinkingBehind(parts, snapshot, messages.length);
  const facts = mayBeForeign ? await parts.live.signing.eventsAt(snapshot.record.version) : undefined;
  // Another call may have built more of the list meanwhile. The loop does not wait.
  for (let index = messages.length; index < snapshot.length; index++) {
    const entry = snapshot.list[index];
    if (entry === undefined) break;
    const message = sentAs(parts, entry);
    const isLeftOut = facts !== undefined && thinks(message) && isForeign(parts, sendable, { entry, facts });
    const sent = isLeftOut ? withoutThinking(parts, snapshot, message) : message;
    if (sent !== message) sendable.isStripped = true;
    messages.push(sent);
  }
  const isWhole = messages.length === snapshot.length;
  const conversation = { ...snapshot.frame, messages: isWhole ? messages : messages.slice(0, snapshot.length) };
  return { conversation, notes: sendable.isStripped ? [LEFT_OUT] : [] };
}

/** The list as built so far, while messages are only appended; otherwise a new one. */
function sendableFor(parts: SessionParts, snapshot: Snapshot, mustStrip: boolean): SendableView {
  const { list, frame, record } = snapshot;
  const { revision } = record.version;
  const known = parts.sendable;
  if (known?.list === list && known.frame === frame && known.revision === revision) return known;
  if (parts.overlay.size > 0) refreshOverlay(parts, snapshot, mustStrip);
  let firstMade: { readonly eventId: string; readonly first: number | undefined } | undefined;
  const made: SendableView = {
    messages: [],
    list,
    frame,
    revision,
    isStripped: false,
    firstMade: (eventId) => {
      if (firstMade?.eventId !== eventId) firstMade = { eventId, first: firstMadeBy(eventId, snapshot) };
      return firstMade.first;
    },
  };
  parts.sendable = made;
  return made;
}

function sentAs({ overlay }: SessionParts, entry: Entry): Message {
  const overlaid = overlay.get(entry.message.id);
  return overlaid?.over === entry ? overlaid.message : entry.message;
}

function isThinkingBehind(parts: SessionParts, { list, length }: Snapshot, from: number): boolean {
  for (let index = from; index < length; index++) {
    const entry = list[index];
    if (entry !== undefined && thinks(sentAs(parts, entry))) return true;
  }
  return false;
}

const LEFT_OUT = "Left out thinking that was signed, or may have been, over another prefix than the one that is sent.";

export function thinks({ parts }: Message): boolean {
  return parts.some(({ type }) => type === "reasoning");
}

/** With `drop-block` the request tells the provider to drop such thinking, where it has a place for that. */
function bindsHere({ compactor }: SessionParts, { frame, record }: Snapshot): boolean {
  if (!bindsThinking(frame, compactor.model ?? modelOf(record.base))) return false;
  return compactor.settings.compact.boundThinking === "strip" || withDroppableThinking(frame) === undefined;
}

/** Whether thinking in a message may have been signed over another prefix. */
function isForeign(
  { live, compactor }: SessionParts,
  { firstMade }: SendableView,
  { entry: { stored }, facts }: { readonly entry: Entry; readonly facts: EventFacts },
): boolean {
  // Each process shortens results in its own requests, so it knows only for their answers what they were signed over.
  const isForRequestsOnly = compactor.settings.prune.scope === "request";
  if (isForRequestsOnly && !live.signing.isOwnAnswer(stored.id)) return true;
  return isSignedElsewhere(stored, facts, facts.newest && firstMade(facts.newest.id));
}

function firstMadeBy(eventId: string, { entries }: Snapshot): number | undefined {
  const made = entries.filter(({ stored }) => stored.madeBy === eventId).map(({ stored }) => stored.sequence);
  return made.length === 0 ? undefined : Math.min(...made);
}

/** A pinned or edited message is sent whole again. The thinking after it was signed over the short form, so it is removed. */
function refreshOverlay({ overlay, live }: SessionParts, snapshot: Snapshot, mustStrip: boolean): void {
  const inView = new Set(snapshot.entries);
  const stale = [...overlay].filter(([, { over }]) => !inView.has(over));
  if (stale.length === 0) return;
  for (const [id] of stale) overlay.delete(id);
  if (!mustStrip) return;
  const firstOrder = Math.min(...stale.map(([, { over }]) => over.stored.order));
  for (const entry of snapshot.entries) {
    const message = overlay.get(entry.message.id)?.message ?? entry.message;
    if (entry.stored.order < firstOrder || !thinks(message)) continue;
    overlay.set(entry.message.id, { over: entry, message: withoutThinking({ live }, snapshot, message) });
  }
}

/** Returns the same object for the same message, so that it is counted once. */
function withoutThinking({ live }: Pick<SessionParts, "live">, { frame }: Snapshot, message: Message): Message {
  const known = live.unthought.get(message);
  if (known !== undefined) return known;
  // After an empty list, all thinking comes after the first difference.
  const alone = stripBoundThinking({ ...frame, messages: [] }, { ...frame, messages: [message] });
  const [stripped = message] = alone.messages;
  live.unthought.set(message, stripped);
  return stripped;
}

export interface GrowingRequest {
  readonly frame: Conversation;
  /** The body without its list. */
  readonly body: JsonObject;
  /** The growing list of messages, the number of them that are in `wire`, and those in wire form. */
  readonly messages: readonly Message[];
  count: number;
  readonly wire: JsonValue[];
}

export function handOut(parts: SessionParts, frame: Conversation, passed: ViewPass): object {
  const { format } = parts.compactor;
  const { messages } = passed.view;
  if (!passed.isQuiet || messages !== parts.sendable?.messages) {
    const { encoded } = passed;
    // A frame is decoded from an object, and encodes to one.
    return isObject(encoded) ? requestOf(encoded, format.listKey, listIn(encoded, format)) : {};
  }
  const known = parts.handedOut;
  const isGoingOn = known?.messages === messages && known.frame === frame;
  const next = isGoingOn ? known : begin(frame, messages, format);
  parts.handedOut = next;
  for (; next.count < messages.length; next.count++) {
    const message = messages[next.count];
    if (message === undefined) break;
    if (isUntouched(message)) next.wire.push(message.wire.json);
    else next.wire.push(...encodeMessages(format, [message]));
  }
  return requestOf(next.body, format.listKey, next.wire);
}

function begin(frame: Conversation, messages: readonly Message[], format: Format): GrowingRequest {
  const encoded = format.encode({ ...frame, messages: [] });
  return { frame, body: isObject(encoded) ? encoded : {}, messages, count: 0, wire: [] };
}

function listIn(body: JsonObject, { listKey }: Format): readonly JsonValue[] {
  const list = body[listKey];
  return isArray(list) ? list : [];
}

/** The list may grow beyond this request. */
function requestOf(body: JsonObject, listKey: string, list: readonly JsonValue[]): object {
  const { length } = list;
  const request = copyJson({ ...body, [listKey]: [] });
  const set = (value: unknown): unknown =>
    Object.defineProperty(request, listKey, { value, writable: true, enumerable: true, configurable: true });
  return Object.defineProperty(request, listKey, {
    get: () => {
      const own = list.slice(0, length).map(copyJson);
      set(own);
      return own;
    },
    set,
    enumerable: true,
    configurable: true,
  });
}
