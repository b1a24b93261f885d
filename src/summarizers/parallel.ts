/** Runs a task for each item, so many at a time, results in order. The first failure aborts the rest and is rethrown. */

import { aborted, isAborted } from "./failure.ts";

export async function forEachBounded<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  signal: AbortSignal,
  task: (item: Item, signal: AbortSignal) => Promise<Result>,
): Promise<readonly Result[]> {
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal.reason);
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  const results: Result[] = [];
  let next = 0;
  let failure: unknown;
  const worker = async (): Promise<void> => {
    while (next < items.length && !controller.signal.aborted) {
      const index = next++;
      // In bounds: the loop has just checked it.
      const item = items[index] as Item;
      try {
        results[index] = await task(item, controller.signal);
      } catch (error) {
        // Siblings that were aborted because of the first failure are not failures of their own.
        if (failure === undefined || (isAborted(failure) && !isAborted(error))) failure = error;
        controller.abort(error);
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  } finally {
    signal.removeEventListener("abort", stop);
  }
  if (signal.aborted) throw aborted(signal);
  if (failure !== undefined) throw failure;
  return results;
}
