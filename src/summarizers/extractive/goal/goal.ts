/**
 * What the user wants now, in the user's own words: the newest request that is a task, and before it the one that the work
 * began with, as long as the work is still about it. Never a reminder, an output, an assent or a question in passing.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import { once } from "../../../core/remember.ts";
import { isOutput } from "../reading/tool-output.ts";
import { matcher, sharedTopic } from "../text/shared-words.ts";
import { askingQuote } from "./asking.ts";
import { leadingFrames } from "./leading-frames.ts";
import { newestTalk } from "./newest-talk.ts";
import { openQuestion, tasksIn } from "./newest-task.ts";
import { leavingWish, servedPlaces } from "./served-task.ts";
import { isFarewell, isQuestion, isTask, isTelling } from "./tasks.ts";
import { isAddition, isNextTopic, isOtherWay, isPlanChange, isTopicShift } from "./topic-shift.ts";

export interface GoalInput {
  /** Oldest first. */
  readonly requests: readonly Request[];
  /** The goal of an earlier summary. */
  readonly earlier: readonly string[];
  /** What is known to be done. */
  readonly done?: readonly string[];
  readonly language: Language;
  /** Nothing but talk: no tool was called. */
  readonly isTalk: boolean;
  /** Most user messages were outputs of tools: whoever works so was given the task at the beginning. */
  readonly isObserved: boolean;
  /** The requests begin with a greeting that opens one talk of several. */
  readonly isMetAgain?: boolean;
}

export interface Request {
  readonly text: string;
  /** It stands in the view beside the summary. */
  readonly isKept: boolean;
  /** It answers a question of the assistant. */
  readonly isReply: boolean;
  /** The assistant ended its turn without asking anything back. */
  readonly isClosed?: boolean;
  /** Nothing that the assistant said ended its turn. */
  readonly isCutShort?: boolean;
  /** What the assistant said before the next request. */
  readonly said?: readonly string[];
}

export interface Goal {
  /** The original task, where it still frames the work, then the current one. */
  readonly goal: readonly string[];
  /** The current task whole; undefined when nobody asked for anything. */
  readonly current: Request | undefined;
  /** The requests that the goal quotes, whole, by their quotes. */
  readonly wholes: ReadonlyMap<string, string>;
  /**
   * What matters more than the last, first: the task that it goes on with; where it stands in the view anyway, all that frame it
   * and leave the view, and then what else leaves of what it goes on with.
   */
  readonly leading: readonly string[];
  /** What the user broke into, and nobody has come back to. */
  readonly interrupted?: Request;
}

const GOAL_CHARS_MAX = 600;
/** A request that the reader also finds in full. */
const KEPT_GOAL_CHARS_MAX = 240;
/** The first request, beside the current one. */
const ORIGINAL_CHARS_MAX = 320;
/** After so many tasks the first one counts only if the work still speaks of it; questions move on faster. */
const TASKS_MOVED_ON = 4;
const TOPICS_MOVED_ON = 2;
/** So many after its turn was closed tell as much. */
const TASKS_AFTER_CLOSE = 2;
const FRAME_SHARE_MIN = 0.25;
/** Where its turn was closed, more must speak for it. */
const CLOSED_SHARE_MIN = 0.3;
const FRAME_CHARS = 400;
/** What a task asks, without its details: whatever was done is said in few words. */
const ASK_CHARS = 160;

