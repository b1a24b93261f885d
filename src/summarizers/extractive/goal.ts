/**
 * What the user wants now, in the user's own words: the newest request that is a task, and before it the one that the work
 * began with, as long as the work is still about it. Never a reminder, an output, an assent or a question in passing.
 */

import type { Language } from "../../core/checkpoint/language.ts";
import { askingQuote, asksOutright } from "./asking.ts";
import { matcher, sharedShare } from "./shared-words.ts";
import { isAssent, isFarewell, isQuestion, isTask, isTelling } from "./tasks.ts";
import { isOutput } from "./tool-output.ts";

export interface GoalInput {
  /** Oldest first. */
  readonly requests: readonly Request[];
  /** The goal of an earlier summary. */
  readonly earlier: readonly string[];
  /** What was said last, to tell what the work is about. */
  readonly recent: readonly string[];
  /** What is known to be done. */
  readonly done?: readonly string[];
  readonly language: Language;
  /** Nothing but talk: no tool was called. */
  readonly isTalk: boolean;
  /** Most user messages were outputs of tools: whoever works so was given the task at the beginning. */
  readonly isObserved: boolean;
}

export interface Request {
  readonly text: string;
  /** It stands in the view beside the summary. */
  readonly isKept: boolean;
  /** It answers a question of the assistant. */
  readonly isReply: boolean;
}

export interface Goal {
  /** The original task, where it still frames the work, then the current one. */
  readonly goal: readonly string[];
  /** The current task whole; undefined when nobody asked for anything. */
  readonly current: Request | undefined;
  /** The requests that the goal quotes, whole, by their quotes. */
  readonly wholes: ReadonlyMap<string, string>;
}

const GOAL_CHARS_MAX = 600;
/** A request that the reader also finds in full. */
const KEPT_GOAL_CHARS_MAX = 240;
/** The first request, beside the current one. */
const ORIGINAL_CHARS_MAX = 320;
/** After so many tasks the first one counts only if the work still speaks of it; questions move on faster. */
const TASKS_MOVED_ON = 4;
const TOPICS_MOVED_ON = 2;
const FRAME_SHARE_MIN = 0.25;
const FRAME_CHARS = 400;
/** What a task asks, without its details: whatever was done is said in few words. */
const ASK_CHARS = 160;

export function goalOf({ requests, earlier, recent, done = [], language, isTalk, isObserved }: GoalInput): Goal {
  const tells = ({ text }: Request): boolean => isTelling(text, language);
  const { tasks, newestTask } = tasksIn(requests, language, isTalk);
  const spare = (): Request | undefined =>
    (isObserved ? requests.find(tells) : requests.findLast(tells)) ?? longestEarly(requests, language);
  const current = newestTask ?? (earlier.length > 0 ? undefined : spare());
  const [first = requests.find(tells)] = tasks;
  const wholes = new Map<string, string>();
  const quoteOf = ({ text, isKept }: Request, charsMax: number): string => {
    const quote = askingQuote(text, isKept ? KEPT_GOAL_CHARS_MAX : charsMax, language);
    wholes.set(quote, text);
    return quote;
  };
  const original = earlier[0] ?? (first === undefined ? undefined : quoteOf(first, GOAL_CHARS_MAX));
  const newest = current === undefined ? earlier.at(-1) : quoteOf(current, GOAL_CHARS_MAX);
  const isAskedAgain = earlier[0] === undefined && first?.text === current?.text;
  if (original === undefined || newest === undefined || isAskedAgain || newest.startsWith(original.replace(/…$/, "")))
    return { goal: newest === undefined ? [] : [newest], current, wholes };
  const isFinished = matcher(done)(askingQuote(original, ASK_CHARS, language));
  const isEarly = tasks.length < (isTalk && !isTask(original, language) ? TOPICS_MOVED_ON : TASKS_MOVED_ON);
  const frames =
    !isFinished && (isEarly || sharedShare(original.slice(0, FRAME_CHARS), [newest, ...recent]) >= FRAME_SHARE_MIN);
  if (!frames) return { goal: [newest], current, wholes };
  const before =
    earlier[0] === undefined && first !== undefined
      ? quoteOf(first, ORIGINAL_CHARS_MAX)
      : askingQuote(original, ORIGINAL_CHARS_MAX, language);
  return { goal: [before, newest], current, wholes };
}

interface Tasks {
  /** The oldest, as many as tell whether the work has moved on. */
  readonly tasks: readonly Request[];
  readonly newestTask: Request | undefined;
}

/** Looks from both ends: what stands between is never asked about. */
function tasksIn(requests: readonly Request[], language: Language, isTalk: boolean): Tasks {
  // Who only talks asks questions; who has work done asks them in passing.
  const asks = ({ text }: Request): boolean => isTask(text, language) || (isTalk && isQuestion(text, language));
  // An answer serves the task that was asked about, unless it asks for something else outright.
  const asksAnew = (request: Request): boolean =>
    asks(request) && !agrees(request.text, language) && (!request.isReply || asksOutright(request.text, language));
  const newestOwn = requests.findLast(asksAnew);
  const isTaken = newestOwn === undefined ? asks : asksAnew;
  const tasks: Request[] = [];
  for (const request of requests) {
    if (tasks.length > TASKS_MOVED_ON) break;
    if (isTaken(request)) tasks.push(request);
  }
  return { tasks, newestTask: newestOwn ?? requests.findLast(asks) };
}

/** "Yes, please go ahead with that booking.": whatever it asks for was offered. */
function agrees(reply: string, language: Language): boolean {
  if (reply.length > AGREEING_CHARS_MAX) return false;
  const [opening = ""] = reply.split(/(?<=[,.!，。！])/);
  return isAssent(opening, language) && GO_AHEAD.test(reply.slice(opening.length));
}

const AGREEING_CHARS_MAX = 120;
const GO_AHEAD =
  /^\s*(?:(?:please|let['’]?s|you (?:can|may)|and|bitte|por favor) )*(?:proceed|go ahead|go for (?:it|that)|continue|carry on|do (?:it|that|this|so)|mach(?:en)? (?:sie )?(?:das|so|weiter)|fahren? sie fort|vas-y|allez-y|adelante|proced[ae]|contin[uú]a|prossiga|procedi|продолжай)(?!\p{L})|^\s*(?:请)?(?:继续|就这样)|^\s*(?:続けて|진행)/iu;
const EARLY_REQUESTS = 3;

/** Where nobody says anything telling, the beginning says most; an output says nothing, whatever its length. */
function longestEarly(requests: readonly Request[], language: Language): Request | undefined {
  const said = requests.filter(({ text }) => !isOutput(text) && !isFarewell(text, language)).slice(0, EARLY_REQUESTS);
  return said.toSorted((a, b) => b.text.length - a.text.length)[0];
}
