/** Picks the subcommand, and turns every failure into one line on standard error and an exit code. Touches the process only through its `Io`. */

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
import { oneLine, wrap } from "./one-line.ts";
import { terminalOf } from "./terminal.ts";

interface CommandRow {
  /** The command's line in the list of commands, known without loading the command. */
  readonly summary: string;
  /** Loads the command when it is called: most commands need a small part of the program. */
  load(): Promise<{ readonly command: Command }>;
}

type CommandRows = Readonly<Record<string, CommandRow>>;

const FILE_COMMANDS: CommandRows = {
  inspect: { summary: "Show what fills the context of a conversation.", load: () => import("./inspect.ts") },
  check: {
    summary: "Say whether a provider would accept a conversation; repair it.",
    load: () => import("./check.ts"),
  },
  compact: { summary: "Compact a conversation now, with a model or without.", load: () => import("./compact.ts") },
  explain: { summary: "Say why it would or would not be compacted now.", load: () => import("./explain.ts") },
  profiles: { summary: "Show what each profile does, or one in full.", load: () => import("./profiles.ts") },
};

const SESSION_COMMANDS: CommandRows = {
  chat: { summary: "Talk to a model that may work in a folder.", load: () => import("./chat.ts") },
  import: { summary: "Bring a conversation from a file into a store.", load: () => import("./import.ts") },
  sessions: { summary: "List the sessions of a store.", load: () => import("./sessions.ts") },
  show: {
    summary: "Show the messages of a session: view, archive, or one event's.",
    load: () => import("./show.ts"),
  },
  history: { summary: "List the compactions of a session.", load: () => import("./history.ts") },
  diff: { summary: "Show what one compaction did to each message.", load: () => import("./diff.ts") },
  rollback: { summary: "Take a compaction of a session back.", load: () => import("./rollback.ts") },
  pin: { summary: "Keep messages of a session out of every compaction.", load: () => import("./pin.ts") },
  unpin: {
    summary: "Let compaction have pinned messages again.",
    load: async () => ({ command: (await import("./pin.ts")).unpinCommand }),
  },
  recall: { summary: "Search everything a session ever held.", load: () => import("./recall.ts") },
  export: { summary: "Write a session as a request body, or all of it.", load: () => import("./export.ts") },
  purge: { summary: "Delete archived messages for good, by age.", load: () => import("./purge.ts") },
  ui: { summary: "Show the sessions of a store in a browser.", load: () => import("./ui.ts") },
  doctor: { summary: "Check a store for damage, and say how to mend it.", load: () => import("./doctor.ts") },
};

const SERVER_COMMANDS: CommandRows = {
  gateway: { summary: "Keep any client's conversations inside the window.", load: () => import("./gateway.ts") },
};

export const COMMANDS: CommandRows = { ...FILE_COMMANDS, ...SESSION_COMMANDS, ...SERVER_COMMANDS };

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
    const topic = given.operands[0] === undefined ? undefined : command.topic?.(given);
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

const COLUMNS_OF_TEXTS = 80;

/** Breaks a help text for a narrower terminal: paragraphs flow, tables keep their second column where there is room. No word is lost. */
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
