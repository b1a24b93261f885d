/**
 * `palimpsest check`: whether a provider would take a conversation, and with --repair a body that it takes. Never
 * changes the input file; what it writes was validated again first.
 */

import { CompactionError } from "../core/errors.ts";
import type { FormatName } from "../core/message.ts";
import type { Violation } from "../core/ports.ts";
import { type Repair, repair } from "../core/repair/repair.ts";
import { formatNamed } from "../formats.ts";
import type { RecordedConversation, Transcript } from "../transcripts/index.ts";
import { usage, type Words } from "./arguments.ts";
import { type Command, EXIT, type ExitCode, type Io, indentedJson, type Output } from "./command.ts";
import {
  chooseConversation,
  conversationAt,
  FILE_OPTIONS,
  loadTranscript,
  NAMES_NOTE,
  STANDARD_INPUT,
} from "./load.ts";
import { count, plural } from "./numbers.ts";
import { oneLine, wrap } from "./one-line.ts";
import { leftOutOf, problemsOf, repairPlace, strangersIn, validateOptions, withoutPath } from "./problems.ts";
import { terminalOf } from "./terminal.ts";
import { refuseSameFile, writeOut } from "./write-out.ts";

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
  const transcript = await loadTranscript(given.file, given.text("format"), io.stdin);
  const wanted = given.text("conversation");
  if (out !== undefined) return repairTo(out, { given, transcript, io, index: chooseConversation(transcript, wanted) });
  const indexes = wanted === undefined ? transcript.conversations.keys() : [chooseConversation(transcript, wanted)];
  return checkAll([...indexes], { given, transcript, io });
}

/** Where a repair goes; undefined when none is asked for. */
function outputOf(given: Words): string | undefined {
  const out = given.text("out");
  if (!given.isSet("repair")) {
    if (out !== undefined) throw usage("--out needs --repair");
    return undefined;
  }
  if (out === undefined || out === "") throw usage("--repair needs --out FILE (- for standard output)");
  if (out === STANDARD_INPUT) {
    if (given.isSet("json")) throw usage("--json and --out - both want standard output; name a file");
    return out;
  }
  if (given.file !== STANDARD_INPUT) refuseSameFile(given.file, out);
  return out;
}

interface Task {
  readonly given: Words;
  readonly transcript: Transcript;
  readonly io: Io;
}

/** A violation, and the number of the conversation that it is in. */
interface Problem extends Violation {
  readonly conversation: number;
}

function checkAll(indexes: readonly number[], { given, transcript, io }: Task): ExitCode {
  const problems: readonly Problem[] = [
    ...strangersIn(transcript).map((violation) => ({ conversation: 1, ...violation })),
    ...indexes.flatMap((index) =>
      problemsOf(conversationAt(transcript, index)).map((violation) => ({ conversation: index + 1, ...violation })),
    ),
  ];
  const isValid = problems.length === 0;
  const { broken } = transcript.records;
  if (broken > 0) {
    const what = broken === 1 ? "1 line is not JSON and was" : `${broken} lines are not JSON and were`;
    io.stderr.write(`palimpsest: ${given.file}: ${what} left out; the file may be cut off\n`);
  }
  const checked = indexes.map((index) => conversationAt(transcript, index));
  if (given.isSet("json")) {
    const { source } = transcript;
    const conversations = checked.map(({ id, format }, at) => ({ number: (indexes[at] ?? 0) + 1, id, format }));
    const format = checked[0]?.format;
    const result = { file: given.file, source, format, valid: isValid, conversations, problems };
    io.stdout.write(indentedJson(result));
    return isValid ? EXIT.ok : EXIT.invalid;
  }
  const name = oneLine(given.file);
  if (isValid) {
    const formats = [...new Set(checked.map(({ format }) => format))].join(" and ");
    const which = checked.length === 1 ? "" : ` in all ${count(checked.length)} conversations`;
    writeLines([`${name}: valid ${formats}${which}`], io.stdout, io);
    return EXIT.ok;
  }
  writeLines(
    problems.map((problem) => problemLine(problem, indexes.length > 1)),
    io.stdout,
    io,
  );
  const hint = "palimpsest check FILE --repair --out REPAIRED.json mends them";
  writeLines([`palimpsest: ${name}: ${plural(problems.length, "problem")}; ${hint}`], io.stderr, io);
  return EXIT.invalid;
}

