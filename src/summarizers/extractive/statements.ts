/**
 * What was decided, done, tried and left to do, as whole sentences: the user's for goals and constraints, the assistant's for
 * the rest, chosen by cue words of the conversation's language. Newest first, bounded. Never rewords a sentence.
 */

import type { Decision } from "../../core/checkpoint/checkpoint.ts";
import type { Language } from "../../core/checkpoint/language.ts";
import { CUES } from "./cues.ts";
import type { Prose, Reading } from "./reading.ts";
import { cutAtWord, oneLine, splitSentences } from "./sentences.ts";

/** Every list is ordered by importance: what comes first is kept first. */
export interface Statements {
  readonly goal: readonly string[];
  readonly constraints: readonly string[];
  readonly done: readonly string[];
  readonly inProgress: readonly string[];
  readonly blocked: readonly string[];
  readonly decisions: readonly Decision[];
  readonly nextSteps: readonly string[];
}

const MESSAGES_READ_MAX = 1_500;
const SENTENCES_PER_MESSAGE = 12;
const ITEMS_MAX = 60;
const ITEM_CHARS_MIN = 16;
const GOAL_CHARS_MAX = 600;
/** How near the end a statement must be to describe what is going on now. */
const CURRENT_STATEMENTS = 2;
const BLOCKED_STATEMENTS = 4;

export function readStatements(reading: Reading): Statements {
  if (!reading.hasAssistant) return NOTHING;
  const found = assistantStatements(reading);
  const todos = reading.todos ?? [];
  const ofState = (state: string): readonly string[] =>
    todos.filter((todo) => todo.state === state).map(({ text }) => text);
  return {
    goal: goalOf(reading.requests),
    constraints: constraintsOf(reading),
    done: distinct([...ofState("done").toReversed(), ...reading.commits.toReversed(), ...found.done]),
    inProgress: distinct([...ofState("inProgress"), ...found.inProgress]),
    blocked: distinct([...ofState("blocked"), ...found.blocked]),
    decisions: found.decisions,
    nextSteps: distinct([...ofState("pending"), ...found.nextSteps]),
  };
}

const NOTHING: Statements = {
  goal: [],
  constraints: [],
  done: [],
  inProgress: [],
  blocked: [],
  decisions: [],
  nextSteps: [],
};

/** The first request that says something, and the newest; what came between shows in constraints and context. */
function goalOf(requests: readonly string[]): readonly string[] {
  const telling = requests.filter((request) => request.length > 12 || /\s/.test(request.trim()));
  const [first] = telling.length > 0 ? telling : requests;
  return first === undefined ? [] : [tidyRequest(first, GOAL_CHARS_MAX)];
}

/** The beginning of a request; blank lines cost and say nothing. */
export function tidyRequest(request: string, charsMax: number): string {
  const beginning = request.slice(0, 2 * charsMax);
  const lines = beginning.split("\n").map((line) => line.trimEnd());
  return cutAtWord(lines.filter((line) => line !== "").join("\n"), charsMax);
}

function constraintsOf({ requests, language }: Reading): readonly string[] {
  const cue = CUES[language].constraint;
  const found: string[] = [];
  for (const request of requests.slice(-MESSAGES_READ_MAX).toReversed()) {
    if (found.length >= ITEMS_MAX) break;
    for (const sentence of splitSentences(request, { sentencesMax: SENTENCES_PER_MESSAGE })) {
      if (sentence.length >= ITEM_CHARS_MIN && cue.test(sentence) && !/[?？]$/.test(sentence)) found.push(sentence);
    }
  }
  return distinct(found);
}

interface Found {
  readonly done: string[];
  readonly inProgress: string[];
  readonly blocked: string[];
  readonly decisions: Decision[];
  readonly nextSteps: string[];
}

function assistantStatements({ prose, language }: Reading): Omit<Statements, "goal" | "constraints"> {
  const found: Found = { done: [], inProgress: [], blocked: [], decisions: [], nextSteps: [] };
  let age = 0;
  for (let at = prose.length - 1; at >= 0 && age < MESSAGES_READ_MAX; at--) {
    const item = prose[at];
    if (item === undefined || item.isUser) continue;
    readAssistant(item, age, language, found);
    age++;
  }
  return { ...found, done: distinct(found.done), decisions: distinctDecisions(found.decisions) };
}

/** The first of a message say what it is about; the rest are details. */
const DONE_PER_MESSAGE = 3;
const DECISIONS_PER_MESSAGE = 2;

function readAssistant(item: Prose, age: number, language: Language, found: Found): void {
  const cues = CUES[language];
  const done: string[] = [];
  const decisions: Decision[] = [];
  const blocked: string[] = [];
  for (const sentence of splitSentences(item.text, { sentencesMax: SENTENCES_PER_MESSAGE })) {
    const text = plain(sentence);
    if (text.length < ITEM_CHARS_MIN || /[?？]$/.test(text)) continue;
    const isAnnouncement = /[:：]$/.test(text);
    if (cues.next.test(text)) {
      if (age >= CURRENT_STATEMENTS) continue;
      const step = isAnnouncement ? `${text.slice(0, -1).trimEnd()}.` : text;
      (item.isFinal ? found.nextSteps : found.inProgress).push(step);
    } else if (isAnnouncement || cues.hedge.test(text)) continue;
    else if (cues.decision.test(text)) decisions.push(splitReason(text, cues.reason));
    // "I fixed the error" is done, though it speaks of an error.
    else if (cues.done.test(text)) done.push(text);
    else if (cues.blocked.test(text) && age < BLOCKED_STATEMENTS) blocked.push(text);
  }
  // Messages are read newest first, so that within one the last comes first too.
  if (found.done.length < ITEMS_MAX) found.done.push(...done.slice(0, DONE_PER_MESSAGE).toReversed());
  if (found.decisions.length < ITEMS_MAX)
    found.decisions.push(...decisions.slice(0, DECISIONS_PER_MESSAGE).toReversed());
  found.blocked.push(...blocked.toReversed());
}

function splitReason(sentence: string, cue: RegExp): Decision {
  const at = sentence.search(cue);
  const head = at > ITEM_CHARS_MIN ? sentence.slice(0, at).replace(/[\s,;–—-]+$/, "") : "";
  return head === "" ? { decision: sentence } : { decision: head, reason: sentence.slice(at) };
}

/** One line without the bold marks of the source, which would break the bold of the list. */
function plain(text: string): string {
  return oneLine(text.replaceAll("**", ""), ITEM_CHARS_MAX);
}

const ITEM_CHARS_MAX = 420;

/** The first of each, whatever its case and marks. */
export function distinct(items: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const key = keyOf(item);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

export function distinctDecisions(decisions: readonly Decision[]): readonly Decision[] {
  const seen = new Set<string>();
  return decisions.filter(({ decision }) => {
    const key = keyOf(decision);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function keyOf(item: string): string {
  return item
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
