/** `palimpsest purge`: deletes for good what compactions took out of the view long ago. Never touches a view. */

import { CompactionError } from "../core/errors.ts";
import { usage, type Words } from "./arguments.ts";
import { EXIT } from "./command.ts";
import { plural } from "./numbers.ts";
import { oneLine } from "./one-line.ts";
import { readAll, type StoreTask } from "./over-store.ts";
import { storeCommand } from "./store-command.ts";
import { eventsOf, sessionState } from "./stored-session.ts";
import type { Terminal } from "./terminal.ts";
import { fitted } from "./text-blocks.ts";
import { readTimeBefore } from "./when.ts";

export const purgeCommand = storeCommand({
  name: "purge",
  summary: "Delete archived messages for good, by age.",
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
    const purged: { session: string; messages: number }[] = [];
    for (const session of ids) {
      signal.throwIfAborted();
      const messages = isDryRun ? await countOlder(request, session, before) : await purgeOne(request, session, before);
      if (messages > 0) purged.push({ session, messages });
    }
    const messages = purged.reduce((sum, each) => sum + each.messages, 0);
    const data = { store: store.url, before: before.toISOString(), isDryRun, messages, sessions: purged };
    print(data, (terminal) => render({ messages, sessions: purged, isDryRun }, terminal));
    return EXIT.ok;
  },
});

interface Age {
  readonly before: Date;
  readonly isDryRun: boolean;
}

function readAge(given: Words): Age {
  const text = given.text("older-than");
  if (text === undefined) throw usage("purge needs --older-than AGE, such as --older-than 90d", "purge");
  return { before: readTimeBefore("older-than", text, Date.now()), isDryRun: given.isSet("dry-run") };
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
  readonly sessions: readonly { readonly session: string; readonly messages: number }[];
  readonly isDryRun: boolean;
}

function render({ messages, sessions, isDryRun }: Purged, terminal: Terminal): string {
  if (messages === 0) return "nothing is old enough; nothing was deleted\n";
  const verb = isDryRun ? "would delete" : "deleted";
  const end = isDryRun ? "; nothing was deleted" : " for good";
  return [
    `${verb} ${plural(messages, "archived message")} of ${plural(sessions.length, "session")}${end}`,
    ...sessions.map((each) => fitted(`  ${oneLine(each.session)}: ${plural(each.messages, "message")}`, terminal)),
    "",
  ].join("\n");
}
