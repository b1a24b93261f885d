/**
 * What is wrong with a summary, found without a model: sections, language, length, identifiers that are gone, entities that
 * were never there. Only looks; what is done about it stands in guard.ts.
 */

import type { SummaryInput } from "../core/checkpoint/summary.ts";
import { factsOf } from "../core/facts/facts.ts";
import { isObject } from "../core/json.ts";
import { type Message, text as textPart } from "../core/message.ts";
import { once } from "../core/once.ts";
import { userVoice } from "../core/plan/user-voice.ts";
import { createSource, type Entity, entitiesOf, isUnrelated, type Source } from "./entities.ts";
import { askedIn } from "./extractive/reading/tool-output.ts";
import { type CertainLanguage, isOtherLanguage, languageOfUsers } from "./language-check.ts";
import { headingKey, missingHeadings, parseSections } from "./sections.ts";
import { cutMiddle } from "./shrink-text.ts";
import { groundOf, sourceTexts } from "./source-texts.ts";
import { renderTracked, type TrackedSection, trackDetails } from "./tracked-details.ts";

/** The identifiers of a conversation, likeliest to be needed again first. */
export type RankFacts = (messages: readonly Message[]) => readonly { readonly text: string }[];

export interface GuardOptions {
  /** Headings that the text must have; none for free text. */
  readonly sections: readonly string[];
  readonly rankFacts?: RankFacts;
}

/** All that the guard knows of the conversation, worked out once. */
export interface GuardContext {
  readonly input: SummaryInput;
  readonly sections: readonly string[];
  readonly language: CertainLanguage | undefined;
  readonly source: Source;
  /** Ranked; without those that the kept messages show anyway. */
  readonly facts: readonly string[];
  readonly requests: readonly string[];
  readonly tracked: readonly TrackedSection[];
  /** What was to be summarised. */
  inputTokens(): number;
}

export interface Findings {
  readonly missingSections: readonly string[];
  /** It shares nothing with the conversation. */
  readonly isUnrelated: boolean;
  readonly isOtherLanguage: boolean;
  /** So far that a cut would lose more than a second try costs. */
  readonly isFarOverBudget: boolean;
  /** Of the facts that must not be lost. */
  readonly missingFacts: readonly string[];
  readonly requiredFacts: number;
  readonly invented: readonly Entity[];
}

/** So many identifiers must be there. */
const REQUIRED_FACTS = 12;
/** So many are considered for the list; most fall away because the budget ends. */
const FACTS_MAX = 80;
/** Of the ranked ones so many are looked at: the rest could not win a place. */
const FACTS_RANKED_MAX = 400;
/** More than this many inventions are worth a repair. */
const INVENTED_MAX = 2;
const FAR_OVER_BUDGET = 1.5;

export function createGuardContext(input: SummaryInput, { sections, rankFacts = factsOf }: GuardOptions): GuardContext {
  const all = [...input.messages, ...input.turnPrefix];
  const kept = createSource(sourceTexts(input.kept));
  const ranked = rankFacts([...carried(input), ...all]).slice(0, FACTS_RANKED_MAX);
  const argumentNames = argumentNamesOf(all);
  const facts = ranked.map(({ text }) => text).filter((fact) => !argumentNames.has(fact) && !kept.names(fact));
  return {
    input,
    sections,
    language: languageOfUsers([...all, ...input.kept], input.userTools),
    source: createSource(groundOf(input)),
    facts: facts.slice(0, FACTS_MAX),
    requests: latestRequests(input),
    tracked: trackDetails(input),
    inputTokens: once(() => input.counter.total(all)),
  };
}

export function findProblems(text: string, context: GuardContext): Findings {
  const { input, sections, language, source, facts } = context;
  const missingSections = missingHeadings(text, sections);
  const required = facts.slice(0, REQUIRED_FACTS);
  return {
    missingSections,
    isUnrelated: isUnrelated(text, {
      source,
      sections,
      inputTokens: context.inputTokens(),
      countText: input.counter.countText,
    }),
    isOtherLanguage: isOtherLanguage(text, language),
    isFarOverBudget: input.counter.countText(text) > input.budgetTokens * FAR_OVER_BUDGET,
    // What will be appended anyway is not lost.
    missingFacts: missingFrom([text, ...context.requests, ...context.tracked.map(renderTracked)].join("\n"), required),
    requiredFacts: required.length,
    invented: entitiesOf(text).filter((entity) => !source.holds(entity)),
  };
}

