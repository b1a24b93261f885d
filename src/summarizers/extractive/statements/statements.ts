/**
 * What was wanted, decided, done, found and left to do, as whole sentences: the user's for goals and constraints, the
 * assistant's and the outcomes of calls for the rest. Newest first, bounded. Never adds a word to a sentence.
 */

import type { Decision } from "../../../core/checkpoint/checkpoint.ts";
import type { Language } from "../../../core/checkpoint/language.ts";
import type { Message } from "../../../core/message.ts";
import { once } from "../../../core/remember.ts";
import { claimsPassing, failedCheckAt } from "../outdated/failed-checks.ts";
import { type IsOvercome, overcomeIn } from "../outdated/overcome.ts";
import { counters, denies, overrules } from "../outdated/stale.ts";
import { type Said, standingChanges, stillSo } from "../outdated/superseded.ts";
import { inUse, isOverWish, type Withdrawal } from "../outdated/withdrawn.ts";
import { changesMade, passedChecks } from "../reading/evidence.ts";
import { inOrder, type KeptView } from "../reading/kept-view.ts";
import type { Prose } from "../reading/prose.ts";
import { isTalk, type Reading, type ToolAnswer } from "../reading/reading.ts";
import { distinct, distinctDecisions, foremostDecisions } from "../text/distinct.ts";
import { userLabel } from "../text/labels.ts";
import { appliedIn } from "./applied-changes.ts";
import { type Told, toldIn } from "./assistant-statements.ts";
import { type LaterWishes, laterWishes } from "./changed-wishes.ts";
import { namesSomething } from "./claims.ts";
import { courseOf } from "./course.ts";
import { carriedOutIn } from "./deeds.ts";
import { isChangedSince } from "./left-alone.ts";
import { isOutvoted } from "./own-options.ts";
import { type NowOptions, readNow } from "./present.ts";
import { reportedChange } from "./reported-change.ts";
import { inForce, laidDownBy } from "./user-statements.ts";
import { type UserTurn, userTurns } from "./user-turns.ts";

/** Every list is ordered by importance: what comes first is kept first. */
export interface Statements {
  readonly constraints: readonly string[];
  readonly done: readonly string[];
  readonly inProgress: readonly string[];
  readonly blocked: readonly string[];
  readonly decisions: readonly Decision[];
  readonly nextSteps: readonly string[];
  readonly findings: readonly string[];
}

const MESSAGES_READ_MAX = 1_500;
const ITEMS_MAX = 60;
/** Of the assistant's. Several times as many as are told, for those that say why go first. */
const DECISIONS_ENOUGH = 24;
/** "The problem is clear." */
const FINDING_CHARS_MIN = 40;

export interface StatementInput {
  readonly reading: Reading;
  readonly kept: KeptView;
  /** The assistant's, which may differ from the user's. */
  readonly language: Language;
  /** Subjects of commits, oldest first. */
  readonly commits: readonly string[];
  /** Those that leave, and those that stay behind them. */
  readonly messages: readonly Message[];
  readonly withdrawn: readonly Withdrawal[];
}

