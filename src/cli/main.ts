#!/usr/bin/env node
/**
 * The `palimpsest` command: picks the subcommand and turns whatever goes wrong into one line on standard error and an
 * exit code. Never prints a stack trace unless PALIMPSEST_DEBUG is set.
 */

import { existsSync, readFileSync } from "node:fs";
import { isObject } from "../core/json.ts";
import { usage } from "./arguments.ts";
import { checkCommand } from "./check.ts";
import { type Command, commandHelp, EXIT, type ExitCode, type Io } from "./command.ts";
import { compactCommand } from "./compact.ts";
import { explainCommand } from "./explain.ts";
import { inspectCommand } from "./inspect.ts";
import { profilesCommand } from "./profiles.ts";
import { reportError } from "./report-error.ts";
import { didYouMean } from "./suggest.ts";

const COMMANDS: readonly Command[] = [inspectCommand, checkCommand, compactCommand, explainCommand, profilesCommand];

const HELP = `Keeps an LLM agent's conversation inside its model's context window.

Usage: palimpsest COMMAND [FILE] [options]

Commands:
${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(10)}${summary}`).join("\n")}

Options:
  -h, --help     this text; \`palimpsest COMMAND --help\` for a command's own
  -V, --version  the version

Exit codes: 0 fine, 1 problems found by check or a target that compact cannot
reach, 2 wrong usage or unreadable input, 70 a defect of palimpsest itself,
130 interrupted.

Examples:
  palimpsest inspect session.jsonl --window 200k
  palimpsest check request.json
  palimpsest compact session.jsonl --target 10% --out compacted.json
  palimpsest explain session.jsonl --profile openclaw
`;

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // A reader such as `head` that has seen enough is no error.
    if (error.code !== "EPIPE") process.exitCode = EXIT.usage;
    if (error.code !== "EPIPE" && stream === process.stdout) {
      process.stderr.write(`palimpsest: the output could not be written (${error.code})\n`);
    }
    process.exit();
  });
}

process.exitCode = await main(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  environment: process.env,
  onInterrupt: (listener) => {
    process.on("SIGINT", listener);
    return () => process.off("SIGINT", listener);
  },
});
// Input that is still open would keep the process alive.
if (process.exitCode === EXIT.interrupted) process.exit();

async function main(words: readonly string[], io: Io): Promise<ExitCode> {
  try {
    return await dispatch(words, io);
  } catch (error) {
    return reportError(error, io);
  }
}

async function dispatch([first, ...rest]: readonly string[], io: Io): Promise<ExitCode> {
  if (first === undefined) {
    io.stderr.write(HELP);
    return EXIT.usage;
  }
  if (first === "--help" || first === "-h" || first === "help") {
    const [topic] = rest;
    io.stdout.write(topic === undefined ? HELP : commandHelp(commandNamed(topic)));
    return EXIT.ok;
  }
  if (first === "--version" || first === "-V") {
    io.stdout.write(`${version()}\n`);
    return EXIT.ok;
  }
  return commandNamed(first).run(rest, io);
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
