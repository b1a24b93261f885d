/**
 * The deterministic half of the guard: takes out invented list items, puts missing sections in, and appends what must not
 * be lost, verbatim: the newest request, what was not summarised, the identifiers. The result never counts more than its budget.
 */

import { headingOf, type Section } from "../core/checkpoint/checkpoint.ts";
import { entitiesOf } from "./entities.ts";
import { type GuardContext, missingFrom } from "./guard-findings.ts";
import { headingKey, isListItem, parseSections, renderSections, type TextSection } from "./sections.ts";
import { shrinkToTokens } from "./shrink-text.ts";
import { renderTracked } from "./tracked-details.ts";

export interface FinishedSummary {
  readonly text: string;
  readonly notes: readonly string[];
  readonly identifiers: readonly string[];
}

const REQUEST_HEADING = headingOf("latestRequest", "en");
const IDENTIFIERS_HEADING = headingOf("identifiers", "en");
const OMISSIONS_HEADING = "## Not Summarised";
const UNVERIFIED_HEADING = "## Unverified";
const NONE = "- (none)";
/** Shares of the budget that what is appended may take at most. */
const REQUEST_SHARE = 0.2;
const OMISSIONS_SHARE = 0.05;
const FACTS_SHARE = 0.2;
const OMISSIONS_MAX = 8;

export function finishSummary(
  draft: string,
  context: GuardContext,
  omissions: readonly string[] = [],
): FinishedSummary {
  const { input } = context;
  const count = input.counter.countText;
  const { sections, notes, unverified } = removeInvented(parseSections(draft), context);
  const tail = [
    shrunk(requestBlock(context.requests), REQUEST_SHARE, context),
    ...context.tracked.map((section) => shrunk(renderTracked(section), section.share, context)),
    shrunk(omissionsBlock(omissions), OMISSIONS_SHARE, context),
    shrunk(unverifiedBlock(unverified), OMISSIONS_SHARE, context),
  ];
  const body = renderSections(withRequired(withoutOurs(sections, context.sections), context.sections));
  const reserveTokens = Math.min(
    Math.floor(input.budgetTokens * FACTS_SHARE),
    count(identifiersBlock(missingFrom(joinBlocks([body, ...tail]), context.facts))),
  );
  const roomTokens = input.budgetTokens - count(joinBlocks(["", ...tail])) - reserveTokens;
  const fitted = shrinkToTokens(body, { limitTokens: Math.max(0, roomTokens), count });
  if (fitted !== body)
    notes.push("The summary was over its budget; the oldest items of its longest lists were taken out.");
  const base = joinBlocks([fitted, ...tail]);
  const facts = missingFrom(base, context.facts);
  const identifiers = mostThatFit(base, facts, context);
  if (identifiers.length > 0) notes.push(`${identifiers.length} identifiers that the summary lacked were appended.`);
  const text = joinBlocks([base, identifiersBlock(identifiers)]);
  return { text: shrinkToTokens(text, { limitTokens: input.budgetTokens, count }), notes, identifiers };
}

interface Removal {
  readonly sections: readonly TextSection[];
  readonly notes: string[];
  /** Invented, but in running text, where taking a line out would take more with it. */
  readonly unverified: readonly string[];
}

function removeInvented(sections: readonly TextSection[], { source }: GuardContext): Removal {
  const notes: string[] = [];
  const unverified = new Set<string>();
  const isKept = (line: string): boolean => {
    const invented = entitiesOf(line).filter((entity) => !source.holds(entity));
    if (invented.length === 0) return true;
    const names = invented.map(({ text }) => text).join(", ");
    if (isListItem(line)) notes.push(`An item was removed: the conversation does not hold ${names}.`);
    else for (const { text } of invented) unverified.add(text);
    return !isListItem(line);
  };
  const kept = sections.map((section) => ({ ...section, lines: section.lines.filter(isKept) }));
  if (unverified.size > 0) notes.push(`Not in the conversation, and marked so: ${[...unverified].join(", ")}.`);
  return { sections: kept, notes, unverified: [...unverified] };
}