export function goalOf(whole: GoalInput): Goal {
  const input = whole.isTalk ? newestTalk(whole) : whole;
  const { requests, earlier, language, isTalk, isObserved, isMetAgain = false } = input;
  const tells = ({ text }: Request): boolean => isTelling(text, language);
  const { first: firstTask, newestTask, isTaken } = tasksIn(requests, language, isTalk);
  const spare = (): Request | undefined =>
    (isObserved || isMetAgain ? requests.find(tells) : requests.findLast(tells)) ?? longestEarly(requests, language);
  const current = newestTask ?? (earlier.length > 0 ? undefined : spare());
  const wholes = new Map<string, string>();
  const quoteOf = ({ text, isKept }: Request, charsMax: number): string => {
    const quote = askingQuote(text, isKept ? KEPT_GOAL_CHARS_MAX : charsMax, language);
    wholes.set(quote, text);
    return quote;
  };
  const newest = current === undefined ? earlier.at(-1) : quoteOf(current, GOAL_CHARS_MAX);
  if (newest === undefined) return { goal: [], current, wholes, leading: [] };
  const question = openQuestion(requests, current, language);
  if (question !== undefined && current !== undefined)
    return {
      goal: [quoteOf(current, ORIGINAL_CHARS_MAX), quoteOf(question, GOAL_CHARS_MAX)],
      current: question,
      wholes,
      leading: [],
    };
  const now = current === undefined ? requests.length : requests.indexOf(current);
  const leaving = current?.isKept === true ? leavingWish(now, requests, tells) : undefined;
  const wishes = leaving === undefined ? [] : [quoteOf(leaving, ORIGINAL_CHARS_MAX)];
  const alone: Goal = { goal: [newest], current, wholes, leading: wishes };
  const { shiftedAt, changedAt } = shiftsUpTo(now, requests, isTaken);
  const firstRequest =
    shiftedAt >= 0 ? requests[shiftedAt] : ((isMetAgain ? undefined : firstTask) ?? requests.find(tells));
  const [earliest] = shiftedAt >= 0 ? [] : earlier;
  const original = earliest ?? (firstRequest === undefined ? undefined : quoteOf(firstRequest, GOAL_CHARS_MAX));
  const isAskedAgain = earliest === undefined && firstRequest?.text === current?.text;
  if (original === undefined || isAskedAgain || newest.includes(original.replace(/…$/, ""))) return alone;
  const work: Work = { ...input, newest, now, isTaken, matchesDone: once(() => matcher(input.done ?? [])) };
  const originalAt = earliest !== undefined || firstRequest === undefined ? -1 : requests.indexOf(firstRequest);
  // What the work turned to since may frame it in its place.
  const isNext = (request: Request, at: number): boolean =>
    at < now && at > originalAt && isNextTopic(request.text) && isTaken(request);
  const nextAt = once(() => requests.findLastIndex(isNext));
  const isLeft = shiftedAt >= 0 && nextAt() >= 0;
  const frames: string[] = [];
  if (!isLeft && isFrame(original, { at: originalAt, isAnnounced: shiftedAt >= 0 }, work))
    frames.push(
      earliest === undefined && firstRequest !== undefined
        ? quoteOf(firstRequest, ORIGINAL_CHARS_MAX)
        : askingQuote(original, ORIGINAL_CHARS_MAX, language),
    );
  const laterAt = [changedAt, frames.length === 0 ? nextAt() : -1].find(
    (at) => at > originalAt && isFrame(requests[at]?.text ?? "", { at, isAnnounced: true }, work),
  );
  const leantOn = leantOnAt(laterAt ?? now, shiftedAt, work);
  const isServing = laterAt !== undefined || changesWay(current?.text ?? "", input);
  const isNamed = frames.length > 0 && (leantOn === originalAt || isServing);
  const later = [isNamed ? undefined : requests[leantOn], requests[laterAt ?? -1]].filter((one) => one !== undefined);
  if (later.length > 0) frames.push(...later.map((one) => quoteOf(one, ORIGINAL_CHARS_MAX)));
  else if (earliest !== undefined && frames.length > 0) frames.push(...carriedFrames(work));
  else {
    const served = requests[servedTaskAt({ at: originalAt, text: original }, work)];
    if (served !== undefined) frames.push(quoteOf(served, ORIGINAL_CHARS_MAX));
  }
  const serves = (task: string): boolean => isSpokenOf(task, work);
  const leading = leadingFrames(frames.toReversed(), { ...work, wholes, serves });
  return { ...alone, goal: [...frames, newest], leading: [...new Set([...leading, ...wishes])] };
}

