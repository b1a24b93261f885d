/** Keeps what providers taught with the session: a process that opens it avoids the same refusal, and starts calibrated. */

import type { Compactor } from "../compactor.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import type { SessionRecord, Waiting } from "../core/store/store.ts";
import type { SessionCall, SessionParts } from "./compact-view.ts";
import { modelOf, type Snapshot } from "./session-view.ts";
import { viewToSend } from "./view-to-send.ts";

/** The key in the session's metadata; its value is by model. */
const KEY = "learnedWindows";

/** Learns from a refusal, stores the lesson, and returns the demand that follows. `sent` is the request returned last. */
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
  // A message appended since then means that the refused request was answered or given up.
  refused.attempts = refused.messageCount === messageCount ? refused.attempts + 1 : 1;
  refused.messageCount = messageCount;
  return { asked: "overflow", attempt: refused.attempts };
}

/** Brings compactor and session to the same knowledge about the session's model: the newest wins. */
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

/** Gives the compactor the session's knowledge about its model, where the compactor has none. */
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

/** Accepted sizes change with every answer, and are not worth a write. */
function isSame(known: JsonObject | undefined, learned: JsonObject | undefined): boolean {
  return known?.stated === learned?.stated && known?.refused === learned?.refused;
}

/**
 * The usage that the provider reported last covers the view up to its answer, so a session that is opened again counts
 * by it at once. A compaction clears it. It is not used where requests are shortened and the stored view is not: it
 * would be compared with more than was sent.
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
