/**
 * What else was said: whole sentences of users and assistant that cover the most content, each with its speaker where there
 * are several, in the order in which they were said. Fills a given number of tokens as far as it can.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import type { TokenCounter } from "../../../core/tokens/tokens.ts";
import { CUES } from "../cues/cues.ts";
import type { IsOvercome } from "../outdated/overcome.ts";
import { replacedIn } from "../outdated/replaced.ts";
import { denies, isRefusal, isStale, PRESENT_MESSAGES, type Since } from "../outdated/stale.ts";
import type { IsSuperseded } from "../outdated/superseded.ts";
import { isGivenUp, isOverWish, type Withdrawal } from "../outdated/withdrawn.ts";
import type { Prose } from "../reading/reading.ts";
import { isOutput } from "../reading/tool-output.ts";
import { isAnnouncement } from "../statements/assistant-statements.ts";
import { visitContentWords } from "../text/content-words.ts";
import { endsAsking, endsWithMark, isClosed } from "../text/endings.ts";
import { userLabel } from "../text/labels.ts";
import { leans } from "../text/leaning.ts";
import { quick } from "../text/quick-expressions.ts";
import { splitSentences } from "../text/sentences.ts";
import { wholeStatement, wholeWords } from "../text/whole-statement.ts";
import { writtenSentences } from "../text/written-sentences.ts";
import { type Candidate, coverageOf } from "./coverage.ts";
import { isAnswered, isThoughtAloud, isUnderway } from "./thought-aloud.ts";

export interface ContextOptions {
  readonly counter: TokenCounter;
  readonly language: Language;
  /** Lines of an earlier summary that compete with what is new. */
  readonly earlier: readonly string[];
  /** Words that whoever asked wants to see. */
  readonly focus: ReadonlySet<string>;
  /** What was found to be wrong up to this message is mended, and said no more. Default: nothing is. */
  readonly mendedUpTo?: number;
  /** Names that the user gave up. Default: none. */
  readonly withdrawn?: readonly Withdrawal[];
  /** Whether it was changed since. Default: nothing was. */
  readonly isSuperseded?: IsSuperseded | undefined;
  /** Whether what it says has failed succeeded since. Default: nothing did. Asked of what is about to be told alone. */
  readonly isOvercome?: IsOvercome;
}

/** At most so many tokens of lines; `known` are texts that stand elsewhere in the view. */
export type ChooseContext = (budgetTokens: number, known: readonly string[]) => readonly string[];

/** Prose beyond this is sampled evenly by message, so that time and memory stay bounded. */
const PROSE_CHARS_MAX = 6_000_000;
const SAMPLE_STEP_CHARS = 10_000;
const SENTENCES_PER_MESSAGE = 400;
/** Shorter ones are answers to a question that is gone. */
const SENTENCE_CHARS_MIN = 25;
/** Costs more than its mark and line break, so that fewer and longer sentences win: they read better and say more. */
const ITEM_OVERHEAD_CHARS = 15;
const USER_WEIGHT = 1.3;
const EARLIER_WEIGHT = 1.3;
/** It may be left out in the end. */
const LEANING_WEIGHT = 0.6;

interface Said extends Candidate {
  readonly message: number;
  readonly isUser: boolean;
  readonly label: string;
  /** Which of its message's sentences it is. */
  readonly place: number;
  /** Says nothing without the sentence before it. */
  readonly isLeaning: boolean;
  /** The message in which the user spoke next; undefined where nobody did. */
  readonly repliedIn: number | undefined;
}

export function createContext(prose: readonly Prose[], options: ContextOptions): ChooseContext {
  const { counter, language, earlier, focus, mendedUpTo = -1, withdrawn = [], isSuperseded, isOvercome } = options;
  const own = withoutRepeats(sample(prose)).filter(
    ({ isUser, speaker, text }) => !isUser || speaker !== "" || !isOutput(text),
  );
  const newest = own.at(-1)?.message ?? 0;
  const isReplaced = replacedIn(own);
  const replies = own.filter(({ isUser }) => isUser).map(({ message }) => message);
  let replyAt = 0;
  const told = [
    ...earlier.flatMap(earlierLine),
    ...own.flatMap((item, at) => {
      const reply = own[at + 1]?.isUser === true ? (own[at + 1]?.text ?? "") : "";
      while ((replies[replyAt] ?? Infinity) <= item.message) replyAt++;
      return sentencesOf(item, {
        repliedIn: replies[replyAt],
        language,
        isMended: item.message <= mendedUpTo,
        isPast: item.message < newest - PRESENT_MESSAGES,
        isRefuted: reply !== "" && isRefusal(reply),
        isDenied: reply !== "" && denies(reply, item.text),
      });
    }),
  ];
  const holds = ({ text, message, isUser }: Said): boolean =>
    isReplaced?.(text, { message, isUser }) !== true &&
    !(isUser ? isOverWish : isGivenUp)(text, message, withdrawn) &&
    (isUser || isSuperseded?.(text, message) !== true);
  const isAllSo = isReplaced === undefined && withdrawn.length === 0 && isSuperseded === undefined;
  const said = isAllSo ? told : told.filter(holds);
  if (said.length === 0) return () => [];
  const charsPerToken = measureCharsPerToken(said, counter);
  const choose = coverageOf(said, focus);
  return (budgetTokens, known) => {
    const chosen = choose({ budget: budgetTokens * charsPerToken, known });
    const lines = chosen.toSorted((a, b) => a - b).flatMap((at) => said[at] ?? []);
    return groupBySpeaker(
      standingAlone(lines, options).filter(
        ({ text, message, isUser }) => isUser || isOvercome?.(text, message) !== true,
      ),
    );
  };
}

