/** A compactor learns from a stored session what its provider reported last. Reads the session, changes nothing of it. */

import type { Compactor } from "../compactor.ts";
import type { Snapshot } from "./live-view.ts";
import { modelOf } from "./session-view.ts";

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
