/**
 * Finds problems of a summary without a model: missing sections, wrong language, length, invented entities. Changes nothing; `guard.ts`
 * acts on the findings.
 */

import { SECTION_TABLE } from "../core/checkpoint/checkpoint.ts";
import type { SummaryInput } from "../core/checkpoint/summary.ts";
import { factsOf } from "../core/facts/facts.ts";
import type { Message } from "../core/message.ts";
import { once } from "../core/remember.ts";
import { createSource, type Entity, entitiesOf, isUnrelated, type Source } from "./entities.ts";
import { type GuardBlock, joinBlocks, ownBlocks, roleWriter, spokenOf } from "./guard-lines.ts";
import { type CertainLanguage, isOtherLanguage, languageOfUsers } from "./language-check.ts";
import { headingKey, missingHeadings, parseSections } from "./sections.ts";
import { groundOf, sourceTexts } from "./source-texts.ts";

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
  /** Lines that the guard adds whatever the model writes. */
  readonly own: readonly GuardBlock[];
  /** What the budget leaves for the model beside the lines of the guard. */
  readonly answerTokens: number;
  /** Values that users, assistants and calls used, likeliest first, without those in the kept messages. */
  values(): readonly string[];
  /** A line that tells a value with its role; undefined where nobody used it. */
  roleOf(value: string): string | undefined;
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
  readonly invented: readonly Entity[];
}

/** Ranked values that are looked at; later ones are hardly needed again. */
const VALUES_MAX = 80;
/** More inventions than this are worth a repair. */
const INVENTED_MAX = 2;
const FAR_OVER_BUDGET = 1.5;
/** The model has at least this share of the budget. */
const ANSWER_SHARE_MIN = 0.5;

export function createGuardContext(input: SummaryInput, { sections, rankFacts = factsOf }: GuardOptions): GuardContext {
  const { messages, turnPrefix, kept, userTools, budgetTokens, counter } = input;
  const all = [...messages, ...turnPrefix];
  const own = ownBlocks(input);
  const ownTokens = counter.countText(joinBlocks(["", ...own.map(({ text }) => text)]));
  const leftTokens = budgetTokens - ownTokens - identifierTokens(budgetTokens);
  const roleOf = once(() => roleWriter(input));
  return {
    input,
    sections,
    own,
    answerTokens: Math.max(Math.floor(budgetTokens * ANSWER_SHARE_MIN), leftTokens),
    language: languageOfUsers([...all, ...kept], userTools),
    source: createSource(groundOf(input)),
    values: once(() => {
      const inView = createSource(sourceTexts(kept));
      const ranked = rankFacts([...carried(input), ...spokenOf(input)]).slice(0, VALUES_MAX);
      return ranked.map(({ text }) => text).filter((value) => !inView.names(value));
    }),
    roleOf: (value) => roleOf()(value),
    inputTokens: once(() => counter.total(all)),
  };
}

/** What the appended values may take. */
export function identifierTokens(budgetTokens: number): number {
  return Math.floor(budgetTokens * (SECTION_TABLE.identifiers.guardShare ?? 0));
}

export function findProblems(text: string, context: GuardContext): Findings {
  const { input, sections, language, source } = context;
  const { countText } = input.counter;
  return {
    missingSections: missingHeadings(text, sections),
    isUnrelated: isUnrelated(text, { source, sections, inputTokens: context.inputTokens(), countText }),
    isOtherLanguage: isOtherLanguage(text, language),
    isFarOverBudget: countText(text) > input.budgetTokens * FAR_OVER_BUDGET,
    invented: parseSections(text).flatMap(({ heading, lines }) => inventedIn(lines.join("\n"), heading, source)),
  };
}

/** What the conversation does not hold. A file that a next step would create is none of these. */
export function inventedIn(text: string, heading: string, source: Source): readonly Entity[] {
  const isPlan = headingKey(heading) === "nextSteps";
  return entitiesOf(text).filter((entity) => !(isPlan && entity.kind === "path") && !source.holds(entity));
}

/** True for problems that no deterministic step corrects without a loss. */
export function isWorthRepair(findings: Findings): boolean {
  const { isOtherLanguage, isFarOverBudget, missingSections, invented } = findings;
  const isFaulty = findings.isUnrelated || isOtherLanguage || isFarOverBudget || missingSections.length > 0;
  return isFaulty || invented.length > INVENTED_MAX;
}

/** Lower is better; decides between a draft and its repair. */
export function severity(findings: Findings): number {
  return (
    (findings.isUnrelated ? 1_000 : 0) +
    (findings.isOtherLanguage ? 1_000 : 0) +
    (findings.isFarOverBudget ? 20 : 0) +
    findings.missingSections.length * 5 +
    findings.invented.length * 3
  );
}

/** The previous summary as a message, for its identifiers. */
function carried({ previous }: SummaryInput): readonly Message[] {
  return previous === undefined
    ? []
    : [{ id: "previous summary", role: "assistant", parts: [{ type: "text", text: previous.text }] }];
}
