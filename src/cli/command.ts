/** What a command is: data for the help text, and one function that does the work and returns the exit code. */

import { HELP_OPTION, type OptionSpecs, type Words } from "./arguments.ts";
import { wrap } from "./one-line.ts";
import { type Environment, type Terminal, terminalOf } from "./terminal.ts";

/** What a command declares about itself; its name and its line in the list of commands are in commands.ts. */
export interface Command {
  /** What follows the name in the usage line. */
  readonly usage: string;
  readonly options: OptionSpecs;
  /** Paragraphs under the options, laid out by hand to 80 columns. */
  readonly notes: string;
  /** Whether its operand is exactly one FILE. */
  readonly takesFile?: boolean;
  /** Called with a command line that asks for no help. */
  run(given: Words, io: Io): Promise<ExitCode>;
}

/** The process as far as commands may touch it. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: Environment;
  /** Ctrl-C goes to the listener instead of ending the process, until the function that comes back is called. */
  onInterrupt(listener: () => void): () => void;
}

export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Documented in docs/cli.md. */
export const EXIT = { ok: 0, invalid: 1, usage: 2, internal: 70, busy: 75, interrupted: 130 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Writes a result to standard output: as JSON where `--json` asks for that, else as text. */
export function print(
  { given, io }: { readonly given: Words; readonly io: Io },
  data: unknown,
  asText: (terminal: Terminal) => string,
): void {
  io.stdout.write(given.isSet("json") ? indentedJson(data) : asText(terminalOf(io.stdout, io.environment)));
}

/** The help text of one command, laid out for 80 columns. */
export function commandHelp(name: string, summary: string, command: Command): string {
  const rows = Object.entries({ ...command.options, help: HELP_OPTION }).map(([name, spec]) => {
    const short = spec.short === undefined ? "" : `-${spec.short}, `;
    return [`${short}--${name}${spec.value === undefined ? "" : ` ${spec.value}`}`, spec.about] as const;
  });
  const width = Math.max(...rows.map(([left]) => left.length));
  const options = rows.map(([left, about]) => `  ${left.padEnd(width)}  ${about}`).join("\n");
  return `${summary}\n\nUsage: palimpsest ${name} ${command.usage}\n\nOptions:\n${options}\n\n${command.notes}`;
}

/** The width that help texts are written for. */
const COLUMNS_OF_TEXTS = 80;

/**
 * A help text broken again for a narrower terminal. Paragraphs flow, tables keep their second column where there is room for it, examples
 * are continued with a deeper indentation. No word is lost.
 */
export function fitHelp(text: string, columns: number): string {
  if (columns >= COLUMNS_OF_TEXTS) return text;
  return joinParagraphs(text.split("\n"))
    .flatMap((line) => (line.length <= columns ? [line] : broken(line, columns)))
    .join("\n");
}

/** Lines that begin at the margin and follow each other are one paragraph, unless the next one begins a list with its name. */
function joinParagraphs(lines: readonly string[]): readonly string[] {
  const joined: string[] = [];
  let isOpen = false;
  for (const line of lines) {
    const isText = /^\S/.test(line);
    const last = joined.at(-1);
    if (isText && isOpen && last !== undefined && !/^[A-Z][a-z ]*:/.test(line)) {
      joined[joined.length - 1] = `${last} ${line}`;
    } else joined.push(line);
    isOpen = isText;
  }
  return joined;
}

function broken(line: string, columns: number): readonly string[] {
  const [, indent = "", left = "", gap = "", right = ""] = /^( *)(\S.*?)(?:( {2,})(\S.*))?$/.exec(line) ?? [];
  if (right === "") return hanging(indent, `${indent}${indent === "" ? "" : "  "}`, left, columns);
  const column = indent.length + left.length + gap.length;
  // A second column that would be narrower than half of the terminal stands below instead.
  if (column > columns / 2) {
    const below = `${indent}    `;
    return [...hanging(indent, below, left, columns), ...hanging(below, below, right, columns)];
  }
  const [first = "", ...rest] = wrap(right, columns - column);
  return [line.slice(0, column) + first, ...rest.map((each) => " ".repeat(column) + each)];
}

function hanging(first: string, further: string, text: string, columns: number): readonly string[] {
  return wrap(text, columns - further.length).map((line, index) => `${index === 0 ? first : further}${line}`);
}

export function indentedJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
