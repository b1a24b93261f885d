/** Work that Ctrl-C stops: its signal is aborted, and whatever it does after that is not waited for. Exit code 130. */

import { setImmediate } from "node:timers/promises";
import type { Store } from "../core/store/store.ts";
import { EXIT, type ExitCode, type Io } from "./command.ts";

export async function interruptible(io: Io, work: (signal: AbortSignal) => Promise<ExitCode>): Promise<ExitCode> {
  const controller = new AbortController();
  const { signal } = controller;
  const interrupted = new Promise<ExitCode>((resolve) => {
    signal.addEventListener("abort", () => resolve(EXIT.interrupted), { once: true });
  });
  const stopListening = io.onInterrupt(() => controller.abort());
  try {
    const code = await Promise.race([work(signal), interrupted]);
    if (!signal.aborted) return code;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stopListening();
  }
  return EXIT.interrupted;
}

/** A key pressed while the processor was busy is heard here, before anything is written. */
export async function hearInterrupt(signal: AbortSignal): Promise<void> {
  await hearKeys();
  signal.throwIfAborted();
}

/** Signals are handed over at one place of the event loop; the first pause may come behind it, the second has passed it. */
export async function hearKeys(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** Waits for what cannot be stopped itself, such as input that does not come; no longer than until the signal. */
export async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

export function heardStore<Port extends Store>(store: Port, signal: AbortSignal): Port {
  return {
    ...store,
    create: async (...session) => {
      await hearInterrupt(signal);
      return store.create(...session);
    },
    append: async (...batch) => {
      await hearInterrupt(signal);
      return store.append(...batch);
    },
    commit: async (...commit) => {
      await hearInterrupt(signal);
      return store.commit(...commit);
    },
  };
}
