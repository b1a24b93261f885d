/**
 * How well `recall` finds what answers a question: meetings with questions and the turns that answer them. Hits of every store beside
 * a plain BM25, what `recallTool` returns beside bare hits, and the time of a query. Run with `npm run recall` in bench;
 * `--beside=FOLDER` times another checkout in the same run.
 */

import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Pool } from "pg";
import type { Hit, Store } from "../src/core/store/store.ts";
import type { FullStore } from "../src/core/store/store-upkeep.ts";
import { openaiChat } from "../src/formats/openai-chat.ts";
import { recallTool } from "../src/recall-tool.ts";
import { openSession } from "../src/session.ts";
import { startPostgres } from "../test/postgres-server.ts";
import { RECORDINGS } from "./recorded-calls.ts";

interface Meeting {
  readonly id: string;
  readonly turns: readonly string[];
  readonly questions: readonly Question[];
}

interface Question {
  readonly text: string;
  /** Places of the turns that answer it, first and last. */
  readonly spans: readonly (readonly [number, number])[];
}

/** Places of turns, best first. */
type Find = (meeting: Meeting, question: string) => Promise<readonly number[]>;

const DEPTHS = [1, 5, 10] as const;
/** As many as `recallTool` quotes in any case, unless told. */
const HITS = 8;
const GAIN_MIN = 0.1;
const TIME_RATIO_MAX = 3;

await run();

async function run(): Promise<void> {
  const files = existsSync(RECORDINGS) ? globSync("qmsum/**/*.json", { cwd: RECORDINGS }).sort() : [];
  if (files.length === 0) {
    console.log(`There are no meetings in ${RECORDINGS}; nothing was measured.`);
    return;
  }
  const meetings = files.map((file, index) => readMeeting(join(RECORDINGS, file), `meeting-${index}`));
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-recall-"));
  const server = await startPostgres();
  const pool = new Pool({ connectionString: server.url });
  // The server goes with the run.
  pool.on("error", () => {});
  try {
    const own = await storesOf(resolve(import.meta.dirname, ".."), join(directory, "own"), pool);
    for (const store of own.values()) await fill(store, meetings);
    await compareHits(meetings, own);
    await comparePassages(meetings, own.get("memory"));
    await compareTimes(meetings, own, join(directory, "beside"), pool);
    for (const store of own.values()) await store.close();
  } finally {
    await pool.end();
    await server.stop();
    rmSync(directory, { recursive: true });
  }
}

function readMeeting(path: string, id: string): Meeting {
  const file = JSON.parse(readFileSync(path, "utf8"));
  return {
    id,
    turns: file.meeting_transcripts.map(
      (turn: { speaker: string; content: string }) => `${turn.speaker}: ${turn.content}`,
    ),
    questions: (file.specific_query_list ?? []).map(
      (query: { query: string; relevant_text_span: readonly (readonly [string, string])[] }) => ({
        text: query.query,
        spans: query.relevant_text_span.map(([first, last]) => [Number(first), Number(last)]),
      }),
    ),
  };
}

/** The four stores of a checkout. */
async function storesOf(checkout: string, directory: string, pool: Pool): Promise<ReadonlyMap<string, FullStore>> {
  const moduleOf = (name: string) => import(join(checkout, `src/stores/${name}.ts`));
  const [{ memoryStore }, { jsonlStore }, { sqliteStore }, { postgresStore }] = await Promise.all(
    ["memory", "jsonl", "sqlite", "postgres"].map(moduleOf),
  );
  const schema = directory.endsWith("own") ? "recall_own" : "recall_beside";
  return new Map<string, FullStore>([
    ["memory", memoryStore()],
    ["JSONL", jsonlStore({ directory })],
    ["SQLite", sqliteStore({ file: join(directory, "sessions.db") })],
    ["Postgres", postgresStore({ client: pool, schema })],
  ]);
}

async function fill(store: Store, meetings: readonly Meeting[]): Promise<void> {
  for (const { id, turns } of meetings) {
    const messages = turns.map((content) => ({
      role: "user" as const,
      body: { role: "user", content },
      attachments: [],
    }));
    await store.create({ id, format: "openai-chat", base: {} }, { messages, turns: messages.length });
    // The first search of a session makes its index.
    await store.search(id, "index", 1);
  }
}

async function compareHits(meetings: readonly Meeting[], stores: ReadonlyMap<string, Store>): Promise<void> {
  const plain = await sharesOf(meetings, plainBm25());
  console.log("\n| an answering turn among the first hits | 1 | 5 | 10 |\n|---|---:|---:|---:|");
  console.log(row("plain BM25", plain));
  const texts = new Set<string>();
  for (const [name, store] of stores) {
    const found: (readonly number[])[] = [];
    const shares = await sharesOf(meetings, async ({ id }, question) => {
      const places = (await store.search(id, question, 10)).map(placeOf);
      found.push(places);
      return places;
    });
    texts.add(JSON.stringify(found));
    console.log(row(name, shares));
    if (shares.some((share, index) => share < (plain[index] ?? 1))) fail(`${name} is worse than plain BM25`);
  }
  if (texts.size > 1) fail("the stores answer differently");
}

