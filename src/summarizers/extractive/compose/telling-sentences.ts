/**
 * Which sentences of what was said may be told later, and how. Cutting a message tells only what could be; whether a sentence really stands
 * alone, says something and is still so takes a dozen looks, and is asked of what is about to be told alone. Never adds a word.
 */

import { CUES } from "../cues/cues.ts";
import { isStale, type Since } from "../outdated/stale.ts";
import type { Prose } from "../reading/prose.ts";
import { isAnnouncement } from "../statements/announcements.ts";
import { visitContentWords } from "../text/content-words.ts";
import { endsAsking, isClosed } from "../text/endings.ts";
import { userLabel } from "../text/labels.ts";
import { leans } from "../text/leaning.ts";
import { quick } from "../text/quick-expressions.ts";
import { wholeStatement, wholeWords } from "../text/whole-statement.ts";
import type { Candidate } from "./coverage.ts";
import { isUnderway } from "./thought-aloud.ts";

/** What came after a message. */
export interface Manner extends Since {
  /** The message in which the user spoke next; undefined where nobody did. */
  readonly repliedIn: number | undefined;
}

/** A sentence that may be told, as it was said. */
export interface Sentence extends Candidate {
  readonly message: number;
  readonly isUser: boolean;
  /** Who said it, where that has to be told. */
  readonly label: string;
  /** Which of its message's sentences it is. */
  readonly place: number;
  readonly manner: Manner;
  readonly form: "written" | "typed" | "pasted" | "spoken" | "earlier";
}

/** The sentence as it is told. */
export interface Told {
  readonly text: string;
  /** Says nothing without the sentence before it. */
  readonly isLeaning: boolean;
  /** It may be left out in the end. */
  readonly mayGo: boolean;
}

/** Shorter ones are answers to a question that is gone. */
const SENTENCE_CHARS_MIN = 25;
/** Costs more than its mark and line break, so that fewer and longer sentences win: they read better and say more. */
const ITEM_OVERHEAD_CHARS = 15;
const USER_WEIGHT = 1.3;
const EARLIER_WEIGHT = 1.3;
/** Who sends so many lines sends output in them: of that only whole sentences may be somebody's words. */
const PASTED_LINES_MIN = 6;

export function sentencesOf(item: Prose, manner: Manner): readonly Sentence[] {
  const { message, isUser, speaker, text } = item;
  const label = speaker !== "" ? `${speaker}: ` : isUser ? userLabel(manner.language) : "";
  const form = !isUser ? "written" : speaker !== "" ? "spoken" : hasLines(text, PASTED_LINES_MIN) ? "pasted" : "typed";
  const sentences: Sentence[] = [];
  let place = 0;
  for (const cut of item.sentences()) {
    place++;
    // Items of a list and headings close by no mark: without what stands above them they are fragments.
    if ((form === "written" || form === "pasted") && !isClosed(cut)) continue;
    const said = form === "spoken" ? tidySpeech(cut) : cut;
    if (isShort(said)) continue;
    const cost = said.length + label.length + ITEM_OVERHEAD_CHARS;
    const weight = isUser ? USER_WEIGHT : 1;
    sentences.push({ text: said, cost, weight, message, isUser, label, place, manner, form });
  }
  return sentences;
}

/** Each line of an earlier summary stands for itself. */
export function earlierLine(text: string, index: number, manner: Manner): Sentence {
  const cost = text.length + ITEM_OVERHEAD_CHARS;
  const message = -1 - index;
  return { text, cost, weight: EARLIER_WEIGHT, message, isUser: false, label: "", place: 0, manner, form: "earlier" };
}

/** Undefined for what must not be told. */
export function toldOf({ text, isUser, manner, form }: Sentence): Told | undefined {
  if (form === "spoken" || form === "earlier") return { text, isLeaning: false, mayGo: false };
  // What else a user sends in pieces was pasted.
  const told = isUser ? wholeStatement(text, { isUser }) : findingIn(text, manner);
  if (told === undefined || isShort(told)) return undefined;
  if (!isUser && (isStale(told, manner) || !saysSomething(told))) return undefined;
  // People answer each other: only what was written at length leans on its own sentences.
  const isLeaning = form !== "typed" && leans(told, manner.language);
  return { text: told, isLeaning, mayGo: isLeaning || (!isUser && manner.repliedIn !== undefined && endsAsking(told)) };
}

function hasLines(text: string, least: number): boolean {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0 && lines < least; at = text.indexOf("\n", at + 1)) lines++;
  return lines >= least;
}

/** Nothing for what does not stand alone, and for "Now let me look at it:", which says what was about to be done and is past. */
function findingIn(words: string, { language }: Manner): string | undefined {
  const isPast = isAnnouncement(words, CUES[language]) || (language !== "en" && isAnnouncement(words, CUES.en));
  return isPast || isUnderway(words) ? undefined : wholeWords(words, { isUser: false });
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
function isShort(text: string): boolean {
  if (text.length >= SENTENCE_CHARS_MIN) return false;
  return text.length < SENTENCE_CHARS_MIN / 3 || !/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{4}/.test(text);
}

/** Transcripts carry marks for sounds, and blanks before commas. */
function tidySpeech(sentence: string): string {
  return sentence
    .replace(/\{[a-z]+\}\s*/g, "")
    .replace(/ (?=[,.](?:\s|$))/g, "")
    .replace(/ (?='(?:s|m|re|ve|ll|d|t)\b)/g, "")
    .trim();
}
