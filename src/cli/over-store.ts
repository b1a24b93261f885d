/**
 * A command over a store: opened, worked on, closed, whatever happens. Ctrl-C aborts the signal and waits a moment, so that a lease
 * is given back and a transaction ends; what was not written by then is not written. Exit code 130.
 */

import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { CompactionError } from "../core/errors.ts";
import type { FullStore } from "../core/store/store-upkeep.ts";
import { addressOf } from "../session/agent-store.ts";
import { openStore } from "../stores.ts";
import { type OptionSpec, usage, type Words } from "./arguments.ts";
import { EXIT, type ExitCode, type Io } from "./command.ts";
import { hearKeys } from "./interrupt.ts";

export interface StoreTask {
  readonly store: FullStore;
  readonly signal: AbortSignal;
}

/** How long the work may take to end after Ctrl-C, such as a write that is under way; a second Ctrl-C ends the waiting. */
const GRACE_MS = 10_000;

export async function overStore(
  { io, given, use = "existing" }: { readonly io: Io; readonly given: Words; readonly use?: StoreUse },
  work: (task: StoreTask) => Promise<ExitCode>,
): Promise<ExitCode> {
  const controller = new AbortController();
  const { signal } = controller;
  const { promise: interrupted, resolve: giveUp } = Promise.withResolvers<ExitCode>();
  let timer: NodeJS.Timeout | undefined;
  const stopListening = io.onInterrupt(() => {
    if (signal.aborted) return giveUp(EXIT.interrupted);
    controller.abort();
    timer = setTimeout(() => giveUp(EXIT.interrupted), GRACE_MS);
  });
  try {
    const code = await Promise.race([openAndWork({ given, use, signal }, work), interrupted]);
    // A key that was pressed while an embedded store wrote without a pause is heard only now.
    await hearKeys();
    // What was done all the same is told as done.
    if (code !== EXIT.interrupted) {
      if (signal.aborted) io.stderr.write("palimpsest: the interrupt came too late; it was done already\n");
      return code;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
    stopListening();
  }
  io.stderr.write("palimpsest: interrupted\n");
  return EXIT.interrupted;
}

/** Everything that an iteration yields; an interrupt is heard now and then. */
export async function readAll<T>(items: AsyncIterable<T>, signal: AbortSignal): Promise<readonly T[]> {
  const list: T[] = [];
  for await (const item of items) {
    list.push(item);
    // An embedded store answers without ever waiting: without this, no key would be heard.
    if (list.length % ITEMS_BETWEEN_PAUSES === 0) await setImmediate();
    signal.throwIfAborted();
  }
  return list;
}

const ITEMS_BETWEEN_PAUSES = 1_000;

async function openAndWork(
  { given, use, signal }: { readonly given: Words; readonly use: StoreUse; readonly signal: AbortSignal },
  work: (task: StoreTask) => Promise<ExitCode>,
): Promise<ExitCode> {
  const store = await openStoreAt(given.text("store") ?? DEFAULT_STORE, use);
  try {
    return await work({ store: await storeOfAgent(store, given), signal });
  } finally {
    await store.close();
  }
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

export const STORE_OPTION: OptionSpec = { type: "string", value: "URL", about: "where the sessions are (below)" };

export const AGENT_OPTION: OptionSpec = {
  type: "string",
  value: "A",
  about: "whose session ID is, where agents share it",
};

export const STORE_NOTE = `Stores: sqlite:FILE, jsonl:DIR, postgres://HOST/DATABASE
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
    return false; // to be read all the same
  }
}

/** The file or folder of an embedded store; undefined for a server, or for memory. */
export function placeOf(url: string): string | undefined {
  const path = /^(?:sqlite|jsonl):(.+)$/s.exec(url)?.[1]?.replace(/^\/\/(?=\/)/, "");
  return path === ":memory:" ? undefined : path;
}
