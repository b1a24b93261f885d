/**
 * Quotes a long request by what it asks: the title of the task where a label announces one, the sentence that asks, and then
 * as much of the rest as fits, in its own order and words; dots mark what was left out. Never the wrapping, the log or the
 * rules around it while there is anything else. Reads a bounded beginning and end.
 */

import type { Language } from "../../core/checkpoint/language.ts";
import { CUES } from "./cues.ts";
import { cutAtWord, endsWithMark, splitSentences } from "./sentences.ts";

const READ_CHARS = 12_000;
const LINES_MAX = 400;
/** Fewer characters than this of a sentence say nothing. */
const PIECE_CHARS_MIN = 24;

/** The request itself when it is short enough. */
export function askingQuote(request: string, charsMax: number, language: Language): string {
  const lines = tidyLines(bounded(request));
  const whole = lines.join("\n");
  if (whole.length <= charsMax && request.length <= READ_CHARS) return whole;
  const pieces = piecesOf(lines, language);
  const order = byWorth(pieces);
  if (order.length === 0) return cutAtWord(whole, charsMax);
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
      cut = cutAtWord(text, left);
      left = 0;
    } else left -= text.length + GAP.length;
    taken.add(at);
    if (left < PIECE_CHARS_MIN) break;
  }
  return cut === "" ? joined(pieces, taken) : cut;
}

const GAP = " … ";
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
  return last === pieces.length - 1 ? quote : `${quote}…`;
}

function bounded(request: string): string {
  if (request.length <= READ_CHARS) return request;
  const half = READ_CHARS >> 1;
  return `${request.slice(0, half)}\n${request.slice(-half)}`;
}

/** Blank lines and rules cost and say nothing. */
export function tidyLines(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => /[\p{L}\p{N}]/u.test(line));
}

interface Piece {
  readonly text: string;
  readonly line: number;
  readonly worth: Worth;
}

/** What a sentence does for its reader: names the task, asks, asks by a bare verb or a question, tells, or lays down rules. */
type Worth = "title" | "plea" | "order" | "telling" | "rule";
const WORTHS: readonly Worth[] = ["title", "plea", "order", "telling", "rule"];

function byWorth(pieces: readonly Piece[]): readonly number[] {
  const ask = WORTHS.slice(0, 3).map((worth) => pieces.findIndex((piece) => piece.worth === worth));
  const first = ask.filter((at) => at >= 0).slice(0, 2);
  const rest = pieces.flatMap(({ worth }, at) => (worth === "rule" || first.includes(at) ? [] : [at]));
  return [...first, ...rest];
}

function piecesOf(lines: readonly string[], language: Language): readonly Piece[] {
  const own = piecesIn(withoutMaterial(lines), language);
  return own.length > 0 ? own : piecesIn(lines, language);
}

/** Without what stands between tags on lines of their own: documents to work on, unless a tag names the task. */
function withoutMaterial(lines: readonly string[]): readonly string[] {
  const own: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const tag = /^\s*<([\w:-]{2,60})(?:\s[^>]*)?>\s*$/.exec(line)?.[1];
    const end = tag === undefined || TASK_LABEL.test(line) ? -1 : lines.indexOf(`</${tag}>`, at);
    const close = end < 0 && EXAMPLE_START.test(line) ? lines.findIndex((below) => EXAMPLE_END.test(below)) : end;
    if (close <= at) own.push(line);
    else at = close;
  }
  return own;
}

const EXAMPLE_START = /^\W*(?:(?:start|begin(?:ning)?) of (?:the |an? )?(?:example|demonstration)|demonstration)\W*$/i;
const EXAMPLE_END = /^\W*end of (?:the |an? )?(?:example|demonstration)\W*$/i;

