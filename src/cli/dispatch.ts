/**
 * Picks the subcommand and turns whatever goes wrong into one line on standard error and an exit code. Touches the process only
 * through the `Io` that it is given. Never prints a stack trace unless PALIMPSEST_DEBUG is set.
 */

import { existsSync, readFileSync } from "node:fs";
import { CompactionError } from "../core/errors.ts";
import { isObject } from "../core/json.ts";
import { didYouMean, pointedAt, usage } from "./arguments.ts";
import { type Command, EXIT, type ExitCode, fitHelp, type Io, type Output, showHelp } from "./command.ts";
import { type CommandName, FILE_COMMANDS, SESSION_COMMANDS, SUMMARIES } from "./command-names.ts";
import { oneLine } from "./one-line.ts";
import { terminalOf } from "./terminal.ts";

export async function runPalimpsest(words: readonly string[], io: Io): Promise<ExitCode> {
  try {
    return await dispatch(words, io);
  } catch (error) {
    return reportError(error, io);
  }
}

/** Loaded only when it is asked for: most commands need a small part of the whole. */
const LOADERS: Readonly<Record<CommandName, () => Promise<Command>>> = {
  inspect: async () => (await import("./inspect.ts")).inspectCommand,
  check: async () => (await import("./check.ts")).checkCommand,
  compact: async () => (await import("./compact.ts")).compactCommand,
  explain: async () => (await import("./explain.ts")).explainCommand,
  profiles: async () => (await import("./profiles.ts")).profilesCommand,
  import: async () => (await import("./import.ts")).importCommand,
  sessions: async () => (await import("./sessions.ts")).sessionsCommand,
  show: async () => (await import("./show.ts")).showCommand,
  history: async () => (await import("./history.ts")).historyCommand,
  diff: async () => (await import("./diff.ts")).diffCommand,
  rollback: async () => (await import("./rollback.ts")).rollbackCommand,
  pin: async () => (await import("./pin.ts")).pinCommand,
  unpin: async () => (await import("./pin.ts")).unpinCommand,
  recall: async () => (await import("./recall.ts")).recallCommand,
  export: async () => (await import("./export.ts")).exportCommand,
  purge: async () => (await import("./purge.ts")).purgeCommand,
  doctor: async () => (await import("./doctor.ts")).doctorCommand,
};

const NAMES = Object.keys(SUMMARIES);

function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(SUMMARIES, name);
}

function listed(summaries: Readonly<Record<string, string>>): string {
  return Object.entries(summaries)
    .map(([name, summary]) => `  ${name.padEnd(10)}${summary}`)
    .join("\n");
}

const HELP = `Keeps an LLM agent's conversation inside its model's context window.

Usage: palimpsest COMMAND [FILE or ID] [options]

Commands on files:
${listed(FILE_COMMANDS)}

Commands on stored sessions (compact too, with --store):
${listed(SESSION_COMMANDS)}

Options:
  -h, --help     this text; \`palimpsest COMMAND --help\` for a command's own
  -V, --version  the version

Exit codes: 0 fine, 1 problems found by check or doctor, a target that compact
cannot reach, or nothing found by recall; 2 wrong usage, unreadable input, or
something that is not there; 70 a defect of palimpsest itself; 75 try again: the
store is busy or does not answer; 130 interrupted.

Examples:
  palimpsest inspect session.jsonl --window 200k
  palimpsest check request.json
  palimpsest compact session.jsonl --target 10% --out compacted.json
  palimpsest explain session.jsonl --profile openclaw
  palimpsest import session.jsonl && palimpsest sessions
`;

async function dispatch([first, ...rest]: readonly string[], io: Io): Promise<ExitCode> {
  if (first === undefined) {
    showAll(io.stderr, io);
    return EXIT.usage;
  }
  if (first === "--help" || first === "-h" || first === "help") {
    const [topic] = rest;
    if (topic === undefined) showAll(io.stdout, io);
    else showHelp(await commandNamed(topic), io);
    return EXIT.ok;
  }
  if (first === "--version" || first === "-V") {
    io.stdout.write(`${version()}\n`);
    return EXIT.ok;
  }
  const command = await commandNamed(first);
  try {
    return await command.run(rest, io);
  } catch (error) {
    throw pointedAt(error, first);
  }
}

function showAll(output: Output, { environment }: Io): void {
  output.write(fitHelp(HELP, terminalOf(output, environment).columns));
}

async function commandNamed(name: string): Promise<Command> {
  if (isCommandName(name)) return LOADERS[name]();
  if (name.startsWith("-") && name !== "-") {
    throw usage(`unknown option ${name}${didYouMean(name, ["--help", "--version"])}`);
  }
  if (name === "-" || existsSync(name)) throw usage(`no command given; did you mean palimpsest inspect ${name}?`);
  throw usage(`unknown command "${name}"${didYouMean(name, NAMES) || `; there are ${NAMES.join(", ")}`}`);
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