/** Behind what the work began with: the task that the newest request goes on with; -1 where none is left to be told. */
function servedTaskAt(began: { readonly at: number; readonly text: string }, work: Work): number {
  const { requests, now, isTaken, language, newest } = work;
  const said = once(() => [newest, ...saidLately(work)]);
  const isServed = (at: number): boolean => {
    const request = requests[at];
    if (request === undefined || !isTaken(request) || !isTask(request.text, language)) return false;
    return !isDone(request.text, work) && sharedTopic(request.text.slice(0, FRAME_CHARS), said()) >= FRAME_SHARE_MIN;
  };
  return servedPlaces(now, began, requests).find(isServed) ?? -1;
}

/** What stood in an earlier goal behind its first, and is still needed to understand the newest. */
function carriedFrames({ earlier, requests, now, language }: Work): readonly string[] {
  const current = requests[now]?.text;
  if (current === undefined) return earlier.slice(1, -1);
  const others = earlier.slice(1);
  if (addsWork(current, language)) return others.slice(-1);
  return others.filter((text) => isTopicShift(text) && isPlanChange(text)).slice(-1);
}

interface Shifts {
  /** The newest request that left what was before it; -1 where none did. */
  readonly shiftedAt: number;
  /** Since then, and before the current one: the newest that took another way to the same end. */
  readonly changedAt: number;
}

function shiftsUpTo(now: number, requests: readonly Request[], isTaken: (request: Request) => boolean): Shifts {
  let changedAt = -1;
  for (let at = Math.min(now, requests.length - 1); at >= 0; at--) {
    const request = requests[at];
    if (request === undefined || !isTopicShift(request.text) || !isTaken(request)) continue;
    if (!isPlanChange(request.text)) return { shiftedAt: at, changedAt };
    if (at < now && changedAt < 0) changedAt = at;
  }
  return { shiftedAt: -1, changedAt };
}

/** "Also clean it at night." and "Change of plan: use brass." say little without a task that stands by itself; -1 where none does, or it is done. */
function leantOnAt(from: number, firstAt: number, work: Work): number {
  const { requests, isTaken, language } = work;
  const { text = "" } = requests[from] ?? {};
  const before = requests[from - 1]?.text ?? "";
  if (LOOK_THERE.test(text) && isQuestion(before, language)) return from - 1;
  const isChange = changesWay(text, work);
  if (!isChange && !addsWork(text, language)) return -1;
  const earliestAt = Math.max(0, firstAt, from - LEANT_ON_REQUESTS_MAX);
  const places: number[] = [];
  for (let at = from - 1; at >= earliestAt; at--) {
    const request = requests[at];
    if (request === undefined || isAddition(request.text) || !isTaken(request) || !isTask(request.text, language))
      continue;
    // What is added leans on the newest.
    if (!isChange) return isDone(request.text, work) ? -1 : at;
    if (!isDone(request.text, work)) places.push(at);
  }
  const shares = places.map((at) => sharedTopic(text, [requests[at]?.text ?? ""]));
  const most = Math.max(0, ...shares);
  if (most > 0) return places[shares.lastIndexOf(most)] ?? -1;
  // Another way that names nothing leads to what all began with: what came between was said on the way.
  const isFromStart = earliestAt <= Math.max(0, firstAt);
  return places.at(isFromStart ? -1 : 0) ?? -1;
}

/** "Read the log in the mill." behind a question says where its answer is. */
const LOOK_THERE =
  /^(?:(?:ok|okay|well|no|yes|just|please|then|so|you can),? )*(?:read|see|look (?:at|in|into)|check|open|search|lies|schau|siehe|lis|regarde|lee|mira|leia|veja|leggi|guarda|прочти|посмотри)(?= )[^\n?]{3,60}$|^(?:看|读)[^\n？]{2,30}$/i;