function piecesIn(lines: readonly string[], language: Language): readonly Piece[] {
  const pieces: Piece[] = [];
  let isTitle = false;
  let isCode = false;
  lines.slice(0, LINES_MAX).forEach((line, at) => {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
    if (isCode || PRINTED_LINE.test(line)) return;
    const [label = ""] = TASK_LABEL.exec(line) ?? [];
    const words = label === "" ? line.replace(/^\s*#{1,6}\s+/, "") : line.slice(label.length);
    if (label !== "") isTitle = true;
    for (const sentence of splitSentences(words, { sentencesMax: 40 })) {
      const text = sentence.replace(/^…\s*/, "");
      if (text.length < SENTENCE_CHARS_MIN && !/[\u3040-\u9fff\uac00-\ud7a3]{3}/.test(text)) continue;
      pieces.push({ text, line: at, worth: isTitle ? "title" : worthOf(text, pieces.length === 0, language) });
      isTitle = false;
    }
  });
  return pieces;
}

/** "E.g." */
const SENTENCE_CHARS_MIN = 6;

/** "ISSUE:", "<issue_description>", "## Task", "Question: …": what follows is the task. */
const TASK_LABEL =
  /^\s*(?:[<#*[_\s]*)(?:(?:the|your|my|our|user'?s?|current|main|github|ctf|issue|problem|task|challenge|pr|original)[\s_-]+){0,3}(?:issue|task|question|problem|challenge|request|goal|objective|query|bug report|feature request|title|subject|aufgabe|frage|tâche|demande|tarea|pregunta|tarefa|pedido|compito|richiesta|задача|вопрос|任务|问题|需求|課題|依頼|タスク|작업|요청)s?(?:[\s_-]+(?:description|statement|text|title|summary|name))?(?:[\s>*\]_]*[:：]\**\s*|[>\]*_]+\s*$|(?<=#\s.{0,60})\s*$)/iu;

/** Log lines, frames of stacks, prompts, paths alone, tables and tags: printed or wrapped, not said. */
const PRINTED_LINE =
  /^\s*(?:\[?\d{4}-\d\d-\d\d[T ]|\d\d:\d\d:\d\d|at \S+ \(|File "|Traceback |[$➜%]\s|\||>{1,3}\s|(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL)\b[\s:[]|\[(?:INFO|WARN|ERROR|DEBUG|notice)|npm (?:warn|err|notice)|['"](?:\/|[A-Z]:\\|~\/)[^'"]*['"]$|(?:\/|[A-Z]:\\|~\/)\S*$|[-=*#_]{3,}|@@ |diff --git|[+-]{3} |<\/?[\w:-]+(?:\s[^>]*)?>\s*$|[{}[\]()]+[,;]?\s*$)/i;

const PLEAS: Partial<Record<Language, RegExp>> = {
  en: /(?:^|[,;:.!—–]\s|(?<![\p{L}\p{N}])(?:and|so|then|but|also|now|ok|okay|yes|hi|hello|hey) )(?:please(?! (?:note|make sure|be sure|remember|ensure|only|do not|don't|avoid|keep in mind))|(?:can|could|would|will) (?:you|we)|i(?:'d| would)? (?:want|need|like) (?:you|to)|i need(?! (?:some |your |a little )?help)|i want|i'm looking for|help me|your (?:task|job|goal) is|we (?:need|want|still need) to|let'?s)(?![\p{L}\p{N}])/iu,
};

/** What templates say of themselves. */
const ROLE =
  /^(?:(?:now,? )?you(?: are|['’]re) (?:an?|the|now|going to)|you (?:can|may|should|must|will|do not|don['’]t|need to|have to)|act as|as an? |imagine you|important|note|notes|remember|warning|caution|attention|tips?|hint|rules?|instructions?|here(?: is| are|['’]s)|the following|below|above|i(?:'ve| have) uploaded|du bist|sie sind|tu es|vous êtes|eres|você é|sei un|ты|вы —|wichtig|hinweis|remarque|nota|примечание)(?![\p{L}])|^(?:你是|您是|注意|重要|あなたは|당신은)/iu;

/** A plea stands at the beginning: "…, please use a script" is a rule about how. */
const PLEA_CHARS = 40;

function worthOf(sentence: string, isFirst: boolean, language: Language): Worth {
  if (ROLE.test(sentence)) return "rule";
  const { request, constraint } = CUES[language];
  if ((PLEAS[language] ?? request).test(sentence.slice(0, PLEA_CHARS))) return "plea";
  // Who begins with a rule asks for it.
  if (!isFirst && constraint.test(sentence)) return "rule";
  if (request.test(sentence) || /[?？؟]$/.test(sentence)) return "order";
  // What only announces says nothing without what it announces, and "Awesome!" nothing at all.
  const isEmpty = /[:：]$/.test(sentence) || (sentence.length < TELLING_CHARS_MIN && /[!.]$/.test(sentence));
  return isEmpty ? "rule" : "telling";
}

const TELLING_CHARS_MIN = 20;

/** Whether any of its sentences asks for something outright. */
export function asksOutright(request: string, language: Language): boolean {
  return piecesIn(tidyLines(bounded(request)), language).some(({ worth }) => worth === "plea" || worth === "title");
}
