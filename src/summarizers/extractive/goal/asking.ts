/**
 * Quotes a long request by what it asks: the title of the task where a label announces one, the sentence that asks, and then
 * as much of the rest as fits, in its own order and words; dots mark what was left out. Never the wrapping, the log or the
 * rules around it while there is anything else. Reads a bounded beginning and end.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import { CUES } from "../cues/cues.ts";
import { endsAsking, endsWithMark } from "../text/endings.ts";
import { quick } from "../text/quick-expressions.ts";
import { cutAtWord, splitSentences } from "../text/sentences.ts";
import {
  isPointing,
  LATE_CLAUSE,
  LEANING,
  LEANING_PLEA,
  opensWithOrder,
  PLEA_CHARS,
  PLEAS,
  worthOf,
} from "./asking-worth.ts";
import { detailsFirst } from "./details-first.ts";
import { ordersFirst } from "./order-list.ts";
import { withoutLogs } from "./pasted-log.ts";
import { cutAtClause, GAP, type Piece, type Worth, withRoomForPlea, withRoomForSource } from "./quote-room.ts";

const READ_CHARS = 12_000;
const LINES_MAX = 400;
/** Fewer characters than this of a sentence say nothing. */
const PIECE_CHARS_MIN = 24;

/** The request itself when it is short enough. */
export function askingQuote(request: string, charsMax: number, language: Language): string {
  const read = bounded(request);
  const lines = tidyLines(read);
  const whole = lines.join("\n");
  if (whole.length <= charsMax && request.length <= READ_CHARS) return whole;
  const found = piecesOf(lines, { language, quoted: quotedLines(read) });
  const order = byWorth(found);
  if (order.length === 0) return cutAtWord(whole, charsMax);
  const pieces = withRoomForSource(withRoomForPlea(found, order, charsMax), order, charsMax);
  const taken = new Set<number>();
  let left = charsMax;
  let cut = "";
  let missed = 0;
  for (const at of order) {
    const text = pieces[at]?.text ?? "";
    if (text.length + GAP.length > left) {
      // Only the first is worth a cut: it is what was asked.
      if (taken.size > 0 && ++missed < MISSED_MAX) continue;
      if (taken.size > 0) break;
      cut = cutBeforePlea(text, left, language);
      left = 0;
    } else left -= text.length + GAP.length;
    taken.add(at);
    const isPleaToCome = pieces !== found && taken.size === 1;
    if (left < PIECE_CHARS_MIN && !isPleaToCome) break;
  }
  return cut === "" ? joined(pieces, taken) : cut;
}

/** How many characters a quote takes that holds what is asked, with what that leans on; 0 where nothing is asked. */
export function askingChars(request: string, language: Language): number {
  const read = bounded(request);
  const pieces = piecesOf(tidyLines(read), { language, quoted: quotedLines(read) });
  const [at = -1, sourceAt = -1] = byWorth(pieces);
  const asking = pieces[at];
  if (asking === undefined || asking.worth === "telling") return 0;
  const isSourced = asking.isLeaning === true || asking.isNaming === true;
  const source = isSourced && sourceAt === at - 1 ? (pieces[sourceAt]?.text.length ?? 0) : 0;
  return asking.text.length + source + 2 * GAP.length;
}

/** At a clause, unless what is asked stands behind it: then at a word. */
function cutBeforePlea(sentence: string, charsMax: number, language: Language): string {
  if (sentence.length <= charsMax) return sentence;
  const clauses = cutAtClause(sentence, charsMax);
  const pleas = PLEAS[language] ?? CUES[language].request;
  return clauses === "" || pleas.test(sentence.slice(clauses.length - 1)) ? cutAtWord(sentence, charsMax) : clauses;
}

/** What fits only because it is short and far away from the rest says little. */
const MISSED_MAX = 2;

function joined(pieces: readonly Piece[], taken: ReadonlySet<number>): string {
  let quote = "";
  let last = -1;
  for (const at of [...taken].sort((a, b) => a - b)) {
    const { text = "", line = 0 } = pieces[at] ?? {};
    const isNext = at === last + 1;
    if (quote !== "") quote += !isNext ? GAP : line === pieces[last]?.line || endsWithMark(quote) ? " " : "\n";
    quote += text;
    last = at;
  }
  return last === pieces.length - 1 ? quote : `${quote.replace(/[,;…]$/, "")}…`;
}