function repairTo(out: string, task: Task & { readonly index: number }): ExitCode {
  const { given, transcript, io } = task;
  const repaired = repairRecorded(conversationAt(transcript, task.index));
  const isValid = repaired.problems.length === 0;
  if (isValid) writeOut({ out, text: indentedJson(repaired.body), from: given.file }, io);
  const leftOut = leftOutOf(transcript);
  if (given.isSet("json")) {
    const { body: _, format, repairs, problems } = repaired;
    const { source } = transcript;
    const result = { file: given.file, source, format, valid: isValid, repairs, leftOut, problems };
    io.stdout.write(indentedJson({ ...result, out: isValid ? out : null }));
    return isValid ? EXIT.ok : EXIT.invalid;
  }
  for (const message of leftOut) io.stderr.write(`left out: ${oneLine(message)}\n`);
  for (const { rule, messageIndex, change } of repaired.repairs) {
    io.stderr.write(`${repairPlace(messageIndex)}${oneLine(rule)}: ${oneLine(change)}\n`);
  }
  if (isValid) io.stderr.write(`${summaryOf(repaired, out)}\n`);
  else refuse(repaired, task);
  return isValid ? EXIT.ok : EXIT.invalid;
}

function refuse({ problems }: RepairedBody, { given, io }: Task): void {
  writeLines(
    problems.map((problem) => problemLine(problem, false)),
    io.stdout,
    io,
  );
  const left = `${plural(problems.length, "problem")} could not be mended`;
  writeLines([`palimpsest: ${oneLine(given.file)}: ${left}; nothing was written`], io.stderr, io);
}

function summaryOf({ repairs, format }: RepairedBody, out: string): string {
  const where = out === STANDARD_INPUT ? "standard output" : oneLine(out);
  const done = repairs.length === 0 ? "nothing to repair" : plural(repairs.length, "repair");
  return `${done}; wrote valid ${format} to ${where}`;
}

/** `path: rule: message`, with the conversation's number where several were checked. */
function problemLine(problem: Violation & { readonly conversation?: number }, isOneOfMany: boolean): string {
  const prefix = isOneOfMany ? `conversation ${problem.conversation}: ` : "";
  return `${prefix}${oneLine(problem.path)}: ${oneLine(problem.rule)}: ${withoutPath(problem)}`;
}

/** A terminal gets lines that it need not break itself; in a pipe, a problem is one line, whatever its length. */
function writeLines(lines: readonly string[], output: Output, { environment }: Io): void {
  const { columns } = terminalOf(output, environment);
  const shown = output.isTTY
    ? lines.flatMap((line) => wrap(line, columns - 2).map((each, index) => (index === 0 ? each : `  ${each}`)))
    : lines;
  output.write(shown.map((line) => `${line}\n`).join(""));
}

interface RepairedBody {
  readonly format: FormatName;
  readonly body: unknown;
  readonly repairs: readonly Repair[];
  /** What the result still breaks; empty when it may be sent. */
  readonly problems: readonly Violation[];
}

function repairRecorded(recorded: RecordedConversation): RepairedBody {
  const format = formatNamed(recorded.format);
  const options = validateOptions(recorded);
  try {
    const { conversation, repairs } = repair(format.decode(recorded.body), options);
    const body = format.encode(conversation);
    return { format: format.name, body, repairs, problems: format.validate(body, options) };
  } catch (error) {
    if (!(error instanceof CompactionError)) throw error;
    // What cannot be decoded cannot be mended: its violations say where.
    return { format: format.name, body: recorded.body, repairs: [], problems: problemsOf(recorded) };
  }
}
