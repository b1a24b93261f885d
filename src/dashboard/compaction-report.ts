/** One compaction: the views before and after it, what became of each message, and its summary line by line with what each came from. */

import { isArray, isObject } from "../core/json.ts";
import type { CompactionEvent, SessionState, StoredMessage } from "../core/store/store.ts";
import type { FullStore } from "../core/store/store-upkeep.ts";
import { formatNamed } from "../formats.ts";
import { viewsAround } from "../session/views-around.ts";
import { counterOf, type Listed, rowMaker } from "./message-rows.ts";
import { compactionRow } from "./session-report.ts";
import type { CompactionReport, Mark, MessagesPage, SessionRow, SummaryLine } from "./wire.ts";

export interface Side {
  readonly side: "before" | "after";
  /** Only messages with this mark; all when empty. */
  readonly mark: string;
  readonly offset: number;
  readonly limit: number;
}

export interface Compaction {
  report(session: SessionRow): CompactionReport;
  page(side: Side): MessagesPage;
}

/** Read once; `report` and `page` are then quick. */
export async function readCompaction(
  store: FullStore,
  state: SessionState,
  { event, events }: { readonly event: CompactionEvent; readonly events: readonly CompactionEvent[] },
): Promise<Compaction> {
  const format = formatNamed(state.format);
  const log = await Array.fromAsync(store.log(state.id));
  const edits = await Array.fromAsync(store.edits(state.id));
  const views = viewsAround({ format, event, events, log, edits });
  const byId = new Map(log.map((row) => [row.id, row]));
  const stored = (id: string | undefined): StoredMessage => {
    const row = byId.get(id ?? "");
    if (row === undefined) throw new Error(`message ${id} of the view is not in the log`);
    return row;
  };
  const listed = (side: Side["side"]): Listed => ({
    messages: views[side],
    stored: views[side].map(({ id }) => stored(id)),
    marks: views.diff.filter((entry) => side in entry).map(({ mark }) => mark),
  });
  const lists = { before: listed("before"), after: listed("after") };
  const around = { counter: counterOf(state), events };
  const rows = { before: rowMaker(lists.before, around), after: rowMaker(lists.after, around) };
  const counts: Record<Mark, number> = { "=": 0, "~": 0, "-": 0, "+": 0 };
  for (const { mark } of views.diff) counts[mark]++;
  return {
    report: (session) => ({
      session,
      row: compactionRow(event, events),
      summary: event.summary === null ? [] : summaryLines(event.summary, sourcesIn(event)),
      counts,
      messagesBefore: views.before.length,
      messagesAfter: views.after.length,
      purged: views.purged,
    }),
    page: ({ side, mark, offset, limit }) => {
      const { marks = [] } = lists[side];
      const places = marks.flatMap((each, index) => (mark === "" || each === mark ? [index] : []));
      return { total: places.length, rows: places.slice(offset, offset + limit).flatMap(rows[side]) };
    },
  };
}

/** The ids of messages by the plain text of a line. */
type Sources = ReadonlyMap<string, readonly string[]>;

/** A bound: a summary of any length is shown up to here. */
const LINES_MAX = 2_000;

export function summaryLines(summary: string, sources: Sources = new Map()): readonly SummaryLine[] {
  const lines: SummaryLine[] = [];
  for (const line of summary.split("\n").slice(0, LINES_MAX)) {
    if (line.trim() === "") continue;
    const [, signs = "", heading] = /^(#{1,6}) (.*)$/.exec(line) ?? [];
    const [, indent = "", item] = /^(\s*)(?:[-*]|\d+\.) (.*)$/.exec(line) ?? [];
    const quote = /^> ?(.*)$/.exec(line)?.[1];
    const type =
      heading !== undefined ? "heading" : item !== undefined ? "item" : quote !== undefined ? "quote" : "text";
    const text = heading ?? item ?? quote ?? line.trim();
    if (text.trim() === "") continue;
    const depth = heading === undefined ? Math.floor(indent.length / 2) : signs.length;
    lines.push({ type, depth, text, sources: sources.get(plainLine(text)) ?? [] });
  }
  return lines;
}

/** Where the summarizer said what each line came from. */
function sourcesIn({ details }: CompactionEvent): Sources {
  const told = isObject(details) && isArray(details.sources) ? details.sources : [];
  return new Map(
    told.flatMap((source) => {
      const { line, ids } = isObject(source) ? source : {};
      if (typeof line !== "string" || !isArray(ids)) return [];
      return [[plainLine(line), ids.filter((id) => typeof id === "string")] as const];
    }),
  );
}

/** The first line of an entry, without the marks that a section puts around it. */
function plainLine(text: string): string {
  const [first = ""] = text.split("\n");
  return first
    .replace(/^\s*(?:\[[ xX]\] )?/, "")
    .replaceAll("**", "")
    .trim();
}
