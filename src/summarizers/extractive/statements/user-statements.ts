/**
 * What a user's message lays down: choices and lasting rules, as whole sentences. A value for the thing at hand is no rule, nor is
 * what users are about to do themselves. Never rewords.
 */

import type { Decision } from "../../../core/checkpoint/checkpoint.ts";
import type { CueTable } from "../cues/cue-table.ts";
import { CUES } from "../cues/cues.ts";
import { isTelling } from "../goal/tasks.ts";
import { announcesPlan, behindPlan, isTopicShift } from "../goal/topic-shift.ts";
import { endsAsking, endsWithMark } from "../text/endings.ts";
import { saidSentences } from "../text/message-sentences.ts";
import { quick } from "../text/quick-expressions.ts";
import { endsOf } from "../text/sentences.ts";
import { wholeStatement } from "../text/whole-statement.ts";
import { type Exchange, settledBy } from "./answers.ts";
import { CONSTRAINT, cuesIn, SAID } from "./deciding-cues.ts";
import { decisionIn } from "./decisions.ts";
import { leavesNamed, mayLeave } from "./left-alone.ts";
import { mayTake, offerTaken } from "./taken-offers.ts";

export interface LaidDown {
  readonly decisions: readonly Decision[];
  /** In the order in which they were said. */
  readonly constraints: readonly string[];
}

const SENTENCES_PER_REQUEST = 12;
const CONSTRAINT_CHARS_MAX = 280;

export interface LaidDownOptions {
  /** The user said the very same later, so that only what it answers may be new. Default: they did not. */
  readonly isRepeated?: boolean;
  /** It says something by itself, where that is known. */
  readonly isTold?: boolean;
  /** Its sentences, where somebody else reads them, too. */
  readonly cut?: () => readonly string[];
}

export function laidDownBy(exchange: Exchange, options: LaidDownOptions = {}): LaidDown {
  const { reply: text, language } = exchange;
  const { isRepeated = false, isTold = isTelling(text, language), cut = () => saidSentences(text) } = options;
  const answer = exchange.asked === "" ? undefined : settledBy(exchange);
  const isTaking = exchange.asked !== "" && answer === undefined && mayTake(text, language);
  const constraints: string[] = [];
  if (isRepeated || !isTold) {
    const settled = answer ?? (isTaking ? offerTaken(text, exchange) : undefined);
    return { decisions: settled === undefined ? [] : [settled], constraints };
  }
  const decisions = answer === undefined ? [] : [answer];
  const cues = CUES[language];
  const hasOtherPlan = announcesPlan(text);
  const isLeaving = answer === undefined && mayLeave(text, language) && !CORRECTED.test(text);
  const isCorrected = exchange.asked !== "" && answer === undefined && CORRECTED.test(text);
  let before = "";
  const said = endsOf(hasNotices(text) ? saidSentences(withoutNotices(text)) : cut(), SENTENCES_PER_REQUEST);
  const sentences = hasOtherPlan ? withOrder(said, cues) : said;
  const [first] = sentences;
  for (const sentence of sentences) {
    // "The footer is too bright. Should be dimmer everywhere." says nothing without the sentence before.
    const isLeaning = /^(?:should|must|needs?)\b/i.test(sentence) && endsWithMark(before);
    const isAnswered = isLeaning && endsAsking(before);
    const whole = wholeStatement(isLeaning ? `${before} ${sentence}` : sentence, BY_USER);
    before = sentence;
    const taken = isTaking ? offerTaken(sentence, exchange) : undefined;
    if (taken !== undefined) decisions.push(taken);
    if (taken !== undefined || whole === undefined || TOOL_ADVICE.test(whole)) continue;
    if (whole.length > CONSTRAINT_CHARS_MAX || endsAsking(whole)) continue;
    const found = cuesIn(whole, cues, SAID | CONSTRAINT);
    const decision = answer === undefined ? decisionIn(whole, cues, { ...BY_USER, found }) : undefined;
    if (decision !== undefined) decisions.push(decision);
    // "No, the gate should stay shut" wants otherwise than it was done.
    else if (isCorrected && sentence === first && isCorrection(whole, cues)) decisions.push({ decision: whole });
    else if (isLeaving && leavesNamed(whole, language)) decisions.push({ decision: whole });
    // "Change of plan: use brass instead" takes another way, with or without a reason.
    else if (hasOtherPlan && announcesPlan(whole)) decisions.push({ decision: whole });
    else if (isRule(whole, found, cues) && !SMALL_TALK.test(whole) && isLasting(sentence, isAnswered))
      constraints.push(whole);
  }
  return { decisions, constraints };
}

