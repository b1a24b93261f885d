/** What providers taught about models, kept with the session: one that is opened elsewhere is not refused again, and counts by the last report at once. */

import type { Compactor } from "../compactor.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import type { SessionRecord, Waiting } from "../core/store/store.ts";
import type { SessionCall, SessionParts } from "./compact-view.ts";
import type { Snapshot } from "./live-view.ts";
import { modelOf } from "./session-view.ts";
import { viewToSend } from "./view-to-send.ts";

/** In the session's metadata, by model. */
const KEY = "learnedWindows";

/** Learns from a refusal, stores it, and says what it asks for. `sent` is the request that was handed out last. */
export async function heedRefusal(
  parts: SessionParts,
  { overflow, signal }: SessionCall,
  sent: object | undefined,
): Promise<Pick<SessionCall, "asked" | "attempt">> {
  const { compactor, refused } = parts;
  const snapshot = await parts.live.refresh();
  const view = async (): Promise<unknown> => compactor.format.encode((await viewToSend(parts, snapshot)).conversation);
  compactor.learnOverflow(sent ?? (await view()), overflow);
  await keepWindows(parts, { signal });
  const { messageCount } = snapshot.record.counters;
  // Anything that was appended since is an answer, or asks for something else.
  refused.attempts = refused.messageCount === messageCount ? refused.attempts + 1 : 1;
  refused.messageCount = messageCount;
  return { asked: "overflow", attempt: refused.attempts };
}

/** Brings the compactor and the session to the same knowledge about the session's model: what is newest stays. */
export async function keepWindows({ id, store, compactor, live }: SessionParts, { signal }: Waiting): Promise<void> {
  const { record } = live.current();
  const { model, known } = restoreWindows(compactor, record);
  const learned = compactor.windows.save(model);
  if (isSame(known, learned)) return;
  const { [model]: _, ...others } = windowsIn(record);
  const windows = learned === undefined ? others : { ...others, [model]: learned };
  await store.update(id, { type: "metadata", metadata: { ...record.metadata, [KEY]: windows } }, { signal });
  await live.refresh();
}

/** What the session knows about its model, where the compactor knows nothing yet. */
export function restoreWindows(compactor: Compactor, record: SessionRecord): KnownWindow {
  const model = compactor.model ?? modelOf(record.base) ?? "";
  const kept = windowsIn(record)[model];
  const known = isObject(kept) ? kept : undefined;
  compactor.windows.restore(model, known);
  return { model, known };
}

interface KnownWindow {
  readonly model: string;
  readonly known: JsonObject | undefined;
}

function windowsIn({ metadata }: SessionRecord): JsonObject {
  return isObject(metadata[KEY]) ? metadata[KEY] : {};
}

/** What went through since changes with every answer, and is worth no write. */
function isSame(known: JsonObject | undefined, learned: JsonObject | undefined): boolean {
  return known?.stated === learned?.stated && known?.refused === learned?.refused;
}

/**
 * What the provider reported last is about everything up to its answer. A session that is opened again counts by it at once, and
 * not only after the next answer. A compaction clears it, and nothing is known then. Nor is it where requests are shortened
 * and the stored view is not: it would be compared with more than was sent.
 */
export function recalibrate(
  compactor: Compactor,
  { record, entries, frame }: Pick<Snapshot, "record" | "entries" | "frame">,
): void {
  const { inputTokens, outputTokens } = record.counters;
  const answered = entries.findLastIndex(({ stored }) => stored.role === "assistant" && !stored.isSummary);
  if (inputTokens <= 0 || answered < 0) return;
  const messages = entries.slice(0, answered + 1).map(({ message }) => message);
  const model = modelOf(record.base);
  const asked = { ...frame, messages: messages.slice(0, -1) };
  const isShortened = (): boolean => compactor.planOver(asked, model === undefined ? {} : { model }).steps.length > 0;
  if (compactor.settings.prune.scope === "request" && isShortened()) return;
  compactor.calibrate({ ...frame, messages }, inputTokens + outputTokens, model);
}
