/**
 * What a command is: its options as data, and one function that does the work and returns the exit code. Parsing, the help text and the hints
 * for misspelt options all come from the options. Whatever is wrong with a command line throws `invalid-settings` with one clear sentence.
 */

import { parseArgs } from "node:util";
import { CompactionError } from "../core/errors.ts";
import { didYouMean } from "../core/settings/check-schema.ts";
import { type Blocks, type Environment, joinBlocks, type OutputShape, type Terminal, terminalOf } from "./terminal.ts";

export { didYouMean };

/** What a command declares about itself; its name and its line in the list of commands are in dispatch.ts. */
export interface Command {
  /** What follows the name in the usage line. */
  readonly usage: string;
  readonly options: OptionSpecs;
  /** Paragraphs under the options, laid out by hand to 80 columns. */
  readonly notes: string;
  /** Whether its operand is exactly one FILE. */
  readonly takesFile?: boolean;
  /** What `--help TOPIC` prints; the topic is the first operand. */
  topic?(given: Words): string;
  /** Called with a command line that asks for no help. */
  run(given: Words, io: Io): Promise<ExitCode>;
}

/** The process as far as commands may touch it. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Standard input again, where a person types into it and sees the output. */
  readonly keyboard?: NodeJS.ReadStream | undefined;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: Environment;
  /** Ctrl-C, or another signal, goes to the listener instead of ending the process, until the returned function is called. */
  onInterrupt(listener: () => void, signal?: "SIGINT" | "SIGTERM" | "SIGHUP"): () => void;
}

export interface Output extends OutputShape {
  write(text: string): unknown;
}

/** Documented in docs/cli.md. */
export const EXIT = { ok: 0, invalid: 1, usage: 2, internal: 70, busy: 75, interrupted: 130 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Writes a result to standard output: as JSON where `--json` asks for that, else as text. */
export function print(
  { given, io }: { readonly given: Words; readonly io: Io },
  data: unknown,
  asText: (terminal: Terminal) => Blocks,
): void {
  const text = given.isSet("json") ? indentedJson(data) : joinBlocks(asText(terminalOf(io.stdout, io.environment)));
  io.stdout.write(text);
}

export function indentedJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

export interface OptionSpec {
  readonly type: "string" | "boolean";
  readonly short?: string;
  /** What stands for the value in the help text. */
  readonly value?: string;
  readonly about: string;
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

export interface Words {
  readonly command: string;
  /** The words that are neither options nor their values, in order. */
  readonly operands: readonly string[];
  /** The first operand, or an empty string. */
  readonly file: string;
  readonly isHelpWanted: boolean;
  text(option: string): string | undefined;
  isSet(option: string): boolean;
}

export const HELP_OPTION: OptionSpec = { type: "boolean", short: "h", about: "this text" };

export const JSON_OPTION: OptionSpec = { type: "boolean", about: "one JSON object instead of text" };

export const WINDOW_OPTION: OptionSpec = {
  type: "string",
  value: "N",
  about: "the model's window in tokens (200000, 200k, 1m)",
};

/** One FILE and the command's options. FILE may be missing only where help is asked for. */
export function parseArguments(command: string, words: readonly string[], specs: OptionSpecs): Words {
  const given = parseWords(command, words, specs);
  const { operands, file, isHelpWanted } = given;
  if (file === "" && !isHelpWanted) throw usage(`${command} needs a FILE (or - for standard input)`);
  if (operands.length > 1) throw usage(`${command} takes one FILE, but was given ${operands.length}`);
  return given;
}

/** Any number of operands and the command's options. */
export function parseWords(command: string, words: readonly string[], specs: OptionSpecs): Words {
  const options = { ...specs, help: HELP_OPTION };
  refuseMistakes(words, options);
  const { values, positionals } = parseStrictly(words, options);
  return {
    command,
    operands: positionals,
    file: positionals[0] ?? "",
    isHelpWanted: values.help === true,
    text: (option) => {
      const value = values[option];
      return typeof value === "string" ? value : undefined;
    },
    isSet: (option) => values[option] === true,
  };
}

export function usage(problem: string): CompactionError {
  return new CompactionError("invalid-settings", `${problem}${GENERAL_HINT}`);
}

/** Makes a usage error point to the help of its command: code that reads an option does not know the command. */
export function pointedAt(error: unknown, command: string): unknown {
  if (!(error instanceof CompactionError) || !error.message.endsWith(GENERAL_HINT)) return error;
  const problem = error.message.slice(0, -GENERAL_HINT.length);
  return new CompactionError(error.code, `${problem} (see palimpsest ${command} --help)`, { cause: error });
}

const GENERAL_HINT = " (see palimpsest --help)";

/** `200000`, `200_000`, `200,000`, `200k` or `1m`. */
export function readCount(option: string, text: string): number {
  const match = /^(\d{1,3}(?:[_,]\d{3})+|\d+)([km]?)$/i.exec(text.trim());
  const digits = Number((match?.[1] ?? "").replace(/[_,]/g, ""));
  const count = digits * (UNITS[match?.[2]?.toLowerCase() ?? ""] ?? 1);
  if (match === null || count <= 0 || !Number.isSafeInteger(count)) {
    throw usage(`--${option} must be a number of tokens such as 200000 or 200k, not "${text}"`);
  }
  return count;
}

export function readWindow(given: Words): number | undefined {
  const window = given.text("window");
  return window === undefined ? undefined : readCount("window", window);
}

const UNITS: Readonly<Record<string, number>> = { k: 1_000, m: 1_000_000 };

/** Refuses unknown options, and options without the value that they need. */
function refuseMistakes(words: readonly string[], options: OptionSpecs): void {
  const { tokens } = parseArgs({ args: [...words], options, strict: false, allowPositionals: true, tokens: true });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { name, value, inlineValue } = token;
    const spec = Object.hasOwn(options, name) ? options[name] : undefined;
    if (spec === undefined) {
      const known = Object.keys(options).map((option) => `--${option}`);
      throw usage(`unknown option ${token.rawName}${didYouMean(`--${name}`, known)}`);
    }
    if (spec.type === "boolean") continue;
    if (value === undefined) throw usage(`--${name} needs a value${spec.value === undefined ? "" : `, ${spec.value}`}`);
    // A value that begins with a dash must be joined to its option; more often the value was forgotten, or a number is negative.
    if (inlineValue || !/^-./.test(value)) continue;
    if (/^-[\d.]/.test(value)) throw usage(`--${name} takes nothing below 0, but was given ${value}`);
    throw usage(`--${name} needs a value, but ${value} follows; write --${name}=${value} if that is meant`);
  }
}

function parseStrictly(words: readonly string[], options: OptionSpecs) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true });
  } catch (cause) {
    // Its first sentence says what is wrong; the rest is advice for other programs.
    const [problem = ""] = (cause instanceof Error ? cause.message : String(cause)).split(/\.\s|\n/);
    throw usage(problem.replace(/\.$/, ""));
  }
}
