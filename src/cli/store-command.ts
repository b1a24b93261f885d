/**
 * Commands over a store: their common options and operands, a store that is opened, worked on and closed, whatever happens, and the
 * session, compaction and messages that they name. Ctrl-C aborts the signal and waits a moment, so that a lease is given back and a
 * transaction ends. A session, compaction or message that is missing is one clear line.
 */

import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import { CompactionError } from "../core/errors.ts";
import type { Conversation, Message } from "../core/message.ts";
import type { Format } from "../core/ports.ts";
import type { CompactionEvent, SessionState, StoredMessage } from "../core/store/store.ts";
import type { FullStore } from "../core/store/store-upkeep.ts";
import { countedIn } from "../core/tokens/counted.ts";
import { estimateTokens, type TokenCounter } from "../core/tokens/tokens.ts";
import { formatNamed } from "../formats.ts";
import { addressOf } from "../session/agent-store.ts";
import { entriesOf, frameOf, modelOf } from "../session/session-view.ts";
import { openStore } from "../stores.ts";
import {
  type Command,
  didYouMean,
  type ExitCode,
  type Io,
  JSON_OPTION,
  type OptionSpec,
  type OptionSpecs,
  print,
  usage,
  type Words,
} from "./command.ts";
import { interruptible, readAll } from "./interrupt.ts";
import { messageShower } from "./message-label.ts";
import { plural } from "./one-line.ts";
import type { Blocks, Terminal } from "./terminal.ts";

interface StoreCommandSpec extends Pick<Command, "usage" | "notes"> {
  readonly operands: readonly string[];
  /** How many of the operands must be there; default all. */
  readonly required?: number;
  /** What further words are: part of the last operand, as in a query without quotes, or operands like the last one. */
  readonly furtherWords?: "joined" | "repeated";
  readonly options?: OptionSpecs;
  readonly use?: StoreUse | ((given: Words) => StoreUse);
  /** Checks the options before the store is touched, and returns the work. */
  begin(given: Words): (request: StoreRequest) => Promise<ExitCode>;
}

export interface StoreTask {
  readonly store: FullStore;
  readonly signal: AbortSignal;
}

export interface StoreRequest extends StoreTask {
  readonly operands: readonly string[];
  /** The first operand; empty where it is missing. */
  readonly id: string;
  readonly io: Io;
  /** Writes to standard output: as JSON where that is asked for, else as text. */
  print(data: unknown, asText: (terminal: Terminal) => Blocks): void;
}

export function storeCommand(spec: StoreCommandSpec): Command {
  return {
    usage: spec.usage,
    options: {
      ...spec.options,
      ...(spec.operands[0] === "ID" && { agent: AGENT_OPTION }),
      store: { type: "string", value: "URL", about: "where the sessions are (below)" },
      json: { ...JSON_OPTION, about: "JSON instead of text" },
    },
    notes: `${spec.notes}\n${STORE_NOTE}`,
    run: async (given, io) => {
      const operands = operandsOf(given, spec);
      const work = spec.begin(given);
      const [id = ""] = operands;
      const use = typeof spec.use === "function" ? spec.use(given) : spec.use;
      return overStore({ io, given, use: use ?? "existing" }, (task) =>
        work({ ...task, operands, id, io, print: (data, asText) => print({ given, io }, data, asText) }),
      );
    },
  };
}

/** One operand for each name; those beyond `required` may be missing and are then empty. */
function operandsOf(
  { command, operands: words }: Words,
  { operands: names, required = names.length, furtherWords }: StoreCommandSpec,
): readonly string[] {
  const last = words.slice(names.length - 1).join(" ");
  const operands = furtherWords === "joined" ? [...words.slice(0, names.length - 1), last] : words;
  const missing = names.slice(0, required).find((_, index) => (operands[index] ?? "") === "");
  if (missing !== undefined) throw usage(`${command} needs ${/^[AEIO]/.test(missing) ? "an" : "a"} ${missing}`);
  if (operands.length > names.length && furtherWords !== "repeated") {
    const takes = names.length === 0 ? "nothing but options" : names.join(" and ");
    throw usage(`${command} takes ${takes}, but was given ${plural(operands.length, "word")}`);
  }
  return operands.length > names.length ? operands : names.map((_, index) => operands[index] ?? "");
}

/** Long enough for a write that is under way. */
const GRACE_MS = 10_000;

/** Opens the store that the options name, works on it, and closes it. */
export async function overStore(
  { io, given, use = "existing" }: { readonly io: Io; readonly given: Words; readonly use?: StoreUse },
  work: (task: StoreTask) => Promise<ExitCode>,
): Promise<ExitCode> {
  return interruptible(io, { graceMs: GRACE_MS, message: "interrupted" }, async (signal) => {
    const store = await openStoreAt(given.text("store") ?? DEFAULT_STORE, use);
    try {
      return await work({ store: await storeOfAgent(store, given), signal });
    } finally {
      await store.close();
    }
  });
}

/** With `--agent`, the first operand means that agent's session. */
async function storeOfAgent(store: FullStore, given: Words): Promise<FullStore> {
  const agent = given.text("agent");
  const [id = ""] = given.operands;
  if (agent === undefined) return store;
  const address = await addressOf(store, id, agent);
  if (address.state !== undefined) return address.store;
  const which = `session ${JSON.stringify(id)} of the agent ${JSON.stringify(agent)}`;
  throw new CompactionError("session-missing", `there is no ${which} in ${store.url}; palimpsest sessions lists them`);
}

