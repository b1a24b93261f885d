/** A stored session by its id, and one of its compactions by number, id or the beginning of an id. What is not there is one clear line. */

import { CompactionError } from "../core/errors.ts";
import { isArray, isObject, type JsonObject } from "../core/json.ts";
import type { Conversation, Message } from "../core/message.ts";
import type { CountTokens, Format } from "../core/ports.ts";
import type { CompactionEvent } from "../core/store/compaction-event.ts";
import type { SessionState, Store, StoredMessage } from "../core/store/store.ts";
import { structureOf } from "../core/structure/structure.ts";
import { countedIn } from "../core/tokens/counted.ts";
import { estimateTokens, type TokenCounter } from "../core/tokens/tokens.ts";
import { formatNamed } from "../formats.ts";
import { entriesOf, frameOf, modelOf } from "../session/session-view.ts";
import { didYouMean } from "./command.ts";
import { readAll } from "./interrupt.ts";
import { messageShower } from "./message-label.ts";
import type { StoreTask } from "./store-command.ts";

interface SessionTask extends StoreTask {
  readonly id: string;
}

export async function sessionState({ store, signal, id }: SessionTask): Promise<SessionState> {
  const state = id === "" ? undefined : await store.open(id);
  if (state !== undefined) return state;
  const hint = didYouMean(id, await someIds(store, signal)) || "; palimpsest sessions lists them";
  throw new CompactionError("session-missing", `there is no session ${JSON.stringify(id)} in ${store.url}${hint}`);
}

export function formatOf({ format }: Pick<SessionState, "format">): Format {
  return formatNamed(format);
}

/** The view as the compactor takes it: with the store's ids, and pins. */
export function viewConversation(state: SessionState): Conversation {
  const format = formatOf(state);
  return { ...frameOf(format, state), messages: messagesOf(format, state.view) };
}

/** Stored bodies, decoded, under their own ids. */
export function messagesOf(format: Format, stored: readonly StoredMessage[]): readonly Message[] {
  return entriesOf(format, stored).map(({ message }) => message);
}

export async function eventsOf({ store, signal, id }: SessionTask): Promise<readonly CompactionEvent[]> {
  return readAll(store.events(id), signal);
}

/** Shorter beginnings of an id are more likely mistyped numbers. */
const PREFIX_LENGTH_MIN = 4;

export function findEvent(events: readonly CompactionEvent[], wanted: string): CompactionEvent {
  const exact = events.find(({ id, number }) => id === wanted || String(number) === wanted);
  const begun = wanted.length < PREFIX_LENGTH_MIN ? [] : events.filter(({ id }) => id.startsWith(wanted));
  const found = exact ?? (begun.length === 1 ? begun[0] : undefined);
  if (found !== undefined) return found;
  const has =
    begun.length > 1
      ? `${begun.length} compactions begin with ${JSON.stringify(wanted)}`
      : `there is no compaction ${JSON.stringify(wanted)}; ${numbersOf(events)}`;
  throw new CompactionError("event-missing", has);
}

function numbersOf(events: readonly CompactionEvent[]): string {
  const last = events.at(-1)?.number;
  if (last === undefined) return "the session was never compacted";
  return last === 1 ? "there is one, number 1" : `they are numbered 1 to ${last}`;
}

/** Enough to find what was mistyped. */
const IDS_COMPARED_MAX = 1_000;

async function someIds(store: Store, signal: AbortSignal): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { id } of store.sessions()) {
    ids.push(id);
    if (ids.length >= IDS_COMPARED_MAX || signal.aborted) break;
  }
  return ids;
}

export interface ShownStored {
  readonly id: string;
  readonly role: string;
  readonly what: string;
  /** Our estimate. */
  readonly tokens: number;
  readonly begins: string;
  readonly isPinned: boolean;
  readonly isSummary: boolean;
  readonly isEdited: boolean;
  readonly archivedBy: string | null;
  readonly createdAt: string;
}

export function shownMessages(state: SessionState, stored: readonly StoredMessage[]): readonly ShownStored[] {
  const show = showerOf(state, messagesOf(formatOf(state), stored));
  return stored.map(({ id, role, isPinned, isSummary, isEdited, archivedBy, createdAt }, index) => {
    const { what, tokens, begins } = show(index);
    return { id, role, what, tokens, begins, isPinned, isSummary, isEdited, archivedBy, createdAt };
  });
}

/** Calls and results are told apart by those that stand in the same list. */
export function showerOf(state: SessionState, messages: readonly Message[]): ReturnType<typeof messageShower> {
  const conversation: Conversation = { format: state.format, system: [], tools: undefined, messages };
  const tokensOf: CountTokens = counterOf(state).count;
  return messageShower({ conversation, structure: structureOf(messages), tokensOf });
}

export function counterOf({ format, base }: Pick<SessionState, "format" | "base">): TokenCounter {
  return estimateTokens(countedIn(format, base, modelOf(base)));
}

/** The messages that it meant to take out. */
export function plannedRemovals(event: CompactionEvent): ReadonlySet<string> {
  const ids = stepsOf(event).flatMap((step) => [...idsIn(step, "messageIds"), ...idsIn(step, "replacesIds")]);
  return new Set(ids);
}

export function isTextPlanned(event: CompactionEvent, messageId: string): boolean {
  return stepsOf(event).some((step) => step.messageId === messageId && typeof step.text === "string");
}

function stepsOf({ plan }: CompactionEvent): readonly JsonObject[] {
  return isObject(plan) && isArray(plan.steps) ? plan.steps.filter(isObject) : [];
}

function idsIn(step: JsonObject, key: string): readonly string[] {
  const ids = step[key];
  return isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
}
