/**
 * What one turn costs when nothing is due, through the calls a user makes: `fit` on a list that is sent again, `fit` on a list parsed
 * anew, `session.append` + `session.request`. Beside it, in the same run: parsing that list, and what peers do in the same place.
 * Prints Markdown tables of medians and exits with 1 when a bar is missed. `--alone` leaves the peers out, `--small` the million.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { createCompactor, openSession, type Session } from "../src/index.ts";
import { anthropicTurn, turnAt } from "./turn-conversation.ts";
import { loadPeers } from "./turn-peers.ts";

/** One thing that is measured: `open` builds the conversation, `turn` is timed, `prepare` is not. */
export interface Contender {
  readonly name: string;
  open(messageCount: number): Promise<Opened> | Opened;
  /** Larger sizes take longer than anyone would wait. */
  readonly messagesMax?: number;
}

export interface Opened {
  prepare?(): void;
  turn(): unknown;
  close?(): Promise<void>;
}

const SIZES: readonly number[] = process.argv.includes("--small")
  ? [1_000, 10_000, 100_000]
  : [1_000, 10_000, 100_000, 1_000_000];

/** Never reached, so that nothing is due. */
const WINDOW_TOKENS = 10 ** 12;
const OPTIONS = { format: anthropicMessages, windowTokens: WINDOW_TOKENS };
const BODY = { model: "claude-sonnet-4-5", max_tokens: 1_024 };

const BARS = {
  /** `session.append` + `request` on the longest beside the shortest. */
  sessionGrowth: 3,
  /** `fit` on the same objects beside parsing the list. */
  resentShare: 0.1,
  /** `fit` on a list parsed anew beside parsing the list. */
  reparsedShare: 0.5,
  /** Mean turn with compactions, 100,000 archived messages beside 1,000. */
  archivedGrowth: 2,
} as const;

/** Texts are shared between turns; each turn has a call of its own. */
const wireTurn = (index: number): readonly object[] =>
  anthropicTurn({ ...turnAt(index), callId: `toolu_${index.toString(36).padStart(8, "0")}` });

function listOf(messageCount: number): object[] {
  const list: object[] = [];
  for (let turn = 0; list.length < messageCount; turn++) list.push(...wireTurn(turn));
  return list;
}

/** One string cannot hold a million messages: the list is written, and parsed, in pieces of this many. */
const MESSAGES_AT_ONCE = 100_000;

function textsOf(list: readonly object[]): readonly string[] {
  const texts: string[] = [];
  for (let at = 0; at < list.length; at += MESSAGES_AT_ONCE)
    texts.push(JSON.stringify(list.slice(at, at + MESSAGES_AT_ONCE)));
  return texts;
}

const parsing: Contender = {
  name: "`JSON.parse` of the list",
  open: (messageCount) => {
    const texts = textsOf(listOf(messageCount));
    return { turn: () => texts.map((text) => JSON.parse(text)) };
  },
};

const resending: Contender = {
  name: "`fit`, the same objects sent again",
  open: async (messageCount) => {
    const compactor = createCompactor(OPTIONS);
    const messages = listOf(messageCount);
    let turns = messageCount / 4;
    await compactor.fit({ ...BODY, messages });
    return {
      prepare: () => void messages.push(...wireTurn(turns++)),
      // A host makes a new body around its list every time.
      turn: () => compactor.fit({ ...BODY, messages: [...messages] }),
    };
  },
};

const reparsing: Contender = {
  name: "`fit`, the list parsed anew",
  open: async (messageCount) => {
    const compactor = createCompactor(OPTIONS);
    const list = listOf(messageCount);
    let turns = messageCount / 4;
    let messages: object[] = [];
    await compactor.fit({ ...BODY, messages: list });
    return {
      prepare: () => {
        list.push(...wireTurn(turns++));
        messages = textsOf(list).flatMap((text): object[] => JSON.parse(text));
      },
      turn: () => compactor.fit({ ...BODY, messages }),
    };
  },
};

const APPEND_AT_ONCE = 10_000;

