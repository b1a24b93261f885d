/**
 * What the stores cost beside bare statements over the same tables with the same durability, SQLite and Postgres side by side, with
 * messages of 2 KB: opening a session of 1,000,000 messages, one durable append, loading 10,000 messages, the commit of a compaction
 * over 10,000; then search, statements per turn, bytes per message and several workers. Medians over interleaved rounds. Exits with 1
 * when a bar is missed. Run with `npm run store` in bench; `--quick` is smaller, `sqlite` or `postgres` measures one of them, and
 * `--only=bars,turns,search,bytes,workers` some of it.
 */

import { type Bar, measureBars } from "./store-bars.ts";
import {
  measureBytes,
  measureCompaction,
  measureSearch,
  measureTurn,
  measureWorkers,
  searchBytes,
  type TurnCost,
} from "./store-extras.ts";
import { newSessionId } from "./store-messages.ts";
import { postgresSubject } from "./store-postgres.ts";
import { sqliteSubject } from "./store-sqlite.ts";
import type { Place, Subject } from "./store-subject.ts";
import { milliseconds, printTable } from "./store-timing.ts";

const isQuick = process.argv.includes("--quick");
const only = process.argv
  .find((argument) => argument.startsWith("--only="))
  ?.slice("--only=".length)
  .split(",");
const isAsked = (part: "bars" | "turns" | "search" | "bytes" | "workers"): boolean => only?.includes(part) ?? true;
const LONG_MESSAGES = isQuick ? 50_000 : 1_000_000;
const SHORT_MESSAGES = 1_000;
const LIVE_MESSAGES = 200;
const VIEW_MESSAGES = isQuick ? 2_000 : 10_000;
const ROUNDS = isQuick ? 3 : 9;
const SEARCHED: readonly number[] = isQuick ? [2_000, 10_000] : [10_000, 100_000];
const WORKERS: readonly number[] = [1, 4, 8];
const WORK_MS = isQuick ? 1_000 : 4_000;
const TURNS = 20;

const SUBJECTS: Readonly<Record<string, () => Promise<Subject>>> = { sqlite: sqliteSubject, postgres: postgresSubject };

await run();

async function run(): Promise<void> {
  const named = Object.keys(SUBJECTS).filter((name) => process.argv.includes(name));
  const bars = new Map<string, readonly Bar[]>();
  for (const [name, make] of Object.entries(SUBJECTS)) {
    if (named.length > 0 && !named.includes(name)) continue;
    const subject = await make();
    try {
      bars.set(subject.name, await measure(subject));
    } finally {
      await subject.close();
    }
  }
  if (isAsked("bars")) printBars(bars);
}

async function measure(subject: Subject): Promise<readonly Bar[]> {
  console.log(`\n## ${subject.name} (${subject.durability})`);
  const [shortId, longId] = [newSessionId(), newSessionId()];
  const small = await subject.open("small");
  await small.fill({ id: shortId, messages: SHORT_MESSAGES, live: LIVE_MESSAGES });
  await small.settle();
  await checkShape(small, shortId);
  const large = await subject.open("large");
  if (isAsked("bars") || isAsked("turns")) await fillLong(large, longId);
  const rest = { viewMessages: VIEW_MESSAGES, rounds: ROUNDS };
  const bars = isAsked("bars") ? await measureBars({ small, large, shortId, longId, ...rest }) : [];
  if (isAsked("turns")) {
    printStatements("a turn", await measureTurn(large, longId, TURNS));
    printStatements("a compaction", await measureCompaction(large));
  }
  if (isAsked("search")) await printSearch(subject);
  if (isAsked("bytes")) await printBytes(subject);
  if (isAsked("workers")) await printWorkers(large);
  await small.close();
  await large.close();
  return bars;
}

async function fillLong(large: Place, id: string): Promise<void> {
  const start = performance.now();
  await large.fill({ id, messages: LONG_MESSAGES, live: LIVE_MESSAGES });
  await large.settle();
  console.log(
    `\n${LONG_MESSAGES.toLocaleString("en")} messages were made in ${milliseconds(performance.now() - start)}.`,
  );
}

/** Rows that were made by hand are as the store would have made them, or the bench measures something else. */
async function checkShape({ store }: Place, id: string): Promise<void> {
  for await (const { rule, message } of store.examine(id))
    throw new Error(`The bench's rows are wrong: ${rule}: ${message}`);
}

function printStatements(what: string, { ms, statements }: TurnCost): void {
  const kinds = [...statements].map(([name, count]) => [name, count.toFixed(1)]);
  const total = [...statements.values()].reduce((sum, count) => sum + count, 0);
  printTable([`statements of ${what}, ${milliseconds(ms)}`, "times"], [...kinds, ["together", total.toFixed(1)]]);
}

async function printSearch(subject: Subject): Promise<void> {
  const place = await subject.open("search");
  const rows: string[][] = [];
  for (const messages of SEARCHED) {
    const { indexedPerSecond, rareMs, commonMs } = await measureSearch(place, messages);
    const times = [milliseconds(rareMs), milliseconds(commonMs)];
    rows.push([messages.toLocaleString("en"), Math.round(indexedPerSecond).toLocaleString("en"), ...times]);
  }
  printTable(["messages", "indexed messages/s", "search, rare word", "search, common word"], rows);
  const all = SEARCHED.reduce((sum, messages) => sum + messages, 0);
  const bytes = await searchBytes(place, all);
  printTable(
    ["search index", "bytes per message"],
    bytes.map(({ name, perMessage }) => [name, perMessage.toFixed(0)]),
  );
  await place.close();
}

async function printBytes(subject: Subject): Promise<void> {
  const bytes = await measureBytes(subject);
  const sum = bytes.reduce((all, { perMessage }) => all + perMessage, 0);
  const rows = bytes.map(({ name, perMessage }) => [name, perMessage.toFixed(1)]);
  printTable(["table or index", "bytes per message"], [...rows, ["together", sum.toFixed(1)]]);
}

async function printWorkers(place: Place): Promise<void> {
  const rows: string[][] = [];
  for (const workers of WORKERS) {
    const { sharedAppends, separateAppends, separateTurns } = await measureWorkers(place, workers, WORK_MS);
    rows.push([workers, sharedAppends, separateAppends, separateTurns].map((value) => value.toFixed(0)));
  }
  printTable(
    ["workers", "appends/s, one session", "appends/s, a session each", "turns' statements/s, a session each"],
    rows,
  );
}

function printBars(subjects: ReadonlyMap<string, readonly Bar[]>): void {
  const names = [...subjects.keys()];
  const lists = [...subjects.values()];
  console.log("\n## Bars");
  const rows = (lists[0] ?? []).map(({ what, beside, ratioMax }, index) => {
    const cells = lists.flatMap((bars) => cellsOf(bars[index]));
    return [what, beside, ...cells, ratioMax === undefined ? "–" : String(ratioMax)];
  });
  printTable(["what", "beside", ...names.flatMap((name) => [name, "beside", "ratio", ""]), "at most"], rows);
}

function cellsOf(bar: Bar | undefined): readonly string[] {
  if (bar === undefined) return ["", "", "", ""];
  const { ms, besideMs, ratioMax } = bar;
  const ratio = ms / besideMs;
  const isMissed = ratioMax !== undefined && ratio > ratioMax;
  if (isMissed) process.exitCode = 1;
  const word = ratioMax === undefined ? "" : isMissed ? "MISSED" : "ok";
  return [milliseconds(ms), milliseconds(besideMs), ratio.toFixed(2), word];
}
