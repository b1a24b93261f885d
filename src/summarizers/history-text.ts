/**
 * A conversation as plain text, for a host that wants to think about it: the summary first where there is one, then the newest
 * messages. Pure; reasoning, binary data and wire fields never get into it.
 */

import { findSummary, type SummaryReader, withoutSummary } from "../core/plan/summary-marks.ts";
import { DEFAULT_SUMMARY_INPUT, serialize } from "./serialize.ts";

const SUMMARY_HEADING = "[Previous context summary]";
const MESSAGES_MAX = 20;

export interface HistoryTextOptions {
  /** Of the newest messages, at most this many. Default: 20. */
  readonly messagesMax?: number;
}

/** `compactor` says how a request is read, and how a summary in it is recognised. */
export function historyText(
  request: unknown,
  { format, settings }: SummaryReader,
  { messagesMax = MESSAGES_MAX }: HistoryTextOptions = {},
): string {
  const { messages, system } = format.decode(request);
  const found = findSummary(messages, system, settings.render);
  const ours = new Set(found?.messageIds ?? []);
  const rest = messages.filter(({ id }) => !ours.has(id)).map((message) => withoutSummary(message, settings.render));
  const recent = messagesMax > 0 ? rest.slice(-messagesMax) : [];
  const said = serialize(recent, { style: "nous", input: DEFAULT_SUMMARY_INPUT, userTools: settings.userTools });
  const summary = found === undefined ? [] : [`${SUMMARY_HEADING}\n${found.text}`];
  return [...summary, ...(said === "" ? [] : [said])].join("\n\n");
}
