/**
 * What else was said: whole sentences of users and assistant that cover the most content, each with its speaker where there
 * are several, in the order in which they were said. Fills a given number of tokens as far as it can.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import type { TokenCounter } from "../../../core/tokens/tokens.ts";
import type { IsOvercome } from "../outdated/overcome.ts";
import { replacedIn } from "../outdated/replaced.ts";
import { denies, isRefusal, PRESENT_MESSAGES } from "../outdated/stale.ts";
import type { IsSuperseded } from "../outdated/superseded.ts";
import { isGivenUp, isOverWish, type Withdrawal } from "../outdated/withdrawn.ts";
import type { Prose } from "../reading/prose.ts";
import { isOutput } from "../reading/tool-output.ts";
import { visitContentWords } from "../text/content-words.ts";
import { endsWithMark } from "../text/endings.ts";
import { coverageOf } from "./coverage.ts";
import { earlierLine, type Manner, type Sentence, sentencesOf, type Told, toldOf } from "./telling-sentences.ts";
import { isAnswered, isThoughtAloud } from "./thought-aloud.ts";

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
/** What may be left out in the end counts for less. */
const LEANING_SHARE = 0.6;
/** What an earlier summary says was weighed when it was made. */
const NOTHING_SINCE: Manner = {
  language: "en",
  repliedIn: undefined,
  isMended: false,
  isPast: false,
  isRefuted: false,
  isDenied: false,
};

/** A sentence that was chosen. */
interface Said extends Told, Pick<Sentence, "message" | "isUser" | "label" | "place"> {
  readonly repliedIn: number | undefined;
}

export function createContext(prose: readonly Prose[], options: ContextOptions): ChooseContext {
  const { counter, earlier, focus } = options;
  const own = withoutRepeats(sample(prose)).filter(
    ({ isUser, speaker, text }) => !isUser || speaker !== "" || !isOutput(text),
  );
  const sentences = sentencesIn(own, options);
  const holds = holdsStill(own, options);
  const candidates = [...earlier.map((line, index) => earlierLine(line, index, NOTHING_SINCE)), ...sentences];
  if (candidates.length === 0) return () => [];
  const charsPerToken = measureCharsPerToken(candidates, counter);
  const known = new Map<number, Said | undefined>();
  const saidAt = (at: number): Said | undefined => {
    if (known.has(at)) return known.get(at);
    const said = saidBy(candidates[at]);
    const held = said !== undefined && holds(said) ? said : undefined;
    known.set(at, held);
    return held;
  };
  const choose = coverageOf(candidates, {
    focus,
    shareOf: (at) => {
      const said = saidAt(at);
      return said === undefined ? 0 : said.mayGo ? LEANING_SHARE : 1;
    },
  });
  return (budgetTokens, knownTexts) => {
    const chosen = choose({ budget: budgetTokens * charsPerToken, known: knownTexts });
    const lines = chosen.toSorted((a, b) => a - b).flatMap((at) => saidAt(at) ?? []);
    return groupBySpeaker(standingAlone(lines, options));
  };
}

/** In the order in which they were said, with what came after each message. */
function sentencesIn(own: readonly Prose[], { language, mendedUpTo = -1 }: ContextOptions): readonly Sentence[] {
  const newest = own.at(-1)?.message ?? 0;
  const replies = own.filter(({ isUser }) => isUser).map(({ message }) => message);
  let replyAt = 0;
  return own.flatMap((item, at) => {
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
  });
}

function saidBy(sentence: Sentence | undefined): Said | undefined {
  const told = sentence === undefined ? undefined : toldOf(sentence);
  if (sentence === undefined || told === undefined) return undefined;
  const { message, isUser, label, place, manner } = sentence;
  return { ...told, message, isUser, label, place, repliedIn: manner.repliedIn };
}

/** Whether a sentence is so by all that came after it, and thought to its end. */
function holdsStill(own: readonly Prose[], options: ContextOptions): (said: Said) => boolean {
  const { withdrawn = [], isSuperseded, isOvercome } = options;
  const isReplaced = replacedIn(own);
  return ({ text, message, isUser }) => {
    if (isReplaced?.(text, { message, isUser }) === true) return false;
    if (isUser) return !isOverWish(text, message, withdrawn);
    if (isGivenUp(text, message, withdrawn) || isThoughtAloud(text)) return false;
    return isSuperseded?.(text, message) !== true && isOvercome?.(text, message) !== true;
  };
}

/** Without those that lean on a sentence that was not chosen, or ask what the user has answered without their answer, unless somebody wants to see them. */
function standingAlone(lines: readonly Said[], { focus, language }: ContextOptions): readonly Said[] {
  const kept: Said[] = [];
  for (const [at, item] of lines.entries()) {
    const before = kept.at(-1);
    const isFollowing = before?.message === item.message && before.place === item.place - 1;
    const mayGo = (item.isLeaning && !isFollowing) || isAnswered(item, lines[at + 1], language);
    if (!mayGo || isWanted(item.text, focus)) kept.push(item);
  }
  return kept;
}

function isWanted(text: string, focus: ReadonlySet<string>): boolean {
  let hasWord = false;
  if (focus.size > 0) visitContentWords(text, (word) => (hasWord ||= focus.has(word)));
  return hasWord;
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

const MEASURED_CHARS = 20_000;
const MEASURED_SENTENCES = 200;

function measureCharsPerToken(said: readonly Sentence[], counter: TokenCounter): number {
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
