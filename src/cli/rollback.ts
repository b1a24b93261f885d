/** `palimpsest rollback`: takes compactions of a session back, in one transaction. The view is then the earlier one, plus messages appended since. */

import { CompactionError } from "../core/errors.ts";
import type { Rollback, RollbackResult, Store } from "../core/store/store.ts";
import { EXIT } from "./command.ts";
import { oneLine, plural } from "./one-line.ts";
import { eventsOf, findEvent, sessionState, storeCommand } from "./store-command.ts";

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
  begin: (given) => async (request) => {
    const { id, store } = request;
    const before = await sessionState(request);
    const events = await eventsOf(request);
    const wanted = given.text("to");
    const to = wanted === undefined ? {} : { to: findEvent(events, wanted).id };
    request.signal.throwIfAborted();
    const { undoneIds } = await rollBack(store, id, { ...to, cascade: given.isSet("cascade") });
    const after = await sessionState(request);
    const undone = undoneIds.map((undoneId) => ({
      id: undoneId,
      number: events.find((event) => event.id === undoneId)?.number ?? null,
    }));
    const [messagesBefore, messagesAfter] = [before.view.length, after.view.length];
    request.print({ session: id, undone, messagesBefore, messagesAfter }, (terminal) => {
      const which = `compaction${undone.length === 1 ? "" : "s"} ${undone.map(({ number }) => number ?? "?").join(", ")}`;
      const view = `${plural(messagesAfter, "message")} in view, before ${messagesBefore}`;
      return [[terminal.fit(`took back ${which} of ${oneLine(id)}: ${view}`)]];
    });
    return EXIT.ok;
  },
});

async function rollBack(store: Store, id: string, rollback: Rollback): Promise<RollbackResult> {
  try {
    return await store.rollback(id, rollback);
  } catch (cause) {
    if (!(cause instanceof CompactionError) || cause.code !== "needs-cascade") throw cause;
    const message = "later compactions rest on that one; nothing was changed (--cascade takes them back too)";
    throw new CompactionError("needs-cascade", message, { cause });
  }
}
