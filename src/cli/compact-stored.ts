/**
 * `palimpsest compact ID --store URL`: one pass over a stored session, committed in one transaction, with the same report as for a
 * file. A dry run and an interrupt leave the session as it was.
 */

import { type Compacted, type Compactor, createCompactor } from "../compactor.ts";
import { CompactionError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { SessionState } from "../core/store/store.ts";
import { isProfileName } from "../profiles/profiles.ts";
import { recalibrate } from "../session/recalibrate.ts";
import { entriesOf, frameOf, modelOf } from "../session/session-view.ts";
import { openSession } from "../session.ts";
import type { Transcript } from "../transcripts/index.ts";
import { EXIT, type ExitCode, type Io } from "./command.ts";
import { type CompactOptions, settingsIn } from "./compact-options.ts";
import { type Compaction, type CompactionOptions, describeCompaction } from "./compaction.ts";
import { heardStore } from "./heard-store.ts";
import { indentedJson } from "./indented-json.ts";
import { hearInterrupt } from "./interrupt.ts";
import { STANDARD_INPUT } from "./load.ts";
import { oneLine } from "./one-line.ts";
import type { StoreTask } from "./over-store.ts";
import type { ProgressLine } from "./progress-line.ts";
import { compactionText, summaryText } from "./render-compaction.ts";
import { eventsOf, formatOf, sessionState, viewConversation } from "./stored-session.ts";
import { type Subject, subjectFrom } from "./subject.ts";
import { terminalOf } from "./terminal.ts";
import { writeOut } from "./write-out.ts";

export interface StoredTask extends StoreTask {
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
