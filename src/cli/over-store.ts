/**
 * A command over a store: opened, worked on, closed, whatever happens. Ctrl-C aborts the signal and waits a moment, so that a lease
 * is given back and a transaction ends; what was not written by then is not written. Exit code 130.
 */

import { setImmediate } from "node:timers/promises";
import { CompactionError } from "../core/errors.ts";
import type { Store } from "../core/store/store.ts";
import { addressOf } from "../session/agent-store.ts";
import type { Words } from "./arguments.ts";
import { EXIT, type ExitCode, type Io } from "./command.ts";
import { hearKeys } from "./interrupt.ts";
import { DEFAULT_STORE, openStoreAt, type StoreUse } from "./store-option.ts";

export interface StoreTask {
  readonly store: Store;
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
async function storeOfAgent(store: Store, given: Words): Promise<Store> {
  const agent = given.text("agent");
  const [id = ""] = given.operands;
  if (agent === undefined) return store;
  const address = await addressOf(store, id, agent);
  if (address.state !== undefined) return address.store;
  const which = `session ${JSON.stringify(id)} of the agent ${JSON.stringify(agent)}`;
  throw new CompactionError("session-missing", `there is no ${which} in ${store.url}; palimpsest sessions lists them`);
}
