/**
 * What users asked for, gathered from the messages that leave and those that stay: the goal, the newest request, and what else
 * was asked. Quotes; never rewords, never asks what came of it.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import { once } from "../../../core/remember.ts";
import { replacedIn } from "../outdated/replaced.ts";
import { isOverWish, type Withdrawal } from "../outdated/withdrawn.ts";
import type { Earlier } from "../reading/earlier-summary.ts";
import { foreignGoal } from "../reading/foreign-goal.ts";
import { inOrder, type KeptView } from "../reading/kept-view.ts";
import type { Prose } from "../reading/prose.ts";
import { isTalk, type Reading } from "../reading/reading.ts";
import { userLabel } from "../text/labels.ts";
import { quick } from "../text/quick-expressions.ts";
import { oneLine } from "../text/sentences.ts";
import { sharesWords } from "../text/shared-words.ts";
import { askingQuote } from "./asking.ts";
import { type Goal, type GoalInput, goalOf, type Request } from "./goal.ts";
import { withInterrupted } from "./interrupted-task.ts";
import { OFFERING_MORE } from "./served-task.ts";
import { asksBack } from "./serving-replies.ts";
import { isQuestion, isTask, isTelling } from "./tasks.ts";

export interface Asking {
  readonly reading: Reading;
  readonly kept: KeptView;
  readonly before: Earlier;
  /** The newest summary that another tool left; empty when there is none. */
  readonly foreign: string;
}

const LATEST_REQUEST_CHARS_MAX = 2_000;
const REQUESTS_MAX = 40;
const REQUEST_LINE_CHARS_MAX = 300;
/** A newest request up to this length is quoted whole as the goal. */
const REQUEST_CHARS_SHORT = 600;
const GOAL_CHARS_COMPARED = 80;
/** Of a smaller budget the newest request would get no more than what the goal says of it. */
const LATEST_BUDGET_TOKENS_MIN = 1_000;

export interface Asked extends Goal {
  /** The newest request, where it says more than the goal. */
  readonly latest: string | undefined;
}

export function askedFor(source: Asking, done: readonly string[], budgetTokens: number): Asked {
  const { reading, kept, before } = source;
  const item = latestRequestIn(reading, kept);
  const latest =
    item === undefined
      ? before.checkpoint?.latestRequest
      : askingQuote(item.text, LATEST_REQUEST_CHARS_MAX, reading.language);
  const isLong =
    item !== undefined && item.text.length > REQUEST_CHARS_SHORT && budgetTokens >= LATEST_BUDGET_TOKENS_MIN;
  const asked = goalIn(source, done, isLong ? item : undefined);
  const isSaid = (text: string): boolean =>
    text === latest || (!isLong && item !== undefined && asked.wholes.get(text) === item.text);
  return { ...asked, latest: asked.goal.some(isSaid) ? undefined : latest };
}

/** `newest` stands in a section of its own. */
function goalIn(source: Asking, done: readonly string[], newest: Prose | undefined): Goal {
  const { reading, kept, before } = source;
  if (!reading.hasAssistant) return { goal: [], current: undefined, wholes: new Map(), leading: [] };
  const prose = inOrder(reading.prose, kept.prose);
  const isReply = repliesIn(prose);
  const quoted: ReadonlySet<Prose> = new Set(kept.prose);
  const requests = turnsIn(prose).map((turn) => askedIn(turn, quoted.has(turn.item) || turn.item === newest, isReply));
  const foreign = foreignGoals(source.foreign);
  const input: GoalInput = {
    requests,
    earlier: before.checkpoint?.goal ?? foreign,
    done,
    language: reading.language,
    // Whoever needed a summary was at work before it.
    isTalk: isTalk(reading) && foreign.length === 0,
    isObserved: reading.observations > reading.requests.length,
  };
  return withInterrupted(goalOf(input), input, () => toolsIn(source));
}

/** Few requests are asked what they answer and how they ended, and to tell it takes longest. */
function askedIn({ item, said }: Turn, isKept: boolean, isReply: (text: string) => boolean): Request {
  const last = said.at(-1);
  const answers = once(() => isReply(item.text));
  const ended = once(() => isClosing(last));
  return {
    text: item.text,
    isKept,
    get isReply(): boolean {
      return answers();
    },
    get isClosed(): boolean {
      return ended();
    },
    isCutShort: last?.isFinal !== true,
    said: said.map(({ text }) => text),
  };
}

