/** `palimpsest import`: a file that holds a conversation into a store, as a new session. Prints its id. Never changes the file. */

import { randomBytes } from "node:crypto";
import { CompactionError } from "../core/errors.ts";
import { isObject } from "../core/json.ts";
import type { Batch } from "../core/store/store.ts";
import type { FullStore } from "../core/store/store-upkeep.ts";
import { untilAborted } from "../core/waiting.ts";
import { formatNamed } from "../formats.ts";
import { baseOf } from "../session/session-view.ts";
import { readAppendable } from "../session/wire-input.ts";
import type { RecordedConversation, Transcript, TranscriptSource } from "../transcripts/index.ts";
import { EXIT, type ExitCode, type Io, usage, type Words } from "./command.ts";
import { type ExportedFile, readExported, readExportedFile, restoreSession } from "./exported-session.ts";
import { heardStore, hearInterrupt } from "./interrupt.ts";
import {
  CONVERSATION_OPTION,
  chooseConversation,
  collect,
  FORMAT_OPTION,
  leftOutOf,
  loadTranscript,
  NAMES_NOTE,
  STANDARD_INPUT,
} from "./load.ts";
import { count, oneLine, plural } from "./one-line.ts";
import { type StoreRequest, storeCommand } from "./store-command.ts";

export const command = storeCommand({
  usage: "FILE [--id ID] [options]",
  operands: ["FILE"],
  use: "any",
  options: {
    id: { type: "string", value: "ID", about: "what to call the session" },
    conversation: CONVERSATION_OPTION,
    each: { type: "boolean", about: "every conversation of the file, a session each" },
    format: FORMAT_OPTION,
  },
  notes: `FILE is whatever \`palimpsest inspect\` reads, or what \`palimpsest export --all\`
wrote; - reads standard input. The id of the new session is printed: the file's
own, else a new one. A store that is not there is made. Of a session that was
compacted by another tool, the conversation as it stands now is taken.

${NAMES_NOTE}
Examples:
  palimpsest import session.jsonl
  id=$(palimpsest import request.json --store sqlite:agent.db)
`,
  begin: (given) => {
    const options = readOptions(given);
    return async (request) => {
      const [file = ""] = request.operands;
      // Input that does not come cannot be stopped itself.
      const input = await untilAborted(readImport(file, given.text("format"), request.io.stdin), request.signal);
      return "log" in input ? restore(request, input, options) : importAll(request, input, options);
    };
  },
});

type ImportOptions = ReturnType<typeof readOptions>;

function readOptions(given: Words) {
  const [id, conversation] = [given.text("id"), given.text("conversation")];
  const isEach = given.isSet("each");
  if (isEach && id !== undefined) throw usage("--each takes the ids from the file, so --id has no place with it");
  if (id !== undefined && /\p{Cc}/u.test(id)) throw usage("--id may hold no control characters, such as line breaks");
  if (isEach && conversation !== undefined) throw usage("--each and --conversation contradict each other");
  return { id, conversation, isEach };
}

async function importAll(request: StoreRequest, transcript: Transcript, options: ImportOptions): Promise<ExitCode> {
  const { store, io, signal } = request;
  const { source, conversations } = transcript;
  const imports = chosenFrom(transcript, options).map((recorded) =>
    importOf(options.id ?? importedId(source, recorded), source, recorded),
  );
  await refuseExisting(
    store,
    imports.map(({ session }) => session.id),
  );
  await hearInterrupt(signal);
  await storeAll(heardStore(store, signal), imports);
  const imported = imports.map(({ session, batch }) => ({
    session: session.id,
    format: session.format,
    messages: batch.messages.length,
  }));
  const leftOut = leftOutOf(transcript);
  const data = { store: store.url, file: request.operands[0], source, conversations: conversations.length, leftOut };
  const ids = imported.map(({ session }) => shownId(session));
  request.print({ ...data, imported, notCarried: [] }, () => [ids]);
  for (const [index, { messages, format }] of imported.entries()) {
    io.stderr.write(`imported ${plural(messages, "message")} (${format}) as ${ids[index]}\n`);
  }
  for (const what of leftOut) io.stderr.write(`left out: ${oneLine(what)}\n`);
  const others = conversations.length - imports.length;
  const hint = "--conversation N takes another, --each takes every one";
  if (others > 0) io.stderr.write(`${count(others)} more in the file: ${hint}\n`);
  return EXIT.ok;
}

/** Stores all or none: sessions that were stored are deleted when a later one fails or is interrupted. */
async function storeAll(store: FullStore, imports: readonly NewImport[]): Promise<void> {
  const stored: string[] = [];
  try {
    for (const { session, batch } of imports) {
      await store.create(session, batch);
      stored.push(session.id);
    }
  } catch (error) {
    for (const id of stored) await store.delete(id);
    throw error;
  }
}

