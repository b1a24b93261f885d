/**
 * Picks the subcommand and turns whatever goes wrong into one line on standard error and an exit code. Touches the process only
 * through the `Io` that it is given. Never prints a stack trace unless PALIMPSEST_DEBUG is set.
 */

import { existsSync, readFileSync } from "node:fs";
import { CompactionError } from "../core/errors.ts";
import { isObject } from "../core/json.ts";
import {
  type Command,
  didYouMean,
  EXIT,
  type ExitCode,
  HELP_OPTION,
  type Io,
  type Output,
  parseArguments,
  parseWords,
  pointedAt,
  usage,
} from "./command.ts";
import { COMMANDS, type CommandRow, FILE_COMMANDS, SERVER_COMMANDS, SESSION_COMMANDS } from "./commands.ts";
import { oneLine, wrap } from "./one-line.ts";
import { terminalOf } from "./terminal.ts";

export async function runPalimpsest(words: readonly string[], io: Io): Promise<ExitCode> {
  try {
    return await dispatch(words, io);
  } catch (error) {
    return reportError(error, io);
  }
}

function listed(rows: typeof COMMANDS): string {
  return Object.entries(rows)
    .map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}`)
    .join("\n");
}

const HELP = `Keeps an LLM agent's conversation inside its model's context window.

Usage: palimpsest COMMAND [FILE or ID] [options]

Commands on files:
${listed(FILE_COMMANDS)}

Commands on stored sessions (compact too, with --store):
${listed(SESSION_COMMANDS)}

Servers:
${listed(SERVER_COMMANDS)}

Options:
  -h, --help     this text; \`palimpsest COMMAND --help\` for a command's own
  -V, --version  the version

Exit codes: 0 fine, 1 problems found by check or doctor, a target that compact
cannot reach, or nothing found by recall; 2 wrong usage, unreadable input, or
something that is not there; 70 a defect of palimpsest itself; 75 try again: the
store or the model is busy or does not answer; 130 interrupted.

Examples:
  palimpsest inspect session.jsonl --window 200k
  palimpsest check request.json
  palimpsest compact session.jsonl --target 10% --out compacted.json
  palimpsest explain session.jsonl --profile openclaw
  palimpsest import session.jsonl && palimpsest sessions
  palimpsest chat --model scripted
`;

async function dispatch([first, ...rest]: readonly string[], io: Io): Promise<ExitCode> {
  if (first === undefined) {
    showHelp(HELP, io.stderr, io);
    return EXIT.usage;
  }
  if (first === "--help" || first === "-h" || first === "help") {
    const [topic] = rest;
    showHelp(topic === undefined ? HELP : await helpOf(topic), io.stdout, io);
    return EXIT.ok;
  }
  if (first === "--version" || first === "-V") {
    io.stdout.write(`${version()}\n`);
    return EXIT.ok;
  }
  const { command } = await rowOf(first).load();
  try {
    const parse = command.takesFile ? parseArguments : parseWords;
    const given = parse(first, rest, command.options);
    if (!given.isHelpWanted) return await command.run(given, io);
    const topic = given.operands[0] === undefined ? undefined : command.topic?.(given.operands[0]);
    showHelp(topic ?? (await helpOf(first)), io.stdout, io);
    return EXIT.ok;
  } catch (error) {
    throw pointedAt(error, first);
  }
}

async function helpOf(name: string): Promise<string> {
  const { summary, load } = rowOf(name);
  const { command } = await load();
  return commandHelp(name, summary, command);
}

function showHelp(text: string, output: Output, { environment }: Io): void {
  output.write(fitHelp(text, terminalOf(output, environment).columns));
}

function rowOf(name: string): CommandRow {
  const row = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (row !== undefined) return row;
  if (name.startsWith("-") && name !== "-") {
    throw usage(`unknown option ${name}${didYouMean(name, ["--help", "--version"])}`);
  }
  if (name === "-" || existsSync(name)) throw usage(`no command given; did you mean palimpsest inspect ${name}?`);
  const names = Object.keys(COMMANDS);
  throw usage(`unknown command "${name}"${didYouMean(name, names) || `; there are ${names.join(", ")}`}`);
}

/** From the package that this file is part of, whether it runs from its source or from the build. */
function version(): string {
  const json: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return isObject(json) ? String(json.version) : "";
}

export function reportError(error: unknown, { stderr, environment }: Pick<Io, "stderr" | "environment">): ExitCode {
  const isExpected = error instanceof CompactionError;
  const message = oneLine(error instanceof Error ? error.message : String(error));
  stderr.write(
    isExpected
      ? `palimpsest: ${message}\n`
      : `palimpsest: internal error: ${message}; ${adviceFor(process.versions.node)}\n`,
  );
  if (environment.PALIMPSEST_DEBUG && error instanceof Error) stderr.write(`${error.stack}\n`);
  if (!isExpected) return EXIT.internal;
  return error.retryable ? EXIT.busy : EXIT.usage;
}

/** As `engines` in package.json has it; a test holds them together. */
export const NODE_MIN: readonly [major: number, minor: number] = [22, 18];

/** What an older Node lacks fails somewhere inside, and would read as our defect. */
export function adviceFor(nodeVersion: string): string {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  const isOlder = major < NODE_MIN[0] || (major === NODE_MIN[0] && minor < NODE_MIN[1]);
  return isOlder
    ? `this is Node ${nodeVersion}, and Node ${NODE_MIN.join(".")} or newer is needed`
    : "set PALIMPSEST_DEBUG=1 for the stack";
}

/** The help text of one command, laid out for 80 columns. */
function commandHelp(name: string, summary: string, command: Command): string {
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