/** "Change of plan: the smith is away. Take brass." says why before it says what: both stand together. */
function withOrder(sentences: readonly string[], cues: CueTable): readonly string[] {
  const at = sentences.findIndex((sentence) => behindPlan(sentence) !== undefined);
  const announced = sentences[at] ?? "";
  if (announced === "" || orders(behindPlan(announced) ?? "", cues)) return sentences;
  const behind = sentences.slice(at + 1, at + 1 + ORDER_SENTENCES_BEHIND);
  const orderAt = behind.findIndex((sentence) => orders(sentence, cues) && !endsAsking(sentence));
  // "Change of plans!" alone does not say which.
  const count = orderAt >= 0 || announcesPlan(announced) ? orderAt + 1 : 1;
  const whole = [announced, ...behind.slice(0, count)].join(/[。！]$/.test(announced) ? "" : " ");
  if (whole.length > CONSTRAINT_CHARS_MAX) return sentences;
  return [...sentences.slice(0, at), whole, ...sentences.slice(at + 1 + count)];
}

/** In one of its clauses: "drop the iron and take brass". */
function orders(sentence: string, { request, pick }: CueTable): boolean {
  return request.test(sentence) || sentence.split(CLAUSE_END).some((clause) => pick.test(clause));
}

const CLAUSE_END = /[,;:，、；：،؛]\s*|\s(?:and|und|et|y|e|и)\s|\sو/;
const ORDER_SENTENCES_BEHIND = 2;

/** It says no, and then something. */
const CORRECTED =
  /^\s*(?:no|nope|nein|nee|non|não|нет)[,:;–—-]\s*\S|^\s*(?:不是?|不对|いいえ|違い?ます|아니(?:요|오)?)[，、,。]/i;

/** Something is to be otherwise; who only denies a fact, or wants nothing more, decides nothing. */
function isCorrection(sentence: string, { request }: CueTable): boolean {
  const rest = sentence.replace(CORRECTING, "");
  return rest.length >= CORRECTION_CHARS_MIN && !NOTHING_MORE.test(rest) && request.test(rest);
}

const CORRECTING = /^\s*(?:no|nope|nein|nee|non|não|нет)[,:;–—-]\s*|^[^，、,。]{1,6}[，、,。]/i;
const CORRECTION_CHARS_MIN = 8;
const NOTHING_MORE = quick(
  String.raw`^(?:that['’]?s|this is|it['’]?s|i(?:['’]m| am)|i (?:don['’]t|do not|need|just|meant|want(?! (?:it|the|this|that))|would)|nothing|thank|can you|could you|das (?:ist|war)|ich|c['’]est|je|eso es|yo|isso|eu|è|io|это|я)(?!\p{L})`,
  "i",
);

const BY_USER = { isUser: true, isAtWork: false } as const;
/** `found`: the cues of the sentence, one bit each. */
function isRule(sentence: string, found: number, { constraint }: CueTable): boolean {
  if (!sentence.includes("不")) return (found & CONSTRAINT) !== 0;
  return constraint.test(sentence.replace(A_NOT_A, ""));
}

/** "能不能": asks whether, and forbids nothing. */
const A_NOT_A = /(\p{Lo})不\1/gu;

/** What holds whenever it comes up, in so many words. */
const STANDING = quick(
  String.raw`(?<!\p{L})(?:always|never|from now on|at all times|under no circumstances|nie|niemals|immer|stets|auf keinen fall|ab (?:jetzt|sofort)|künftig|jamais|toujours|désormais|en aucun cas|siempre|nunca|jamás|de ahora en adelante|sempre|de agora em diante|d['’]ora in poi|никогда|всегда|впредь|ни в коем случае|دائما|دائمًا|أبدا|أبدًا)(?!\p{L})|(?<!\p{L})non .{1,30} mai(?!\p{L})|永远|绝不|绝对不|从不|始终|一律|今后|絶対に|決して|必ず|常に|今後|항상|절대|반드시|앞으로`,
  "i",
);

/** "The gate needs to be wider" asks for the thing at hand, "what colour is it? should be red" settles it: neither binds later. */
function isLasting(sentence: string, isAnswered: boolean): boolean {
  const words = sentence.replace(OPENING, "");
  if (CONJECTURE.test(words) || OF_ONESELF.test(words) || isTopicShift(words)) return false;
  return GENERAL.test(words) || !(isAnswered || AT_HAND.test(words));
}

