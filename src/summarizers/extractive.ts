/**
 * The embedded default summarizer: builds the checkpoint from the messages themselves, in the conversation's own words and
 * language, under a token budget. No model, no network, no clock: the same input gives the same bytes, in linear time.
 */

import type { ToolFailure } from "../core/checkpoint/checkpoint.ts";
import type { Summarizer, SummaryInput, SummaryResult } from "../core/checkpoint/summary.ts";
import { rankFacts } from "../core/facts/facts.ts";
import { type Message, textsOf } from "../core/message.ts";
import { isTurnStart } from "../core/structure/structure.ts";
import { compose, type Draft } from "./extractive/compose.ts";
import { createContext } from "./extractive/context-sentences.ts";
import { offersMax } from "./extractive/identifiers.ts";
import { userLabel } from "./extractive/labels.ts";
import {
  type Earlier,
  earlierOf,
  mergeFacts,
  mergeFailures,
  mergeFiles,
  mergeStatements,
  wordsOf,
} from "./extractive/merge.ts";
import { type Reading, readMessages } from "./extractive/reading.ts";
import { logLine, resultProse } from "./extractive/result-lines.ts";
import { oneLine } from "./extractive/sentences.ts";
import { readStatements, tidyRequest } from "./extractive/statements.ts";

const VERSION = "1";
/** X18. */
const FAILURES_MAX = 8;
const LATEST_REQUEST_CHARS_MAX = 2_000;
const REQUESTS_MAX = 40;
const REQUEST_LINE_CHARS_MAX = 300;

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
  const reading = readMessages([...input.messages, ...input.turnPrefix]);
  const draft = draftOf(reading, earlierOf(input.previous), input);
  const kept = input.kept.flatMap(readableTexts);
  const { checkpoint, text } = compose(draft, { budgetTokens, counter, language: reading.language, kept });
  const notes = text === "" ? [`A budget of ${budgetTokens} tokens holds no summary.`] : [];
  return { text, checkpoint, calls: 0, notes };
}

function draftOf(reading: Reading, before: Earlier, input: SummaryInput): Draft {
  const { checkpoint: earlier, lines } = before;
  const statements = mergeStatements(readStatements(reading), earlier, reading);
  const files = mergeFiles(reading, earlier);
  const { openFailure } = reading;
  const failures = reading.failures
    .filter((failure) => failure !== openFailure)
    .toReversed()
    .map(({ toolName, summary }) => ({ toolName, summary }));
  const latest = latestRequestOf(reading, input.kept) ?? earlier?.latestRequest;
  const focus = wordsOf(input.instructions ?? "");
  const context = { counter: input.counter, language: reading.language, focus };
  return {
    ...statements,
    nextSteps: statements.nextSteps.length > 0 ? statements.nextSteps : askedNext(reading, input.kept),
    blocked: openFailure === undefined ? statements.blocked : [failureLine(openFailure), ...statements.blocked],
    ...files,
    ...(latest === undefined || latest === statements.goal[0] ? {} : { latestRequest: latest }),
    criticalContext: requestLines(reading, statements.goal[0]),
    toolFailures: mergeFailures(failures, earlier?.toolFailures ?? [], reading).slice(0, FAILURES_MAX),
    identifiers: [],
    facts: mergeFacts(rankFacts(reading.ledger, offersMax(input.budgetTokens)), before, files),
    log: once(() => [...reading.log.values()].toReversed().map(logLine)),
    context: once(() => createContext(reading.prose, { ...context, earlier: lines })),
    resultContext: once(() => createContext(resultProse(reading.results), { ...context, earlier: [] })),
  };
}

function failureLine({ toolName, summary }: ToolFailure): string {
  return `${toolName}: ${summary}`;
}

/** Made when first asked for: many summaries are full before it is. */
function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Where nobody wrote down what comes next, it is what the user asked for last. */
function askedNext({ hasAssistant, requests }: Reading, kept: readonly Message[]): readonly string[] {
  const keptRequest = kept.findLast(isTurnStart);
  const newest = keptRequest === undefined ? requests.at(-1) : textsOf(keptRequest.parts).join("\n");
  if (!hasAssistant || newest === undefined || newest.trim() === "") return [];
  return [oneLine(tidyRequest(newest, 4 * REQUEST_LINE_CHARS_MAX), REQUEST_LINE_CHARS_MAX)];
}

/** Undefined when the newest request stays in the view, or nobody asked for anything. */
function latestRequestOf({ hasAssistant, requests }: Reading, kept: readonly Message[]): string | undefined {
  const latest = hasAssistant && !kept.some(isTurnStart) ? requests.at(-1) : undefined;
  return latest === undefined ? undefined : tidyRequest(latest, LATEST_REQUEST_CHARS_MAX);
}

/** What else the user asked between the first request and the newest, newest first, each on a line. */
function requestLines({ hasAssistant, requests, language }: Reading, goal: string | undefined): readonly string[] {
  if (!hasAssistant) return [];
  return requests
    .slice(0, -1)
    .slice(-REQUESTS_MAX)
    .toReversed()
    .filter((request) => goal === undefined || !goal.startsWith(request.slice(0, 80)))
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