/** Sections that the guard writes itself; a model may have copied them from the previous summary, or altered them. Not those asked for. */
function withoutOurs(sections: readonly TextSection[], required: readonly string[]): readonly TextSection[] {
  const written: readonly Section[] = ["latestRequest", "filesRead", "filesModified", "toolFailures", "identifiers"];
  const ours = new Set<string>([...written, headingKey(UNVERIFIED_HEADING)]);
  for (const heading of required) ours.delete(headingKey(heading));
  return sections.filter(({ heading }) => !ours.has(headingKey(heading)));
}

/** Every required section in its order, empty ones said to be so, then whatever else there is. */
function withRequired(sections: readonly TextSection[], required: readonly string[]): readonly TextSection[] {
  if (required.length === 0) return sections;
  const wanted = required.map((heading, index): TextSection => {
    const found = sections.filter((section) => headingKey(section.heading) === headingKey(heading));
    const lines = found.flatMap((section) => section.lines);
    const isParent = required[index + 1]?.startsWith("###") === true && !heading.startsWith("###");
    const isEmpty = lines.every((line) => line.trim() === "");
    return { heading: found[0]?.heading ?? heading, lines: isEmpty && !isParent ? [NONE] : lines };
  });
  const keys = new Set(required.map(headingKey));
  const others = sections.filter(({ heading }) => !keys.has(headingKey(heading)));
  const preamble = others.filter(({ heading }) => heading === "");
  return [...preamble, ...wanted, ...others.filter(({ heading }) => heading !== "")];
}

function requestBlock(requests: readonly string[]): string {
  if (requests.length === 0) return "";
  const quotes = requests.map((request) => `> ${request.split("\n").join("\n> ")}`);
  return `${REQUEST_HEADING}\n${quotes.join("\n\n")}`;
}

function omissionsBlock(omissions: readonly string[]): string {
  if (omissions.length === 0) return "";
  const shown = omissions.slice(0, OMISSIONS_MAX).map((omission) => `- ${omission}`);
  const more = omissions.length - shown.length;
  return [OMISSIONS_HEADING, ...shown, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n");
}

function unverifiedBlock(unverified: readonly string[]): string {
  if (unverified.length === 0) return "";
  return `${UNVERIFIED_HEADING}\nNot found in the conversation: ${unverified.join(", ")}`;
}

/** Blanks separate, as in a rendered checkpoint, so that both read back alike. */
function identifiersBlock(identifiers: readonly string[]): string {
  if (identifiers.length === 0) return "";
  const words = identifiers.map((word) => (/[\s"]/.test(word) ? JSON.stringify(word) : word));
  return `${IDENTIFIERS_HEADING}\n${words.join(" ")}`;
}

/** Within its share of the budget; nothing when not even the heading and a word under it are. */
function shrunk(block: string, share: number, { input }: GuardContext): string {
  if (block === "") return "";
  const limitTokens = Math.floor(input.budgetTokens * share);
  const fitted = shrinkToTokens(block, { limitTokens, count: input.counter.countText });
  const heading = block.slice(0, block.indexOf("\n") + 1);
  return fitted.startsWith(heading) && fitted.length > heading.length ? fitted : "";
}

/** As many of the ranked facts as the rest of the budget holds, likeliest first. */
function mostThatFit(base: string, facts: readonly string[], { input }: GuardContext): readonly string[] {
  const fits = (number: number): boolean => {
    const text = joinBlocks([base, identifiersBlock(facts.slice(0, number))]);
    return input.counter.countText(text) <= input.budgetTokens;
  };
  let low = 0;
  let high = facts.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return facts.slice(0, low);
}

function joinBlocks(blocks: readonly string[]): string {
  return blocks.filter((block) => block !== "").join("\n\n");
}
