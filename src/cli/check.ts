/** `palimpsest check`: whether a provider would take a conversation, and with --repair a body that it takes. Never changes the input file. */

import { CompactionError } from "../core/errors.ts";
import type { Violation } from "../core/ports.ts";
import { repair } from "../core/repair/repair.ts";
import { formatNamed } from "../formats.ts";
import type { RecordedConversation } from "../transcripts/index.ts";
import { type Command, EXIT, type ExitCode, type Io, indentedJson, type Output, usage, type Words } from "./command.ts";
import {
  FILE_OPTIONS,
  leftOutOf,
  loadSource,
  NAMES_NOTE,
  problemsOf,
  repairPlace,
  type Source,
  STANDARD_INPUT,
  strangersIn,
  validateOptions,
  withoutPath,
} from "./load.ts";
import { count, oneLine, plural, wrap } from "./one-line.ts";
import { terminalOf } from "./terminal.ts";
import { readOutput, refuseSameFile, writeOut } from "./write-out.ts";

export const command: Command = {
  takesFile: true,
  usage: "FILE [options]",
  options: {
    repair: { type: "boolean", about: "mend what can be mended and write it to --out" },
    out: { type: "string", value: "FILE", about: "where --repair writes the body; - is standard output" },
    ...FILE_OPTIONS,
  },
  notes: `Prints one line per problem: path, rule, message. Without --conversation, every
conversation in the file is checked; --repair mends one, the first unless
--conversation picks another. What is written is a request body or message list
of the same format, also when FILE is a session file. It is validated again
first, and the input file is never overwritten.

Exit codes: 0 valid (with --repair: a valid body was written), 1 problems left,
2 wrong usage or unreadable input.

${NAMES_NOTE}
Examples:
  palimpsest check request.json
  palimpsest check session.jsonl --repair --out repaired.json
  palimpsest check - --format openai-chat < messages.json
`,
  run,
};

async function run(given: Words, io: Io): Promise<ExitCode> {
  const out = outputOf(given);
  const task: Task = { ...(await loadSource(given, io.stdin)), isJson: given.isSet("json"), io };
  const isOneNamed = given.text("conversation") !== undefined;
  const isValid =
    out === undefined
      ? checkAll(isOneNamed ? [task.recorded] : task.transcript.conversations, task)
      : repairTo(out, task);
  return isValid ? EXIT.ok : EXIT.invalid;
}

/** Where a repair goes; undefined when none is asked for. */
function outputOf(given: Words): string | undefined {
  if (!given.isSet("repair")) {
    if (given.text("out") !== undefined) throw usage("--out needs --repair");
    return undefined;
  }
  const out = readOutput(given);
  if (out === undefined) throw usage("--repair needs --out FILE (- for standard output)");
  if (out !== STANDARD_INPUT && given.file !== STANDARD_INPUT) refuseSameFile(given.file, out);
  return out;
}

interface Task extends Source {
  readonly isJson: boolean;
  readonly io: Io;
}

function checkAll(checked: readonly RecordedConversation[], { file, transcript, isJson, io }: Task): boolean {
  const { source, conversations: all } = transcript;
  const numberOf = (recorded: RecordedConversation): number => all.indexOf(recorded) + 1;
  const problems = [
    ...strangersIn(transcript).map((violation) => ({ conversation: 1, ...violation })),
    ...checked.flatMap((recorded) =>
      problemsOf(recorded).map((violation) => ({ conversation: numberOf(recorded), ...violation })),
    ),
  ];
  const valid = problems.length === 0;
  const { broken } = transcript.records;
  if (broken > 0) {
    const what = broken === 1 ? "1 line is not JSON and was" : `${broken} lines are not JSON and were`;
    io.stderr.write(`palimpsest: ${file}: ${what} left out; the file may be cut off\n`);
  }
  const formats = checked.map(({ format }) => format);
  if (isJson) {
    const conversations = checked.map((recorded) => ({
      number: numberOf(recorded),
      id: recorded.id,
      format: recorded.format,
    }));
    io.stdout.write(indentedJson({ file, source, format: formats[0], valid, conversations, problems }));
    return valid;
  }
  const name = oneLine(file);
  if (valid) {
    const which = checked.length === 1 ? "" : ` in all ${count(checked.length)} conversations`;
    writeLines([`${name}: valid ${[...new Set(formats)].join(" and ")}${which}`], io.stdout, io);
    return true;
  }
  const prefix = ({ conversation }: { readonly conversation: number }): string =>
    checked.length > 1 ? `conversation ${conversation}: ` : "";
  const lines = problems.map((problem) => prefix(problem) + problemLine(problem));
  writeLines(lines, io.stdout, io);
  const hint = "palimpsest check FILE --repair --out REPAIRED.json mends them";
  writeLines([`palimpsest: ${name}: ${plural(problems.length, "problem")}; ${hint}`], io.stderr, io);
  return false;
}

function repairTo(out: string, { file, transcript, recorded, isJson, io }: Task): boolean {
  const { body, repairs, problems } = repairRecorded(recorded);
  const { format } = recorded;
  const valid = problems.length === 0;
  if (valid) writeOut({ out, text: indentedJson(body), from: file }, io);
  const leftOut = leftOutOf(transcript);
  if (isJson) {
    const { source } = transcript;
    const result = { file, source, format, valid, repairs, leftOut, problems, out: valid ? out : null };
    io.stdout.write(indentedJson(result));
    return valid;
  }
  for (const message of leftOut) io.stderr.write(`left out: ${oneLine(message)}\n`);
  for (const { rule, messageIndex, change } of repairs) {
    io.stderr.write(`${repairPlace(messageIndex)}${oneLine(rule)}: ${oneLine(change)}\n`);
  }
  if (valid) {
    const where = out === STANDARD_INPUT ? "standard output" : oneLine(out);
    const done = repairs.length === 0 ? "nothing to repair" : plural(repairs.length, "repair");
    io.stderr.write(`${done}; wrote valid ${format} to ${where}\n`);
    return true;
  }
  writeLines(problems.map(problemLine), io.stdout, io);
  const left = `${plural(problems.length, "problem")} could not be mended`;
  writeLines([`palimpsest: ${oneLine(file)}: ${left}; nothing was written`], io.stderr, io);
  return false;
}

function problemLine(problem: Violation): string {
  return `${oneLine(problem.path)}: ${oneLine(problem.rule)}: ${withoutPath(problem)}`;
}

/** Broken to the width of a terminal; in a pipe, a problem is one line, whatever its length. */
function writeLines(lines: readonly string[], output: Output, { environment }: Io): void {
  const { columns } = terminalOf(output, environment);
  const shown = output.isTTY
    ? lines.flatMap((line) => wrap(line, columns - 2).map((each, index) => (index === 0 ? each : `  ${each}`)))
    : lines;
  output.write(shown.map((line) => `${line}\n`).join(""));
}

/** A body with every mend that is possible, and what it still breaks. */
function repairRecorded(recorded: RecordedConversation) {
  const format = formatNamed(recorded.format);
  const options = validateOptions(recorded);
  try {
    const { conversation, repairs } = repair(format.decode(recorded.body), options);
    const body = format.encode(conversation);
    return { body, repairs, problems: format.validate(body, options) };
  } catch (error) {
    if (!(error instanceof CompactionError)) throw error;
    // What cannot be decoded cannot be mended: its violations say where.
    return { body: recorded.body, repairs: [], problems: problemsOf(recorded) };
  }
}
