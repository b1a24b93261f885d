/**
 * What a reader can go on from: checkpoints and tails of the same size, side by side and without names, for people or models to score.
 *
 * `npm run reading -- sheets OUT [FOLDER …]` writes a folder for each case: the conversation, what happened next, and two views in
 * random order; `OUT.key.json` tells which is which. `npm run reading -- table OUT` puts the scores together. The method: docs/fidelity.md.
 */

import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { CompactionError } from "../src/core/errors.ts";
import { isArray, isObject, type JsonArray, type JsonValue } from "../src/core/json.ts";
import { type FormatName, type Message, type Part, textsOf } from "../src/core/message.ts";
import { isTurnStart, structureOf } from "../src/core/structure/structure.ts";
import { estimateTokens } from "../src/core/tokens/tokens.ts";
import { formatNamed } from "../src/formats.ts";
import { resolveSettings } from "../src/settings.ts";
import { readTranscriptFile } from "../src/transcripts/index.ts";
import { compactedView } from "./compacted-view.ts";
import { seeded } from "./random.ts";
import { RECORDINGS } from "./recorded-calls.ts";

const QUESTIONS = ["request", "done", "open", "rules", "next"] as const;
const CASES_MAX = 30;
const CONVERSATION_TOKENS_MIN = 4_000;
const MESSAGES_MIN = 12;
/** A view is this share of the conversation, and no smaller than that. */
const VIEW_SHARE = 0.05;
const VIEW_TOKENS_MIN = 1_000;

interface Case {
  readonly source: string;
  readonly name: string;
  readonly format: FormatName;
  readonly before: JsonArray;
  readonly after: JsonArray;
}

/** One line of a reader's `scores.jsonl`. */
interface Score extends Readonly<Record<(typeof QUESTIONS)[number], number>> {
  readonly case: string;
  readonly view: "A" | "B";
  /** Statements about what is done, open or in force that are not true, quoted. */
  readonly false: readonly string[];
}

const [command, out = "", ...folders] = process.argv.slice(2);
if (command === "sheets" && out !== "") await writeSheets();
else if (command === "table" && out !== "") printTable();
else console.log("npm run reading -- sheets OUT [FOLDER …] | npm run reading -- table OUT");

async function writeSheets(): Promise<void> {
  const sources = folders.length > 0 ? folders : recordedFolders();
  const random = seeded(Number(process.env.SEED ?? 1));
  const key: Record<string, unknown> = {};
  const cases = spread(sources.map((folder) => casesIn(folder)));
  for (const [index, item] of cases.entries()) {
    const id = String(index + 1).padStart(2, "0");
    const views = await viewsOf(item);
    const isFirst = random.below(2) === 0;
    mkdirSync(join(out, id), { recursive: true });
    const write = (name: string, text: string): void => writeFileSync(join(out, id, name), text);
    write("conversation.txt", textOf(item.format, item.before));
    write("afterwards.txt", textOf(item.format, item.after).slice(0, 20_000));
    write("A.txt", isFirst ? views.checkpoint : views.tail);
    write("B.txt", isFirst ? views.tail : views.checkpoint);
    key[id] = { source: item.source, name: item.name, checkpoint: isFirst ? "A" : "B" };
    console.log(`${id}: ${item.source}, ${item.before.length} messages`);
  }
  writeFileSync(keyPath(), JSON.stringify(key, null, 2));
}

/** Beside the folder that readers are given. */
function keyPath(): string {
  return `${out.replace(/\/+$/, "")}.key.json`;
}

/** The compacted request, and the first request with as much of the end as makes the same size; the system prompt stands beside both. */
async function viewsOf({ format, before }: Case): Promise<{ readonly checkpoint: string; readonly tail: string }> {
  const { messages } = formatNamed(format).decode(before);
  const tokens = estimateTokens();
  const whole = tokens.total(messages);
  const prompt = tokens.total(messages.filter(({ role }) => role === "system"));
  const view = prompt + Math.max(VIEW_TOKENS_MIN, (whole - prompt) * VIEW_SHARE);
  const { body, summary } = await compactedView(formatNamed(format), before, (100 * view) / whole);
  if (!isArray(body as JsonValue)) throw new Error("A bare list was compacted to something else.");
  const checkpoint = withoutFrame(textOf(format, body as JsonArray, isSaid), summary);
  const first = messages.findIndex(isTurnStart);
  const request = textOf(format, before.slice(first, first + 1)).slice(0, checkpoint.length / 2);
  const end = textOf(format, before.slice(first + 1), isSaid);
  const tail = `${request}\n\n[…]\n\n${end.slice(-Math.max(1, checkpoint.length - request.length))}`;
  return { checkpoint, tail };
}

/** Where messages left, both views have the same mark. */
function withoutFrame(view: string, summary: string): string {
  const { opening, closing, acknowledgement } = resolveSettings().render;
  return view
    .replace(`[user] ${opening}`, "[…]\n\n")
    .replace(summary, () => summary.trim())
    .replace(closing, "\n\n[…]")
    .replace(`\n\n[assistant] ${acknowledgement.text}`, "");
}