/**
 * Without those that were only thought aloud, lean on a sentence that was not chosen, or ask what the user has answered without their answer,
 * unless somebody wants to see them.
 */
function standingAlone(lines: readonly Said[], { focus, language }: ContextOptions): readonly Said[] {
  const kept: Said[] = [];
  for (const [at, item] of lines.entries()) {
    const before = kept.at(-1);
    const isFollowing = before?.message === item.message && before.place === item.place - 1;
    const mayGo = (item.isLeaning && !isFollowing) || isAnswered(item, lines[at + 1], language);
    const isAlone = !mayGo || isWanted(item.text, focus);
    if (isAlone && (item.isUser || !isThoughtAloud(item.text))) kept.push(item);
  }
  return kept;
}

function isWanted(text: string, focus: ReadonlySet<string>): boolean {
  let hasWord = false;
  if (focus.size > 0) visitContentWords(text, (word) => (hasWord ||= focus.has(word)));
  return hasWord;
}

/** Each line of an earlier summary stands for itself. */
function earlierLine(line: string, index: number): Said {
  return {
    text: line,
    cost: line.length + ITEM_OVERHEAD_CHARS,
    weight: EARLIER_WEIGHT,
    message: -1 - index,
    isUser: false,
    label: "",
    place: 0,
    isLeaning: false,
    repliedIn: undefined,
  };
}

/** Of messages that say the very same the newest counts. Few are of the same length, and only those are compared. */
function withoutRepeats(prose: readonly Prose[]): readonly Prose[] {
  const counts = new Map<number, number>();
  for (const { text } of prose) counts.set(text.length, (counts.get(text.length) ?? 0) + 1);
  const isAlone = ({ text }: Prose): boolean => counts.get(text.length) === 1;
  const newest = new Map<string, Prose>();
  for (const item of prose) if (!isAlone(item)) newest.set(item.text, item);
  return prose.filter((item) => isAlone(item) || newest.get(item.text) === item);
}

function sample(prose: readonly Prose[]): readonly Prose[] {
  const total = prose.reduce((sum, { text }) => sum + text.length, 0);
  if (total <= PROSE_CHARS_MAX) return prose;
  const stepOf = (chars: number): number => Math.floor((chars * (PROSE_CHARS_MAX / total)) / SAMPLE_STEP_CHARS);
  let seen = 0;
  let kept = 0;
  return prose.filter(({ text }) => {
    const before = stepOf(seen);
    seen += text.length;
    const isKept = stepOf(seen) > before && kept < PROSE_CHARS_MAX;
    if (isKept) kept += text.length;
    return isKept;
  });
}

function sentencesOf(item: Prose, manner: Since & { readonly repliedIn: number | undefined }): readonly Said[] {
  const { message, isUser, speaker, text } = item;
  const { language, repliedIn } = manner;
  const label = speaker !== "" ? `${speaker}: ` : isUser ? userLabel(language) : "";
  const isPasted = isUser && speaker === "" && hasLines(text, PASTED_LINES_MIN);
  const said: Said[] = [];
  let place = 0;
  for (const sentence of isUser ? spokenSentences(item) : writtenSentences(item)) {
    place++;
    if (isPasted && !isClosed(sentence)) continue;
    const tidy = isUser ? spokenIn(sentence, speaker !== "") : findingIn(sentence, language);
    if (tidy.length < SENTENCE_CHARS_MIN && !isDense(tidy)) continue;
    if (!isUser && (isStale(tidy, manner) || !saysSomething(tidy))) continue;
    const cost = tidy.length + label.length + ITEM_OVERHEAD_CHARS;
    // People answer each other: only what was written at length leans on its own sentences.
    const isLeaning = (!isUser || isPasted) && leans(tidy, language);
    const mayGo = isLeaning || (!isUser && repliedIn !== undefined && endsAsking(tidy));
    const weight = (isUser ? USER_WEIGHT : 1) * (mayGo ? LEANING_WEIGHT : 1);
    said.push({ text: tidy, cost, weight, message, isUser, label, place, isLeaning, repliedIn });
  }
  return said;
}

