/**
 * `palimpsest compact`: a conversation below a target, now, without asking a model. Any readable file in, a request body or
 * message list of the same format out. Never changes the input file, and writes nothing when it is interrupted.
 */

import { existsSync } from "node:fs";
import { type CallOptions, type Compacted, type Compactor, createCompactor } from "../compactor.ts";
import { CompactionError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { SessionState } from "../core/store/store.ts";
import { isProfileName } from "../profiles/profiles.ts";
import { recalibrate } from "../session/recalibrate.ts";
import { entriesOf, frameOf, modelOf } from "../session/session-view.ts";
import { openSession } from "../session.ts";
import { type Command, EXIT, type ExitCode, type Io, indentedJson, type Output, type Words } from "./command.ts";
import { COMPACT_OPTIONS, type CompactOptions, readCompactOptions, settingsIn } from "./compact-options.ts";
import { type Compaction, type CompactionOptions, callOf, compactSubject, describeCompaction } from "./compaction.ts";
import { heardStore, hearInterrupt, interruptible } from "./interrupt.ts";
import { loadSource, NAMES_NOTE, STANDARD_INPUT } from "./load.ts";
import { oneLine } from "./one-line.ts";
import { compactionText, summaryText } from "./render-compaction.ts";
import { DEFAULT_STORE, openStoreAt, overStore, type StoreTask } from "./store-command.ts";
import { eventsOf, formatOf, sessionState, viewConversation } from "./stored-session.ts";
import { type Subject, subjectOf } from "./subject.ts";
import { type ProgressLine, progressLine, terminalOf } from "./terminal.ts";
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
  const task = { options, io, progress };
  try {
    if (options.store !== undefined)
      return await overStore({ io, given }, (open) => compactStored({ ...task, ...open }));
    const interrupt = { graceMs: 0, message: "interrupted; nothing was written" };
    return await interruptible(io, interrupt, (signal) => {
      signal.addEventListener("abort", progress.clear);
      return compactFile(given, { ...task, signal });
    });
  } finally {
    progress.clear();
  }
}

/** Where there is no such file, a session of that name in the default store is meant. */
async function settledOptions(given: Words): Promise<CompactOptions> {
  const options = readCompactOptions(given);
  const { file, store } = options;
  const isFileNamed = ["format", "conversation"].some((option) => given.text(option) !== undefined);
  const mayBeFile = file === STANDARD_INPUT || existsSync(file) || isFileNamed;
  if (store !== undefined || mayBeFile || !(await isStored(file))) return options;
  return readCompactOptions(given, DEFAULT_STORE);
}

interface Task {
  readonly options: CompactOptions;
  readonly io: Io;
  readonly progress: ProgressLine;
  readonly signal: AbortSignal;
}

