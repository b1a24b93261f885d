/** `palimpsest export`: a session's view as a request body, or with --all everything there is. Never changes the session. */

import { isArray, isObject } from "../core/json.ts";
import type { Format } from "../core/ports.ts";
import { openSession } from "../session.ts";
import { usage, type Words } from "./arguments.ts";
import { EXIT, indentedJson } from "./command.ts";
import { exportedText } from "./exported-file.ts";
import { hearInterrupt } from "./interrupt.ts";
import { STANDARD_INPUT } from "./load.ts";
import { plural } from "./numbers.ts";
import { oneLine } from "./one-line.ts";
import { storeCommand } from "./store-command.ts";
import { formatOf, sessionState } from "./stored-session.ts";
import { refuseOutput, writeOut } from "./write-out.ts";

export const command = storeCommand({
  use: "reading",
  usage: "ID [--out FILE] [--all] [options]",
  operands: ["ID"],
  options: {
    out: { type: "string", value: "FILE", about: "where it goes (default standard output)" },
    all: { type: "boolean", about: "with the archive and every compaction, for import" },
  },
  notes: `Without --all: the view, as the request body that would be sent next, not
compacted for the occasion. With --json, what was written is told as JSON on
standard output, and --out is needed.

Examples:
  palimpsest export my-session > request.json
  palimpsest export my-session --all --out my-session.json
`,
  settle: readOut,
  work: async ({ store, signal, operands, settled, io, isJson, ...task }) => {
    const [id = ""] = operands;
    const format = formatOf(await sessionState({ store, signal }, id));
    const session = await openSession(id, { store, compactor: { format }, create: false });
    const exported = await session.export({ all: settled.isAll, signal });
    const text = settled.isAll ? exportedText(exported) : indentedJson(exported.request);
    await hearInterrupt(signal);
    writeOut({ out: settled.out, text, from: undefined }, io);
    if (settled.out === STANDARD_INPUT) return EXIT.ok;
    const messages = exported.log?.length ?? viewLength(format, exported.request);
    const data = { session: id, format: format.name, messages, all: settled.isAll, out: settled.out };
    if (isJson) task.print(data, () => "");
    else io.stderr.write(`wrote ${plural(messages, "message")} of ${oneLine(id)} to ${oneLine(settled.out)}\n`);
    return EXIT.ok;
  },
});

function readOut(given: Words): { readonly out: string; readonly isAll: boolean } {
  const out = given.text("out") ?? STANDARD_INPUT;
  if (out === "") throw usage("--out needs a FILE (- for standard output)");
  if (out === STANDARD_INPUT && given.isSet("json")) {
    throw usage("--json and what is exported both want standard output; name a file with --out");
  }
  if (out !== STANDARD_INPUT) refuseOutput(out);
  return { out, isAll: given.isSet("all") };
}

function viewLength({ listKey }: Format, request: object): number {
  const list = isObject(request) ? request[listKey] : undefined;
  return isArray(list) ? list.length : 0;
}
