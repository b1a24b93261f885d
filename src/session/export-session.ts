/**
 * A session as a file: the view as a request body, and with `all` everything else that is needed to create the session
 * again, as it was at one moment.
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
  /** The view as it is; no compaction runs for it. */
  readonly request: object;
  /** Every message ever appended or inserted, as it was written; only with `all`. */
  readonly log?: readonly StoredMessage[];
  readonly events?: readonly CompactionEvent[];
  /** The edits of compactions to messages and the system prompt; only with `all`. */
  readonly edits?: readonly EventEdits[];
  /** The fields of the request beside the messages, without a compaction's edit of the prompt; only with `all`. */
  readonly base?: JsonObject;
  readonly metadata?: JsonObject;
  /** The agent that owns the session, where there is one; only with `all`. */
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

/** A bound: each reading is the whole log, and other workers may change the session all the time. */
const READINGS_MAX = 5;

/** Undefined where the session changed during the reading: the parts would not match. */
async function readAll(parts: SessionParts): Promise<Exported | undefined> {
  const { id, store, live } = parts;
  const snapshot = await live.refresh();
  const { base, metadata, agentId, version } = snapshot.record;
  const full = withUpkeep(store, "export whole sessions");
  const [log, events] = [await Array.fromAsync(full.log(id)), await Array.fromAsync(store.events(id))];
  const edits = await Array.fromAsync(full.edits(id));
  const { type } = await store.changes(id, version);
  if (type === "changed") return undefined;
  // Messages that were only appended meanwhile change nothing before them, and are not in the view.
  const then = log.filter(({ sequence }) => sequence <= version.sequence);
  const owner = agentId === "" ? {} : { agentId };
  // Copies: requests are made from the snapshot's own objects, and the caller may change the file.
  const around = { base: copyJson(base), metadata: copyJson(metadata) };
  return { ...viewOf(parts, snapshot), log: then, events, edits, ...around, ...owner };
}

function viewOf({ id, compactor: { format } }: SessionParts, snapshot: Snapshot): Exported {
  // Without the overlay for requests: an export holds what is stored.
  const encoded = format.encode(conversationOf(snapshot, new Map()));
  return { id, format: format.name, request: isObject(encoded) ? copyJson(encoded) : {} };
}
