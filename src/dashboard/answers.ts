/** What the page may ask for, by name, and the one change that it may make. A table: adding a question is a row. */

import { hash } from "node:crypto";
import { CompactionError } from "../core/errors.ts";
import type { CompactionEvent, SessionState, StoredMessage } from "../core/store/store.ts";
import { messageIdOf, sequenceOf } from "../core/store/store-rules.ts";
import type { FullStore } from "../core/store/store-upkeep.ts";
import { formatNamed } from "../formats.ts";
import { exportedText } from "../session/export-session.ts";
import { openSession } from "../session.ts";
import { type Compaction, readCompaction } from "./compaction-report.ts";
import { counterOf, decoded, type Listed, partsOf, rowMaker } from "./message-rows.ts";
import type { SessionIndex } from "./session-index.ts";
import { sessionReport } from "./session-report.ts";
import type {
  MessageReport,
  MessageRow,
  MessagesPage,
  RollbackAnswer,
  RollbackRequest,
  SessionRow,
  SessionSort,
} from "./wire.ts";

/** What answering needs. */
export interface Desk {
  readonly store: FullStore;
  readonly index: SessionIndex;
  /** The compactions that were looked at last: a page asks for several pieces of one. */
  readonly compactions: Map<string, Promise<Compaction>>;
}

