/** A session as a file: the view as a request body, and with `all` everything else that is needed to make the session again. */

import { copyJson, isObject, type JsonObject } from "../core/json.ts";
import type { CompactionEvent } from "../core/store/compaction-event.ts";
import type { EventEdits, StoredMessage } from "../core/store/store.ts";
import { collect } from "./collect.ts";
import type { SessionParts } from "./compact-view.ts";
import { conversationOf } from "./live-view.ts";

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
}

export async function exportSession(parts: SessionParts, all: boolean): Promise<Exported> {
  const { id, store, compactor, live } = parts;
  const snapshot = await live.refresh();
  const { format } = compactor;
  // Nothing that is only for requests: what is exported is what is stored.
  const encoded = format.encode(conversationOf(snapshot, new Map()));
  const request = isObject(encoded) ? copyJson(encoded) : {};
  const view = { id, format: format.name, request };
  if (!all) return view;
  const [log, events] = [await collect(store.log(id)), await collect(store.events(id))];
  const edits = await collect(store.edits(id));
  const { base, metadata } = snapshot.record;
  return { ...view, log, events, edits, base, metadata };
}
