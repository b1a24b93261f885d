/**
 * The embedded default summarizer: builds the checkpoint from the messages themselves, in the conversation's own words and
 * language, under a token budget. No model, no network, no clock: the same input gives the same bytes, in linear time.
 */

import type { Checkpoint, ToolFailure } from "../core/checkpoint/checkpoint.ts";
import type { Summarizer, SummaryInput, SummaryResult } from "../core/checkpoint/summary.ts";
import { rankFacts } from "../core/facts/facts.ts";
import { type Message, textsOf } from "../core/message.ts";
import { isForeignSummary } from "../core/plan/foreign-summaries.ts";
import { argumentNamesOf } from "./extractive/argument-names.ts";
import { isWorthTelling } from "./extractive/call-outcome.ts";
import { compose, type Draft } from "./extractive/compose.ts";
import { createContext } from "./extractive/context-sentences.ts";
import { commitsOf } from "./extractive/evidence.ts";
import { foreignGoal } from "./extractive/foreign-goal.ts";
import { type Goal, goalOf, type Request } from "./extractive/goal.ts";
import { offersMax } from "./extractive/identifiers.ts";
import { type KeptView, readKept } from "./extractive/kept-view.ts";
import { userLabel } from "./extractive/labels.ts";
import {
  type Earlier,
  earlierOf,
  failuresIn,
  mergeFacts,
  mergeFailures,
  mergeFiles,
  mergeStatements,
} from "./extractive/merge.ts";
import { type Prose, type Reading, readMessages } from "./extractive/reading.ts";
import { logLines, resultProse } from "./extractive/result-lines.ts";
import { oneLine } from "./extractive/sentences.ts";
import { wordsOf } from "./extractive/shared-words.ts";
import { readStatements } from "./extractive/statements.ts";
import { isAssent, isFarewell, isTelling, tidyRequest } from "./extractive/tasks.ts";

const VERSION = "1";
/** X18. */
const FAILURES_MAX = 8;
const LATEST_REQUEST_CHARS_MAX = 2_000;
const REQUESTS_MAX = 40;
const REQUEST_LINE_CHARS_MAX = 300;
/** A newest request up to this length is quoted whole as the goal. */
const REQUEST_CHARS_SHORT = 600;
const GOAL_CHARS_COMPARED = 80;
const FINDINGS_MAX = 6;
const NEXT_CHARS_MAX = 200;

export function extractive(): Summarizer {
  return {
    name: "extractive",
    version: VERSION,
    planCalls: () => 0,
    summarize: async (input, { signal }) => {
      signal.throwIfAborted();
      return summarizeExtractively(input);
    },
  };
}

function summarizeExtractively(input: SummaryInput): SummaryResult {
  const { budgetTokens, counter } = input;
  const leaving = [...input.messages, ...input.turnPrefix];
  const view = readKept(input);
  const reading = readMessages(leaving, view);
  const draft = draftOf({ leaving, reading, kept: view, before: earlierOf(input.previous) }, input);
  const kept = input.kept.flatMap(readableTexts);
  const { checkpoint, text } = compose(draft, { budgetTokens, counter, language: reading.language, kept });
  const notes = text === "" ? [`A budget of ${budgetTokens} tokens holds no summary.`] : [];
  return { text, checkpoint, calls: 0, notes };
}

interface Source {
  readonly leaving: readonly Message[];
  readonly reading: Reading;
  readonly kept: KeptView;
  readonly before: Earlier;
}

function draftOf(source: Source, input: SummaryInput): Draft {
  const { leaving, reading, kept, before } = source;
  const { checkpoint: earlier, lines } = before;
  const fresh = readStatements({ reading, kept, commits: commitsOf(leaving) });
  const { findings, ...statements } = mergeStatements(fresh, earlier, reading);
  const files = mergeFiles(reading, earlier);
  const latest = latestRequestOf(reading, kept) ?? earlier?.latestRequest;
  const asked = askedFor(source, input, latest);
  const open = kept.hasCallsAfter ? undefined : reading.openFailure;
  const focus = wordsOf(input.instructions ?? "");
  const context = { counter: input.counter, language: reading.language, focus };
  const facts = rankFacts(reading.ledger, offersMax(input.budgetTokens));
  return {
    goal: asked.goal,
    ...statements,
    nextSteps: statements.nextSteps.length > 0 ? statements.nextSteps : askedNext(source, asked),
    blocked:
      open === undefined || !isWorthTelling(open) ? statements.blocked : [failureLine(open), ...statements.blocked],
    ...files,
    ...(latest === undefined || asked.goal.includes(latest) ? {} : { latestRequest: latest }),
    criticalContext: [...findings.slice(0, FINDINGS_MAX), ...requestLines(reading, asked.goal)],
    toolFailures: failuresOf(reading, open, earlier),
    identifiers: [],
    facts: mergeFacts(facts, before, files),
    isTalk: isTalk(reading),
    argumentNames: argumentNamesOf(leaving, reading.prose),
    log: () => logOf(reading),
    context: once(() => createContext(reading.prose, { ...context, earlier: lines })),
    resultContext: once(() => createContext(resultProse(reading.results), { ...context, earlier: [] })),
  };
}

