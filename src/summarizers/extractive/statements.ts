/**
 * What was wanted, decided, done, found and left to do, as whole sentences: the user's for goals and constraints, the
 * assistant's and the outcomes of calls for the rest. Newest first, bounded. Never adds a word to a sentence.
 */

import type { Decision } from "../../core/checkpoint/checkpoint.ts";
import { detectLanguage, type Language } from "../../core/checkpoint/language.ts";
import { type Exchange, settledBy } from "./answers.ts";
import { openIn, type Told, toldIn } from "./assistant-statements.ts";
import { CUES } from "./cues.ts";
import { decisionIn } from "./decisions.ts";
import { provenBy } from "./evidence.ts";
import type { KeptView } from "./kept-view.ts";
import type { Prose, Reading } from "./reading.ts";
import { endsWithMark, splitSentences } from "./sentences.ts";
import { wordsOf } from "./shared-words.ts";
import { spokenWords } from "./spoken-words.ts";
import { isTelling } from "./tasks.ts";
import { wholeStatement } from "./whole-statement.ts";

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
const SENTENCES_PER_REQUEST = 12;
const ITEMS_MAX = 60;
const CONSTRAINT_CHARS_MAX = 280;
/** "The problem is clear." */
const FINDING_CHARS_MIN = 40;

export interface StatementInput {
  readonly reading: Reading;
  readonly kept: KeptView;
  /** Subjects of commits, oldest first. */
  readonly commits: readonly string[];
}

