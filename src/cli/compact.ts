/**
 * `palimpsest compact`: a conversation below a target, now, without asking a model. Any readable file in, a request body or
 * message list of the same format out. Never changes the input file, and writes nothing when it is interrupted.
 */

import { existsSync } from "node:fs";
import { type Arguments, parseArguments } from "./arguments.ts";
import { type Command, EXIT, type ExitCode, type Io, showHelp } from "./command.ts";
import { COMPACT_OPTIONS, type CompactOptions, readCompactOptions, settingsIn } from "./compact-options.ts";
import { compactStored } from "./compact-stored.ts";
import { type Compaction, compactSubject } from "./compaction.ts";
import { indentedJson } from "./indented-json.ts";
import { hearInterrupt, interruptible } from "./interrupt.ts";
import { chooseConversation, loadTranscript, NAMES_NOTE, STANDARD_INPUT } from "./load.ts";
import { oneLine } from "./one-line.ts";
import { overStore } from "./over-store.ts";
import { type ProgressLine, progressLine } from "./progress-line.ts";
import { compactionText, summaryText } from "./render-compaction.ts";
import { DEFAULT_STORE, openStoreAt } from "./store-option.ts";
import { subjectOf } from "./subject.ts";
import { terminalOf } from "./terminal.ts";
import { writeOut } from "./write-out.ts";

export const compactCommand: Command = {
  name: "compact",
  usage: "FILE|ID [options]",
  options: COMPACT_OPTIONS,
  notes: `The compacted request goes to --out or standard output, in the format of FILE; a
session file becomes the request body that would be sent next. The report goes
to standard error, with --dry-run or --json to standard output; with --json the
request goes to --out only. FILE itself is never changed.

Where there is no such FILE, or with --store, ID is a stored session: it is
compacted in its store (default ${DEFAULT_STORE}),
and can be rolled back; its request is written only where --out asks for it.

Exit codes: 0 done, or nothing had to be done; 1 it does not fit the target
(what it came to is written all the same); 2 wrong usage or unreadable input;
75 another process is compacting the session; 130 interrupted, nothing was
written.

${NAMES_NOTE}
Examples:
  palimpsest compact session.jsonl --target 10% --out compacted.json
  palimpsest compact request.json --window 128k --profile nous --dry-run
  palimpsest compact request.json --keep 6 --diff > compacted.json
  palimpsest compact session.jsonl --target 10% --summary
  palimpsest compact my-session
`,
  run,
};

async function run(words: readonly string[], io: Io): Promise<ExitCode> {
  const given = parseArguments("compact", words, COMPACT_OPTIONS);
  if (given.isHelpWanted) {
    showHelp(compactCommand, io);
    return EXIT.ok;
  }
  const options = await settledOptions(given);
  const progress = progressLine(io.stderr, terminalOf(io.stderr, io.environment));
  if (options.store !== undefined)
    return overStore({ io, given }, (task) => compactStored({ ...task, options, io, progress }));
  try {
    const code = await interruptible(io, (signal) => compactFile({ options, io, progress, signal }));
    progress.clear();
    if (code === EXIT.interrupted) io.stderr.write("palimpsest: interrupted; nothing was written\n");
    return code;
  } finally {
    progress.clear();
  }
}

/** Where there is no such file, a session of that name in the default store is meant. */
async function settledOptions(given: Arguments): Promise<CompactOptions> {
  const options = readCompactOptions(given);
  const { file, store, format, conversation } = options;
  const mayBeFile = file === STANDARD_INPUT || existsSync(file) || format !== undefined || conversation !== undefined;
  if (store !== undefined || mayBeFile || !(await isStored(file))) return options;
  return readCompactOptions(given, DEFAULT_STORE);
}

interface Task {
  readonly options: CompactOptions;
  readonly io: Io;
  readonly progress: ProgressLine;
  readonly signal: AbortSignal;
}

async function compactFile(task: Task): Promise<ExitCode> {
  const { options, io, progress, signal } = task;
  progress.say(`reading ${oneLine(options.file)}…`);
  const transcript = await loadTranscript(options.file, options.format, io.stdin);
  await hearInterrupt(signal);
  progress.say("compacting…");
  const index = chooseConversation(transcript, options.conversation);
  const subject = subjectOf(transcript, { file: options.file, index, ...settingsIn(options) });
  const outcome = await compactSubject(subject, { ...options, signal, onProgress: progress.show });
  await hearInterrupt(signal);
  progress.clear();
  const { out, file } = options;
  if (out !== undefined) writeOut({ out, text: indentedJson(outcome.request), from: file }, io);
  writeReport(outcome.compaction, task);
  return outcome.compaction.fits ? EXIT.ok : EXIT.invalid;
}

/** A store that is not there, or cannot be read, has no session. */
async function isStored(id: string): Promise<boolean> {
  try {
    const store = await openStoreAt(DEFAULT_STORE, "reading");
    try {
      return (await store.open(id)) !== undefined;
    } finally {
      await store.close();
    }
  } catch {
    return false;
  }
}

function writeReport(compaction: Compaction, { options, io }: Task): void {
  const { isDryRun, isJson, out } = options;
  if (isJson) {
    io.stdout.write(indentedJson({ ...compaction, isDryRun, out: out ?? null }));
    return;
  }
  if (options.withSummary) io.stdout.write(summaryText(compaction, io.stdout));
  const place = isDryRun && !options.withSummary ? io.stdout : io.stderr;
  place.write(`${compactionText(compaction, terminalOf(place, io.environment), options)}${closing(compaction, out)}`);
}

function closing({ format }: Compaction, out: string | undefined): string {
  if (out === undefined) return "\nnothing was written\n";
  return out === STANDARD_INPUT ? "" : `\nwrote ${format} to ${oneLine(out)}\n`;
}