export function missingFrom(text: string, facts: readonly string[]): readonly string[] {
  const source = createSource([text]);
  return facts.filter((fact) => !source.names(fact));
}

/** What no deterministic step can put right, or only with a loss. */
export function isWorthRepair(findings: Findings): boolean {
  const { missingFacts, requiredFacts, missingSections, invented } = findings;
  const isForgetful = missingFacts.length > requiredFacts / 2;
  const isFaulty =
    findings.isUnrelated || findings.isOtherLanguage || findings.isFarOverBudget || missingSections.length > 0;
  return isFaulty || isForgetful || invented.length > INVENTED_MAX;
}

/** Lower is better; decides between a draft and its repair. */
export function severity(findings: Findings): number {
  return (
    (findings.isUnrelated ? 1_000 : 0) +
    (findings.isOtherLanguage ? 1_000 : 0) +
    (findings.isFarOverBudget ? 20 : 0) +
    findings.missingSections.length * 5 +
    findings.invented.length * 3 +
    findings.missingFacts.length
  );
}

/** The previous summary says what earlier compactions found worth keeping. */
function carried({ previous }: SummaryInput): readonly Message[] {
  return previous === undefined
    ? []
    : [{ id: "previous summary", role: "assistant", parts: [textPart(previous.text)] }];
}

/** Names of call arguments stand in the tool definitions, which no compaction takes away. */
function argumentNamesOf(messages: readonly Message[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type === "tool-call" && isObject(part.input))
        for (const name of Object.keys(part.input)) names.add(name);
    }
  }
  return names;
}

const REQUEST_CHARS_MAX = 1_000;
const CUT_MARKER = " [...] ";
/** "yes", "go on": a request this short leans on the one before it, which is quoted as well. */
const SHORT_CHARS = 80;
const REQUESTS_MAX = 3;

/** Oldest first; without any in the messages, the one that the previous summary carries. */
export function latestRequests(input: SummaryInput): readonly string[] {
  const { messages, turnPrefix, kept, previous, userTools } = input;
  const requests: string[] = [];
  for (const list of [kept, turnPrefix, messages]) {
    const voice = userVoice(list, userTools);
    for (let index = list.length - 1; index >= 0; index--) {
      const message = list[index];
      if (message === undefined || !voice.speaksIn(message)) continue;
      const words = voice.wordsIn(message, (said) => askedIn(said, isStarted(input, list, index)));
      if (words.length === 0) continue;
      const request = bounded(words.join("\n").toWellFormed());
      requests.unshift(request);
      if (request.length >= SHORT_CHARS || requests.length >= REQUESTS_MAX) return requests;
    }
  }
  if (requests.length > 0) return requests;
  const carried = previous?.checkpoint?.latestRequest ?? carriedRequest(previous?.text ?? "");
  return carried === "" ? [] : [bounded(carried)];
}

/** Whether an assistant spoke before a message. */
function isStarted(input: SummaryInput, list: readonly Message[], index: number): boolean {
  const { messages, turnPrefix, kept, keptAfter, previous } = input;
  if (previous !== undefined || list.slice(0, index).some(isAssistants)) return true;
  if (list === messages) return false;
  const before = list === kept ? [...messages, ...turnPrefix].slice(0, keptAfter?.[index]) : messages;
  return before.some(isAssistants);
}

function isAssistants({ role }: Message): boolean {
  return role === "assistant";
}

function bounded(request: string): string {
  return cutMiddle(request.replace(/\r\n?/g, "\n"), REQUEST_CHARS_MAX, CUT_MARKER);
}

function carriedRequest(text: string): string {
  const section = parseSections(text).find(({ heading }) => headingKey(heading) === "latestRequest");
  const quoted = section?.lines.filter((line) => line.startsWith(">")) ?? [];
  return quoted
    .map((line) => line.slice(2))
    .join("\n")
    .trim();
}
