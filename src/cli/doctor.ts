/** `palimpsest doctor`: checks every invariant of a store and says how to mend what is broken. Mends nothing itself. */

import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { CompactionError } from "../core/errors.ts";
import type { Finding } from "../core/store/store-upkeep.ts";
import { EXIT } from "./command.ts";
import { readAll } from "./interrupt.ts";
import { count, oneLine, plural, wrap } from "./one-line.ts";
import { placeOf, type StoreRequest, sessionState, storeCommand } from "./store-command.ts";
import type { Terminal } from "./terminal.ts";

export const command = storeCommand({
  use: "reading",
  usage: "[ID] [options]",
  operands: ["ID"],
  required: 0,
  notes: `Checks every session, or the one that is named. Only reads.

Exit codes: 0 all is well, 1 something was found, 2 the store cannot be opened.

Examples:
  palimpsest doctor
  palimpsest doctor --store sqlite:agent.db --json
`,
  begin: () => async (request) => {
    const { store, signal, id } = request;
    // Asked first: opening is what refuses a schema that is not there, older or newer.
    const sessions = id === "" ? (await readAll(store.sessions(), signal)).length : 1;
    const findings = id === "" ? await readAll(store.examine(), signal) : await examineOne(request);
    const schemaVersion = schemaVersionOf(store.url);
    const data = { store: store.url, schemaVersion: schemaVersion ?? null, sessions, findings };
    const schema = schemaVersion === undefined ? "" : `, schema ${schemaVersion}`;
    request.print(data, (terminal) => [
      [terminal.fit(`${oneLine(store.url)}: ${plural(sessions, "session")}${schema}`), verdictOf(findings, terminal)],
      ...findings.map((finding) => findingLines(finding, terminal)),
    ]);
    return findings.length === 0 ? EXIT.ok : EXIT.invalid;
  },
});

/** Not opened first: the doctor is called for a session that cannot be opened. */
async function examineOne(request: StoreRequest): Promise<readonly Finding[]> {
  try {
    const findings = await readAll(request.store.examine(request.id), request.signal);
    // Postgres finds nothing where there is nothing.
    if (findings.length === 0) await sessionState(request);
    return findings;
  } catch (error) {
    // Says which session was probably meant.
    if (error instanceof CompactionError && error.code === "session-missing") await sessionState(request);
    throw error;
  }
}

function verdictOf(findings: readonly Finding[], terminal: Terminal): string {
  if (findings.length === 0) return terminal.paint("green", "all is well");
  return terminal.paint(["bold", "red"], findings.length === 1 ? "1 problem" : `${count(findings.length)} problems`);
}

function findingLines({ sessionId, rule, message, remedy }: Finding, terminal: Terminal): readonly string[] {
  const where = sessionId === "" ? "" : `session ${oneLine(sessionId)}: `;
  const [first = "", ...rest] = wrap(`${where}${oneLine(rule)}: ${oneLine(message)}`, terminal.columns);
  return [first, ...rest, ...wrap(`to mend it: ${oneLine(remedy)}`, terminal.columns - 2).map((line) => `  ${line}`)];
}

function schemaVersionOf(url: string): number | undefined {
  const file = url.startsWith("sqlite:") ? placeOf(url) : undefined;
  // Loaded by the store already, so that older Node versions do not announce here that it is experimental.
  const sqlite = file === undefined ? undefined : process.getBuiltinModule("node:sqlite");
  if (file === undefined || sqlite === undefined) return undefined;
  try {
    return newestIn(new sqlite.DatabaseSync(file, { readOnly: true }));
  } catch {
    // In a folder where nothing can be made; whether its log may be passed over the store has checked already.
    return newestIn(new sqlite.DatabaseSync(new URL(`${pathToFileURL(file).href}?immutable=1`), { readOnly: true }));
  }
}

function newestIn(database: DatabaseSync): number | undefined {
  try {
    const row = database.prepare("SELECT max(number) AS newest FROM schema_migrations").get();
    return typeof row?.newest === "number" ? row.newest : undefined;
  } finally {
    database.close();
  }
}