function isSaid({ role }: Message): boolean {
  return role !== "system";
}

function textOf(format: FormatName, list: JsonArray, isShown: (message: Message) => boolean = () => true): string {
  return formatNamed(format)
    .decode(list)
    .messages.filter(isShown)
    .flatMap(({ role, parts }) => parts.map((part) => partText(role, part)))
    .filter((text) => text !== "")
    .join("\n\n");
}

function partText(role: string, part: Part): string {
  if (part.type === "text") return `[${role}] ${part.text}`;
  if (part.type === "tool-call") return `[call] ${part.name} ${JSON.stringify(part.input)}`;
  if (part.type === "tool-result") return `[result] ${textsOf(part.content).join("\n")}`;
  return "";
}

function recordedFolders(): readonly string[] {
  if (!existsSync(RECORDINGS)) {
    console.log(`There are no recordings in ${RECORDINGS}; name a folder of transcripts.`);
    return [];
  }
  return readdirSync(RECORDINGS).map((name) => join(RECORDINGS, name));
}

/** The longest conversations of a folder, one a file, each cut where an agent is at work. */
function casesIn(folder: string): readonly Case[] {
  const cases = globSync("**/*.{json,jsonl,traj}", { cwd: folder }).flatMap((name): readonly Case[] => {
    const conversations = conversationsIn(join(folder, name));
    const longest = [...conversations].sort((a, b) => b.list.length - a.list.length).slice(0, CASES_MAX);
    return longest.flatMap(({ format, list }) => cutCase({ source: basename(folder), name, format }, list) ?? []);
  });
  return cases.sort((a, b) => b.before.length - a.before.length);
}

function conversationsIn(path: string): readonly { readonly format: FormatName; readonly list: JsonArray }[] {
  try {
    return readTranscriptFile(path).conversations.map(({ format, segments }) => ({
      format,
      list: segments.at(-1)?.messages ?? [],
    }));
  } catch (error) {
    if (error instanceof CompactionError) return [];
    throw error;
  }
}

/** Cut after about two thirds, where neither a call and its result nor a response is split. Undefined for short ones. */
function cutCase(about: Omit<Case, "before" | "after">, list: JsonArray): Case | undefined {
  const messages = formatNamed(about.format).decode(list).messages;
  if (messages.length !== list.length) return undefined;
  const cut = structureOf(messages).cutAtOrAfter(Math.floor((messages.length * 2) / 3), "pair-safe");
  if (cut === undefined || cut < MESSAGES_MIN || cut >= list.length) return undefined;
  const before = list.slice(0, cut);
  if (estimateTokens().total(messages.slice(0, cut)) < CONVERSATION_TOKENS_MIN) return undefined;
  return { ...about, before, after: list.slice(cut) };
}

/** One of each source in turn, until there are enough. */
function spread(sources: readonly (readonly Case[])[]): readonly Case[] {
  const rows = Math.max(0, ...sources.map(({ length }) => length));
  const turns = Array.from({ length: rows }, (_, row) => sources.flatMap((cases) => cases[row] ?? []));
  return turns.flat().slice(0, CASES_MAX);
}

function printTable(): void {
  const key: unknown = JSON.parse(readFileSync(keyPath(), "utf8"));
  const lines = globSync("**/scores.jsonl", { cwd: out }).flatMap((name) =>
    readFileSync(join(out, name), "utf8").split("\n").filter(Boolean),
  );
  const rows = new Map<string, number[][]>();
  const untrue: string[] = [];
  for (const line of lines) {
    const score = JSON.parse(line) as Score;
    const about = isObject(key as JsonValue)
      ? (key as Record<string, { source: string; checkpoint: string }>)[score.case]
      : undefined;
    if (about === undefined) throw new Error(`There is no case ${score.case}.`);
    const view = score.view === about.checkpoint ? "checkpoint" : "tail";
    for (const source of [about.source, "all"]) {
      const name = `${source} | ${view}`;
      rows.set(name, [...(rows.get(name) ?? []), QUESTIONS.map((question) => score[question])]);
    }
    untrue.push(...score.false.map((quote) => `${score.case} (${view}): ${quote}`));
  }
  console.log(
    `| source | view | cases | ${QUESTIONS.join(" | ")} | of 10 |\n|---|---|---:|${"---:|".repeat(QUESTIONS.length + 1)}`,
  );
  for (const [name, scores] of [...rows].sort(([a], [b]) => a.localeCompare(b))) {
    const means = QUESTIONS.map((_, at) => scores.reduce((sum, score) => sum + (score[at] ?? 0), 0) / scores.length);
    const total = means.reduce((sum, mean) => sum + mean, 0);
    console.log(
      `| ${name} | ${scores.length} | ${means.map((mean) => mean.toFixed(2)).join(" | ")} | ${total.toFixed(1)} |`,
    );
  }
  console.log(`\nStatements that are not true: ${untrue.length}`);
  for (const each of untrue) console.log(`- ${each}`);
}