/** The names of what was called. */
function* toolsIn({ reading, kept }: Asking): Iterable<string> {
  for (const { name } of reading.log.values()) yield name;
  for (const { parts } of kept.messages) for (const part of parts) if (part.type === "tool-call") yield part.name;
}

interface Turn {
  readonly item: Prose;
  /** What the assistant said before the next request. */
  readonly said: readonly Prose[];
}

function turnsIn(prose: readonly Prose[]): readonly Turn[] {
  const turns: { readonly item: Prose; readonly said: Prose[] }[] = [];
  for (const item of prose) {
    if (item.isRequest) turns.push({ item, said: [] });
    else if (!item.isUser) turns.at(-1)?.said.push(item);
  }
  return turns;
}

/** Ends a turn without asking anything back. */
function isClosing(last: Prose | undefined): boolean {
  return last?.isFinal === true && !ASKING_BACK.test(last.text.slice(-QUESTION_CHARS));
}

/** A question, or "Please send me the number of the berth." Within a name, an address or an expression the mark asks nothing. */
export const ASKING_BACK = quick(
  String.raw`(?<!\(|\s\?)(?!(?<=\s)\?\?)\?(?=(?:\\?["'”’»)\]}*_,!?])*(?:[\s<]|$|[^\0-\x7f]))|[？؟]|(?<!\p{L})(?:please|bitte|s['’]il (?:vous|te) pla[iî]t|veuillez|por favor|per favore|пожалуйста|من فضلك|يرجى)(?!\p{L})|(?<![申邀])请(?!求)|ください|주세요|바랍니다`,
  "i",
);

/** Whether users said something right after the assistant had asked them, in a few words or in words of the question. */
function repliesIn(prose: readonly Prose[]): (said: string) => boolean {
  const placesOf = once(() => userPlaces(prose));
  // Asked for every message, however many say the same.
  const known = new Map<string, boolean>();
  return (said) => {
    const isReply = known.get(said) ?? (placesOf().get(said) ?? []).some((at) => isReplyAt(prose, at));
    known.set(said, isReply);
    return isReply;
  };
}