/** "No, it should stay as it is": the word answers, and forbids nothing. */
const OPENING = /^(?:(?:no|nope|ok(?:ay)?|yes|well|hm+|oh)[,.!…]+ )+/i;
/** "I must have left it in the harbour." */
const CONJECTURE = quick(
  String.raw`(?<!\p{L})(?:must|should)(?: have|['’]ve) \p{L}+(?:ed|en|ft|ne|st|ght)(?!\p{L})|^(?:i|we) must be `,
  "i",
);
/** "I always lose": told of oneself, it binds nobody. */
const OF_ONESELF = quick(
  String.raw`^(?:(?:and|but|so|because) )?(?:i|we)(?:['’](?:m|ve|re))? (?:(?:am|was|have|had|feel|felt|just|really|also) )*(?:always|never|only|not|don['’]?t|do not|can['’]?t|cannot|couldn['’]?t|didn['’]?t) (?!want)|^(?:ich|wir) \p{L}+ (?:immer|nie|nur|nicht) |^(?:我|我们)?(?:总是|从来|一直)(?:感觉|觉得|是|很|没)`,
  "i",
);
const AT_HAND = quick(
  String.raw`(?<!\p{L})(?:should(?:n['’]t)?|needs? to|has to|have to|instead of|rather than)(?!\p{L})`,
  "i",
);
const GENERAL = quick(
  String.raw`(?<!\p{L})(?:always|never|don['’]?t|do not|must(?:n['’]t)?|only|every(?:where|thing|one|body)?|each|all|any|no|not|avoid|make sure|ensure|prefer|under|below|above|within|between|at (?:most|least)|(?:less|more|fewer|longer|shorter) than)(?!\p{L})`,
  "i",
);

/** "ok, let me try the light theme": what users are about to do themselves binds nobody. */
const SMALL_TALK = /^(?:(?:ok(?:ay)?|alright|right|hm+|so|well|oh)[,.!]*\s+)*(?:let me|lemme|i'?ll|i’ll|i will)\s/i;
/** "Use the --force option if you know what you are doing": what tools tell whoever reads their output. */
const TOOL_ADVICE =
  /^(?:to .{1,60},? )?(?:use|pass|add|try|run)(?: with)? (?:the )?[`'"]?--?[\w-]+[`'"]?.{0,20} (?:if|to)\s/i;
const NOTICE = "(?:\\[?(?:WARNING|WARN|ERROR|INFO|DEBUG|NOTICE|notice|hint)\\]?:?\\s|npm (?:warn|notice|error|ERR!))";
const NOTICE_LINE = new RegExp(`^\\s*${NOTICE}`);
const LATER_NOTICE = new RegExp(`\\n[^\\S\\n]*${NOTICE}`);

/** Most texts have none, and to look for one costs less than to take all lines apart. */
function hasNotices(text: string): boolean {
  return NOTICE_LINE.test(text) || LATER_NOTICE.test(text);
}

/** A user's text without the notices of tools in it. */
function withoutNotices(text: string): string {
  return text
    .split("\n")
    .filter((line) => !NOTICE_LINE.test(line))
    .join("\n");
}

/** Newest first, standing rules before the others: of several about the same thing the newest is in force. */
export function inForce(constraints: readonly string[]): readonly string[] {
  const subjects = new Set<string>();
  const rules = constraints.filter((rule) => {
    const subject = subjectOf(rule);
    if (subject === "") return true;
    if (subjects.has(subject)) return false;
    subjects.add(subject);
    return true;
  });
  const standing = new Set(rules.filter((rule) => STANDING.test(rule)));
  return standing.size === 0 ? rules : [...standing, ...rules.filter((rule) => !standing.has(rule))];
}

/** "The footer should be dim" is about the footer, "use tabs for indentation" about indentation; empty where nothing is named. */
function subjectOf(rule: string): string {
  const [, before = ""] =
    /^(?:(?:and|but|so|also|no|ok(?:ay)?|please)[,.]? )*(.{3,80}?) (?:should|must|needs? to|has to|have to) (?:always |only |all )?be /i.exec(
      rule,
    ) ?? [];
  const [, behind = ""] =
    before !== ""
      ? []
      : (/^(?:(?:and|but|so|also|no|ok(?:ay)?|please|always|only)[,.]? )*use (?:\S+ ){1,3}?(?:for|as) (?:the )?(.{3,60}?)[.!]?$/i.exec(
          rule,
        ) ?? []);
  const subject = before !== "" ? `be ${before}` : behind === "" ? "" : `for ${behind}`;
  // "It should be" may be about anything.
  return /^be (?:it|this|that|they|these|those|there|which|what|i|we|you)$/i.test(subject)
    ? ""
    : subject.toLowerCase().replace(/^be (?:the|our|your|all) /, "be ");
}