const session: Contender = {
  name: "`session.append` + `request`, SQLite",
  open: async (messageCount) => {
    const folder = mkdtempSync(join(tmpdir(), "palimpsest-turn-"));
    const opened = await openSession("bench", {
      store: `sqlite:${join(folder, "s.db")}`,
      compactor: OPTIONS,
      body: BODY,
    });
    const list = listOf(messageCount);
    for (let at = 0; at < list.length; at += APPEND_AT_ONCE) await append(opened, list.slice(at, at + APPEND_AT_ONCE));
    await opened.request();
    let turns = messageCount / 4;
    return {
      turn: async () => {
        await append(opened, wireTurn(turns++));
        return opened.request();
      },
      close: async () => {
        await opened.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};

function append(to: Session, messages: readonly object[]): Promise<unknown> {
  // Wire messages of the session's own format; the bench makes them as plain objects.
  return to.append(messages as Parameters<Session["append"]>[0]);
}

/** Turns in a row: few enough that the shortest list stays what it is. */
const TURNS_IN_A_ROW = 40;
const ROUNDS = 5;
/** Of the shortest list: what takes microseconds is measured as a server runs it, compiled. */
const SHORT_ROUNDS = 40;
/** A contender is asked for fewer turns where they would take longer than this together. */
const BUDGET_MS = 3_000;

type Row = readonly (number | undefined)[];

async function run(): Promise<void> {
  const ours = [parsing, resending, reparsing, session];
  for (const contender of ours) await measureAt(contender, 1_000);
  const peers = process.argv.includes("--alone") ? [] : await loadPeers();
  const rows = new Map<Contender, Row>();
  for (const contender of [...ours, ...peers]) rows.set(contender, await measure(contender));
  print(rows);
  const rowOf = (contender: Contender): Row => rows.get(contender) ?? [];
  const shares = (contender: Contender): readonly number[] =>
    rowOf(contender).flatMap((ms, at) => (ms === undefined ? [] : [ms / (rowOf(parsing)[at] ?? Number.NaN)]));
  const pruneMessages = peers.find(({ name }) => name.includes("pruneMessages"));
  held(
    "session, longest beside shortest",
    (rowOf(session).at(-1) ?? Number.NaN) / (rowOf(session)[0] ?? 1),
    BARS.sessionGrowth,
  );
  held("same objects beside JSON.parse, worst", Math.max(...shares(resending)), BARS.resentShare);
  held("parsed anew beside JSON.parse, worst", Math.max(...shares(reparsing)), BARS.reparsedShare);
  if (pruneMessages !== undefined)
    held("same objects beside pruneMessages at 1,000", (rowOf(resending)[0] ?? 1) / (rowOf(pruneMessages)[0] ?? 1), 1);
  await compareArchives();
}

function held(what: string, value: number, bar: number): void {
  const isMet = value <= bar;
  console.log(`${isMet ? "Met" : "MISSED"}: ${what}: ${value.toFixed(3)} (at most ${bar}).`);
  if (!isMet) process.exitCode = 1;
}

async function measure(contender: Contender): Promise<Row> {
  const row: (number | undefined)[] = [];
  for (const size of SIZES) {
    const isTooLong = size > (contender.messagesMax ?? size);
    row.push(isTooLong ? undefined : await measureAt(contender, size));
    console.error(
      `${contender.name}, ${size.toLocaleString("en")}: ${isTooLong ? "left out" : milliseconds(row.at(-1) ?? 0)}`,
    );
    globalThis.gc?.();
  }
  return row;
}

async function measureAt(contender: Contender, size: number): Promise<number> {
  const times: number[] = [];
  const rounds = size > 10_000 ? 1 : size > 1_000 ? ROUNDS : SHORT_ROUNDS;
  for (let round = 0; round < rounds; round++) {
    const opened = await contender.open(size);
    const [first = 0] = await timeTurns(opened, 1);
    const turns = Math.max(3, Math.min(TURNS_IN_A_ROW, Math.floor(BUDGET_MS / Math.max(first, 0.01))));
    times.push(...(await timeTurns(opened, turns)));
    await opened.close?.();
  }
  return median(times);
}

async function timeTurns(opened: Opened, turns: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    opened.prepare?.();
    const start = performance.now();
    const result = opened.turn();
    if (result instanceof Promise) await result;
    times.push(performance.now() - start);
  }
  return times;
}

function median(times: readonly number[]): number {
  return times.toSorted((left, right) => left - right)[times.length >> 1] ?? Number.NaN;
}

function print(rows: ReadonlyMap<Contender, Row>): void {
  console.log(`| one turn with nothing due, median | ${SIZES.map((size) => size.toLocaleString("en")).join(" | ")} |`);
  console.log(`|---|${SIZES.map(() => "---:|").join("")}`);
  for (const [{ name }, row] of rows) {
    console.log(`| ${name} | ${row.map((ms) => (ms === undefined ? "–" : milliseconds(ms))).join(" | ")} |`);
  }
  console.log("");
}

function milliseconds(ms: number): string {
  if (ms < 1) return `${Math.round(ms * 1_000)} µs`;
  return `${ms < 100 ? ms.toFixed(1) : Math.round(ms).toLocaleString("en")} ms`;
}

/** A session that compacts about every 200 calls: what it archived long ago must not be paid for again. */
async function compareArchives(): Promise<void> {
  // The first one warms up.
  await meanTurn(1_000);
  const [few, many] = [await meanTurn(1_000), await meanTurn(100_000)];
  console.log(
    `Mean turn with a compaction about every 200 calls: ${milliseconds(few)} with 1,000 archived messages, ${milliseconds(many)} with 100,000.`,
  );
  held("100,000 archived beside 1,000", many / few, BARS.archivedGrowth);
}

const CALLS = 1_000;

async function meanTurn(archived: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-archive-"));
  const opened = await openSession("bench", {
    store: `sqlite:${join(folder, "s.db")}`,
    // About 85 tokens a message: the trigger comes 800 messages, or 200 calls, after the target was reached.
    compactor: { format: anthropicMessages, windowTokens: 150_000 },
    body: BODY,
  });
  const list = listOf(archived);
  for (let at = 0; at < list.length; at += APPEND_AT_ONCE) await append(opened, list.slice(at, at + APPEND_AT_ONCE));
  await opened.compact();
  const start = performance.now();
  for (let call = 0; call < CALLS; call++) {
    await append(opened, wireTurn(call));
    await opened.request();
  }
  const mean = (performance.now() - start) / CALLS;
  const { length } = await opened.history();
  console.log(`${archived.toLocaleString("en")} archived: ${length - 1} compactions in ${CALLS} calls.`);
  await opened.close();
  rmSync(folder, { recursive: true, force: true });
  return mean;
}

await run();
