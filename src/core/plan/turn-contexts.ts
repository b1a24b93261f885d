/**
 * What a host keeps beside its messages, one thing per turn, trimmed when the messages are. Pure; never keeps more
 * than it was given, and never none of what there was.
 */

import type { Format } from "../ports.ts";
import type { Settings } from "../settings/settings.ts";
import { findSummary } from "./summary-marks.ts";

/** A compactor is one. */
export interface SummaryReader {
  readonly format: Format;
  readonly settings: Pick<Settings, "render"> & Partial<Pick<Settings, "userTools">>;
}

/**
 * Newest last, as `request` stands after a pass. Where it holds a summary and there are more contexts than messages beside it,
 * the newest half as many contexts as those messages stay, at least one.
 */
export function trimTurnContexts<Context>(
  contexts: readonly Context[],
  request: unknown,
  { format, settings }: SummaryReader,
): readonly Context[] {
  const { messages, system } = format.decode(request);
  const found = findSummary(messages, system, settings.render);
  if (found === undefined) return contexts;
  const recent = messages.length - found.messageIds.length;
  return contexts.length > recent ? contexts.slice(-Math.max(1, Math.floor(recent / 2))) : contexts;
}
