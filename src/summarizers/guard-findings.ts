/**
 * Finds problems of a summary without a model: missing sections, wrong language, length, lost identifiers, invented entities.
 * Changes nothing; `guard.ts` acts on the findings.
 */

import type { SummaryInput } from "../core/checkpoint/summary.ts";
import { factsOf } from "../core/facts/facts.ts";
import { isObject } from "../core/json.ts";
import { type Message, text as textPart } from "../core/message.ts";
import { userVoice } from "../core/plan/user-voice.ts";
import { once } from "../core/remember.ts";
import { createSource, type Entity, entitiesOf, isUnrelated, type Source } from "./entities.ts";
import { askedIn } from "./extractive/observation.ts";
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

/** What the guard knows of the conversation, computed once. */
export interface GuardContext {
  readonly input: SummaryInput;
  readonly sections: readonly string[];
  readonly language: CertainLanguage | undefined;
  readonly source: Source;
  /** Identifiers by rank, without those in the kept messages. */
  readonly facts: readonly string[];
  readonly requests: readonly string[];
  readonly tracked: readonly TrackedSection[];
  /** Size of the messages to summarise. */
  inputTokens(): number;
}

export interface Findings {
  readonly missingSections: readonly string[];
  /** It shares nothing with the conversation. */
  readonly isUnrelated: boolean;
  readonly isOtherLanguage: boolean;
  /** Too far for a cut: it would lose more than a second try costs. */
  readonly isFarOverBudget: boolean;
  /** Required facts that are missing. */
  readonly missingFacts: readonly string[];
  readonly requiredFacts: number;
  readonly invented: readonly Entity[];
}

/** Identifiers that a summary must hold. */
const REQUIRED_FACTS = 12;
/** Identifiers considered for the list; the budget holds fewer. */
const FACTS_MAX = 80;
/** Ranked identifiers that are looked at; later ones never reach the list. */
const FACTS_RANKED_MAX = 400;
/** More inventions than this are worth a repair. */
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
    // The guard appends requests and tracked details, so their facts are not lost.
    missingFacts: missingFrom([text, ...context.requests, ...context.tracked.map(renderTracked)].join("\n"), required),
    requiredFacts: required.length,
    invented: entitiesOf(text).filter((entity) => !source.holds(entity)),
  };
}

export function missingFrom(text: string, facts: readonly string[]): readonly string[] {
  const source = createSource([text]);
  return facts.filter((fact) => !source.names(fact));
}

/** True for problems that no deterministic step corrects without a loss. */
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

/** The previous summary as a message, for its identifiers. */
function carried({ previous }: SummaryInput): readonly Message[] {
  return previous === undefined
    ? []
    : [{ id: "previous summary", role: "assistant", parts: [textPart(previous.text)] }];
}

/** Names of call arguments stand in the tool definitions, which stay in the request. */
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
/** A shorter request, as "yes" or "go on", needs the request before it, which is quoted as well. */
const SHORT_CHARS = 80;
const REQUESTS_MAX = 3;

/** The newest requests, oldest first; without any in the messages, that of the previous summary. */
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