/** Who only talks says "actually" of anything. */
function changesWay(request: string, { isTalk }: GoalInput): boolean {
  return (isTopicShift(request) && isPlanChange(request)) || (!isTalk && isOtherWay(request));
}

function isDone(asked: string, { done = [], matchesDone, language }: Work): boolean {
  return done.length > 0 && matchesDone()(askingQuote(asked, ASK_CHARS, language));
}

/** "And what wine goes with it?" only asks: talk moves on by such words. */
function addsWork(request: string, language: Language): boolean {
  return isAddition(request) && isTask(request, language);
}

const LEANT_ON_REQUESTS_MAX = 8;

/** Where something was asked: -1 stands before all requests. Users who announce a topic stay with it for longer. */
interface Place {
  readonly at: number;
  readonly isAnnounced: boolean;
}

interface Work extends GoalInput {
  readonly newest: string;
  /** The place of the current request. */
  readonly now: number;
  readonly isTaken: (request: Request) => boolean;
  readonly matchesDone: () => (asked: string) => boolean;
}

/** Whether the work still serves what was asked. */
function isFrame(asked: string, place: Place, work: Work): boolean {
  if (isDone(asked, work)) return false;
  const shareMin = shareNeeded(asked, place, work);
  return shareMin === 0 || sharedTopic(asked.slice(0, FRAME_CHARS), [work.newest, ...saidLately(work)]) >= shareMin;
}

/** Whether the newest request takes another way to a task, adds to it, or is about the same. */
function isSpokenOf(asked: string, work: Work): boolean {
  const current = work.requests[work.now]?.text ?? "";
  if (changesWay(current, work) || addsWork(current, work.language)) return true;
  return sharedTopic(asked.slice(0, FRAME_CHARS), [work.newest, ...saidLately(work)]) >= FRAME_SHARE_MIN;
}

/** What the assistant said in the turn that is going on; where that is little, before it. More would speak of everything. */
function saidLately({ requests, now }: Work): readonly string[] {
  const said: string[] = [];
  for (let at = requests.length - 1; at >= 0 && (at >= now || said.length < SAID_MESSAGES_MIN); at--) {
    const room = (at >= now ? SAID_MESSAGES_MAX : SAID_MESSAGES_MIN) - said.length;
    if (room > 0) said.push(...(requests[at]?.said ?? []).slice(-room));
  }
  return said.map((text) => text.slice(0, SAID_CHARS));
}

const SAID_MESSAGES_MIN = 3;
const SAID_MESSAGES_MAX = 8;
const SAID_CHARS = 400;

/** Nothing until enough tasks followed: fewer where the turn that it began was closed. */
function shareNeeded(asked: string, { at, isAnnounced }: Place, { requests, language, isTalk, isTaken }: Work): number {
  const tasksMax = isTalk && !isTask(asked, language) ? TOPICS_MOVED_ON : TASKS_MOVED_ON;
  let tasks = 0;
  let tasksAfter = 0;
  let isClosed = false;
  for (const request of requests.slice(Math.max(0, at))) {
    if (isTaken(request)) {
      tasks++;
      if (isClosed) tasksAfter++;
      if (tasksAfter >= TASKS_AFTER_CLOSE) return CLOSED_SHARE_MIN;
      if (tasks >= tasksMax) return FRAME_SHARE_MIN;
    }
    isClosed ||= !isAnnounced && request.isClosed === true;
  }
  return 0;
}

const EARLY_REQUESTS = 3;

/** Where nobody says anything telling, the beginning says most; an output says nothing, whatever its length. */
function longestEarly(requests: readonly Request[], language: Language): Request | undefined {
  const said = requests.filter(({ text }) => !isOutput(text) && !isFarewell(text, language)).slice(0, EARLY_REQUESTS);
  return said.toSorted((a, b) => b.text.length - a.text.length)[0];
}