export function readStatements(input: StatementInput): Statements {
  const { reading, kept, language, commits, messages, withdrawn } = input;
  if (!reading.hasAssistant) return NOTHING;
  const found = nothingFound();
  const prose = newestOf(reading.prose);
  const turns = userTurns(prose, { language: reading.language, askedIn: language });
  let answersLeft = reading.answers.length;
  const isAtWork = !isTalk(reading);
  let isTakenBack = false;
  let reply = replyIn(kept, reading.prose.at(-1));
  let isCountered = counters(reply);
  const came = { failedAt: failedCheckAt(reading, kept), isOvercome: overcomeIn(reading, kept) };
  const stayed = repliesIn(kept);
  for (let at = prose.length - 1; at >= 0; at--) {
    const item = prose[at];
    if (item === undefined) continue;
    const turn = turns.get(item);
    const answered = answersLeft;
    while (answersLeft > 0 && (reading.answers[answersLeft - 1]?.message ?? 0) > item.message) answersLeft--;
    readAnswers(reading.answers.slice(answersLeft, answered), reading.language, found);
    if (turn !== undefined) {
      readUser(turn, found, { message: item.message, language: reading.language, withdrawn, stayed });
      // "Go on" between two messages ends no turn.
      isTakenBack = turn.isTakingBack || (isTakenBack && !turn.isTelling);
      isCountered = turn.isCountering || (isCountered && !turn.isTelling);
      reply = turn.text;
    } else {
      const isMended = item.message <= reading.mendedUpTo;
      const wanted = { isAtWork, isFinal: item.isFinal, isDecided: found.decisions.length >= DECISIONS_ENOUGH };
      const told = isFull(found, isMended) ? undefined : toldIn(item, language, wanted);
      const since = { reading, ...came, isTakenBack, isCountered, reply, withdrawn, replies: found.replies };
      isCountered &&= (told?.decisions ?? []).length === 0;
      if (told !== undefined) readAssistant(standing(told, item, since), item.message, found);
      if (prose[at - 1]?.message !== item.message) reply = "";
    }
  }
  readAnswers(reading.answers.slice(0, answersLeft), reading.language, found);
  for (const { isUser, text, message } of kept.prose) {
    if (!isUser || message >= 0) continue;
    const exchange = { asked: "", reply: text, language: reading.language, askedIn: language };
    const laidDown = laidDownBy(exchange, { isRepeated: found.replies.has(text) });
    readUser({ text, laidDown }, found, { message, language: reading.language, withdrawn, stayed });
  }
  const all = inOrder(reading.prose, kept.prose);
  const now = readNow(all, { userLanguage: reading.language, language, ...courseAndDeeds(messages) });
  const done = stillSo(found.done, reading, kept);
  const todos = reading.todos ?? [];
  const ofState = (state: string): readonly string[] =>
    todos.filter((todo) => todo.state === state).map(({ text }) => text);
  return {
    constraints: inForce(distinct(found.constraints)),
    done: distinct([
      ...ofState("done").toReversed(),
      ...commits.toReversed(),
      ...passedChecks(reading.log.values(), kept.ends.failed),
      ...withoutRepeats(done),
      ...(todos.length > 0 ? [] : untold(input, found.done, came.failedAt)),
      // The name of a call says less than any sentence.
      ...changesMade(standingChanges(reading, kept), done, (call) => reportedChange(call, reading.prose, language)),
    ]),
    inProgress: distinct([...ofState("inProgress"), ...now.inProgress]),
    blocked: distinct([...ofState("blocked"), ...now.blocked]),
    decisions: foremostDecisions(distinctDecisions(found.decisions)),
    nextSteps: distinct([...ofState("pending"), ...now.nextSteps]),
    findings: distinct(found.findings),
  };
}

/** Up to so many of the assistant's, and all of the user's between them. */
function newestOf(prose: readonly Prose[]): readonly Prose[] {
  let age = 0;
  const first = prose.findLastIndex(({ isUser }) => !isUser && ++age === MESSAGES_READ_MAX);
  return first > 0 ? prose.slice(first) : prose;
}

/** Changes that were made behind the newest deed that is told, and behind the newest check that failed. */
function untold({ messages, language }: StatementInput, told: readonly Said[], failedAt: number): readonly string[] {
  return appliedIn(messages, language, Math.max(failedAt, ...told.map(({ message }) => message)));
}

/** Deeds are looked for only where something was announced. */
function courseAndDeeds(messages: readonly Message[]): Pick<NowOptions, "course" | "isCarriedOut"> {
  const deeds = once(() => carriedOutIn(messages));
  return { course: courseOf(messages), isCarriedOut: (step) => deeds()(step) };
}

const NOTHING: Statements = {
  constraints: [],
  done: [],
  inProgress: [],
  blocked: [],
  decisions: [],
  nextSteps: [],
  findings: [],
};

interface Found {
  readonly done: Said[];
  readonly decisions: Decision[];
  readonly findings: string[];
  readonly constraints: string[];
  /** All that the user said, so far. */
  readonly replies: Set<string>;
  readonly wishes: LaterWishes;
}

function nothingFound(): Found {
  return { done: [], decisions: [], findings: [], constraints: [], replies: new Set(), wishes: laterWishes() };
}

interface Since {
  readonly reading: Reading;
  readonly isOvercome: IsOvercome;
  /** Where the newest check failed. */
  readonly failedAt: number;
  /** The user's next message takes back what was done. */
  readonly isTakenBack: boolean;
  /** They name another way than the newest of the assistant's. */
  readonly isCountered: boolean;
  /** The user's next words, where they are the next of all. */
  readonly reply: string;
  readonly withdrawn: readonly Withdrawal[];
  /** All that the user said later. */
  readonly replies: Iterable<string>;
}

