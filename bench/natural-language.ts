/**
 * How much of a long talk survives: of the content words in the answers to questions about a meeting that occur in it, the
 * share that stands in the compacted view. Turns are all of the user, or alternate between user and assistant. Run with `npm run natural-language` in bench.
 */

import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { textsOf } from "../src/core/message.ts";
import { openaiChat } from "../src/formats/openai-chat.ts";
import { compactedView } from "./compacted-view.ts";
import { RECORDINGS } from "./recorded-calls.ts";
import { textRank } from "./text-rank.ts";

interface Meeting {
  readonly turns: readonly string[];
  readonly answers: readonly string[];
}

const PERCENTS = [5, 10] as const;
const BARS: Readonly<Record<number, number>> = { 5: 0.48, 10: 0.65 };

const ROLES = { "ours, all user": ["user"], "ours, alternating": ["user", "assistant"] } as const;

/** The reference tool's own list, so that the numbers compare. */
const SMALL_WORDS: ReadonlySet<string> = new Set(
  (
    "a an the and or but if then of to in on at by for with from as is are was were be been being it its this that these those " +
    "he she they we you i me my your his her their our us them not no do does did done have has had will would can could should " +
    "may might about into over after before so than too very just also there here what which who whom when where why how because " +
    "during while more most some any all each other such only own same s t don re ve ll m d one two"
  ).split(" "),
);

await run();

async function run(): Promise<void> {
  const files = existsSync(RECORDINGS) ? globSync("qmsum/**/*.json", { cwd: RECORDINGS }).sort() : [];
  if (files.length === 0) {
    console.log(`There are no meetings in ${RECORDINGS}; nothing was measured.`);
    return;
  }
  const meetings = files.map((file) => readMeeting(join(RECORDINGS, file)));
  for (const percent of PERCENTS) {
    const rows = new Map<string, number[]>();
    for (const [index, meeting] of meetings.entries()) {
      for (const [name, view] of await viewsOf(meeting, percent, index === 0)) {
        rows.set(name, [...(rows.get(name) ?? []), ...answerShares(meeting, view)]);
      }
    }
    console.log(`\n| view at ${percent} % | answers | content words kept |\n|---|---:|---:|`);
    for (const [name, shares] of rows) console.log(`| ${name} | ${shares.length} | ${mean(shares).toFixed(3)} |`);
    for (const name of Object.keys(ROLES)) {
      const isMet = mean(rows.get(name) ?? []) >= (BARS[percent] ?? 0);
      console.log(`${name}: bar ${BARS[percent]} ${isMet ? "met" : "missed"}`);
      if (!isMet) process.exitCode = 1;
    }
  }
}

function readMeeting(path: string): Meeting {
  const file = JSON.parse(readFileSync(path, "utf8"));
  return {
    turns: file.meeting_transcripts.map(
      (turn: { speaker: string; content: string }) => `${turn.speaker}: ${turn.content}`,
    ),
    answers: (file.specific_query_list ?? []).map((query: { answer: string }) => query.answer),
  };
}

async function viewsOf(
  { turns }: Meeting,
  percent: number,
  isFirst: boolean,
): Promise<readonly (readonly [string, string])[]> {
  const whole = turns.join("\n");
  const budgetChars = Math.floor((whole.length * percent) / 100);
  const sentences = turns.flatMap((turn) => turn.split(/(?<=[.!?])\s+/)).filter((sentence) => sentence.trim() !== "");
  const views: [string, string][] = [
    ["tail", whole.slice(-budgetChars)],
    ["TextRank", textRank(sentences, contentWords, budgetChars)],
  ];
  for (const [name, roles] of Object.entries(ROLES)) {
    const messages = turns.map((content, index) => ({ role: roles[index % roles.length], content }));
    const view = await compactedView(openaiChat, { messages }, percent);
    if (!view.fits) throw new Error(`${view.tokensAfter} tokens exceed the target of ${view.targetTokens}`);
    if (isFirst && process.argv.includes("--show")) console.log(view.summary);
    const kept = openaiChat.decode(view.body).messages.flatMap(({ parts }) => textsOf(parts));
    views.push([name, kept.join("\n")]);
  }
  return views;
}

function answerShares({ turns, answers }: Meeting, view: string): readonly number[] {
  const source = new Set(contentWords(turns.join("\n")));
  const kept = new Set(contentWords(view));
  return answers.flatMap((answer) => {
    const words = [...new Set(contentWords(answer))].filter((word) => source.has(word));
    return words.length === 0 ? [] : [words.filter((word) => kept.has(word)).length / words.length];
  });
}

function contentWords(value: string): readonly string[] {
  return (value.match(/[A-Za-z0-9]+(?:'[a-z]+)?|\P{ASCII}/gu) ?? [])
    .map((word) => word.toLowerCase())
    .filter((word) => !SMALL_WORDS.has(word) && (word.length > 2 || /^\d+$/.test(word)));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
