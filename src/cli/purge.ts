/** `palimpsest purge`: deletes for good what compactions took out of the view long ago. Never touches a view. */

import { CompactionError } from "../core/errors.ts";
import { usage, type Words } from "./arguments.ts";
import { EXIT } from "./command.ts";
import { hearInterrupt } from "./interrupt.ts";
import { count, dayOf, plural } from "./numbers.ts";
import { oneLine } from "./one-line.ts";
import { readAll, type StoreTask } from "./over-store.ts";
import { type StoreRequest, storeCommand } from "./store-command.ts";
import { eventsOf, sessionState } from "./stored-session.ts";
import type { Terminal } from "./terminal.ts";
import { fitted } from "./text-blocks.ts";

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
  settle: readAge,
  work: async (request) => {
    const { store, settled, signal, print } = request;
    const { before, isDryRun } = settled;
    const [id = ""] = request.operands;
    if (id !== "") await sessionState(request, id);
    const ids = id === "" ? (await readAll(store.sessions(), signal)).map((session) => session.id) : [id];
    const { sessions, stopped } = await purgeEach(request, ids);
    const messages = sessions.reduce((sum, each) => sum + each.messages, 0);
    // Of one session all is purged or nothing; of several, whoever asked has to know which are.
    if (stopped === undefined || (!isDryRun && ids.length > 1)) {
      const stoppedAt = stopped?.session ?? null;
      const notReached = ids.length - (stopped?.index ?? ids.length - 1) - 1;
      const outcome = { isDryRun, messages, sessions, stoppedAt, notReached };
      print({ store: store.url, before: before.toISOString(), ...outcome }, (terminal) => render(outcome, terminal));
    }
    if (stopped !== undefined) throw stopped.error;
    return EXIT.ok;
  },
});

interface PurgedSession {
  readonly session: string;
  readonly messages: number;
}

interface Stopped {
  readonly session: string;
  readonly index: number;
  readonly error: unknown;
}

/** What was purged, also where a key or a failure ended it. */
async function purgeEach(
  request: StoreRequest<Age>,
  ids: readonly string[],
): Promise<{ readonly sessions: readonly PurgedSession[]; readonly stopped?: Stopped }> {
  const { before, isDryRun } = request.settled;
  const sessions: PurgedSession[] = [];
  for (const [index, session] of ids.entries()) {
    try {
      await hearInterrupt(request.signal);
      const messages = isDryRun ? await countOlder(request, session, before) : await purgeOne(request, session, before);
      if (messages > 0) sessions.push({ session, messages });
    } catch (error) {
      return { sessions, stopped: { session, index, error } };
    }
  }
  return { sessions };
}

interface Age {
  readonly before: Date;
  readonly isDryRun: boolean;
}

function readAge(given: Words): Age {
  const text = given.text("older-than");
  if (text === undefined) throw usage("purge needs --older-than AGE, such as --older-than 90d");
  return { before: readTimeBefore("older-than", text, Date.now()), isDryRun: given.isSet("dry-run") };
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

/** A session that somebody deleted meanwhile has nothing left to purge. */
async function purgeOne({ store }: StoreTask, session: string, before: Date): Promise<number> {
  try {
    return await store.purge(session, before);
  } catch (error) {
    if (error instanceof CompactionError && error.code === "session-missing") return 0;
    throw error;
  }
}

/** By the log: a purge also takes summaries that were undone, which no archive lists. */
async function countOlder(task: StoreTask, session: string, before: Date): Promise<number> {
  const events = await eventsOf(task, session);
  const old = new Set(events.filter(({ createdAt }) => createdAt < before.toISOString()).map(({ id }) => id));
  if (old.size === 0) return 0;
  const log = await readAll(task.store.log(session), task.signal);
  return log.filter(({ archivedBy }) => archivedBy !== null && old.has(archivedBy)).length;
}

interface Purged {
  readonly messages: number;
  readonly sessions: readonly PurgedSession[];
  readonly isDryRun: boolean;
  /** The session at which it ended before its time. */
  readonly stoppedAt: string | null;
  readonly notReached: number;
}

function render(purged: Purged, terminal: Terminal): string {
  const { messages, sessions, isDryRun, stoppedAt, notReached } = purged;
  const end =
    stoppedAt === null ? [] : [fitted(`stopped at session ${oneLine(stoppedAt)}`, terminal), rest(notReached)];
  if (messages === 0) return [stoppedAt === null ? NOTHING_OLD : "nothing was deleted", ...end, ""].join("\n");
  const verb = isDryRun ? "would delete" : "deleted";
  const fate = isDryRun ? "; nothing was deleted" : " for good";
  return [
    `${verb} ${plural(messages, "archived message")} of ${plural(sessions.length, "session")}${fate}`,
    ...sessions.map((each) => fitted(`  ${oneLine(each.session)}: ${plural(each.messages, "message")}`, terminal)),
    ...end,
    "",
  ].join("\n");
}

const NOTHING_OLD = "nothing is old enough; nothing was deleted";

function rest(notReached: number): string {
  return notReached === 1
    ? "1 session behind it was not reached"
    : `${count(notReached)} sessions behind it were not reached`;
}
