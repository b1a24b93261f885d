/** What the log of a session answers beside its state: changes, archive, summary, search, findings. Reads only. */

import { deepFreeze, stringOf } from "../../core/json.ts";
import { bodyText } from "../../core/search/body-text.ts";
import type { Embed, MessageVector, VectorShelf } from "../../core/search/embedding.ts";
import { type Candidate, holdsWord } from "../../core/search/rank-hits.ts";
import { CANDIDATES_MAX, type SearchSource } from "../../core/search/search.ts";
import { isDateTerm } from "../../core/search/search-dates.ts";
import { indexTerms, SPACELESS_CHARACTER, searchForm } from "../../core/search/search-words.ts";
import type {
  ArchiveRange,
  Changes,
  RowCounts,
  SearchScope,
  StoredMessage,
  Version,
  Waiting,
} from "../../core/store/store.ts";
import type { EventEdits, Finding, SessionSummary, StoredEdit } from "../../core/store/store-upkeep.ts";
import { eventsInForce } from "./records.ts";
import { asSent, asWritten, isTakenBack, type Row, recordOf, type SessionLog, stateOf } from "./session-log.ts";

export function changesSince(log: SessionLog, since: Version): Changes {
  const isSame = log.incarnation === since.incarnation && log.revision === since.revision;
  if (!isSame) return { type: "changed", state: stateOf(log) };
  if (log.sequence === since.sequence) return { type: "none" };
  let start = log.view.length;
  while (start > 0 && (log.view[start - 1]?.sequence ?? 0) > since.sequence) start--;
  return { type: "appended", record: recordOf(log), messages: log.view.slice(start).map(asSent) };
}

export function countsOf({ rows, view }: SessionLog): RowCounts {
  return { view: view.length, archived: [...rows.values()].filter(isArchived).length };
}

/** By event, oldest first; within one in the order in which the model was sent them. */
export function archiveOf(log: SessionLog, { eventId }: ArchiveRange): readonly StoredMessage[] {
  const archived = [...log.rows.values()].filter(isArchived);
  const numberOf = ({ archivedBy }: Row): number => log.events.get(archivedBy ?? "")?.facts.number ?? 0;
  return archived
    .filter(({ archivedBy }) => eventId === undefined || archivedBy === eventId)
    .sort((a, b) => numberOf(a) - numberOf(b) || a.order - b.order)
    .map(asWritten);
}

export function editsOf({ rows, events }: SessionLog): readonly EventEdits[] {
  const numberOf = ({ messageId }: StoredEdit): number => rows.get(messageId)?.sequence ?? 0;
  return [...events.values()]
    .map(({ facts, edits, system }) => ({
      eventId: facts.id,
      messages: edits
        .filter(({ messageId }) => rows.has(messageId))
        .toSorted((a, b) => numberOf(a) - numberOf(b))
        .map(({ messageId, kind, body }) => ({ messageId, kind, body: deepFreeze(body) })),
      system: deepFreeze(system),
    }))
    .filter(({ messages, system }) => messages.length > 0 || system !== null);
}

function isArchived(row: Row): boolean {
  return row.archivedBy !== null && !isTakenBack(row);
}

export function summaryOf(log: SessionLog): SessionSummary {
  const { id, format, agentId, metadata, counters, createdAt, updatedAt, view } = log;
  const { turnCount, messageCount, compactionCount, totalTokens, isTotalStale, contextTokens } = counters;
  const counts = { turnCount, messageCount, viewCount: view.length, compactionCount };
  const tokens = { totalTokens, isTotalStale, contextTokens };
  const model = stringOf(log.base.model) ?? null;
  return { id, format, agentId, metadata, model, ...counts, ...tokens, createdAt, updatedAt };
}

/** Where a backend keeps the vectors of a session, by the numbers of its messages. */
export interface SessionVectors {
  all(): Promise<ReadonlyMap<number, Int8Array>>;
  add(vectors: readonly MessageVector[], waiting: Waiting): Promise<void>;
  clear(waiting: Waiting): Promise<void>;
}

interface LogMeaning {
  readonly embed: Embed;
  readonly vectors: SessionVectors;
}

export function searchSourceOf(log: SessionLog, meaning: LogMeaning | undefined): SearchSource {
  const rows = [...log.rows.values()].filter((row) => !isTakenBack(row));
  const inScope = (scope: SearchScope): readonly Row[] =>
    scope === "all" ? rows : rows.filter(({ archivedBy }) => archivedBy !== null);
  return {
    meaning: meaning && { embed: meaning.embed, shelf: shelfOf(log, meaning.vectors, inScope) },
    holders: async (terms, scope) => holdersOf(inScope(scope), terms),
    candidates: async (sequences) => {
      const chosen = new Set(sequences);
      return rows.filter(({ sequence }) => chosen.has(sequence)).map(candidateOf);
    },
  };
}

function candidateOf({ id: messageId, sequence, role, body, madeBy, archivedBy, createdAt }: Row): Candidate {
  return { messageId, sequence, role, text: bodyText(body), isSummary: madeBy !== null, archivedBy, createdAt };
}