function spokenSentences({ speaker, text }: Prose): readonly string[] {
  const words = speaker === "" ? text : text.slice(speaker.length + 1);
  return splitSentences(words, { sentencesMax: SENTENCES_PER_MESSAGE });
}

/** Who sends so many lines sends output in them: of that only whole sentences may be somebody's words. */
const PASTED_LINES_MIN = 6;

function hasLines(text: string, least: number): boolean {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0 && lines < least; at = text.indexOf("\n", at + 1)) lines++;
  return lines >= least;
}

/** People who talk to each other leave sentences open; what else a user sends in pieces was pasted. */
function spokenIn(sentence: string, isTalk: boolean): string {
  return isTalk ? tidySpeech(sentence) : (wholeStatement(sentence, { isUser: true }) ?? "");
}

/** Empty for what does not stand alone, and for "Now let me look at it:", which says what was about to be done and is past. */
function findingIn(words: string, language: Language): string {
  // Items of a list and headings close by no mark: without what stands above them they are fragments.
  if (!isClosed(words)) return "";
  const isPast = isAnnouncement(words, CUES[language]) || (language !== "en" && isAnnouncement(words, CUES.en));
  return isPast || isUnderway(words) ? "" : (wholeWords(words, { isUser: false }) ?? "");
}

/** "Good, I have the full picture." names nothing, and says little in few words. */
function saysSomething(sentence: string): boolean {
  if (sentence.length > EMPTY_CHARS_MAX || /[`\d_/]/.test(sentence)) return true;
  let words = 0;
  visitContentWords(sentence, () => words++);
  return words > CONTENT_WORDS_MIN || (words === CONTENT_WORDS_MIN && !SPEAKER_OR_POINTER.test(sentence));
}

const EMPTY_CHARS_MAX = 60;
const CONTENT_WORDS_MIN = 3;
/** Who speaks of oneself, or of what was just said, must say more. */
const SPEAKER_OR_POINTER = quick(
  String.raw`(?<!\p{L})(?:i|we|this|that|it|ich|wir|das|dies|es|je|nous|cela|yo|esto|eso|isso|questo|это|я|мы)(?!\p{L})`,
  "i",
);

/** Scripts without blanks say more in fewer characters. */
function isDense(text: string): boolean {
  return text.length >= SENTENCE_CHARS_MIN / 3 && /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{4}/.test(text);
}

/** Transcripts carry marks for sounds, and blanks before commas. */
function tidySpeech(sentence: string): string {
  return sentence
    .replace(/\{[a-z]+\}\s*/g, "")
    .replace(/ (?=[,.](?:\s|$))/g, "")
    .replace(/ (?='(?:s|m|re|ve|ll|d|t)\b)/g, "")
    .trim();
}

const MEASURED_CHARS = 20_000;
const MEASURED_SENTENCES = 200;

function measureCharsPerToken(said: readonly Said[], counter: TokenCounter): number {
  let text = "";
  const stride = Math.max(1, Math.floor(said.length / MEASURED_SENTENCES));
  for (let at = 0; at < said.length && text.length < MEASURED_CHARS; at += stride) {
    text += `- ${said[at]?.label}${said[at]?.text}\n`;
  }
  return text.length / Math.max(1, counter.countText(text));
}

const LINE_CHARS_MAX = 480;

/** What one speaker says in a row stands on one line; dots mark what was left out between. Items of a list stay apart. */
function groupBySpeaker(said: readonly Said[]): readonly string[] {
  const lines: string[] = [];
  let last: Said | undefined;
  for (const item of said) {
    const line = lines.at(-1) ?? "";
    const isSame = last !== undefined && item.label === last.label && item.isUser === last.isUser;
    const isNear = last?.message === item.message;
    const mayJoin = isNear ? endsWithMark(line) : item.label !== "";
    if (isSame && mayJoin && line.length + item.text.length <= LINE_CHARS_MAX) {
      lines[lines.length - 1] = `${line}${isNear ? " " : " … "}${item.text}`;
    } else lines.push(`${item.label}${item.text}`);
    last = item;
  }
  return lines;
}
