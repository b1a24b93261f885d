/** `palimpsest rollback`: takes compactions of a session back, in one transaction. The view is then what it was, plus what came since. */

import { CompactionError } from "../core/errors.ts";
import type { Rollback, RolledBack, Store } from "../core/store/store.ts";
import type { Words } from "./arguments.ts";
import { EXIT } from "./command.ts";
import { plural } from "./numbers.ts";
import { oneLine } from "./one-line.ts";
import { storeCommand } from "./store-command.ts";
import { eventsOf, findEvent, sessionState } from "./stored-session.ts";
import { fitted } from "./text-blocks.ts";

export const command = storeCommand({
  usage: "ID [--to E] [--cascade] [options]",
  operands: ["ID"],
  options: {
    to: { type: "string", value: "E", about: "this compaction (default the newest in force)" },
    cascade: { type: "boolean", about: "later ones too, where they rest on it" },
  },
  notes: `The messages that it replaced are in the view again, to the byte; what was
appended since stays. Refused, and nothing changed, where later compactions rest
on it and --cascade was not given, or where its messages were purged.

Examples:
  palimpsest rollback my-session
  palimpsest rollback my-session --to 2 --cascade
`,
  settle: (given: Words) => ({ to: given.text("to"), cascade: given.isSet("cascade") }),
  work: async (request) => {
    const { store, settled, print } = request;
    const [id = ""] = request.operands;
    const before = await sessionState(request, id);
    const events = await eventsOf(request, id);
    const to = settled.to === undefined ? undefined : findEvent(events, settled.to).id;
    request.signal.throwIfAborted();
    const { undoneIds } = await rollBack(store, id, { ...(to !== undefined && { to }), cascade: settled.cascade });
    const after = await sessionState(request, id);
    const undone = undoneIds.map((undoneId) => ({
      id: undoneId,
      number: events.find((event) => event.id === undoneId)?.number ?? null,
    }));
    const data = { session: id, undone, messagesBefore: before.view.length, messagesAfter: after.view.length };
    print(data, (terminal) => {
      const numbers = undone.map(({ number }) => number ?? "?").join(", ");
      const which = undone.length === 1 ? `compaction ${numbers}` : `compactions ${numbers}`;
      const view = `${plural(after.view.length, "message")} in view, before ${before.view.length}`;
      return `${fitted(`took back ${which} of ${oneLine(id)}: ${view}`, terminal)}\n`;
    });
    return EXIT.ok;
  },
});

async function rollBack(store: Store, id: string, rollback: Rollback): Promise<RolledBack> {
  try {
    return await store.rollback(id, rollback);
  } catch (cause) {
    if (!(cause instanceof CompactionError) || cause.code !== "needs-cascade") throw cause;
    const message = "later compactions rest on that one; nothing was changed (--cascade takes them back too)";
    throw new CompactionError("needs-cascade", message, { cause });
  }
}
