/** What the commands over stored sessions share: `--store`, `--json`, operands, help, and a store that is closed again. */

import { type OptionSpecs, usage, type Words } from "./arguments.ts";
import { type Command, type ExitCode, type Io, print } from "./command.ts";
import { plural } from "./numbers.ts";
import { AGENT_OPTION, overStore, STORE_NOTE, STORE_OPTION, type StoreTask, type StoreUse } from "./over-store.ts";
import type { Terminal } from "./terminal.ts";

interface StoreCommandSpec<Settled> extends Pick<Command, "usage" | "notes"> {
  readonly operands: readonly string[];
  /** How many of the operands must be there; default all. */
  readonly required?: number;
  /** What further words are: part of the last operand, as in a query that nobody quoted, or operands like the last one. */
  readonly furtherWords?: "joined" | "repeated";
  readonly options?: OptionSpecs;
  readonly use?: StoreUse;
  /** Settles and checks the options before the store is touched. */
  settle(given: Words): Settled;
  work(request: StoreRequest<Settled>): Promise<ExitCode>;
}

export interface StoreRequest<Settled> extends StoreTask {
  readonly operands: readonly string[];
  readonly settled: Settled;
  readonly isJson: boolean;
  readonly io: Io;
  /** Writes to standard output: as JSON where that is asked for, else as text. */
  print(data: unknown, asText: (terminal: Terminal) => string): void;
}

export function storeCommand<Settled>(spec: StoreCommandSpec<Settled>): Command {
  const options: OptionSpecs = {
    ...spec.options,
    ...(spec.operands[0] === "ID" && { agent: AGENT_OPTION }),
    store: STORE_OPTION,
    json: { type: "boolean", about: "JSON instead of text" },
  };
  return {
    usage: spec.usage,
    options,
    notes: `${spec.notes}\n${STORE_NOTE}`,
    run: async (given, io) => {
      const operands = operandsOf(given, spec);
      const request = {
        operands,
        settled: spec.settle(given),
        isJson: given.isSet("json"),
        io,
        print: (data: unknown, asText: (terminal: Terminal) => string) => print({ given, io }, data, asText),
      };
      return overStore({ io, given, use: spec.use ?? "existing" }, (task) => spec.work({ ...task, ...request }));
    },
  };
}

/** One operand for each name; those beyond `required` may be missing and are then empty. */
function operandsOf(
  { command, operands: words }: Words,
  { operands: names, required = names.length, furtherWords }: StoreCommandSpec<unknown>,
): readonly string[] {
  const last = words.slice(names.length - 1).join(" ");
  const operands = furtherWords === "joined" ? [...words.slice(0, names.length - 1), last] : words;
  const missing = names.slice(0, required).find((_, index) => (operands[index] ?? "") === "");
  if (missing !== undefined) throw usage(`${command} needs ${article(missing)} ${missing}`);
  if (operands.length > names.length && furtherWords !== "repeated") {
    const takes = names.length === 0 ? "nothing but options" : names.join(" and ");
    throw usage(`${command} takes ${takes}, but was given ${plural(operands.length, "word")}`);
  }
  return operands.length > names.length ? operands : names.map((_, index) => operands[index] ?? "");
}

function article(name: string): string {
  return /^[AEIO]/.test(name) ? "an" : "a";
}
