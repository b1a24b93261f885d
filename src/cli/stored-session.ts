/** A stored session by its id, and one of its compactions by number, id or the beginning of an id. What is not there is one clear line. */

import { CompactionError } from "../core/errors.ts";
import type { Conversation, Message } from "../core/message.ts";
import type { Format } from "../core/ports.ts";
import type { CompactionEvent } from "../core/store/compaction-event.ts";
import type { SessionState, Store, StoredMessage } from "../core/store/store.ts";
import { formatNamed } from "../formats.ts";
import { entriesOf, frameOf } from "../session/session-view.ts";
import { readAll, type StoreTask } from "./over-store.ts";
import { didYouMean } from "./suggest.ts";

export async function sessionState({ store, signal }: StoreTask, id: string): Promise<SessionState> {
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

export async function eventsOf({ store, signal }: StoreTask, id: string): Promise<readonly CompactionEvent[]> {
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
