/**
 * A model of many sessions over several Postgres servers, spread by session id: how even rows, bytes and load are, and how many turns
 * a second they make together. Seeded, so every run prints the same. What a row and a turn cost are the figures of one run of
 * `npm run store`. Run with `npm run scale` in bench; docs/scale.md quotes it.
 */

import { hash } from "node:crypto";
import { seeded } from "./random.ts";
import { FIGURES } from "./scale-figures.ts";
import { printTable } from "./store-timing.ts";

const SESSIONS = 1_000_000;
const MESSAGES_PER_SESSION = 10_000;
/** Spread of the sizes: half of the sessions have a third of the average or less, one in a hundred more than ten times as much. */
const SIZE_SIGMA = 1.5;
/** Spread of the load at one moment: far more uneven, because most sessions sleep. */
const LOAD_SIGMA = 3;
/** Parts that are moved whole, as partitions and shards are. */
const SLOTS = 256;
const NODES: readonly number[] = [1, 4, 16, 64];

interface Spread {
  readonly rows: Float64Array;
  readonly load: Float64Array;
  readonly largestRows: number;
  readonly largestLoad: number;
}

run();

function run(): void {
  const slots = spreadSessions();
  const totalRows = sum(slots.rows);
  const bytesPerMessage = sum(FIGURES.bytesPerMessage.map(({ bytes }) => bytes));
  printSizes(totalRows);
  const rows = NODES.flatMap((nodes) => {
    const fixed = Array.from(slots.load, (_, slot) => slot % nodes);
    const cells = nodesOf(slots, fixed, nodes);
    const moved = nodesOf(slots, placeByLoad(slots.load, nodes), nodes);
    const capacity = (load: Float64Array): number => (FIGURES.turnsPerSecond * sum(load)) / Math.max(...load);
    return [
      [
        String(nodes),
        shown(totalRows / nodes),
        shownBytes((totalRows / nodes) * bytesPerMessage),
        unevenness(cells.rows),
        unevenness(cells.load),
        shown(capacity(cells.load)),
        unevenness(moved.load),
        shown(capacity(moved.load)),
      ],
    ];
  });
  printTable(
    [
      "servers",
      "rows each",
      "bytes each",
      "largest ÷ mean, rows",
      "busiest ÷ mean, load",
      "turns/s together",
      "busiest ÷ mean, slots placed by load",
      "turns/s together",
    ],
    rows,
  );
  printHottest(slots, totalRows);
}

/** Every session falls into a slot by the hash of its id. */
function spreadSessions(): Spread {
  const random = seeded(23);
  const normal = normals(() => (random.below(1_000_000_000) + 1) / 1_000_000_001);
  const rows = new Float64Array(SLOTS);
  const load = new Float64Array(SLOTS);
  let largestRows = 0;
  let largestLoad = 0;
  for (let session = 0; session < SESSIONS; session++) {
    const slot = Number.parseInt(hash("sha256", `session-${session}`).slice(0, 8), 16) % SLOTS;
    const size = MESSAGES_PER_SESSION * Math.exp(SIZE_SIGMA * normal() - SIZE_SIGMA ** 2 / 2);
    const share = Math.exp(LOAD_SIGMA * normal() - LOAD_SIGMA ** 2 / 2);
    rows[slot] = (rows[slot] ?? 0) + size;
    load[slot] = (load[slot] ?? 0) + share;
    largestRows = Math.max(largestRows, size);
    largestLoad = Math.max(largestLoad, share);
  }
  return { rows, load, largestRows, largestLoad };
}

/** Two uniform numbers make two normal ones. */
function normals(uniform: () => number): () => number {
  let spare: number | undefined;
  return () => {
    if (spare !== undefined) {
      const kept = spare;
      spare = undefined;
      return kept;
    }
    const radius = Math.sqrt(-2 * Math.log(uniform()));
    const angle = 2 * Math.PI * uniform();
    spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  };
}