function chosenFrom(transcript: Transcript, { conversation, isEach }: ImportOptions): readonly RecordedConversation[] {
  if (isEach) return transcript.conversations;
  return [chooseConversation(transcript, conversation)];
}

/** Ids unchanged, so that a script can use them; one that could act on a terminal is shown as JSON. */
function shownId(id: string): string {
  return oneLine(id) === id ? id : JSON.stringify(id).replace(/[^\x20-\x7e]/g, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

async function restore(request: StoreRequest, exported: ExportedFile, options: ImportOptions): Promise<ExitCode> {
  const { store, io, signal } = request;
  if (options.conversation !== undefined) throw usage("the file holds one session; leave --conversation out");
  const id = options.id ?? exported.id;
  await refuseExisting(store, [id]);
  await hearInterrupt(signal);
  const { messages, events, notCarried } = await restoreSession(heardStore(store, signal), id, exported);
  const imported = [{ session: id, format: exported.format, messages }];
  const about = { source: "palimpsest-session", conversations: 1, leftOut: [] };
  const data = { store: store.url, file: request.operands[0], ...about, imported, events, notCarried };
  request.print(data, () => [[shownId(id)]]);
  const compactions = events === 0 ? "" : ` with ${plural(events, "compaction")}`;
  io.stderr.write(`restored ${plural(messages, "message")}${compactions} as ${shownId(id)}\n`);
  for (const what of notCarried) io.stderr.write(`not carried: ${oneLine(what)}\n`);
  return EXIT.ok;
}

async function readImport(
  file: string,
  format: string | undefined,
  stdin: Io["stdin"],
): Promise<ExportedFile | Transcript> {
  if (file !== STANDARD_INPUT) return readExportedFile(file) ?? loadTranscript(file, format, stdin);
  const bytes = await collect(stdin);
  return readExported(bytes.toString("utf8")) ?? loadTranscript(file, format, once(bytes));
}

/** The id that the session has where it comes from; a new one where it has none. */
function importedId(source: TranscriptSource, { id, label }: RecordedConversation): string {
  if (AGENTS.has(source)) return STAND_INS.has(id) ? newId() : id;
  if (source === "request-body") return id === NAMELESS ? newId() : id;
  // Elsewhere an id says only where in the file it stands. Batches name their lines; other labels repeat from file to file.
  return source === "batch-jsonl" && label !== undefined ? label : newId();
}

const AGENTS: ReadonlySet<TranscriptSource> = new Set(["claude-code", "codex", "pi", "openclaw", "gemini-cli"]);
/** What readers call a session that says nothing about its id. */
const STAND_INS: ReadonlySet<string> = new Set(["main", "session"]);
const NAMELESS = "conversation";

/** Short enough to be typed, long enough never to meet another. */
const ID_BYTES = 6;

function newId(): string {
  return randomBytes(ID_BYTES).toString("hex");
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

type NewImport = ReturnType<typeof importOf>;

/** Decodes before anything is written, so that an invalid conversation makes no session. */
export function importOf(id: string, source: TranscriptSource, recorded: RecordedConversation) {
  const format = formatNamed(recorded.format);
  const { body } = recorded;
  const list = isObject(body) ? body[format.listKey] : body;
  // Lists, and the short forms that stand for them, are what a format decodes.
  const { messages, turns } = readAppendable(format, (list ?? []) as string | readonly object[]);
  const usage = usageOf(recorded, messages.length);
  return {
    session: {
      id,
      format: format.name,
      base: isObject(body) ? baseOf(format, body) : {},
      metadata: { importedFrom: source },
    },
    batch: { messages, turns, ...(usage !== undefined && { usage }) },
  };
}

async function refuseExisting(store: FullStore, ids: readonly string[]): Promise<void> {
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw existing(`two conversations of the file have the id ${JSON.stringify(twice)}`);
  for (const id of ids) {
    if ((await store.open(id)) !== undefined) throw existing(`there is a session ${JSON.stringify(id)} already`);
  }
}

function existing(what: string): CompactionError {
  return new CompactionError("session-exists", `${what}; nothing was changed (--id NAME imports it under another)`);
}

/** What the last recorded call was billed is the size of the view only where nothing came after its answer. */
function usageOf({ calls, segments }: RecordedConversation, messages: number): Batch["usage"] {
  const last = calls.at(-1);
  if (last === undefined || last.segment !== segments.length - 1 || last.messageCount + 1 !== messages)
    return undefined;
  const { inputTokens, outputTokens } = last.usage;
  return { inputTokens, outputTokens };
}
