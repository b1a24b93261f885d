/** What a session's log answers beside its state: changes, archive, summary, search. Reads only. */

import { bodyText } from "../../core/search/body-text.ts";
import { type Candidate, rankHits } from "../../core/search/rank-hits.ts";
import { searchForm, searchWords } from "../../core/search/search-words.ts";
import type { ArchiveRange, Changes, Hit, SessionSummary, StoredMessage, Version } from "../../core/store/store.ts";
import { asSent, asWritten, isTakenBack, type Row, recordOf, type SessionLog, stateOf } from "./session-log.ts";

export function changesSince(log: SessionLog, since: Version): Changes {
  if (log.revision !== since.revision) return { type: "changed", state: stateOf(log) };
  if (log.sequence === since.sequence) return { type: "none" };
  let start = log.view.length;
  while (start > 0 && (log.view[start - 1]?.sequence ?? 0) > since.sequence) start--;
  return { type: "appended", record: recordOf(log), messages: log.view.slice(start).map(asSent) };
}

/** By event, oldest first; within one in the order in which the model was sent them. */
export function archiveOf(log: SessionLog, { eventId }: ArchiveRange): readonly StoredMessage[] {
  const archived = [...log.rows.values()].filter((row) => row.archivedBy !== null && !isTakenBack(row));
  const numberOf = ({ archivedBy }: Row): number => log.events.get(archivedBy ?? "")?.facts.number ?? 0;
  return archived
    .filter(({ archivedBy }) => eventId === undefined || archivedBy === eventId)
    .sort((a, b) => numberOf(a) - numberOf(b) || a.order - b.order)
    .map(asWritten);
}

export function summaryOf(log: SessionLog): SessionSummary {
  const { id, format, agentId, counters, createdAt, updatedAt, view } = log;
  const { messageCount, compactionCount, totalTokens } = counters;
  const viewCount = view.length;
  return { id, format, agentId, messageCount, viewCount, compactionCount, totalTokens, createdAt, updatedAt };
}

export function searchLog(log: SessionLog, query: string, limit: number): readonly Hit[] {
  const words = [...new Set(searchWords(query))];
  return words.length === 0 ? [] : rankHits(query, candidatesIn(log, words), limit);
}

/** As many as any store's index proposes. */
const CANDIDATES_MAX = 1_000;

/** The newest that hold any of the words. */
function* candidatesIn(log: SessionLog, words: readonly string[]): Generator<Candidate> {
  let count = 0;
  for (const row of [...log.rows.values()].reverse()) {
    if (isTakenBack(row)) continue;
    const text = bodyText(row.body);
    if (!holdsAny(text, words)) continue;
    const { id: messageId, sequence, role, archivedBy, createdAt } = row;
    yield { messageId, sequence, role, text, archivedBy, createdAt };
    if (++count === CANDIDATES_MAX) return;
  }
}

function holdsAny(text: string, words: readonly string[]): boolean {
  const form = searchForm(text);
  const near = words.filter((word) => form.includes(word));
  if (near.length === 0) return false;
  const all = new Set(searchWords(text));
  return near.some((word) => all.has(word));
}