async function sharesOf(meetings: readonly Meeting[], find: Find): Promise<readonly number[]> {
  const counts = DEPTHS.map(() => 0);
  let questions = 0;
  for (const meeting of meetings) {
    for (const { text, spans } of meeting.questions) {
      const places = await find(meeting, text);
      questions++;
      for (const [index, depth] of DEPTHS.entries()) {
        if (holdsAnswer(places.slice(0, depth), spans)) counts[index] = (counts[index] ?? 0) + 1;
      }
    }
  }
  return counts.map((count) => count / questions);
}

function holdsAnswer(places: readonly number[], spans: Question["spans"]): boolean {
  return places.some((place) => spans.some(([first, last]) => place >= first && place <= last));
}

function row(name: string, shares: readonly number[]): string {
  return `| ${name} | ${shares.map((share) => share.toFixed(3)).join(" | ")} |`;
}

/** As a textbook has it, with the commonest English endings cut off. */
function plainBm25(): Find {
  const words = (text: string): readonly string[] =>
    (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).map((word) => word.replace(/(?<=...)(?:ing|ed|es|ly|s)$/, ""));
  const read = new Map<string, readonly (readonly string[])[]>();
  return async ({ id, turns }, question) => {
    const lists = read.get(id) ?? turns.map(words);
    read.set(id, lists);
    const mean = lists.reduce((sum, { length }) => sum + length, 0) / lists.length;
    const scores = lists.map(() => 0);
    for (const word of new Set(words(question))) {
      const counts = lists.map((list) => list.filter((each) => each === word).length);
      const holders = counts.filter((count) => count > 0).length;
      const weight = Math.log(1 + (lists.length - holders + 0.5) / (holders + 0.5));
      for (const [place, count] of counts.entries()) {
        const length = (lists[place] ?? []).length / mean;
        scores[place] = (scores[place] ?? 0) + (weight * count * 2.2) / (count + 1.2 * (0.25 + 0.75 * length));
      }
    }
    const places = [...scores.keys()].filter((place) => (scores[place] ?? 0) > 0);
    return places.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || b - a);
  };
}

/** What the tool shows with the room that its hits leave, beside the hits alone. */
async function comparePassages(meetings: readonly Meeting[], store: Store | undefined): Promise<void> {
  if (store === undefined) return;
  let [questions, bare, passages, characters, messages] = [0, 0, 0, 0, 0];
  for (const meeting of meetings) {
    const session = await openSession(meeting.id, { store, compactor: { format: openaiChat }, create: false });
    const tool = recallTool(session);
    for (const { text, spans } of meeting.questions) {
      const answer = await tool.run({ query: text });
      const shown = [...answer.matchAll(/<message id="m(\d+)"/g)].map(([, number]) => Number(number) - 1);
      const found = await session.recall(text, { limit: HITS });
      questions++;
      messages += shown.length;
      characters += answer.length;
      if (holdsAnswer(found.map(placeOf), spans)) bare++;
      if (holdsAnswer(shown, spans)) passages++;
    }
  }
  const [bareShare, passageShare] = [bare / questions, passages / questions];
  console.log(`\n| of ${questions} questions, an answering turn is in | share |\n|---|---:|`);
  console.log(`| the first ${HITS} hits, bare | ${bareShare.toFixed(3)} |`);
  const size = `${Math.round(characters / questions)} characters, ${Math.round(messages / questions)} messages`;
  console.log(`| what recallTool returns for its ${HITS} hits (${size}) | ${passageShare.toFixed(3)} |`);
  if (passageShare < bareShare + GAIN_MIN) fail("passages hold hardly more than bare hits");
}

function placeOf({ messageId }: Hit): number {
  return Number(messageId.slice(1)) - 1;
}

async function compareTimes(
  meetings: readonly Meeting[],
  own: ReadonlyMap<string, FullStore>,
  directory: string,
  pool: Pool,
): Promise<void> {
  const checkout = process.argv.find((word) => word.startsWith("--beside="))?.slice("--beside=".length);
  const others = checkout === undefined ? undefined : await storesOf(resolve(checkout), directory, pool);
  for (const store of others?.values() ?? []) await fill(store, meetings);
  console.log("\n| milliseconds a query, median | here | beside | ratio |\n|---|---:|---:|---:|");
  for (const [name, store] of own) {
    const other = others?.get(name);
    const times = await medians(meetings, other === undefined ? [store] : [store, other]);
    const [here = 0, beside] = times;
    const ratio = beside === undefined ? undefined : here / beside;
    console.log(`| ${name} | ${here.toFixed(2)} | ${beside?.toFixed(2) ?? ""} | ${ratio?.toFixed(2) ?? ""} |`);
    if (ratio !== undefined && ratio > TIME_RATIO_MAX) fail(`${name} takes more than ${TIME_RATIO_MAX} times as long`);
  }
  for (const store of others?.values() ?? []) await store.close();
}

/** Of all questions, asked of the stores in turn. */
async function medians(meetings: readonly Meeting[], stores: readonly Store[]): Promise<readonly number[]> {
  const times = stores.map((): number[] => []);
  for (const { id, questions } of meetings) {
    for (const { text } of questions) {
      for (const [index, store] of stores.entries()) {
        const start = performance.now();
        await store.search(id, text, 10);
        times[index]?.push(performance.now() - start);
      }
    }
  }
  return times.map((each) => each.sort((a, b) => a - b)[each.length >> 1] ?? 0);
}

function fail(what: string): void {
  console.log(`missed: ${what}`);
  process.exitCode = 1;
}