/** Where users said what, since anybody may say the same again. */
function userPlaces(prose: readonly Prose[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  prose.forEach(({ isUser, text }, at) => {
    if (!isUser) return;
    const known = places.get(text);
    if (known === undefined) places.set(text, [at]);
    else known.push(at);
  });
  return places;
}

function isReplyAt(prose: readonly Prose[], at: number): boolean {
  const item = prose[at];
  const before = prose[at - 1];
  if (item === undefined || isParted(before, item)) return false;
  const question = questionIn(before);
  if (question === "" || (!QUESTION.test(question) && asksBack(item.text))) return false;
  return item.text.length <= REPLY_CHARS_SHORT || sharesWords(item.text, question);
}

function questionIn(item: Prose | undefined): string {
  const end = item?.isUser === false ? item.text.slice(-QUESTION_CHARS) : "";
  return (QUESTION.test(end) || ASKING_FOR.test(end)) && !OFFERING_MORE.test(end) ? end : "";
}

const QUESTION = /[?？؟]/;
/** "Please send me the number of the berth." */
const ASKING_FOR = quick(
  String.raw`(?<!\p{L})(?:please (?:provide|confirm|share|specify|choose|select|send|enter|tell me|let me know (?:wh|how|if you(?:['’]d| would)))|bitte (?:nennen|teilen|geben|schicken|bestätigen|sagen)|veuillez (?:indiquer|fournir|confirmer|préciser)|por favor,? (?:indi[cq]|confirm|proporcion|inform|envi)|per favore (?:indic|conferm|forn)|пожалуйста,? (?:укажите|подтвердите|сообщите))`,
  "i",
);
/** Between an end of a turn and the next request stood something that nobody said, such as a command: the talk moved on. */
function isParted(before: Prose | undefined, { message }: Prose): boolean {
  return before?.isFinal === true && message - before.message > 1;
}

/** Shorter than this it leans on the question, whatever its words. */
const REPLY_CHARS_SHORT = 60;

/** A question stands in the end of a message, perhaps with a word of thanks behind it. */
const QUESTION_CHARS = 240;

/** What a summary that another tool left says the work is for. */
function foreignGoals(summary: string): readonly string[] {
  const goal = foreignGoal(summary);
  return goal === "" ? [] : [goal];
}

/** Undefined when the newest request stays in the view, or nobody asked for anything. */
function latestRequestIn({ hasAssistant, prose }: Reading, kept: KeptView): Prose | undefined {
  const latest = hasAssistant ? prose.findLast(isRequest) : undefined;
  const isKept = latest !== undefined && kept.prose.some((item) => item.isUser && item.message > latest.message);
  return isKept ? undefined : latest;
}

function isRequest(item: Prose): boolean {
  return item.isRequest;
}

interface Told extends Asked {
  readonly rules: readonly string[];
  readonly withdrawn: readonly Withdrawal[];
}

/** What else the user asked, newest first, each on a line. */
export function requestLines({ hasAssistant, requests, prose, language }: Reading, told: Told): readonly string[] {
  if (!hasAssistant) return [];
  const { goal, wholes, latest, rules, withdrawn } = told;
  const over = new Set([...overIn(prose, language), ...correctedIn(prose), ...givenUpIn(prose, withdrawn)]);
  const quoted = [...goal, ...goal.flatMap((text) => wholes.get(text) ?? [])];
  const isGoal = (request: string): boolean =>
    quoted.some((text) => text.startsWith(request.slice(0, GOAL_CHARS_COMPARED)));
  return requests
    .slice(0, latest === undefined ? undefined : -1)
    .slice(-REQUESTS_MAX)
    .toReversed()
    .filter(
      (request) => isTelling(request, language) && !isGoal(request) && !isAllOf(request, rules) && !over.has(request),
    )
    .map(
      (request) =>
        `${userLabel(language)}${oneLine(request.slice(0, 4 * REQUEST_LINE_CHARS_MAX), REQUEST_LINE_CHARS_MAX)}`,
    );
}

/** What was said without the requests that are over. */
export function stillTelling({ prose, language }: Reading): readonly Prose[] {
  const over = overIn(prose, language);
  return over.size === 0 ? prose : prose.filter(({ isRequest, text }) => !isRequest || !over.has(text));
}

/** "think, then say hello": was answered, and names nothing that anybody could need again. */
function overIn(prose: readonly Prose[], language: Language): ReadonlySet<string> {
  const isOver = ({ item: { text }, said }: Turn): boolean =>
    text.length <= OVER_CHARS_MAX && isClosing(said.at(-1)) && !NAMING.test(text) && asks(text);
  const asks = (text: string): boolean => isQuestion(text, language) || isTask(text, language);
  return new Set(
    turnsIn(prose)
      .filter(isOver)
      .map(({ item }) => item.text),
  );
}

/** Requests of one sentence that the user corrected. */
function correctedIn(prose: readonly Prose[]): readonly string[] {
  const isReplaced = replacedIn(prose);
  if (isReplaced === undefined) return [];
  return prose
    .filter((item) => item.isRequest && item.text.length <= CORRECTED_CHARS_MAX && isReplaced(item.text, item))
    .map(({ text }) => text);
}

/** Short requests about what the user gave up since. */
function givenUpIn(prose: readonly Prose[], withdrawn: readonly Withdrawal[]): readonly string[] {
  if (withdrawn.length === 0) return [];
  const isOver = ({ isRequest, text, message }: Prose): boolean => isRequest && isOverWish(text, message, withdrawn);
  return prose.filter(isOver).map(({ text }) => text);
}

const CORRECTED_CHARS_MAX = 120;
const OVER_CHARS_MAX = 60;
/** Numbers, paths, quotes and names. */
const NAMING = /[\d/\\"'`“„«「_#@]|\p{Ll}\.\p{Ll}|(?<=\P{Lu}\s)\p{Lu}|\p{Ll}\p{Lu}/u;

/** Whether nothing is left of a request without the rules that were taken from it. */
function isAllOf(request: string, rules: readonly string[]): boolean {
  if (request.length > REQUEST_CHARS_SHORT) return false;
  let rest = request;
  for (const rule of rules) rest = rest.replace(rule, "");
  return !/\p{L}/u.test(rest);
}
