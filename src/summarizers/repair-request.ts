/** Says in words what the guard found, for the one repair request. Pure. */

import type { SummaryInput } from "../core/checkpoint/summary.ts";
import { headOf } from "../core/well-formed-text.ts";
import type { Findings, GuardContext } from "./guard-findings.ts";
import { sourceTexts } from "./source-texts.ts";

export function describeProblems(findings: Findings, { input, language }: GuardContext): readonly string[] {
  const problems: string[] = [];
  const { missingSections, missingFacts, invented } = findings;
  if (missingSections.length > 0) problems.push(`These headings are missing: ${missingSections.join(", ")}.`);
  if (findings.isUnrelated) problems.push("It says nothing of the conversation. Name what it is about.");
  if (findings.isOtherLanguage) problems.push(`It is not written in ${language?.name ?? "the language of the user"}.`);
  if (findings.isFarOverBudget) problems.push(`It is too long: it must take at most ${input.budgetTokens} tokens.`);
  if (missingFacts.length > 0)
    problems.push("It lacks the exact values listed as missing, each with its surroundings.");
  if (invented.length > 0) problems.push("The values listed as invented are not in the conversation. Take them out.");
  return problems;
}

const EXCERPT_CHARS = 80;

/** Each with a few words around its newest mention, so that it can be put where it belongs. */
export function excerptsOf(facts: readonly string[], { messages, turnPrefix }: SummaryInput): readonly string[] {
  const texts = sourceTexts([...messages, ...turnPrefix]);
  return facts.map((fact) => {
    const text = texts.findLast((candidate) => candidate.includes(fact) && candidate.length > fact.length);
    const at = text?.lastIndexOf(fact) ?? -1;
    if (text === undefined || at < 0) return fact;
    const start = Math.max(0, at - EXCERPT_CHARS);
    const around = headOf(text.slice(start), fact.length + 2 * EXCERPT_CHARS);
    return `${fact} — in: ${around.toWellFormed().replace(/\s+/g, " ").trim()}`;
  });
}