export const DEFAULT_STORE = "sqlite:./.palimpsest/sessions.db";

export const AGENT_OPTION: OptionSpec = {
  type: "string",
  value: "A",
  about: "whose session ID is, where agents share it",
};

const STORE_NOTE = `Stores: sqlite:FILE, jsonl:DIR, postgres://HOST/DATABASE
  (default ${DEFAULT_STORE})
`;

/** Whether a store that is not there is made, or is only looked at: then it may be where nothing can be written. */
export type StoreUse = "existing" | "any" | "reading";

export async function openStoreAt(url: string, use: StoreUse): Promise<FullStore> {
  const place = placeOf(url);
  if (use === "any" && /^(?:memory:|sqlite::memory:$)/.test(url)) {
    throw usage(
      "--store memory: ends with the command, and what was imported with it; name a file, a folder or a server",
    );
  }
  if (use !== "any" && place !== undefined && !existsSync(place)) {
    throw new CompactionError("storage", `there is no store at ${place}; palimpsest import FILE makes one`);
  }
  // Not repeated: a mistyped address may hold a password.
  if (/^postgres(?:ql)?:/.test(url) && !URL.canParse(url)) throw usage("--store is no address that can be read");
  return openStore(url, {
    readOnly: use === "reading" && place !== undefined && !isWritable(place),
    schemaUse: SCHEMA_USE[use],
  });
}

const SCHEMA_USE = { any: "make", existing: "update", reading: "keep" } as const;

function isWritable(place: string): boolean {
  try {
    for (const path of [place, dirname(place)]) accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false; // it is opened for reading
  }
}

/** The file or folder of an embedded store; undefined for a server, or for memory. */
export function placeOf(url: string): string | undefined {
  const path = /^(?:sqlite|jsonl):(.+)$/s.exec(url)?.[1]?.replace(/^\/\/(?=\/)/, "");
  return path === ":memory:" ? undefined : path;
}

interface SessionTask extends StoreTask {
  readonly id: string;
}

export async function sessionState({ store, signal, id }: SessionTask): Promise<SessionState> {
  const state = id === "" ? undefined : await store.open(id);
  if (state !== undefined) return state;
  const hint = didYouMean(id, await someIds(store, signal)) || "; palimpsest sessions lists them";
  throw new CompactionError("session-missing", `there is no session ${JSON.stringify(id)} in ${store.url}${hint}`);
}

/** The view as the compactor takes it: with the store's ids, and pins. */
export function viewConversation(state: SessionState): Conversation {
  const format = formatNamed(state.format);
  return { ...frameOf(format, state), messages: messagesOf(format, state.view) };
}

/** Stored bodies, decoded, under their own ids. */
export function messagesOf(format: Format, stored: readonly StoredMessage[]): readonly Message[] {
  return entriesOf(format, stored).map(({ message }) => message);
}

export async function eventsOf({ store, signal, id }: SessionTask): Promise<readonly CompactionEvent[]> {
  return readAll(store.events(id), signal);
}

/** Shorter beginnings of an id are more likely mistyped numbers. */
const PREFIX_LENGTH_MIN = 4;

export function findEvent(events: readonly CompactionEvent[], wanted: string): CompactionEvent {
  const exact = events.find(({ id, number }) => id === wanted || String(number) === wanted);
  const begun = wanted.length < PREFIX_LENGTH_MIN ? [] : events.filter(({ id }) => id.startsWith(wanted));
  const found = exact ?? (begun.length === 1 ? begun[0] : undefined);
  if (found !== undefined) return found;
  const has =
    begun.length > 1
      ? `${begun.length} compactions begin with ${JSON.stringify(wanted)}`
      : `there is no compaction ${JSON.stringify(wanted)}; ${numbersOf(events)}`;
  throw new CompactionError("event-missing", has);
}

function numbersOf(events: readonly CompactionEvent[]): string {
  const last = events.at(-1)?.number;
  if (last === undefined) return "the session was never compacted";
  return last === 1 ? "there is one, number 1" : `they are numbered 1 to ${last}`;
}

/** Enough to find what was mistyped. */
const IDS_COMPARED_MAX = 1_000;

async function someIds(store: FullStore, signal: AbortSignal): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { id } of store.sessions()) {
    ids.push(id);
    if (ids.length >= IDS_COMPARED_MAX || signal.aborted) break;
  }
  return ids;
}

/** A stored message as it is shown; its tokens are our estimate. */
export type ShownStored = ReturnType<typeof shownMessages>[number];

export function shownMessages(state: SessionState, stored: readonly StoredMessage[]) {
  const messages = messagesOf(formatNamed(state.format), stored);
  // Calls and results are told apart by those that stand in the same list.
  const show = messageShower({ messages }, counterOf(state).count);
  return stored.map(({ id, role, isPinned, isSummary, isEdited, archivedBy, createdAt }, index) => {
    const { what, tokens, begins } = show(index);
    return { id, role, what, tokens, begins, isPinned, isSummary, isEdited, archivedBy, createdAt };
  });
}

export function counterOf({ format, base }: Pick<SessionState, "format" | "base">): TokenCounter {
  return estimateTokens(countedIn(format, base, modelOf(base)));
}