/** Vectors of messages that are not there any more do not count. */
function shelfOf(
  log: SessionLog,
  vectors: SessionVectors,
  inScope: (scope: SearchScope) => readonly Row[],
): VectorShelf {
  const rows = [...log.rows.values()];
  const after = (all: readonly Row[], number: number): readonly Row[] =>
    all.filter(({ sequence }) => sequence > number);
  const vectorsOf = async (all: readonly Row[]): Promise<readonly MessageVector[]> => {
    const known = await vectors.all();
    return all.flatMap(({ sequence }) => {
      const vector = known.get(sequence);
      return vector === undefined ? [] : [{ sequence, vector }];
    });
  };
  return {
    newest: async () => (await vectorsOf(rows)).at(-1),
    texts: async (number, limit) =>
      after(rows, number)
        .slice(0, limit)
        .map(({ sequence, body }) => ({ sequence, text: bodyText(body) })),
    add: (added, waiting) => vectors.add(added, waiting),
    clear: (waiting) => vectors.clear(waiting),
    page: async (number, scope, limit) => (await vectorsOf(after(inScope(scope), number))).slice(0, limit),
  };
}

/** For each term the numbers of the newest rows that hold it, newest first. */
function holdersOf(rows: readonly Row[], terms: readonly string[]): readonly (readonly number[])[] {
  const found = new Map(terms.map((term): [string, number[]] => [term, []]));
  for (const { sequence, body, createdAt } of rows.toReversed()) {
    const open = [...found].filter(([, sequences]) => sequences.length < CANDIDATES_MAX);
    if (open.length === 0) break;
    const text = bodyText(body);
    const form = searchForm(text);
    let terms: ReadonlySet<string> | undefined;
    for (const [term, sequences] of open) {
      // Looking for one word is faster than reading all.
      const isWord = !SPACELESS_CHARACTER.test(term) && !isDateTerm(term);
      if (!isWord) terms ??= indexTerms(text, createdAt);
      if (isWord ? holdsWord(term, form) : terms?.has(term)) sequences.push(sequence);
    }
  }
  return [...found.values()];
}

/** Whether a session is as its rules say. Finds; mends nothing. */
export function examineLog(log: SessionLog): readonly Finding[] {
  const problems = [...viewProblems(log), ...rowProblems(log), ...eventProblems(log)];
  return problems.map(([rule, message]) => ({ sessionId: log.id, rule, message, remedy: REMEDY }));
}

type Problem = readonly [rule: string, message: string];

const REMEDY = "Keep the session as it is and report this; a fork of an earlier copy can be gone on with.";

function viewProblems({ view }: SessionLog): readonly Problem[] {
  return view.flatMap((row, index): readonly Problem[] => {
    const before = view[index - 1];
    if (row.archivedBy !== null) return [["view-archived", `Message ${row.id} is in the view, yet archived.`]];
    if (before === undefined || before.order < row.order) return [];
    return [["view-order", `Messages ${before.id} and ${row.id} stand at the same place or in the wrong order.`]];
  });
}

function rowProblems(log: SessionLog): readonly Problem[] {
  const inForce = new Set(eventsInForce(log).map(({ facts }) => facts.id));
  return [...log.rows.values()].flatMap((row): readonly Problem[] => {
    const problems: Problem[] = [];
    const by = row.archivedBy;
    if (by !== null && !inForce.has(by) && by !== row.madeBy) {
      problems.push(["archived-by", `Message ${row.id} is archived by ${by}, which is not in force.`]);
    }
    if (row.madeBy !== null && !log.events.has(row.madeBy)) {
      problems.push(["made-by", `Message ${row.id} was made by ${row.madeBy}, which is not there.`]);
    }
    if (row.sequence > log.sequence) problems.push(["sequence", `Message ${row.id} is numbered beyond the last.`]);
    for (const { eventId } of row.edits) {
      if (!inForce.has(eventId))
        problems.push(["edited-by", `Message ${row.id} is edited by ${eventId}, not in force.`]);
    }
    return problems;
  });
}

function eventProblems(log: SessionLog): readonly Problem[] {
  const inForce = eventsInForce(log);
  const count = inForce.filter(({ facts }) => facts.isCompaction).length;
  const problems: Problem[] = inForce.flatMap(({ facts, archived }): readonly Problem[] => {
    if (facts.purgedAt !== null || !(archived.length < facts.messagesRemoved)) return [];
    const message = `Compaction ${facts.id} took ${facts.messagesRemoved} messages out of the view and has ${archived.length} of them.`;
    return [["archive-incomplete", message]];
  });
  if (count !== log.counters.compactionCount) {
    problems.push(["compaction-count", `${log.counters.compactionCount} compactions are counted, ${count} are there.`]);
  }
  if (log.head !== null && inForce.length === 0) problems.push(["head", `The newest event ${log.head} is not there.`]);
  const standing = [...log.events.values()].filter(({ facts }) => facts.undoneAt === null).length;
  if (standing !== inForce.length)
    problems.push(["event-chain", `${standing - inForce.length} events hang in the air.`]);
  return problems;
}
