/** `palimpsest export`: a session's view as a request body, or with --all everything there is. Never changes the session. */

import { isArray, isObject } from "../core/json.ts";
import type { Format } from "../core/ports.ts";
import { formatNamed } from "../formats.ts";
import { exportedText } from "../session/export-session.ts";
import { openSession } from "../session.ts";
import { EXIT, indentedJson, usage, type Words } from "./command.ts";
import { hearInterrupt } from "./interrupt.ts";
import { STANDARD_INPUT } from "./load.ts";
import { oneLine, plural } from "./one-line.ts";
import { sessionState, storeCommand } from "./store-command.ts";
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
  begin: (given) => {
    const [out, all] = [readOut(given), given.isSet("all")];
    return async (request) => {
      const { id, store, signal, io } = request;
      const format = formatNamed((await sessionState(request)).format);
      const session = await openSession(id, { store, compactor: { format }, create: false });
      const exported = await session.export({ all, signal });
      const text = all ? exportedText(exported) : indentedJson(exported.request);
      await hearInterrupt(signal);
      writeOut({ out, text, from: undefined }, io);
      if (out === STANDARD_INPUT) return EXIT.ok;
      const messages = exported.log?.length ?? viewLength(format, exported.request);
      if (given.isSet("json")) io.stdout.write(indentedJson({ session: id, format: format.name, messages, all, out }));
      else io.stderr.write(`wrote ${plural(messages, "message")} of ${oneLine(id)} to ${oneLine(out)}\n`);
      return EXIT.ok;
    };
  },
});

function readOut(given: Words): string {
  const out = given.text("out") ?? STANDARD_INPUT;
  if (out === "") throw usage("--out needs a FILE (- for standard output)");
  if (out === STANDARD_INPUT && given.isSet("json")) {
    throw usage("--json and what is exported both want standard output; name a file with --out");
  }
  if (out !== STANDARD_INPUT) refuseOutput(out);
  return out;
}

function viewLength({ listKey }: Format, request: object): number {
  const list = isObject(request) ? request[listKey] : undefined;
  return isArray(list) ? list.length : 0;
}
