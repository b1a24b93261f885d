/**
 * A session as a file: the view as a request body, and with `all` everything else that is needed to make the session again, all of
 * it as it was at one moment.
 */

import { CompactionError } from "../core/errors.ts";
import { copyJson, isObject, type JsonObject } from "../core/json.ts";
import type { CompactionEvent } from "../core/store/compaction-event.ts";
import type { StoredMessage } from "../core/store/store.ts";
import { type EventEdits, withUpkeep } from "../core/store/store-upkeep.ts";
import type { SessionParts } from "./compact-view.ts";
import { conversationOf, type Snapshot } from "./live-view.ts";

export interface Exported {
  readonly id: string;
  readonly format: string;
  /** The view as it is, not compacted for the occasion. */
  readonly request: object;
  /** Everything ever appended or inserted, as it was written; with `all` only. */
  readonly log?: readonly StoredMessage[];
  readonly events?: readonly CompactionEvent[];
  /** What compactions wrote over messages and the system prompt; with `all` only. */
  readonly edits?: readonly EventEdits[];
  /** The request around the messages as it was given, without what a compaction wrote into its prompt; with `all` only. */
  readonly base?: JsonObject;
  readonly metadata?: JsonObject;
  /** Whose session it is, where anybody said so; with `all` only. */
  readonly agentId?: string;
}

export async function exportSession(parts: SessionParts, all: boolean): Promise<Exported> {
  if (!all) return viewOf(parts, await parts.live.refresh());
  for (let reading = 1; reading <= READINGS_MAX; reading++) {
    const exported = await readAll(parts);
    if (exported !== undefined) return exported;
  }
  const message = `The session "${parts.id}" was changed by others each of the ${READINGS_MAX} times that it was read, so nothing was exported. Try again.`;
  throw new CompactionError("store-conflict", message, { retryable: true });
}

/** Each reading is the whole log: somebody who changes the session all the time is not waited for longer. */
const READINGS_MAX = 5;

/** Undefined where it was changed while it was read: what was read before and after would not belong together. */
async function readAll(parts: SessionParts): Promise<Exported | undefined> {
  const { id, store, live } = parts;
  const snapshot = await live.refresh();
  const { base, metadata, agentId, version } = snapshot.record;
  const full = withUpkeep(store, "export whole sessions");
  const [log, events] = [await Array.fromAsync(full.log(id)), await Array.fromAsync(store.events(id))];
  const edits = await Array.fromAsync(full.edits(id));
  const { type } = await store.changes(id, version);
  if (type === "changed") return undefined;
  // What was only appended meanwhile changed nothing before it, and would not be in the view.
  const then = log.filter(({ sequence }) => sequence <= version.sequence);
  const owner = agentId === "" ? {} : { agentId };
  // The snapshot's own objects are what requests are made from: whoever gets the file may change it.
  const around = { base: copyJson(base), metadata: copyJson(metadata) };
  return { ...viewOf(parts, snapshot), log: then, events, edits, ...around, ...owner };
}

function viewOf({ id, compactor: { format } }: SessionParts, snapshot: Snapshot): Exported {
  // Nothing that is only for requests: what is exported is what is stored.
  const encoded = format.encode(conversationOf(snapshot, new Map()));
  return { id, format: format.name, request: isObject(encoded) ? copyJson(encoded) : {} };
}
