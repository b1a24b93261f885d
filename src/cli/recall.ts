/** `palimpsest recall`: searches everything that a session ever held, archive and view. Changes nothing but the store's own index. */

import type { Hit } from "../core/store/store.ts";
import { EXIT, usage, type Words } from "./command.ts";
import { minuteOf, oneLine, wrap } from "./one-line.ts";
import { eventsOf, sessionState, storeCommand } from "./store-command.ts";
import type { Terminal } from "./terminal.ts";

const LIMIT = 10;
const LIMIT_MAX = 1_000;

export const command = storeCommand({
  use: "reading",
  usage: "ID QUERY [options]",
  operands: ["ID", "QUERY"],
  furtherWords: "joined",
  options: { limit: { type: "string", value: "N", about: `at most N hits (default ${LIMIT})` } },
  notes: `Archive and view, best first. \`palimpsest show ID --message M\` prints one in
full. Exit code 1 when nothing was found.

Examples:
  palimpsest recall my-session "connection refused"
  palimpsest recall my-session src/server.ts --limit 3 --json
`,
  begin: (given) => {
    const limit = readLimit(given);
    return async (request) => {
      const [id = "", query = ""] = request.operands;
      await sessionState(request);
      const hits = await request.store.search(id, query, limit);
      const events = new Map((await eventsOf(request)).map((event) => [event.id, event.number]));
      const nothing = `nothing found for ${JSON.stringify(oneLine(query))}; try other or fewer words`;
      request.print({ session: id, query, hits }, (terminal) =>
        hits.length === 0 ? [[terminal.fit(nothing)]] : hits.map((hit) => hitLines(hit, events, terminal)),
      );
      return hits.length === 0 ? EXIT.invalid : EXIT.ok;
    };
  },
});

function readLimit(given: Words): number {
  const text = given.text("limit");
  if (text === undefined) return LIMIT;
  const limit = /^\d{1,4}$/.test(text.trim()) ? Number(text) : 0;
  if (limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw usage(`--limit must be a number from 1 to ${LIMIT_MAX}, not "${text}"`);
}

export function hitLines(hit: Hit, events: ReadonlyMap<string, number>, terminal: Terminal): readonly string[] {
  const { columns } = terminal;
  const where = hit.archivedBy === null ? "in view" : `replaced by compaction ${events.get(hit.archivedBy) ?? "?"}`;
  const about = terminal.fit(
    `${hit.role}, ${minuteOf(hit.createdAt)} UTC, ${where}`,
    columns - hit.messageId.length - 2,
  );
  return [
    `${terminal.paint("bold", hit.messageId)}  ${terminal.paint("gray", about)}`,
    ...wrap(oneLine(hit.snippet), columns - 2).map((line) => `  ${line}`),
  ];
}