async function compactFile(given: Words, task: Task): Promise<ExitCode> {
  const { options, io, progress, signal } = task;
  const { out, file, isDryRun, withSummary } = options;
  progress.say(`reading ${oneLine(file)}…`);
  const source = await loadSource(given, io.stdin);
  await hearInterrupt(signal);
  progress.say("compacting…");
  const { request, compaction } = await compactSubject(subjectOf(source, settingsIn(options)), compactionOptions(task));
  await hearInterrupt(signal);
  progress.clear();
  if (out !== undefined) writeOut({ out, text: indentedJson(request), from: file }, io);
  const wrote = out === undefined ? "nothing was written" : `wrote ${compaction.format} to ${oneLine(out)}`;
  const closing = out === STANDARD_INPUT ? undefined : wrote;
  report(compaction, { place: isDryRun && !withSummary ? io.stdout : io.stderr, closing }, task);
  return compaction.fits ? EXIT.ok : EXIT.invalid;
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

interface StoredTask extends Task, StoreTask {}

export async function compactStored(task: StoredTask): Promise<ExitCode> {
  const { options, io, progress, signal } = task;
  const { out, file: id, withSummary } = options;
  progress.say(`reading ${oneLine(id)}…`);
  const state = await sessionState({ ...task, id });
  const subject = subjectOfState(state, options);
  await hearInterrupt(signal);
  progress.say("compacting…");
  const passed = await pass(task, state, subject);
  progress.clear();
  const { request, compaction } = describeCompaction(subject, passed, compactionOptions(task));
  if (out !== undefined) writeOut({ out, text: indentedJson(request), from: undefined }, io);
  // What is stored stays: a key pressed from here on does not change the report.
  const events = await eventsOf({ ...task, id, signal: new AbortController().signal });
  const event = events.find((each) => each.id === passed.eventId);
  const stored = { session: id, event: event?.id ?? null, eventNumber: event?.number ?? null };
  const closing =
    event === undefined
      ? "nothing was changed"
      : `stored as compaction ${event.number}; palimpsest rollback takes it back`;
  const place = out === STANDARD_INPUT || withSummary ? io.stderr : io.stdout;
  report({ ...compaction, source: "session" }, { place, closing, stored }, task);
  return compaction.fits ? EXIT.ok : EXIT.invalid;
}

interface Report {
  /** Where the text goes. */
  readonly place: Output;
  /** The last line of the text. */
  readonly closing: string | undefined;
  /** What the JSON also has for a session. */
  readonly stored?: object;
}

function report(compaction: Compaction, { place, closing, stored }: Report, { options, io }: Task): void {
  const { isDryRun, isJson, withSummary, out = null } = options;
  if (isJson) {
    io.stdout.write(indentedJson({ ...compaction, ...stored, isDryRun, out }));
    return;
  }
  if (withSummary) io.stdout.write(summaryText(compaction, io.stdout));
  const text = compactionText(compaction, terminalOf(place, io.environment), options);
  place.write(closing === undefined ? text : `${text}\n${closing}\n`);
}

function subjectOfState(state: SessionState, options: CompactOptions): Subject {
  const decoded = viewConversation(state);
  // A frame is decoded from an object, and encodes to one.
  const body = formatOf(state).encode(decoded) as JsonObject;
  const { id, format } = state;
  const recorded = { id, format, body, models: [], calls: [], segments: [], compactions: [] };
  const records = { read: 0, unknown: {}, broken: 0 };
  const transcript = { source: "request-body", conversations: [recorded], records } as const;
  return subjectOf({ file: id, transcript, recorded }, { ...settingsIn(options), decoded });
}

interface Passed extends Compacted<unknown> {
  readonly eventId?: string;
}

async function pass(task: StoredTask, state: SessionState, subject: Subject): Promise<Passed> {
  const store = heardStore(task.store, task.signal);
  const { format, userSettings, profile, settings, callSettings } = subject;
  // By its name, which the event keeps.
  const named = isProfileName(profile) ? profile : settings;
  const compactor = createCompactor({ format, profile: named, ...userSettings });
  const call = { ...callOf(compactionOptions(task)), ...(callSettings !== undefined && { settings: callSettings }) };
  if (task.options.isDryRun) {
    // As an opened session does, so that a dry run shows the same figures.
    recalibrate(compactor, { record: state, entries: entriesOf(format, state.view), frame: frameOf(format, state) });
    return passWithoutStore(compactor, state, call);
  }
  const session = await openSession(state.id, { store, compactor, create: false });
  try {
    return await session.compact(call);
  } catch (error) {
    // That nothing may go is an outcome here, and has its report.
    if (!(error instanceof CompactionError) || error.code !== "nothing-to-compact") throw error;
    return passWithoutStore(compactor, state, call);
  }
}

/** The same pass; nothing is written. */
async function passWithoutStore(compactor: Compactor, state: SessionState, call: CallOptions): Promise<Passed> {
  const model = modelOf(state.base);
  const { encoded, plan, report } = await compactor.passOver(viewConversation(state), {
    ...call,
    asked: "manual",
    passes: state.passes,
    ...(model !== undefined && { model }),
  });
  return { request: encoded, plan, report };
}

function compactionOptions({ options, signal, progress }: Task): CompactionOptions {
  const { target, instructions, withDiff } = options;
  return { target, instructions, withDiff, signal, onProgress: progress.show };
}