function bounded(request: string): string {
  if (request.length <= READ_CHARS) return request;
  const half = READ_CHARS >> 1;
  const head = request.slice(0, half);
  const tail = request.slice(-half);
  // Between them a fence may have gone: without it, words would pass for code.
  const fences = `${head}\n${tail}`.match(/^\s*(?:```|~~~)/gm)?.length ?? 0;
  return `${head}\n${fences % 2 === 1 ? "```\n" : ""}${tail}`;
}

/** Blank lines and rules cost and say nothing; where code ends must stay known. */
export function tidyLines(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => /[\p{L}\p{N}]/u.test(line) || FENCE.test(line));
}

const FENCE = /^\s*(?:```|~~~)/;

function byWorth(pieces: readonly Piece[]): readonly number[] {
  const placeOf = (worth: Worth): number => pieces.findIndex((piece) => piece.worth === worth);
  const plea = placeOf("plea");
  // Many words ask; whoever says "please" means it.
  const politePlea = pieces.findIndex(({ worth, text }, at) => worth === "plea" && at > plea && POLITE.test(text));
  const first = [placeOf("title"), plea, politePlea, orderIn(pieces)].filter((at) => at >= 0).slice(0, 2);
  const [main = 0] = first;
  const { worth: source, text: told = "" } = pieces[main - 1] ?? {};
  const isSourced = pieces[main]?.isLeaning === true || pieces[main]?.isNaming === true;
  const hasSource = isSourced && (source === "telling" || source === "order" || (source === "rule" && /\d/.test(told)));
  if (hasSource) first.splice(1, first[1] === main - 1 ? 1 : 0, main - 1);
  const rest = pieces.flatMap(({ worth }, at) => (worth === "rule" || first.includes(at) ? [] : [at]));
  const { worth, text = "" } = pieces[0] ?? {};
  // What is announced says more than that it follows.
  if (first.length === 0 && worth === "telling" && ANNOUNCING.test(text)) rest.unshift(...rest.splice(1, 1));
  return [...new Set([...first, ...(plea < 0 ? ordersFirst(rest, pieces) : detailsFirst(rest, pieces))])];
}

/** "We're solving the following riddle." */
const ANNOUNCING = quick(
  String.raw`^[^,;]{0,60}(?<!\p{L})(?:the following|folgende[nrsm]?|l[ea]s? \p{L}+ suivante?s?|(?:el|la|los|las) siguientes?|[oa]s? seguintes?|(?:il|la|i|le) seguent[ei]|следующ\p{L}+)(?!\p{L})[^,;:]{0,40}[.!]?$|^[^，,]{0,20}(?:以下|如下|下面|次の|다음)[^，,：:]{0,20}[。.]?$`,
  "i",
);

const POLITE = quick(
  String.raw`^(?:(?:and|und|et|y|e|и) )?(?:please|bitte|s['’]il (?:vous|te) pla[iî]t|por favor|per favore|пожалуйста|من فضلك)(?!\p{L})|^(?:所以|那)?(?:请|麻烦|帮我)|(?:ください|お願いします|주세요|부탁드립니다)[。.!]?$`,
  "i",
);

/** Who ends with a question asks it, whatever was said on the way; else the first that begins with a bare verb, or has one. */
function orderIn(pieces: readonly Piece[]): number {
  const last = pieces.length - 1;
  if (pieces[last]?.worth === "order" && endsAsking(pieces[last]?.text ?? "")) return last;
  const opening = pieces.findIndex(({ worth, opens }) => worth === "order" && opens === true);
  return opening >= 0 ? opening : pieces.findIndex(({ worth }) => worth === "order");
}

interface Reading {
  readonly language: Language;
  /** Lines that were quoted, and ask nobody. */
  readonly quoted: ReadonlySet<string>;
}

function piecesOf(lines: readonly string[], reading: Reading): readonly Piece[] {
  const { own, titles } = withoutMaterial(lines);
  const pieces = piecesIn(withoutLogs(own), reading);
  return pieces.length > 0 ? withTitle(pieces, titles) : piecesIn(lines, reading);
}

/** The paragraph that begins on the line after "The description is:". */
function quotedLines(request: string): ReadonlySet<string> {
  const quoted = new Set<string>();
  // At length a colon is found much faster than the words before it.
  if (!LABEL_END.test(request)) return quoted;
  let isQuoted = false;
  for (const line of request.split("\n")) {
    if (LABEL_END.test(line) && MATERIAL_LABEL.test(line)) isQuoted = true;
    else if (line.trim() === "" || /^\s*</.test(line)) isQuoted = false;
    else if (isQuoted) quoted.add(line.trimEnd());
  }
  return quoted;
}

/** Where the sentence that asks names a document by its tag, the document's first line says what it is about. */
function withTitle(pieces: readonly Piece[], titles: ReadonlyMap<string, string>): readonly Piece[] {
  if (titles.size === 0 || pieces.some(({ worth }) => worth === "title")) return pieces;
  const at = pieces.findIndex(({ worth, text }) => (worth === "plea" || worth === "order") && text.includes("<"));
  const asking = pieces[at];
  const named = [...titles].find(([tag]) => asking?.text.includes(`<${tag}>`));
  if (asking === undefined || named === undefined) return pieces;
  const naming = { ...asking, isNaming: true };
  return [
    ...pieces.slice(0, at),
    { text: named[1], line: asking.line - 1, worth: "telling" },
    naming,
    ...pieces.slice(at + 1),
  ];
}

interface Parted {
  readonly own: readonly string[];
  /** The first line of each document, by its tag. */
  readonly titles: ReadonlyMap<string, string>;
}

const TITLE_CHARS_MAX = 120;

/** Without what stands between tags on lines of their own: documents to work on, unless a tag names the task. */
function withoutMaterial(lines: readonly string[]): Parted {
  const own: string[] = [];
  const titles = new Map<string, string>();
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const tag = /^\s*<([\w:-]{2,60})(?:\s[^>]*)?>\s*$/.exec(line)?.[1];
    const end = tag === undefined || TASK_LABEL.test(line) ? -1 : lines.indexOf(`</${tag}>`, at);
    const close = end < 0 && EXAMPLE_START.test(line) ? lines.findIndex((below) => EXAMPLE_END.test(below)) : end;
    if (close <= at) own.push(line);
    else {
      const title = lines.slice(at + 1, close).find((inner) => !/[:：]\s*$/.test(inner) && !PRINTED_LINE.test(inner));
      if (tag !== undefined && title !== undefined)
        titles.set(tag, cutAtWord(title.replace(/^\s*#{1,6}\s+/, "").trim(), TITLE_CHARS_MAX));
      at = close;
    }
  }
  return { own, titles };
}

const EXAMPLE_START = /^\W*(?:(?:start|begin(?:ning)?) of (?:the |an? )?(?:example|demonstration)|demonstration)\W*$/i;
const EXAMPLE_END = /^\W*end of (?:the |an? )?(?:example|demonstration)\W*$/i;

function piecesIn(lines: readonly string[], { language, quoted }: Reading): readonly Piece[] {
  const pieces: Piece[] = [];
  let isTitle = false;
  let isCode = false;
  let isRules = false;
  lines.slice(0, LINES_MAX).forEach((line, at) => {
    const isFence = FENCE.test(line);
    if (isFence) isCode = !isCode;
    if (isFence || isCode || PRINTED_LINE.test(line)) return;
    const [label = ""] = TASK_LABEL.exec(line) ?? COMMAND_WORDS.exec(line) ?? [];
    const words = label === "" ? line.replace(/^\s*#{1,6}\s+/, "") : line.slice(label.length);
    if (label !== "") isTitle = true;
    isRules = label === "" && (isRules || (pieces.length > 0 && RULES_LABEL.test(line)));
    const isQuoted = quoted.has(line);
    for (const sentence of splitSentences(words, { sentencesMax: 40 }).flatMap(atLatePlea)) {
      const text = sentence.replace(/^…\s*/, "");
      if (text.length < SENTENCE_CHARS_MIN && !/[\u3040-\u9fff\uac00-\ud7a3]{3}/.test(text)) continue;
      const before = pieces.at(-1);
      // What such a plea leans on is what is asked.
      if (before?.worth !== "title" && before !== undefined && LEANING_PLEA.test(text))
        pieces.splice(-1, 1, { ...before, worth: "plea", isLeaning: true });
      const worth = isTitle ? "title" : isRules ? "rule" : worthOf(text, pieces.length === 0, language);
      const isLeaning = (worth === "plea" || worth === "order") && (LEANING.test(text) || isPointing(text));
      pieces.push({
        text,
        line: at,
        worth: isQuoted && worth !== "rule" ? "telling" : worth,
        isLeaning,
        opens: worth === "order" && opensWithOrder(text, language),
      });
      isTitle = false;
    }
  });
  return pieces;
}

/** "The gate is stuck and nobody has the key, can you open it?" asks in its end: that part is a piece of its own. */
function atLatePlea(sentence: string): readonly string[] {
  const at = sentence.length <= PLEA_CHARS ? -1 : sentence.slice(PLEA_CHARS).search(LATE_CLAUSE);
  return at < 0 ? [sentence] : [sentence.slice(0, PLEA_CHARS + at + 1), sentence.slice(PLEA_CHARS + at + 2)];
}

/** "E.g." */
const SENTENCE_CHARS_MIN = 6;

/** "ISSUE:", "<issue_description>", "## Task", "Question: …": what follows is the task. */
const TASK_LABEL =
  /^\s*(?:[<#*[_\s]*)(?:(?:the|your|my|our|user'?s?|current|main|github|ctf|issue|problem|task|challenge|pr|original)[\s_-]+){0,3}(?:issue|task|question|problem|challenge|request|goal|objective|query|bug report|feature request|title|subject|aufgabe|frage|tâche|demande|tarea|pregunta|tarefa|pedido|compito|richiesta|задача|вопрос|任务|问题|需求|課題|依頼|タスク|작업|요청)s?(?:[\s_-]+(?:description|statement|text|title|summary|name))?(?:[\s>*\]_]*[:：]\**\s*|[>\]*_]+\s*$|(?<=#\s.{0,60})\s*$)/i;

/** Under the text of a command stands what its user wrote behind the name. */
const COMMAND_WORDS = /^(?:ARGUMENTS:|\*\*Arguments(?:\*\*:|:\*\*)) (?=\S)/;

/** "INSTRUCTIONS:", "## Important notes": what follows says how, whatever was asked before. */
const RULES_LABEL =
  /^\s*(?:[<#*[_\s]*)(?:(?:important|general|additional|some|the|your|output|response)[\s_-]+){0,2}(?:instructions|tips|rules|notes?|guidelines|reminders|format|hinweise|regeln|consignes|instrucciones|reglas|instruções|regras|istruzioni|regole|инструкции|правила|注意事项|规则|要求|注意事項|ルール|규칙)(?:[\s>*\]_]*[:：]\**\s*$|[>\]*_]+\s*$|(?<=#\s.{0,60})\s*$)/i;
const LABEL_END = /[:：]\s*$/m;
/** "The description is:" at the end of a line. */
const MATERIAL_LABEL = quick(
  String.raw`(?<!\p{L})(?:description|statement|story|message|e-?mail|report|log|output|excerpt|beschreibung|nachricht|descripción|mensaje|descrição|mensagem|descrizione|messaggio|описание|сообщение)(?: (?:is|was|reads|says|ist|lautet|est|es|é|è))?(?: as follows)?[:：]\s*$|(?:描述|内容|説明|설명)(?:如下|は次の通り)?[:：]\s*$`,
  "im",
);

/** Log lines, frames of stacks, prompts, paths alone, tables and tags: printed or wrapped, not said. */
const PRINTED_LINE =
  /^\s*(?:\[?\d{4}-\d\d-\d\d[T ]|\d\d:\d\d:\d\d|at \S+ \(|File "|Traceback |[$➜%]\s|\||>{1,3}\s|(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL)\b[\s:[]|\[(?:INFO|WARN|ERROR|DEBUG|notice)|npm (?:warn|err|notice)|['"](?:\/|[A-Z]:\\|~\/)[^'"]*['"]$|(?:\/|[A-Z]:\\|~\/)\S*$|[-=*#_]{3,}|@@ |diff --git|[+-]{3} |<\/?[\w:-]+(?:\s[^>]*)?>\s*$|[{}[\]()]+[,;]?\s*$)/i;

/** Whether any of its sentences asks for something outright. */
export function asksOutright(request: string, language: Language): boolean {
  const read = bounded(request);
  return piecesIn(tidyLines(read), { language, quoted: quotedLines(read) }).some(
    ({ worth }) => worth === "plea" || worth === "title",
  );
}
