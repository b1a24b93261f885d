/** `palimpsest purge`: deletes for good what compactions took out of the view long ago. Never touches a view. */

import { CompactionError } from "../core/errors.ts";
import { EXIT, usage, type Words } from "./command.ts";
import { hearInterrupt, readAll } from "./interrupt.ts";
import { dayOf, oneLine, plural } from "./one-line.ts";
import { eventsOf, type StoreRequest, sessionState, storeCommand } from "./store-command.ts";
import type { Terminal } from "./terminal.ts";

export const command = storeCommand({
  usage: "[ID] --older-than AGE [options]",
  operands: ["ID"],
  required: 0,
  options: {
    "older-than": { type: "string", value: "AGE", about: "90d, 12h, 6w, 1y, or before a day: 2026-01-31" },
    "dry-run": { type: "boolean", about: "only say what would be deleted" },
  },
  notes: `Of one session, or of all. What counts is when the compaction took place. A
compaction whose messages were purged cannot be rolled back any more; the view
and the summaries stay as they are.

Examples:
  palimpsest purge --older-than 90d --dry-run
  palimpsest purge my-session --older-than 90d
`,
  begin: (given) => {
    const age: Age = { before: readAge(given), isDryRun: given.isSet("dry-run") };
    const { before, isDryRun } = age;
    return async (request) => {
      const { store, signal, id } = request;
      if (id !== "") await sessionState(request);
      const ids = id === "" ? (await readAll(store.sessions(), signal)).map((session) => session.id) : [id];
      const { sessions, stopped } = await purgeEach(request, ids, age);
      const messages = sessions.reduce((sum, each) => sum + each.messages, 0);
      // Of one session all is purged or nothing; of several, the user has to know which are.
      if (stopped === undefined || (!isDryRun && ids.length > 1)) {
        const stoppedAt = stopped?.session ?? null;
        const notReached = ids.length - (stopped?.index ?? ids.length - 1) - 1;
        const purged = {
          store: store.url,
          before: before.toISOString(),
          isDryRun,
          messages,
          sessions,
          stoppedAt,
          notReached,
        };
        request.print(purged, (terminal) => [purgedLines(purged, terminal)]);
      }
      if (stopped !== undefined) throw stopped.error;
      return EXIT.ok;
    };
  },
});

interface Age {
  readonly before: Date;
  readonly isDryRun: boolean;
}

interface PurgedSession {
  readonly session: string;
  readonly messages: number;
}

/** What was purged, and the session at which a key or a failure ended it. */
async function purgeEach(request: StoreRequest, ids: readonly string[], age: Age) {
  const sessions: PurgedSession[] = [];
  for (const [index, session] of ids.entries()) {
    try {
      await hearInterrupt(request.signal);
      const purge = age.isDryRun ? countOlder : purgeOne;
      const messages = await purge({ ...request, id: session }, age.before);
      if (messages > 0) sessions.push({ session, messages });
    } catch (error) {
      return { sessions, stopped: { session, index, error } };
    }
  }
  return { sessions, stopped: undefined };
}

function readAge(given: Words): Date {
  const text = given.text("older-than");
  if (text === undefined) throw usage("purge needs --older-than AGE, such as --older-than 90d");
  return readTimeBefore("older-than", text, Date.now());
}

const DAY_MS = 86_400_000;
const UNITS_MS: Readonly<Record<string, number>> = { h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS, y: 365 * DAY_MS };

/** What lies so far back: `12h`, `90d`, `6w`, `1y`; or from a day on: `2026-01-31`. */
export function readTimeBefore(option: string, text: string, nowMs: number): Date {
  const span = /^(\d{1,6})([hdwy])$/.exec(text.trim());
  if (span !== null) return new Date(Math.max(0, nowMs - Number(span[1]) * (UNITS_MS[span[2] ?? ""] ?? 0)));
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text.trim()) ? new Date(`${text.trim()}T00:00:00Z`) : undefined;
  // A day that its month has not is taken by JavaScript for one of the next month, and more would be deleted than was asked for.
  if (date !== undefined && !Number.isNaN(date.getTime()) && dayOf(date.toISOString()) === text.trim()) return date;
  throw usage(`--${option} must be an age such as 90d, 12h or 6w, or a day such as 2026-01-31, not "${text}"`);
}

/** A session that was deleted meanwhile has nothing left to purge. */
async function purgeOne({ store, id }: StoreRequest, before: Date): Promise<number> {
  try {
    return await store.purge(id, before);
  } catch (error) {
    if (error instanceof CompactionError && error.code === "session-missing") return 0;
    throw error;
  }
}

/** By the log: a purge also takes summaries that were undone, which no archive lists. */
async function countOlder(request: StoreRequest, before: Date): Promise<number> {
  const events = await eventsOf(request);
  const old = new Set(events.filter(({ createdAt }) => createdAt < before.toISOString()).map(({ id }) => id));
  if (old.size === 0) return 0;
  const log = await readAll(request.store.log(request.id), request.signal);
  return log.filter(({ archivedBy }) => archivedBy !== null && old.has(archivedBy)).length;
}

interface PurgeResult {
  readonly messages: number;
  readonly sessions: readonly PurgedSession[];
  readonly isDryRun: boolean;
  /** The session at which it ended before its time. */
  readonly stoppedAt: string | null;
  readonly notReached: number;
}

function purgedLines(
  { messages, sessions, isDryRun, stoppedAt, notReached }: PurgeResult,
  terminal: Terminal,
): readonly string[] {
  const missed = `${plural(notReached, "session")} behind it ${notReached === 1 ? "was" : "were"} not reached`;
  const end = stoppedAt === null ? [] : [terminal.fit(`stopped at session ${oneLine(stoppedAt)}`), missed];
  if (messages === 0)
    return [stoppedAt === null ? "nothing is old enough; nothing was deleted" : "nothing was deleted", ...end];
  const [verb, fate] = isDryRun ? ["would delete", "; nothing was deleted"] : ["deleted", " for good"];
  return [
    `${verb} ${plural(messages, "archived message")} of ${plural(sessions.length, "session")}${fate}`,
    ...sessions.map((each) => terminal.fit(`  ${oneLine(each.session)}: ${plural(each.messages, "message")}`)),
    ...end,
  ];
}
