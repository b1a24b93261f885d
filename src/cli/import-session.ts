/** One conversation into a store as a new session: all of it or nothing. Never touches a session that is there already. */

import { CompactionError } from "../core/errors.ts";
import { isObject } from "../core/json.ts";
import type { Batch, NewSession, Store } from "../core/store/store.ts";
import { formatNamed } from "../formats.ts";
import { baseOf } from "../session/session-view.ts";
import { readAppendable } from "../session/wire-input.ts";
import type { RecordedConversation, TranscriptSource } from "../transcripts/index.ts";

export interface NewImport {
  readonly session: NewSession;
  readonly batch: Batch;
}

/** Decoded before anything is written: what is not what it should be makes no session. */
export function importOf(id: string, source: TranscriptSource, recorded: RecordedConversation): NewImport {
  const format = formatNamed(recorded.format);
  const { body } = recorded;
  const list = isObject(body) ? body[format.listKey] : body;
  // Lists, and the short forms that stand for them, are what a format decodes.
  const { messages, turns } = readAppendable(format, (list ?? []) as string | readonly object[]);
  const usage = usageOf(recorded, messages.length);
  return {
    session: {
      id,
      format: format.name,
      base: isObject(body) ? baseOf(format, body) : {},
      metadata: { importedFrom: source },
    },
    batch: { messages, turns, ...(usage !== undefined && { usage }) },
  };
}

/** Throws `session-exists`. */
export async function storeImport(store: Store, { session, batch }: NewImport): Promise<void> {
  await store.create(session, batch);
}

export async function refuseExisting(store: Store, ids: readonly string[]): Promise<void> {
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw existing(`two conversations of the file have the id ${JSON.stringify(twice)}`);
  for (const id of ids) {
    if ((await store.open(id)) !== undefined) throw existing(`there is a session ${JSON.stringify(id)} already`);
  }
}

function existing(what: string): CompactionError {
  return new CompactionError("session-exists", `${what}; nothing was changed (--id NAME imports it under another)`);
}

/** What the last recorded call was billed is the size of the view only where nothing came after its answer. */
function usageOf({ calls, segments }: RecordedConversation, messages: number): Batch["usage"] {
  const last = calls.at(-1);
  if (last === undefined || last.segment !== segments.length - 1 || last.messageCount + 1 !== messages)
    return undefined;
  const { inputTokens, outputTokens } = last.usage;
  return { inputTokens, outputTokens };
}
