/**
 * Picks the subcommand and turns whatever goes wrong into one line on standard error and an exit code. Touches the process only
 * through the `Io` that it is given. Never prints a stack trace unless PALIMPSEST_DEBUG is set.
 */

import { existsSync, readFileSync } from "node:fs";
import { isObject } from "../core/json.ts";
import { usage } from "./arguments.ts";
import { checkCommand } from "./check.ts";
import { type Command, EXIT, type ExitCode, type Io, type Output, showHelp } from "./command.ts";
import { compactCommand } from "./compact.ts";
import { diffCommand } from "./diff.ts";
import { doctorCommand } from "./doctor.ts";
import { explainCommand } from "./explain.ts";
import { exportCommand } from "./export.ts";
import { fitHelp } from "./fit-help.ts";
import { historyCommand } from "./history.ts";
import { importCommand } from "./import.ts";
import { inspectCommand } from "./inspect.ts";
import { pinCommand, unpinCommand } from "./pin.ts";
import { profilesCommand } from "./profiles.ts";
import { purgeCommand } from "./purge.ts";
import { recallCommand } from "./recall.ts";
import { reportError } from "./report-error.ts";
import { rollbackCommand } from "./rollback.ts";
import { sessionsCommand } from "./sessions.ts";
import { showCommand } from "./show.ts";
import { didYouMean } from "./suggest.ts";
import { terminalOf } from "./terminal.ts";

export async function runPalimpsest(words: readonly string[], io: Io): Promise<ExitCode> {
  try {
    return await dispatch(words, io);
  } catch (error) {
    return reportError(error, io);
  }
}

const FILE_COMMANDS: readonly Command[] = [
  inspectCommand,
  checkCommand,
  compactCommand,
  explainCommand,
  profilesCommand,
];

const SESSION_COMMANDS: readonly Command[] = [
  importCommand,
  sessionsCommand,
  showCommand,
  historyCommand,
  diffCommand,
  rollbackCommand,
  pinCommand,
  unpinCommand,
  recallCommand,
  exportCommand,
  purgeCommand,
  doctorCommand,
];

const COMMANDS: readonly Command[] = [...FILE_COMMANDS, ...SESSION_COMMANDS];

function listed(commands: readonly Command[]): string {
  return commands.map(({ name, summary }) => `  ${name.padEnd(10)}${summary}`).join("\n");
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
    else showHelp(commandNamed(topic), io);
    return EXIT.ok;
  }
  if (first === "--version" || first === "-V") {
    io.stdout.write(`${version()}\n`);
    return EXIT.ok;
  }
  return commandNamed(first).run(rest, io);
}

function showAll(output: Output, { environment }: Io): void {
  output.write(fitHelp(HELP, terminalOf(output, environment).columns));
}

function commandNamed(name: string): Command {
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command !== undefined) return command;
  if (name.startsWith("-") && name !== "-") {
    throw usage(`unknown option ${name}${didYouMean(name, ["--help", "--version"])}`);
  }
  if (name === "-" || existsSync(name)) throw usage(`no command given; did you mean palimpsest inspect ${name}?`);
  const names = COMMANDS.map((candidate) => candidate.name);
  throw usage(`unknown command "${name}"${didYouMean(name, names) || `; there are ${names.join(", ")}`}`);
}

/** From the package that this file is part of, whether it runs from its source or from the build. */
function version(): string {
  const json: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return isObject(json) ? String(json.version) : "";
}
