/**
 * `palimpsest compact`: a conversation below a target, now, without asking a model. Any readable file in, a request body or
 * message list of the same format out. Never changes the input file, and writes nothing when it is interrupted.
 */

import { existsSync } from "node:fs";
import { type Compacted, type Compactor, createCompactor } from "../compactor.ts";
import { CompactionError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { SessionState } from "../core/store/store.ts";
import { isProfileName } from "../profiles/profiles.ts";
import { recalibrate } from "../session/recalibrate.ts";
import { entriesOf, frameOf, modelOf } from "../session/session-view.ts";
import { openSession } from "../session.ts";
import type { Transcript } from "../transcripts/index.ts";
import type { Words } from "./arguments.ts";
import { type ProgressLine, progressLine } from "./bar.ts";
import { type Command, EXIT, type ExitCode, type Io, indentedJson } from "./command.ts";
import { COMPACT_OPTIONS, type CompactOptions, readCompactOptions, settingsIn } from "./compact-options.ts";
import { type Compaction, type CompactionOptions, compactSubject, describeCompaction } from "./compaction.ts";
import { heardStore, hearInterrupt, interruptible } from "./interrupt.ts";
import { chooseConversation, loadTranscript, NAMES_NOTE, STANDARD_INPUT } from "./load.ts";
import { oneLine } from "./one-line.ts";
import { DEFAULT_STORE, openStoreAt, overStore, type StoreTask } from "./over-store.ts";
import { compactionText, summaryText } from "./render-compaction.ts";
import { eventsOf, formatOf, sessionState, viewConversation } from "./stored-session.ts";
import { type Subject, subjectFrom, subjectOf } from "./subject.ts";
import { terminalOf } from "./terminal.ts";
import { writeOut } from "./write-out.ts";

export const command: Command = {
  takesFile: true,
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

async function run(given: Words, io: Io): Promise<ExitCode> {
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
async function settledOptions(given: Words): Promise<CompactOptions> {
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

interface StoredTask extends StoreTask {
  readonly options: CompactOptions;
  readonly io: Io;
  readonly progress: ProgressLine;
}

export async function compactStored(task: StoredTask): Promise<ExitCode> {
  const { options, progress, signal } = task;
  try {
    progress.say(`reading ${oneLine(options.file)}…`);
    const state = await sessionState(task, options.file);
    const subject = subjectOfState(state, options);
    await hearInterrupt(signal);
    progress.say("compacting…");
    const passed = await pass(task, state, subject);
    progress.clear();
    const { request, compaction } = describeCompaction(subject, passed, compactionOptions(task));
    if (options.out !== undefined) {
      writeOut({ out: options.out, text: indentedJson(request), from: undefined }, task.io);
    }
    // Stored is stored: a key pressed from here on does not change what there is to tell.
    const told = { ...task, signal: new AbortController().signal };
    const number = (await eventsOf(told, state.id)).find(({ id }) => id === passed.eventId)?.number;
    report({ ...compaction, source: "session" }, { id: passed.eventId, number }, task);
    return compaction.fits ? EXIT.ok : EXIT.invalid;
  } finally {
    progress.clear();
  }
}

function subjectOfState(state: SessionState, options: CompactOptions): Subject {
  const conversation = viewConversation(state);
  // A frame is decoded from an object, and encodes to one.
  const body = formatOf(state).encode(conversation) as JsonObject;
  const { id, format } = state;
  const recorded = { id, format, body, models: [], calls: [], segments: [], compactions: [] };
  const transcript: Transcript = {
    source: "request-body",
    conversations: [recorded],
    records: { read: 0, unknown: {}, broken: 0 },
  };
  return subjectFrom(transcript, conversation, { file: id, index: 0, ...settingsIn(options) });
}

interface Passed extends Compacted<unknown> {
  readonly eventId?: string;
}

async function pass(task: StoredTask, state: SessionState, subject: Subject): Promise<Passed> {
  const { options } = task;
  const store = heardStore(task.store, task.signal);
  const { format, userSettings, profile, settings } = subject;
  // By its name, which the event keeps.
  const named = isProfileName(profile) ? profile : settings;
  const compactor = createCompactor({ format, profile: named, ...userSettings });
  if (options.isDryRun) {
    // As an opened session does, so that a dry run foretells the very figures.
    recalibrate(compactor, { record: state, entries: entriesOf(format, state.view), frame: frameOf(format, state) });
    return tryOn(compactor, state, { task, subject });
  }
  const session = await openSession(state.id, { store, compactor, create: false });
  try {
    return await session.compact(callOf(task, subject));
  } catch (error) {
    // To find nothing that may go is an outcome here, and has its report.
    if (!(error instanceof CompactionError) || error.code !== "nothing-to-compact") throw error;
    return tryOn(compactor, state, { task, subject });
  }
}

/** The same pass without a store: nothing is written. */
async function tryOn(
  compactor: Compactor,
  state: SessionState,
  { task, subject }: { readonly task: StoredTask; readonly subject: Subject },
): Promise<Passed> {
  const model = modelOf(state.base);
  const { encoded, plan, report } = await compactor.passOver(viewConversation(state), {
    ...callOf(task, subject),
    asked: "manual",
    passes: state.passes,
    ...(model !== undefined && { model }),
  });
  return { request: encoded, plan, report };
}

function callOf({ options, signal, progress }: StoredTask, { callSettings }: Subject) {
  const { target, instructions } = options;
  return {
    signal,
    onProgress: progress.show,
    ...(target !== undefined && { target }),
    ...(instructions !== undefined && { instructions }),
    ...(callSettings !== undefined && { settings: callSettings }),
  };
}

function compactionOptions({ options, signal, progress }: StoredTask): CompactionOptions {
  const { target, withDiff } = options;
  return { ...(target !== undefined && { target }), withDiff, signal, onProgress: progress.show };
}

interface Stored {
  readonly id: string | undefined;
  readonly number: number | undefined;
}

function report(compaction: Compaction, { id, number }: Stored, { options, io }: StoredTask): void {
  const { isDryRun, isJson, out } = options;
  if (isJson) {
    const stored = { session: compaction.file, event: id ?? null, eventNumber: number ?? null };
    io.stdout.write(indentedJson({ ...compaction, ...stored, isDryRun, out: out ?? null }));
    return;
  }
  if (options.withSummary) io.stdout.write(summaryText(compaction, io.stdout));
  const place = out === STANDARD_INPUT || options.withSummary ? io.stderr : io.stdout;
  const closing =
    number === undefined ? "nothing was changed" : `stored as compaction ${number}; palimpsest rollback takes it back`;
  place.write(`${compactionText(compaction, terminalOf(place, io.environment), options)}\n${closing}\n`);
}
