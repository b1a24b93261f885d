/** `palimpsest doctor`: checks every invariant of a store and says how to mend what is broken. Mends nothing itself. */

import { CompactionError } from "../core/errors.ts";
import type { Finding } from "../core/store/store.ts";
import { EXIT } from "./command.ts";
import { count, plural } from "./numbers.ts";
import { oneLine } from "./one-line.ts";
import { readAll, type StoreTask } from "./over-store.ts";
import { schemaVersionOf } from "./schema-version.ts";
import { storeCommand } from "./store-command.ts";
import { sessionState } from "./stored-session.ts";
import { paint, type Terminal } from "./terminal.ts";
import { fitted, joinBlocks } from "./text-blocks.ts";
import { wrap } from "./wrap.ts";

export const doctorCommand = storeCommand({
  name: "doctor",
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
  settle: () => undefined,
  work: async (request) => {
    const { store, signal } = request;
    const [id = ""] = request.operands;
    // Asked first: opening is what refuses a schema that is not there, older or newer.
    const sessions = id === "" ? (await readAll(store.sessions(), signal)).length : 1;
    const findings = id === "" ? await readAll(store.examine(), signal) : await examineOne(request, id);
    const schemaVersion = schemaVersionOf(store.url);
    const data = { store: store.url, schemaVersion: schemaVersion ?? null, sessions, findings };
    request.print(data, (terminal) => {
      const schema = schemaVersion === undefined ? "" : `, schema ${schemaVersion}`;
      const head = fitted(`${oneLine(store.url)}: ${plural(sessions, "session")}${schema}`, terminal);
      return joinBlocks([
        [head, verdictOf(findings, terminal)],
        ...findings.map((finding) => findingLines(finding, terminal)),
      ]);
    });
    return findings.length === 0 ? EXIT.ok : EXIT.invalid;
  },
});

/** Not opened first: a session that cannot be is what a doctor is called for. */
async function examineOne(request: StoreTask, id: string): Promise<readonly Finding[]> {
  try {
    const findings = await readAll(request.store.examine(id), request.signal);
    // Postgres finds nothing where there is nothing.
    if (findings.length === 0) await sessionState(request, id);
    return findings;
  } catch (error) {
    // Says what was probably meant.
    if (error instanceof CompactionError && error.code === "session-missing") await sessionState(request, id);
    throw error;
  }
}

function verdictOf(findings: readonly Finding[], terminal: Terminal): string {
  if (findings.length === 0) return paint(terminal, "green", "all is well");
  return paint(terminal, ["bold", "red"], findings.length === 1 ? "1 problem" : `${count(findings.length)} problems`);
}

function findingLines({ sessionId, rule, message, remedy }: Finding, terminal: Terminal): readonly string[] {
  const where = sessionId === "" ? "" : `session ${oneLine(sessionId)}: `;
  const [first = "", ...rest] = wrap(`${where}${oneLine(rule)}: ${oneLine(message)}`, terminal.columns);
  return [first, ...rest, ...wrap(`to mend it: ${oneLine(remedy)}`, terminal.columns - 2).map((line) => `  ${line}`)];
}