export function readStatements({ reading, kept, commits }: StatementInput): Statements {
  if (!reading.hasAssistant) return NOTHING;
  const language = assistantLanguage(reading);
  const found: Found = { done: [], decisions: [], findings: [], constraints: [] };
  let age = 0;
  for (let at = reading.prose.length - 1; at >= 0 && age < MESSAGES_READ_MAX; at--) {
    const item = reading.prose[at];
    if (item === undefined) continue;
    const before = reading.prose[at - 1];
    if (item.isUser) {
      const asked = before?.isUser === false ? before.text : "";
      readUser({ asked, reply: item.text, language: reading.language, askedIn: language }, found);
    } else {
      if (!isFull(found)) readAssistant(toldIn(item.text, language), found);
      age++;
    }
  }
  for (const { isUser, text } of kept.before)
    if (isUser) readUser({ asked: "", reply: text, language: reading.language, askedIn: language }, found);
  const now = readNow([...reading.prose, ...kept.since], reading.language, language);
  const todos = reading.todos ?? [];
  const ofState = (state: string): readonly string[] =>
    todos.filter((todo) => todo.state === state).map(({ text }) => text);
  return {
    constraints: distinct(found.constraints),
    done: distinct([
      ...ofState("done").toReversed(),
      ...commits.toReversed(),
      ...provenBy(reading.log.values()),
      ...withoutRepeats(found.done),
    ]),
    inProgress: distinct([...ofState("inProgress"), ...now.inProgress]),
    blocked: distinct([...ofState("blocked"), ...now.blocked]),
    decisions: distinctDecisions(found.decisions),
    nextSteps: distinct([...ofState("pending"), ...now.nextSteps]),
    findings: distinct(found.findings),
  };
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

const SAMPLE_MESSAGES = 40;
const SAMPLE_CHARS = 400;
const SAMPLE_CHARS_MIN = 200;
/** Another script shows in a few words, other small words only in many. */
const SCRIPT_CHARS_MIN = 40;
const OTHER_SCRIPTS: ReadonlySet<Language> = new Set(["ru", "zh", "ja", "ko", "ar"]);

/** An assistant may speak another language than its user. */
function assistantLanguage({ prose, language }: Reading): Language {
  const spoken = prose.filter(({ isUser }) => !isUser).slice(-SAMPLE_MESSAGES);
  const sample = spoken.map(({ text }) => spokenWords(text, SAMPLE_CHARS)).join("\n");
  const charsMin = OTHER_SCRIPTS.has(language) ? SCRIPT_CHARS_MIN : SAMPLE_CHARS_MIN;
  return sample.length < charsMin ? language : detectLanguage(sample);
}

interface Found {
  readonly done: string[];
  readonly decisions: Decision[];
  readonly findings: string[];
  readonly constraints: string[];
}

function isFull({ done, decisions, findings }: Found): boolean {
  return Math.min(done.length, decisions.length, findings.length) >= ITEMS_MAX;
}

/** Messages are read newest first, so that within one the last comes first too. */
function readAssistant({ done, decisions, findings }: Told, found: Found): void {
  if (found.done.length < ITEMS_MAX) found.done.push(...done.filter(namesSomething).toReversed());
  if (found.decisions.length < ITEMS_MAX) found.decisions.push(...decisions.toReversed());
  if (found.findings.length < ITEMS_MAX)
    found.findings.push(...findings.filter(({ length }) => length >= FINDING_CHARS_MIN).toReversed());
}

const EMPTY_WORDS: ReadonlySet<string> = new Set(
  "edit change changes task work complete completed done place everything update fix finished implementation step".split(
    " ",
  ),
);
const TELLING_WORDS_MIN = 2;

/** "The edit is complete." does not say which. */
function namesSomething(done: string): boolean {
  return [...wordsOf(done)].filter((word) => !EMPTY_WORDS.has(word)).length >= TELLING_WORDS_MIN;
}

function readUser(exchange: Exchange, found: Found): void {
  const { reply: text, language } = exchange;
  const answer = exchange.asked === "" ? undefined : settledBy(exchange);
  if (answer !== undefined && found.decisions.length < ITEMS_MAX) found.decisions.push(answer);
  if (found.constraints.length >= ITEMS_MAX || !isTelling(text, language)) return;
  const cues = CUES[language];
  const constraints: string[] = [];
  let before = "";
  for (const sentence of splitSentences(withoutNotices(text), { sentencesMax: SENTENCES_PER_REQUEST })) {
    // "What does it use? Should be dimmer." says nothing without the sentence before.
    const isLeaning = endsWithMark(before) && /^(?:should|must|needs?)\b/i.test(sentence);
    const whole = wholeStatement(isLeaning ? `${before} ${sentence}` : sentence, SAID);
    before = sentence;
    if (whole === undefined || TOOL_ADVICE.test(whole)) continue;
    if (whole.length > CONSTRAINT_CHARS_MAX || /[?？؟]$/.test(whole)) continue;
    const decision = answer === undefined ? decisionIn(whole, cues, SAID) : undefined;
    if (decision !== undefined) found.decisions.push(decision);
    else if (cues.constraint.test(whole) && !SMALL_TALK.test(whole)) constraints.push(whole);
  }
  found.constraints.push(...constraints.toReversed());
}

const SAID = { isUser: true } as const;

/** "ok, let me try the light theme": what users are about to do themselves binds nobody. */
const SMALL_TALK = /^(?:(?:ok(?:ay)?|alright|right|hm+|so|well|oh)[,.!]*\s+)*(?:let me|lemme|i'?ll|i’ll|i will)\s/iu;
/** "Use the --force option if you know what you are doing": what tools tell whoever reads their output. */
const TOOL_ADVICE =
  /^(?:to .{1,60},? )?(?:use|pass|add|try|run)(?: with)? (?:the )?[`'"]?--?[\w-]+[`'"]?.{0,20} (?:if|to)\s/i;
const NOTICE_LINE =
  /^\s*(?:\[?(?:WARNING|WARN|ERROR|INFO|DEBUG|NOTICE|notice|hint)\]?:?\s|npm (?:warn|notice|error|ERR!))/;

/** A user's text without the notices of tools in it. */
function withoutNotices(text: string): string {
  if (!text.includes("\n")) return NOTICE_LINE.test(text) ? "" : text;
  return text
    .split("\n")
    .filter((line) => !NOTICE_LINE.test(line))
    .join("\n");
}

interface Now {
  readonly inProgress: readonly string[];
  readonly nextSteps: readonly string[];
  readonly blocked: readonly string[];
}

/** How many of the assistant's newest messages tell what is going on. */
const CURRENT_MESSAGES = 2;

/** What is going on at the end. A new request of the user makes older announcements void. */
function readNow(prose: readonly Prose[], userLanguage: Language, language: Language): Now {
  const inProgress: string[] = [];
  const nextSteps: string[] = [];
  const blocked: string[] = [];
  let age = 0;
  for (let at = prose.length - 1; at >= 0 && age < CURRENT_MESSAGES; at--) {
    const item = prose[at];
    if (item === undefined) continue;
    if (item.isUser) {
      if (isTelling(item.text, userLanguage)) break;
      continue;
    }
    const said = openIn(item.text, language, item);
    if (item.isFinal && age === 0) {
      nextSteps.push(...(said.nextSteps.length > 0 ? said.nextSteps : said.announced));
      blocked.push(...said.blocked);
    } else if (!item.isFinal) {
      if (inProgress.length === 0) inProgress.push(...said.announced);
      nextSteps.push(...(age === 0 ? said.nextSteps : []));
      if (age === 0) blocked.push(...said.blocked);
    }
    // A turn that ended is over: what was announced before it is done or dropped.
    if (item.isFinal) break;
    age++;
  }
  return { inProgress, nextSteps, blocked };
}

const PASSES_MAX = 2;

/** That everything passes is said again and again; only the newest times count. */
function withoutRepeats(done: readonly string[]): readonly string[] {
  let passes = 0;
  return done.filter(
    (item) => !/\b(?:pass(?:es|ed|ing)?|succeed(?:s|ed)|green)\b/i.test(item) || ++passes <= PASSES_MAX,
  );
}

/** The first of each, whatever its case and marks. */
export function distinct(items: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return items.filter((item) => isNew(item, seen));
}

export function distinctDecisions(decisions: readonly Decision[]): readonly Decision[] {
  const seen = new Set<string>();
  return decisions.filter(({ decision }) => isNew(decision, seen));
}

function isNew(item: string, seen: Set<string>): boolean {
  const key = item
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}
