/** `palimpsest import`: a file that holds a conversation into a store, as a new session. Prints its id. Never changes the file. */

import type { Store } from "../core/store/store.ts";
import type { RecordedConversation, Transcript } from "../transcripts/index.ts";
import { usage, type Words } from "./arguments.ts";
import { EXIT, type ExitCode } from "./command.ts";
import type { ExportedFile } from "./exported-file.ts";
import { heardStore } from "./heard-store.ts";
import { type ImportInput, importedId, readImport } from "./import-input.ts";
import { importOf, type NewImport, refuseExisting, storeImport } from "./import-session.ts";
import { hearInterrupt, untilAborted } from "./interrupt.ts";
import { CONVERSATION_OPTION, chooseConversation, conversationAt, FORMAT_OPTION, NAMES_NOTE } from "./load.ts";
import { count, plural } from "./numbers.ts";
import { oneLine } from "./one-line.ts";
import { leftOutOf } from "./problems.ts";
import { restoreSession } from "./restore-session.ts";
import { type StoreRequest, storeCommand } from "./store-command.ts";

export const importCommand = storeCommand({
  name: "import",
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
  settle: readOptions,
  work: async (request) => {
    const { settled, io, signal } = request;
    const [file = ""] = request.operands;
    const input = await untilAborted(signal, readImport(file, settled.format, io.stdin));
    return input.type === "exported" ? restore(request, input.exported) : importAll(request, input);
  },
});

interface ImportOptions {
  readonly id: string | undefined;
  readonly conversation: string | undefined;
  readonly isEach: boolean;
  readonly format: string | undefined;
}

function readOptions(given: Words): ImportOptions {
  const [id, conversation] = [given.text("id"), given.text("conversation")];
  const isEach = given.isSet("each");
  if (isEach && id !== undefined) throw usage("--each takes the ids from the file, so --id has no place with it");
  if (id !== undefined && /\p{Cc}/u.test(id)) throw usage("--id may hold no control characters, such as line breaks");
  if (isEach && conversation !== undefined) throw usage("--each and --conversation contradict each other");
  return { id, conversation, isEach, format: given.text("format") };
}

type ImportRequest = StoreRequest<ImportOptions>;

async function importAll(
  { store, settled, io, signal, print, operands }: ImportRequest,
  { transcript }: Extract<ImportInput, { readonly type: "transcript" }>,
): Promise<ExitCode> {
  const imports = chosenFrom(transcript, settled).map((recorded) =>
    importOf(settled.id ?? importedId(transcript.source, recorded), transcript.source, recorded),
  );
  await refuseExisting(
    store,
    imports.map(({ session }) => session.id),
  );
  await hearInterrupt(signal);
  await storeAll(store, imports, signal);
  const leftOut = leftOutOf(transcript);
  const conversations = transcript.conversations.length;
  const data = { store: store.url, file: operands[0], source: transcript.source, conversations, leftOut };
  const imported = imports.map(({ session, batch }) => ({
    session: session.id,
    format: session.format,
    messages: batch.messages.length,
  }));
  print({ ...data, imported, notCarried: [] }, () => idLines(imports));
  for (const line of [...imported.map(importedLine), ...remarks(transcript, imports.length)])
    io.stderr.write(`${line}\n`);
  return EXIT.ok;
}

/** All of them or none: what is there already goes again when a later one fails or is interrupted. */
async function storeAll(store: Store, imports: readonly NewImport[], signal: AbortSignal): Promise<void> {
  const stored: string[] = [];
  try {
    for (const each of imports) {
      await storeImport(heardStore(store, signal), each);
      stored.push(each.session.id);
    }
  } catch (error) {
    for (const id of stored) await store.delete(id);
    throw error;
  }
}

function chosenFrom(transcript: Transcript, { conversation, isEach }: ImportOptions): readonly RecordedConversation[] {
  if (isEach) return transcript.conversations;
  return [conversationAt(transcript, chooseConversation(transcript, conversation))];
}

/** Ids as they are, so that a script can use them; one that could act on a terminal as JSON, which says exactly what it is. */
function shownId(id: string): string {
  return oneLine(id) === id ? id : JSON.stringify(id).replace(/[^\x20-\x7e]/g, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function idLines(imports: readonly NewImport[]): string {
  return imports.map(({ session }) => `${shownId(session.id)}\n`).join("");
}

interface Imported {
  readonly session: string;
  readonly format: string;
  readonly messages: number;
}

function importedLine({ session, format, messages }: Imported): string {
  return `imported ${plural(messages, "message")} (${format}) as ${shownId(session)}`;
}

function remarks(transcript: Transcript, taken: number): readonly string[] {
  const { conversations } = transcript;
  const others = conversations.length - taken;
  return [
    ...leftOutOf(transcript).map((what) => `left out: ${oneLine(what)}`),
    ...(others === 0
      ? []
      : [`${count(others)} more in the file: --conversation N takes another, --each takes every one`]),
  ];
}

async function restore(request: ImportRequest, exported: ExportedFile): Promise<ExitCode> {
  const { store, settled, io, signal, print, operands } = request;
  if (settled.conversation !== undefined) throw usage("the file holds one session; leave --conversation out");
  const id = settled.id ?? exported.id;
  await refuseExisting(store, [id]);
  await hearInterrupt(signal);
  const { messages, events, notCarried } = await restoreSession(heardStore(store, signal), id, exported);
  const imported = [{ session: id, format: exported.format, messages }];
  const data = { store: store.url, file: operands[0], source: "palimpsest-session", conversations: 1, leftOut: [] };
  print({ ...data, imported, events, notCarried }, () => `${shownId(id)}\n`);
  const compactions = events === 0 ? "" : ` with ${plural(events, "compaction")}`;
  io.stderr.write(`restored ${plural(messages, "message")}${compactions} as ${shownId(id)}\n`);
  for (const what of notCarried) io.stderr.write(`not carried: ${oneLine(what)}\n`);
  return EXIT.ok;
}
