/** What the commands over stored sessions share: `--store`, `--json`, operands, help, and a store that is closed again. */

import { type OptionSpecs, parseWords, usage, type Words } from "./arguments.ts";
import { type Command, EXIT, type ExitCode, type Io, indentedJson, showHelp } from "./command.ts";
import type { CommandName } from "./command-names.ts";
import { plural } from "./numbers.ts";
import { AGENT_OPTION, overStore, STORE_NOTE, STORE_OPTION, type StoreTask, type StoreUse } from "./over-store.ts";
import { type Terminal, terminalOf } from "./terminal.ts";

interface StoreCommandSpec<Settled> {
  readonly name: CommandName;
  readonly usage: string;
  readonly operands: readonly string[];
  /** How many of the operands must be there; default all. */
  readonly required?: number;
  /** Whether further words belong to the last operand, as in a query that nobody quoted. */
  readonly joinsRest?: boolean;
  readonly options?: OptionSpecs;
  readonly notes: string;
  readonly use?: StoreUse;
  /** Options settled and checked before the store is touched. */
  settle(given: Words, operands: readonly string[]): Settled;
  work(request: StoreRequest<Settled>): Promise<ExitCode>;
}

export interface StoreRequest<Settled> extends StoreTask {
  readonly operands: readonly string[];
  readonly settled: Settled;
  readonly isJson: boolean;
  readonly io: Io;
  /** On standard output: as JSON where that is asked for, else as text. */
  print(data: unknown, asText: (terminal: Terminal) => string): void;
}

export function storeCommand<Settled>(spec: StoreCommandSpec<Settled>): Command {
  const { name, use = "existing" } = spec;
  const options: OptionSpecs = {
    ...spec.options,
    ...(spec.operands[0] === "ID" && { agent: AGENT_OPTION }),
    store: STORE_OPTION,
    json: { type: "boolean", about: "JSON instead of text" },
  };
  const command: Command = {
    name,
    usage: spec.usage,
    options,
    notes: `${spec.notes}\n${STORE_NOTE}`,
    run: async (words, io) => {
      const given = parseWords(words, options);
      if (given.isHelpWanted) {
        showHelp(command, io);
        return EXIT.ok;
      }
      const operands = operandsOf(name, spec.joinsRest ? joined(given, spec.operands.length) : given, {
        names: spec.operands,
        ...(spec.required !== undefined && { required: spec.required }),
      });
      const settled = spec.settle(given, operands);
      const isJson = given.isSet("json");
      const print: StoreRequest<Settled>["print"] = (data, asText) => {
        io.stdout.write(isJson ? indentedJson(data) : asText(terminalOf(io.stdout, io.environment)));
      };
      return overStore({ io, given, use }, (task) => spec.work({ ...task, operands, settled, isJson, io, print }));
    },
  };
  return command;
}

function joined(given: Words, operands: number): Words {
  const rest = given.operands.slice(operands - 1).join(" ");
  return { ...given, operands: [...given.operands.slice(0, operands - 1), ...(rest === "" ? [] : [rest])] };
}

/** One operand for each name; those beyond `required` may be missing and are then empty. */
function operandsOf(
  command: string,
  { operands }: Words,
  { names, required = names.length }: { readonly names: readonly string[]; readonly required?: number },
): readonly string[] {
  const missing = names.slice(0, required).find((_, index) => (operands[index] ?? "") === "");
  if (missing !== undefined) throw usage(`${command} needs ${article(missing)} ${missing}`);
  if (operands.length > names.length) {
    const takes = names.length === 0 ? "nothing but options" : names.join(" and ");
    throw usage(`${command} takes ${takes}, but was given ${plural(operands.length, "word")}`);
  }
  return names.map((_, index) => operands[index] ?? "");
}

function article(name: string): string {
  return /^[AEIO]/.test(name) ? "an" : "a";
}
