/**
 * What one turn costs as a session grows: four messages appended, the trigger checked, the cut found, beside what peers
 * do for the same. Prints a Markdown table of medians and exits with 1 when a turn of ours on the longest session takes
 * more than FLATNESS_MAX times as long as on the shortest. Run with `npm run ledger` in bench; `--alone` leaves the peers out.
 */

import { appending, type Contender, loadPeers, reparsing, resending, type Session } from "./ledger-contenders.ts";

const SIZES: readonly number[] = [1_000, 10_000, 100_000, 1_000_000];
const FLATNESS_MAX = 2;

/** A contender is not asked at a size where a turn would take longer than this. */
const BUDGET_MS = 20_000;
/** Turns in a row on one session: few enough that the shortest stays what it is. */
const TURNS_IN_A_ROW = 50;
const ROUNDS = 12;

/** Milliseconds of a median turn; undefined where it was not asked. */
type Row = readonly (number | undefined)[];

await run();

async function run(): Promise<void> {
  const ours = [appending, resending];
  const rows = new Map<Contender, Row>();
  await warmUp(ours);
  for (const [contender, row] of await measureTogether(ours)) rows.set(contender, row);
  const others = process.argv.includes("--alone") ? [] : [reparsing, ...(await loadPeers())];
  for (const contender of others) rows.set(contender, await measureAlone(contender));
  print(rows);
  for (const contender of ours) checkFlatness(contender, rows.get(contender) ?? []);
}

/** All sizes in turn, round after round, so that a noisy moment of the machine hits all of them. */
async function measureTogether(contenders: readonly Contender[]): Promise<ReadonlyMap<Contender, Row>> {
  const rows = new Map<Contender, Row>();
  for (const contender of contenders) {
    const times = SIZES.map((): number[] => []);
    const longest = SIZES.map((size) => (size >= 100_000 ? contender.open(size) : undefined));
    for (let round = 0; round < ROUNDS; round++) {
      for (const [index, size] of SIZES.entries()) {
        // Fifty turns are nothing to a long session, but would make a short one another.
        const session = longest[index] ?? contender.open(size);
        times[index]?.push(...(await timeTurns(session, TURNS_IN_A_ROW)));
      }
    }
    rows.set(contender, times.map(median));
  }
  return rows;
}

async function measureAlone(contender: Contender): Promise<Row> {
  const row: (number | undefined)[] = [];
  for (const [index, size] of SIZES.entries()) {
    const isTooLong = size > (contender.messagesMax ?? size) || expectedMs(row, index) > BUDGET_MS;
    row.push(isTooLong ? undefined : await measureAt(contender, size));
    globalThis.gc?.();
  }
  return row;
}

async function measureAt(contender: Contender, size: number): Promise<number> {
  const session = contender.open(size);
  const [first = 0] = await timeTurns(session, 1);
  const turns = Math.min(TURNS_IN_A_ROW, Math.floor(BUDGET_MS / 4 / Math.max(first, 0.01)));
  return turns === 0 ? first : median(await timeTurns(session, turns));
}

/** From how it has grown so far; before anything is known, the worst that a sane algorithm does. */
function expectedMs(row: Row, index: number): number {
  const [before, last] = [row[index - 2], row[index - 1]];
  if (index === 0) return 0;
  if (last === undefined) return Number.POSITIVE_INFINITY;
  return last * (before === undefined ? 100 : Math.max(10, (1.5 * last) / before));
}

async function timeTurns(session: Session, turns: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    session.prepare?.();
    const start = performance.now();
    const result = session.turn();
    if (result instanceof Promise) await result;
    times.push(performance.now() - start);
  }
  return times;
}

async function warmUp(contenders: readonly Contender[]): Promise<void> {
  for (const contender of contenders)
    for (let round = 0; round < 10; round++) await timeTurns(contender.open(1_000), 200);
}

function median(times: readonly number[]): number {
  return times.toSorted((left, right) => left - right)[times.length >> 1] ?? Number.NaN;
}

function print(rows: ReadonlyMap<Contender, Row>): void {
  const ours = rows.get(appending) ?? [];
  console.log(`| one turn, median | ${SIZES.map((size) => size.toLocaleString("en")).join(" | ")} | × ours |`);
  console.log(`|---|${SIZES.map(() => "---:|").join("")}---:|`);
  for (const [{ name }, row] of rows) {
    const cells = row.map((ms) => (ms === undefined ? "–" : milliseconds(ms)));
    const largest = row.findLastIndex((ms) => ms !== undefined);
    const ratio = (row[largest] ?? Number.NaN) / (ours[largest] ?? Number.NaN);
    console.log(
      `| ${name} | ${cells.join(" | ")} | ${ratio < 10 ? ratio.toPrecision(2) : Math.round(ratio).toLocaleString("en")} |`,
    );
  }
  console.log(
    "\n“× ours”: beside appending, at the largest size that was run. –: would take longer than anyone waits.",
  );
}

function milliseconds(ms: number): string {
  return ms < 1
    ? `${Math.round(ms * 1_000)} µs`
    : `${ms < 100 ? ms.toFixed(1) : Math.round(ms).toLocaleString("en")} ms`;
}

function checkFlatness({ name }: Contender, row: Row): void {
  const flatness = (row.at(-1) ?? Number.NaN) / (row[0] ?? Number.NaN);
  const isMet = flatness <= FLATNESS_MAX;
  console.log(
    `${isMet ? "Met" : "MISSED"}: ${name}: ${flatness.toFixed(2)} × from the shortest to the longest (at most ${FLATNESS_MAX}).`,
  );
  if (!isMet) process.exitCode = 1;
}