function nodesOf(
  slots: Spread,
  placement: readonly number[],
  nodes: number,
): { readonly rows: Float64Array; readonly load: Float64Array } {
  const rows = new Float64Array(nodes);
  const load = new Float64Array(nodes);
  placement.forEach((node, slot) => {
    rows[node] = (rows[node] ?? 0) + (slots.rows[slot] ?? 0);
    load[node] = (load[node] ?? 0) + (slots.load[slot] ?? 0);
  });
  return { rows, load };
}

/** The heaviest slot first, each to the server that has least to do. */
function placeByLoad(load: Float64Array, nodes: number): readonly number[] {
  const placement = new Array<number>(load.length).fill(0);
  const totals = new Float64Array(nodes);
  const heaviestFirst = [...load.keys()].toSorted((left, right) => (load[right] ?? 0) - (load[left] ?? 0));
  for (const slot of heaviestFirst) {
    const node = totals.indexOf(Math.min(...totals));
    placement[slot] = node;
    totals[node] = (totals[node] ?? 0) + (load[slot] ?? 0);
  }
  return placement;
}

function printSizes(totalRows: number): void {
  const { bytesPerMessage } = FIGURES;
  const all = sum(bytesPerMessage.map(({ bytes }) => bytes));
  printTable(
    ["table or index", "bytes per message", "per session", `all (${shown(totalRows)} rows)`],
    [...bytesPerMessage, { name: "together", bytes: all }].map(({ name, bytes }) => [
      name,
      bytes.toFixed(0),
      shownBytes(bytes * MESSAGES_PER_SESSION),
      shownBytes(bytes * totalRows),
    ]),
  );
  console.log(
    `\nThe sessions themselves: ${FIGURES.bytesPerSession} bytes each, ${shownBytes(FIGURES.bytesPerSession * SESSIONS)}.`,
  );
  const searched = FIGURES.searchBytesPerMessage;
  console.log(
    `\nThe search index adds ${searched} bytes per message, ${shownBytes(searched * MESSAGES_PER_SESSION)} a session, where somebody has searched: ${shownBytes(searched * totalRows)} if in all of them.`,
  );
  const live = SESSIONS * FIGURES.liveMessages * FIGURES.liveBytesPerMessage;
  console.log(
    `\nViews of ${FIGURES.liveMessages} messages: ${shownBytes(live / SESSIONS)} a session, ${shownBytes(live)} for all, ${shownBytes(live / 10)} for the tenth that is active.`,
  );
}

function printHottest({ load, largestLoad, largestRows }: Spread, totalRows: number): void {
  const share = largestLoad / sum(load);
  const ceiling = FIGURES.sessionAppendsPerSecond / FIGURES.appendsPerTurn;
  console.log(
    `\nThe largest session has ${shown(largestRows)} messages, ${((100 * largestRows) / totalRows).toFixed(4)} % of all. The busiest makes ${(100 * share).toFixed(2)} % of the turns; one session can make ${ceiling.toFixed(0)} a second, so it holds the others back from ${shown(ceiling / share)} turns/s on.`,
  );
}

function unevenness(values: Float64Array): string {
  return ((Math.max(...values) * values.length) / sum(values)).toFixed(2);
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

function shown(value: number): string {
  if (value < 10_000) return Math.round(value).toLocaleString("en");
  const [unit, name] = (
    [
      [1e9, "e9"],
      [1e6, "e6"],
      [1e3, "e3"],
    ] as const
  ).find(([each]) => value >= each) ?? [1, ""];
  return `${(value / unit).toPrecision(3)}${name}`;
}

function shownBytes(bytes: number): string {
  const [unit, name] = (
    [
      [1e12, "TB"],
      [1e9, "GB"],
      [1e6, "MB"],
      [1e3, "kB"],
    ] as const
  ).find(([each]) => bytes >= each) ?? [1, "B"];
  return `${(bytes / unit).toPrecision(3)} ${name}`;
}
