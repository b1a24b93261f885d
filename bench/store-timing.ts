/** Medians over interleaved rounds: whoever is compared takes turns, so that a noisy moment of the machine hits all of them. */

export interface Contender {
  /** Not timed. */
  readonly prepare?: () => Promise<void>;
  readonly run: () => Promise<unknown>;
}

/** Median milliseconds of each, in the order given. Who goes first changes from round to round. */
export async function medianTimes(rounds: number, contenders: readonly Contender[]): Promise<readonly number[]> {
  const times = contenders.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const index = (round + turn) % contenders.length;
      const contender = contenders[index];
      await contender?.prepare?.();
      const start = performance.now();
      await contender?.run();
      times[index]?.push(performance.now() - start);
    }
  }
  return times.map(median);
}

export function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1] ?? Number.NaN;
}

export function milliseconds(ms: number): string {
  if (ms < 1) return `${Math.round(ms * 1_000)} µs`;
  return `${ms < 100 ? ms.toFixed(1) : Math.round(ms).toLocaleString("en")} ms`;
}

/** A Markdown table; columns after the first are numbers. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  console.log(
    `\n| ${head.join(" | ")} |\n|---|${head
      .slice(1)
      .map(() => "---:|")
      .join("")}`,
  );
  for (const row of rows) console.log(`| ${row.join(" | ")} |`);
}