export interface Asked {
  readonly name: string;
  readonly parameters: URLSearchParams;
  readonly etag: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Question = (desk: Desk, asked: Asked) => Promise<Answer>;

export async function answerTo(desk: Desk, asked: Asked): Promise<Answer> {
  const question = Object.hasOwn(QUESTIONS, asked.name) ? QUESTIONS[asked.name] : undefined;
  return question === undefined ? { status: 404, text: "" } : question(desk, asked);
}

const QUESTIONS: Readonly<Record<string, Question>> = {
  sessions: async ({ index }, asked) => {
    const { parameters } = asked;
    const query = (parameters.get("query") ?? "").slice(0, QUERY_CHARACTERS);
    const wanted = parameters.get("sort") ?? "";
    const sort = SORTS.find((name) => name === wanted) ?? "changed";
    return unlessSame(asked, await index.page({ query, sort, ...rangeIn(parameters) }));
  },
  session: async (desk, asked) => {
    const row = await rowIn(desk, asked.parameters);
    // What is asked for every few seconds is worked out again only when something changed.
    const etag = etagOf(JSON.stringify(row));
    if (asked.etag === etag) return unchanged(etag);
    return { ...json(await sessionReport(desk.store, await stateOf(desk, row), row)), headers: { etag } };
  },
  messages: async (desk, { parameters }) => {
    const { row, state, events } = await opened(desk, parameters);
    const isArchive = parameters.get("scope") === "archive";
    const stored = isArchive ? await Array.fromAsync(desk.store.archive(row.key)) : state.view;
    const rowAt = rowMaker(listed(stored, state), { counter: counterOf(state), events });
    return json({
      total: stored.length,
      rows: placesIn(parameters, stored.length).flatMap(rowAt),
    } satisfies MessagesPage);
  },
  message: async (desk, { parameters }) => {
    const { row, state } = await opened(desk, parameters);
    return json(
      await messageReport(desk.store, {
        row,
        state,
        id: parameters.get("message") ?? "",
        event: parameters.get("event"),
      }),
    );
  },
  search: async (desk, { parameters }) => {
    const found = await opened(desk, parameters);
    const query = (parameters.get("query") ?? "").slice(0, QUERY_CHARACTERS);
    const event = parameters.get("event");
    const hits = await desk.store.search(found.row.key, query, event === null ? HITS : HITS_MAX);
    // Of one compaction: what it took out of the view, but for the summary before.
    const own = event === null ? hits : hits.filter(({ archivedBy }) => archivedBy === event);
    const ids = own.map(({ messageId }) => messageId);
    const byId = new Map((await rowsOf(desk, found, ids)).map((each) => [each.id, each]));
    const rows = own.flatMap(({ messageId, snippet }) => {
      const hit = byId.get(messageId);
      return hit === undefined || (event !== null && hit.isSummary) ? [] : [{ ...hit, begins: snippet }];
    });
    return json({ total: rows.length, rows: rows.slice(0, HITS) } satisfies MessagesPage);
  },
  compaction: async (desk, asked) => {
    const { row, compaction } = await compactionIn(desk, asked.parameters);
    return unlessSame(asked, compaction.report(row));
  },
  changes: async (desk, { parameters }) => {
    const { compaction } = await compactionIn(desk, parameters);
    const side = parameters.get("side") === "after" ? "after" : "before";
    return json(compaction.page({ side, mark: parameters.get("mark") ?? "", ...rangeIn(parameters) }));
  },
  sources: async (desk, { parameters }) => {
    const ids = (parameters.get("messages") ?? "").split(",").slice(0, ROWS_MAX);
    const rows = await rowsOf(desk, await opened(desk, parameters), ids);
    return json({ total: rows.length, rows } satisfies MessagesPage);
  },
  export: async (desk, { parameters }) => {
    const row = await rowIn(desk, parameters);
    const { format } = await stateOf(desk, row);
    const all = parameters.get("all") === "1";
    const session = await openSession(row.key, {
      store: desk.store,
      compactor: { format: formatNamed(format) },
      create: false,
    });
    const exported = await session.export({ all });
    const name = `${row.id.replaceAll(/[^\w.-]+/g, "-").slice(0, NAME_CHARACTERS)}.${all ? "session" : "request"}.json`;
    const text = all ? exportedText(exported) : `${JSON.stringify(exported.request, null, 2)}\n`;
    return { status: 200, text, headers: { "content-disposition": `attachment; filename="${name}"` } };
  },
};

const SORTS: readonly SessionSort[] = ["changed", "context", "turns", "compactions"];
const QUERY_CHARACTERS = 1_000;
const NAME_CHARACTERS = 80;
const ROWS = 50;
const ROWS_MAX = 500;
const HITS = 50;
const HITS_MAX = 500;

export async function rollBack(desk: Desk, { session, event, cascade }: RollbackRequest): Promise<Answer> {
  const row = await rowIn(desk, new URLSearchParams({ session }));
  const { undoneIds } = await desk.store.rollback(row.key, { to: event, cascade });
  desk.index.outdated();
  const answer: RollbackAnswer = { undone: undoneIds.length };
  return json(answer);
}

function json(value: object): Answer {
  return { status: 200, text: JSON.stringify(value) };
}

function unlessSame({ etag: known }: Asked, value: object): Answer {
  const answer = json(value);
  const etag = etagOf(answer.text);
  return known === etag ? unchanged(etag) : { ...answer, headers: { etag } };
}

function unchanged(etag: string): Answer {
  return { status: 304, text: "", headers: { etag } };
}

function etagOf(text: string): string {
  return `"${hash("sha256", text, "base64url")}"`;
}

function rangeIn(parameters: URLSearchParams): { readonly offset: number; readonly limit: number } {
  const wholeNumber = (name: string): number => {
    const value = Number(parameters.get(name));
    return Number.isSafeInteger(value) && value > 0 ? value : 0;
  };
  return { offset: wholeNumber("offset"), limit: Math.min(wholeNumber("limit") || ROWS, ROWS_MAX) };
}

function placesIn(parameters: URLSearchParams, length: number): readonly number[] {
  const { offset, limit } = rangeIn(parameters);
  return Array.from({ length: Math.max(0, Math.min(limit, length - offset)) }, (_, index) => offset + index);
}

function listed(stored: readonly StoredMessage[], { format }: SessionState): Listed {
  return { stored, messages: decoded(formatNamed(format), stored) };
}

/** A call stands before its result, and names it. */
const BEFORE = 4;

/** Messages by their ids, in the order of the conversation. */
async function rowsOf(
  { store }: Desk,
  { row, state, events }: Opened,
  ids: readonly string[],
): Promise<readonly MessageRow[]> {
  const sequences = ids.flatMap((id) => {
    const sequence = sequenceOf(id) ?? 0;
    return Array.from({ length: BEFORE + 1 }, (_, index) => sequence - BEFORE + index);
  });
  const around = [...new Set(sequences)].filter((sequence) => sequence > 0).sort((a, b) => a - b);
  const stored = await store.messages(row.key, around.map(messageIdOf));
  const rowAt = rowMaker(listed(stored, state), { counter: counterOf(state), events });
  const wanted = new Set(ids);
  return stored.flatMap(({ id }, index) => (wanted.has(id) ? rowAt(index) : []));
}

async function rowIn({ index }: Desk, parameters: URLSearchParams): Promise<SessionRow> {
  const row = await index.row(parameters.get("session") ?? "");
  if (row === undefined) throw new CompactionError("session-missing", "There is no such session.");
  return row;
}

async function stateOf({ store }: Desk, { key }: SessionRow): Promise<SessionState> {
  const state = await store.open(key);
  if (state === undefined) throw new CompactionError("session-missing", "There is no such session any more.");
  return state;
}

interface Opened {
  readonly row: SessionRow;
  readonly state: SessionState;
  readonly events: readonly CompactionEvent[];
}

async function opened(desk: Desk, parameters: URLSearchParams): Promise<Opened> {
  const row = await rowIn(desk, parameters);
  const state = await stateOf(desk, row);
  return { row, state, events: await Array.fromAsync(desk.store.events(row.key)) };
}

interface MessageAsked {
  readonly row: SessionRow;
  readonly state: SessionState;
  readonly id: string;
  /** The compaction whose version of the message is asked for; null for the one that is in the view. */
  readonly event: string | null;
}

async function messageReport(store: FullStore, { row, state, id, event }: MessageAsked): Promise<MessageReport> {
  const [message] = await store.messages(row.key, [id]);
  if (message === undefined) throw new CompactionError("message-missing", "There is no such message any more.");
  const format = formatNamed(state.format);
  const edited = event === null ? state.view.find((each) => each.id === id && each.isEdited)?.body : undefined;
  const written = event === null ? edited : await editBy(store, { row, id, event });
  return {
    id,
    parts: partsOf(format, message.body),
    ...(written !== undefined && { shortened: partsOf(format, written) }),
  };
}

async function editBy(store: FullStore, { row, id, event }: { row: SessionRow; id: string; event: string }) {
  for await (const { eventId, messages } of store.edits(row.key)) {
    if (eventId === event) return messages.find(({ messageId }) => messageId === id)?.body;
  }
  return undefined;
}

const COMPACTIONS_MAX = 4;

async function compactionIn(desk: Desk, parameters: URLSearchParams) {
  const { row, state, events } = await opened(desk, parameters);
  const event = events.find(({ id }) => id === parameters.get("event"));
  if (event === undefined) throw new CompactionError("event-missing", "There is no such compaction.");
  const { incarnation, revision } = state.version;
  const key = JSON.stringify([row.key, incarnation, revision, event.id]);
  const known = desk.compactions.get(key);
  const reading = known ?? readCompaction(desk.store, state, { event, events });
  desk.compactions.delete(key);
  desk.compactions.set(key, reading);
  const [oldest] = desk.compactions.keys();
  if (desk.compactions.size > COMPACTIONS_MAX && oldest !== undefined) desk.compactions.delete(oldest);
  try {
    return { row, compaction: await reading };
  } catch (error) {
    desk.compactions.delete(key);
    throw error;
  }
}
