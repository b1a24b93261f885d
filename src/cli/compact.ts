/**
 * `palimpsest compact`: a conversation below a target, now, without asking a model unless one is named. Any readable file in, a request body
 * or message list of the same format out. Never changes the input file, and writes nothing when it is interrupted.
 */

import { existsSync } from "node:fs";
import {
  type CallOptions,
  type Compacted,
  type Compactor,
  type CompactorOptions,
  createCompactor,
} from "../compactor.ts";
import { CompactionError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { SettingsInput } from "../core/settings/settings.ts";
import type { SessionState } from "../core/store/store.ts";
import { formatNamed } from "../formats.ts";
import { isProfileName } from "../profiles/profiles.ts";
import { recalibrate } from "../session/learned-windows.ts";
import { entriesOf, frameOf, modelOf } from "../session/session-view.ts";
import { openSession } from "../session.ts";
import { llm } from "../summarizers/llm.ts";
import {
  type Command,
  didYouMean,
  EXIT,
  type ExitCode,
  type Io,
  indentedJson,
  JSON_OPTION,
  type Output,
  readCount,
  readWindow,
  usage,
  WINDOW_OPTION,
  type Words,
} from "./command.ts";
import { type Compaction, type CompactionOptions, callOf, compactSubject, describeCompaction } from "./compaction.ts";
import { heardStore, hearInterrupt, interruptible } from "./interrupt.ts";
import { CONVERSATION_OPTION, FORMAT_OPTION, loadSource, NAMES_NOTE, STANDARD_INPUT } from "./load.ts";
import { loadModel, MODEL_NOTE, MODEL_OPTION } from "./model-option.ts";
import { oneLine } from "./one-line.ts";
import { compactionText, summaryText } from "./render-compaction.ts";
import {
  AGENT_OPTION,
  DEFAULT_STORE,
  eventsOf,
  openStoreAt,
  overStore,
  type StoreTask,
  sessionState,
  viewConversation,
} from "./store-command.ts";
import { PROFILE_OPTION, readProfile, type Subject, subjectOf } from "./subject.ts";
import { type ProgressLine, progressLine, terminalOf } from "./terminal.ts";
import { readOutput, refuseSameFile, writeOut } from "./write-out.ts";

export const command: Command = {
  takesFile: true,
  usage: "FILE|ID [options]",
  options: {
    target: { type: "string", value: "N|P%", about: "at most N tokens, or P % of what it has now" },
    keep: { type: "string", value: "N", about: "keep the newest N messages" },
    profile: PROFILE_OPTION,
    window: WINDOW_OPTION,
    summarizer: { type: "string", value: "NAME", about: "extractive (default), or none to leave out" },
    model: MODEL_OPTION,
    instructions: { type: "string", value: "TEXT", about: "what the summary should focus on" },
    "dry-run": { type: "boolean", about: "print the plan; write nothing" },
    summary: { type: "boolean", about: "print the summary; the request goes to --out only" },
    diff: { type: "boolean", about: "show what becomes of each message" },
    out: { type: "string", value: "FILE", about: "where the request goes (default standard output)" },
    json: { ...JSON_OPTION, about: "the report as JSON on standard output" },
    store: { type: "string", value: "URL", about: "compact the session of that ID in this store" },
    agent: AGENT_OPTION,
    conversation: CONVERSATION_OPTION,
    format: FORMAT_OPTION,
  },
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

${MODEL_NOTE}
${NAMES_NOTE}
Examples:
  palimpsest compact session.jsonl --target 10% --out compacted.json
  palimpsest compact request.json --window 128k --profile nous --dry-run
  palimpsest compact request.json --keep 6 --diff > compacted.json
  palimpsest compact session.jsonl --target 10% --summary
  palimpsest compact session.jsonl --model anthropic:claude-haiku-4-5 --summary
  palimpsest compact my-session
`,
  run,
};

async function run(given: Words, io: Io): Promise<ExitCode> {
  const options = await settledOptions(given);
  const progress = progressLine(io.stderr, terminalOf(io.stderr, io.environment));
  const { modelName } = options;
  const summarizer =
    modelName === undefined ? undefined : llm({ model: (await loadModel(modelName, io.environment)).model });
  const task = { options, io, progress, ...(summarizer !== undefined && { summarizer }) };
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
  /** Absent where no model is asked. */
  readonly summarizer?: NonNullable<CompactorOptions["summarizer"]>;
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
  const compaction = describeCompaction(subject, passed, compactionOptions(task));
  if (out !== undefined) writeOut({ out, text: indentedJson(passed.request), from: undefined }, io);
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
  readonly place: Output;
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
  const body = formatNamed(state.format).encode(decoded) as JsonObject;
  const { id, format } = state;
  const recorded = { id, format, body, models: [], calls: [], segments: [], compactions: [] };
  const records = { read: 0, unknown: {}, broken: 0 };
  const transcript = { source: "request-body", conversations: [recorded], records } as const;
  return subjectOf({ file: id, transcript, recorded }, { ...settingsIn(options), decoded });
}

interface Outcome extends Compacted<unknown> {
  readonly eventId?: string;
}

async function pass(task: StoredTask, state: SessionState, subject: Subject): Promise<Outcome> {
  const store = heardStore(task.store, task.signal);
  const { format, userSettings, profile, settings, callSettings } = subject;
  const { summarizer } = task;
  // By its name, which the event keeps.
  const named = isProfileName(profile) ? profile : settings;
  const compactor = createCompactor({ format, profile: named, ...userSettings, ...(summarizer && { summarizer }) });
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
async function passWithoutStore(compactor: Compactor, state: SessionState, call: CallOptions): Promise<Outcome> {
  const model = modelOf(state.base);
  const { encoded, plan, report } = await compactor.passOver(viewConversation(state), {
    ...call,
    asked: "manual",
    passes: state.passes,
    ...(model !== undefined && { model }),
  });
  return { request: encoded, plan, report };
}

function compactionOptions({ options, signal, progress, summarizer }: Task): CompactionOptions {
  const { target, instructions, withDiff } = options;
  return { target, instructions, withDiff, signal, onProgress: progress.show, summarizer };
}

export type CompactOptions = ReturnType<typeof readCompactOptions>;

/** `store` is given where no option names it and the session is known to be there. */
export function readCompactOptions(given: Words, store = readStore(given)) {
  const [target, keep] = [given.text("target"), given.text("keep")];
  return {
    /** The file, or with `store` the session's id. */
    file: given.file,
    store,
    profile: readProfile(given.text("profile")),
    target: target === undefined ? undefined : readTarget(target),
    keepMessages: keep === undefined ? undefined : readKeep(keep),
    windowTokens: readWindow(given),
    summarizer: readSummarizer(given.text("summarizer")),
    modelName: readModelName(given),
    instructions: given.text("instructions"),
    isDryRun: given.isSet("dry-run"),
    /** The summary is wanted on standard output. */
    withSummary: readWithSummary(given),
    withDiff: given.isSet("diff"),
    isJson: given.isSet("json"),
    /** Undefined when the request is not wanted; `-` for standard output. */
    out: readOut(given, store !== undefined),
  };
}

function settingsIn({ profile, windowTokens, keepMessages, summarizer, target }: CompactOptions) {
  // Truncation fills its target; where only a number of messages is asked for, the profile's own target would overrule it.
  const isByNumber = keepMessages !== undefined && target === undefined;
  const truncation: SettingsInput = {
    compact: { strategy: "truncate", ...(isByNumber && { target: { type: "none" } }) },
  };
  const settings = summarizer === "none" ? truncation : {};
  return { profile, windowTokens, keepMessages, settings };
}

/** `8000`, `8k` or `10%`. */
function readTarget(text: string): NonNullable<CallOptions["target"]> {
  const share = /^(\d+(?:\.\d+)?)\s*%$/.exec(text.trim())?.[1];
  if (share === undefined) {
    if (/^[\d_,]+[km]?$/i.test(text.trim())) return { tokens: readCount("target", text) };
    throw usage(`--target must be a number of tokens such as 8000, or a share such as 10%, not "${text}"`);
  }
  const ratio = Number(share) / 100;
  if (ratio > 0 && ratio < 1) return { ratio };
  throw usage(`--target must be a share above 0% and below 100%, not "${text}"`);
}

const SUMMARIZERS = ["extractive", "none"] as const;

function readSummarizer(name = "extractive"): (typeof SUMMARIZERS)[number] {
  const known = SUMMARIZERS.find((summarizer) => summarizer === name);
  if (known !== undefined) return known;
  throw usage(`--summarizer must be ${SUMMARIZERS.join(" or ")}, not "${name}"${didYouMean(name, SUMMARIZERS)}`);
}

function readModelName(given: Words): string | undefined {
  const name = given.text("model");
  const strange = name === undefined ? undefined : ["summarizer", "dry-run"].find((option) => isGiven(given, option));
  if (strange === undefined) return name;
  throw usage(`--${strange} asks no model, so --model has no place with it`);
}

function isGiven(given: Words, option: string): boolean {
  return given.isSet(option) || given.text(option) !== undefined;
}

function readKeep(text: string): number {
  if (/^\d{1,9}$/.test(text.trim())) return Number(text);
  throw usage(`--keep must be a number of messages such as 6, not "${text}"`);
}

function readStore(given: Words): string | undefined {
  // A file belongs to no agent, so --agent means a session.
  const store = given.text("store") ?? (given.text("agent") === undefined ? undefined : DEFAULT_STORE);
  const strange = ["conversation", "format"].find((option) => given.text(option) !== undefined);
  if (store === undefined || strange === undefined) return store;
  throw usage(`--${strange} is about files; with --store, compact takes the ID of a session`);
}

/** One thing at a time on standard output; JSON has the summary in it. */
function readWithSummary(given: Words): boolean {
  if (!given.isSet("summary")) return false;
  if (given.isSet("json")) throw usage("--json has the summary in it; leave --summary out");
  if (given.text("out") === STANDARD_INPUT) throw usage("--summary and --out - both want standard output; name a file");
  return true;
}

function readOut(given: Words, isStored: boolean): string | undefined {
  const isDryRun = given.isSet("dry-run");
  if (isDryRun && given.text("out") !== undefined)
    throw usage("--dry-run writes nothing, so --out has no place with it");
  const out = readOutput(given);
  const isRequestWanted = !(given.isSet("json") || isStored || given.isSet("summary"));
  if (isDryRun || (out === undefined && !isRequestWanted)) return undefined;
  if (out === undefined || out === STANDARD_INPUT) return STANDARD_INPUT;
  if (given.file !== STANDARD_INPUT && !isStored) refuseSameFile(given.file, out);
  return out;
}
