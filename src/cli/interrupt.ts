/** Work that Ctrl-C stops: its signal is aborted, and nothing is written after that. Exit code 130. */

import { setImmediate } from "node:timers/promises";
import type { FullStore } from "../core/store/store-upkeep.ts";
import { EXIT, type ExitCode, type Io } from "./command.ts";

interface InterruptOptions {
  /** How long the work may take to end after Ctrl-C, such as a write that is under way; a second Ctrl-C ends the waiting. */
  readonly graceMs: number;
  /** Written to standard error after an interrupt. */
  readonly message: string;
}

export async function interruptible(
  io: Io,
  { graceMs, message }: InterruptOptions,
  work: (signal: AbortSignal) => Promise<ExitCode>,
): Promise<ExitCode> {
  const controller = new AbortController();
  const { signal } = controller;
  const { promise: interrupted, resolve: giveUp } = Promise.withResolvers<ExitCode>();
  let timer: NodeJS.Timeout | undefined;
  const stopListening = io.onInterrupt(() => {
    if (signal.aborted || graceMs === 0) giveUp(EXIT.interrupted);
    else timer = setTimeout(() => giveUp(EXIT.interrupted), graceMs);
    controller.abort();
  });
  try {
    const code = await Promise.race([work(signal), interrupted]);
    if (code !== EXIT.interrupted) {
      // A key that was pressed while an embedded store wrote without a pause is heard only now.
      await hearKeys();
      if (signal.aborted) io.stderr.write("palimpsest: the interrupt came too late; it was done already\n");
      return code;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
    stopListening();
  }
  io.stderr.write(`palimpsest: ${message}\n`);
  return EXIT.interrupted;
}

/** A key pressed while the processor was busy is heard here, before anything is written. */
export async function hearInterrupt(signal: AbortSignal): Promise<void> {
  await hearKeys();
  signal.throwIfAborted();
}

/** Signals are handed over at one place of the event loop; the first pause may come behind it, the second has passed it. */
async function hearKeys(): Promise<void> {
  await setImmediate();
  await setImmediate();
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

/** The store, with an interrupt heard before every write. */
export function heardStore(store: FullStore, signal: AbortSignal): FullStore {
  const heard =
    <Given extends readonly unknown[], Result>(write: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      await hearInterrupt(signal);
      return write(...given);
    };
  return { ...store, create: heard(store.create), append: heard(store.append), commit: heard(store.commit) };
}