function failuresOf(
  reading: Reading,
  open: ToolFailure | undefined,
  earlier: Checkpoint | undefined,
): readonly ToolFailure[] {
  const fresh = reading.failures
    .filter((failure) => failure !== open && isWorthTelling(failure))
    .toReversed()
    .map(({ toolName, summary }) => ({ toolName, summary }));
  return mergeFailures(fresh, earlier === undefined ? [] : failuresIn(earlier), reading).slice(0, FAILURES_MAX);
}

function failureLine({ toolName, summary }: ToolFailure): string {
  return `${toolName}: ${summary}`;
}

/** Newest first, each line made only when there is room for it. */
function* logOf({ log }: Reading): Iterable<string> {
  for (const call of [...log.values()].toReversed()) yield* logLines(call);
}

/** Made when first asked for: many summaries are full before it is. */
function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const RECENT_MESSAGES = 30;
const RECENT_CHARS = 1_000;

function askedFor({ leaving, reading, kept, before }: Source, input: SummaryInput, latest: string | undefined): Goal {
  if (!reading.hasAssistant) return { goal: [], current: undefined };
  const quoted = (prose: readonly Prose[]): readonly Request[] =>
    prose.flatMap(({ isUser, text }) => (isUser ? [{ text, isKept: true }] : []));
  const newest = reading.requests.length - 1;
  const isLong = latest !== undefined && latest.length > REQUEST_CHARS_SHORT;
  const own = reading.requests.map((text, index) => ({ text, isKept: isLong && index === newest }));
  const recent = [...reading.prose, ...kept.after].filter(({ isUser }) => !isUser).slice(-RECENT_MESSAGES);
  const foreign = foreignGoals([...input.kept, ...leaving]);
  return goalOf({
    requests: [...quoted(kept.before), ...own, ...quoted(kept.after)],
    earlier: before.checkpoint?.goal ?? foreign,
    recent: [...recent.map(({ text }) => text.slice(0, RECENT_CHARS)), ...reading.filesModified],
    language: reading.language,
    // Whoever needed a summary was at work before it.
    isTalk: isTalk(reading) && foreign.length === 0,
    isObserved: reading.observations > reading.requests.length,
  });
}

/** What the newest summary that another tool left says the work is for. */
function foreignGoals(messages: readonly Message[]): readonly string[] {
  const newest = messages.findLast(isForeignSummary);
  const goal = newest === undefined ? "" : foreignGoal(textsOf(newest.parts).join("\n"));
  return goal === "" ? [] : [goal];
}

function isTalk({ log, results, failures }: Reading): boolean {
  return log.size + results.length + failures.length === 0;
}

/** Where nobody wrote down what comes next, it is what the user asked for last. An answer that ended the turn settles it. */
function askedNext({ reading, kept }: Source, { goal, current }: Goal): readonly string[] {
  if (!reading.hasAssistant || kept.isAnswered) return [];
  const last = kept.after.at(-1) ?? reading.prose.at(-1);
  if (last?.isUser === true && isFarewell(last.text, reading.language)) return [];
  const newest = last?.isUser === true && !isAssent(last.text, reading.language) ? last.text : current?.text;
  const next = newest ?? goal.at(-1) ?? "";
  return next.trim() === "" ? [] : [oneLine(tidyRequest(next, 4 * NEXT_CHARS_MAX), NEXT_CHARS_MAX)];
}

/** Undefined when the newest request stays in the view, or nobody asked for anything. */
function latestRequestOf({ hasAssistant, requests }: Reading, { after }: KeptView): string | undefined {
  const latest = hasAssistant && !after.some(({ isUser }) => isUser) ? requests.at(-1) : undefined;
  return latest === undefined ? undefined : tidyRequest(latest, LATEST_REQUEST_CHARS_MAX);
}

/** What else the user asked, newest first, each on a line. */
function requestLines({ hasAssistant, requests, language }: Reading, goal: readonly string[]): readonly string[] {
  if (!hasAssistant) return [];
  const isGoal = (request: string): boolean =>
    goal.some((text) => text.startsWith(request.slice(0, GOAL_CHARS_COMPARED)));
  return requests
    .slice(0, -1)
    .slice(-REQUESTS_MAX)
    .toReversed()
    .filter((request) => isTelling(request, language) && !isGoal(request))
    .map(
      (request) =>
        `${userLabel(language)}${oneLine(request.slice(0, 4 * REQUEST_LINE_CHARS_MAX), REQUEST_LINE_CHARS_MAX)}`,
    );
}

/** Everything in a kept message that its reader sees, call arguments included. */
function readableTexts(message: Message): readonly string[] {
  const calls = message.parts.flatMap((part) => (part.type === "tool-call" ? [JSON.stringify(part.input)] : []));
  return [...textsOf(message.parts), ...calls];
}