/** What was said last may be answered by a message that stays in the view. */
function replyIn({ prose }: KeptView, last: Prose | undefined): string {
  const next = last === undefined ? undefined : prose.find(({ message }) => message > last.message);
  return next?.isUser === true ? next.text : "";
}

/**
 * Without what is no longer so: what the user took back, denied, gave up or wanted otherwise, findings behind which something was changed and a
 * check passed, and that checks pass where the newest failed since.
 */
function standing({ decisions, done, findings }: Told, { message, text }: Prose, since: Since): Told {
  const isMended = message <= since.reading.mendedUpTo;
  const isOverruled = since.isTakenBack || (decisions.length > 0 && overrules(since.reply, text));
  const stillDone = message < since.failedAt ? done.filter((item) => !claimsPassing(item)) : done;
  const told = {
    decisions: isOverruled
      ? []
      : decisions
          .slice(0, since.isCountered ? -1 : undefined)
          .filter((decision) => !isOutvoted(decision, text, since.replies)),
    done: since.isTakenBack ? [] : stillDone,
    findings:
      isMended || (findings.length > 0 && denies(since.reply, text))
        ? []
        : findings.filter((finding) => !since.isOvercome(finding, message)),
  };
  return inUse(told, message, since.withdrawn);
}

/** Nothing more is wanted of a message. What one found that is mended since is never told. */
function isFull({ done, decisions, findings }: Found, isMended: boolean): boolean {
  if (decisions.length < DECISIONS_ENOUGH || done.length < ITEMS_MAX) return false;
  return isMended || findings.length >= ITEMS_MAX;
}

/** Messages are read newest first, so that within one the last comes first too. */
function readAssistant({ done, decisions, findings }: Told, message: number, found: Found): void {
  if (found.done.length < ITEMS_MAX)
    for (const text of done.filter(namesSomething).toReversed()) found.done.push({ text, message });
  if (found.decisions.length < DECISIONS_ENOUGH) found.decisions.push(...decisions.toReversed());
  if (found.findings.length < ITEMS_MAX)
    found.findings.push(...findings.filter(({ length }) => length >= FINDING_CHARS_MIN).toReversed());
}

interface Place {
  readonly message: number;
  readonly language: Language;
  readonly withdrawn: readonly Withdrawal[];
  /** What the user said in the messages that stay. */
  readonly stayed: Replies;
}

interface Replies {
  readonly replies: Iterable<string>;
  readonly wishes: LaterWishes;
}

function repliesIn({ prose }: KeptView): Replies {
  const replies = prose.filter(({ isUser, message }) => isUser && message >= 0).map(({ text }) => text);
  return { replies, wishes: laterWishes(replies) };
}

function readUser({ text, laidDown }: Pick<UserTurn, "text" | "laidDown">, found: Found, place: Place): void {
  const { message, language, withdrawn, stayed } = place;
  const { decisions } = inUse({ decisions: laidDown.decisions, done: [], findings: [] }, message, withdrawn);
  const later: readonly Replies[] = [stayed, found];
  const stands = ({ decision }: Decision): boolean =>
    !later.some(({ replies }) => isChangedSince(decision, replies, language)) &&
    !later.some(({ wishes }) => wishes.change(decision, language));
  if (found.decisions.length < ITEMS_MAX) found.decisions.push(...decisions.filter(stands).toReversed());
  if (!found.replies.has(text)) found.wishes.add(text);
  found.replies.add(text);
  const rules = laidDown.constraints.filter((rule) => !isOverWish(rule, message, withdrawn));
  if (found.constraints.length < ITEMS_MAX) found.constraints.push(...rules.toReversed());
}

/** What users answered through tools since a message, newest first, as settled between both sides. */
function readAnswers(answers: readonly ToolAnswer[], language: Language, found: Found): void {
  for (const { asked, answer } of answers.toReversed()) {
    if (found.decisions.length >= ITEMS_MAX) return;
    found.decisions.push({ decision: `${userLabel(language)}${answer}`, reason: asked });
  }
}

const PASSES_MAX = 2;

/** That everything passes is said again and again; only the newest times count. */
function withoutRepeats(done: readonly string[]): readonly string[] {
  let passes = 0;
  return done.filter((item) => !PASSING.test(item) || ++passes <= PASSES_MAX);
}

const PASSING = /\b(?:pass(?:es|ed|ing)?|succeed(?:s|ed)|green)\b/i;
