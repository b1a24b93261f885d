/**
 * Checks every summary that a model made: looks for problems, asks for one repair at most, then corrects what can be corrected
 * without a model. Appends verbatim what must not be lost. Returns a text within the budget, or throws an error with a reason.
 */

import { type Checkpoint, headingOf, SECTION_TABLE, SECTIONS, type Section } from "../core/checkpoint/checkpoint.ts";
import { quoteIdentifier } from "../core/checkpoint/identifier-list.ts";
import { type SettingsSummarizer, type Summarizer, settingsSummarizer } from "../core/checkpoint/summary.ts";
import { failed } from "./answer.ts";
import { entitiesOf } from "./entities.ts";
import { summaryFailed } from "./failure.ts";
import {
  createGuardContext,
  type Findings,
  findProblems,
  type GuardContext,
  type GuardOptions,
  isWorthRepair,
  missingFrom,
  severity,
} from "./guard-findings.ts";
import {
  checkpointOfText,
  headingKey,
  isListItem,
  parseSections,
  renderSections,
  type TextSection,
} from "./sections.ts";
import { shrinkToTokens } from "./shrink-text.ts";
import { renderTracked } from "./tracked-details.ts";

interface GuardedSummary {
  readonly text: string;
  readonly checkpoint?: Checkpoint;
  readonly notes: readonly string[];
}

/** Asks once for a better text, or says why there is none. */
export type Repair = (draft: string, findings: Findings) => Promise<string | { readonly failed: string }>;

interface GuardRun {
  readonly repair?: Repair | undefined;
  /** What could not be summarised, one sentence each; said in the summary, so that its reader knows. */
  readonly omissions?: readonly string[];
}

/** Wraps any summarizer, so that its summaries are guarded too; without a repair call, so its calls stay as planned. */
export function guarded(summarizer: Summarizer | SettingsSummarizer, options: Partial<GuardOptions> = {}): Summarizer {
  const guard = guardOver(summarizer, options);
  if (!("withSettings" in summarizer)) return guard;
  return settingsSummarizer(guard, (settings) => guardOver(summarizer.withSettings(settings), options));
}

function guardOver(summarizer: Summarizer, options: Partial<GuardOptions>): Summarizer {
  return {
    name: summarizer.name,
    version: summarizer.version,
    planCalls: (input) => summarizer.planCalls(input),
    async summarize(input, context) {
      const result = await summarizer.summarize(input, context);
      if (result.text.trim() === "") throw failed("empty");
      const guardContext = createGuardContext(input, { sections: [], ...options });
      const { notes, ...summary } = await guardSummary(result.text, guardContext);
      return { ...result, ...summary, notes: [...result.notes, ...notes] };
    },
  };
}

export async function guardSummary(
  draft: string,
  context: GuardContext,
  { repair, omissions = [] }: GuardRun = {},
): Promise<GuardedSummary> {
  const repaired = await repairOnce(draft, context, repair);
  const { missingSections } = repaired.findings;
  refuseOther(repaired.findings, context);
  // The sections were asked for twice and are still missing: the model does not follow the layout.
  if (repaired.isAskedTwice && missingSections.length > 0) throw failed("missing-sections");
  const finished = finishSummary(repaired.text, context, omissions);
  const { text } = finished;
  if (text.trim() === "") throw summaryFailed("no-room", "Nothing of the summary fits its budget.");
  const added =
    missingSections.length === 0 ? [] : [`Sections that the summary lacked were added: ${missingSections.join(", ")}.`];
  const notes = [...repaired.notes, ...added, ...finished.notes];
  return context.sections.length === 0 ? { text, notes } : { text, checkpoint: checkpointOfText(text), notes };
}

/** Throws for what no correction can turn into a summary of the conversation. A few missing sections can be added, most of them cannot. */
export function refuseOther(findings: Findings, { sections }: GuardContext): void {
  const { isOtherLanguage, missingSections, isUnrelated } = findings;
  if (isOtherLanguage) throw failed("wrong-language");
  if (missingSections.length > sections.length / 2) throw failed("missing-sections");
  if (isUnrelated) throw failed("unrelated");
}

interface RepairedDraft {
  readonly text: string;
  readonly findings: Findings;
  readonly notes: readonly string[];
  /** There was a second answer. */
  readonly isAskedTwice: boolean;
}

async function repairOnce(draft: string, context: GuardContext, repair: Repair | undefined): Promise<RepairedDraft> {
  const findings = findProblems(draft, context);
  const first = { text: draft, findings, notes: [], isAskedTwice: false };
  if (repair === undefined || !isWorthRepair(findings)) return first;
  const text = await repair(draft, findings);
  if (typeof text !== "string")
    return { ...first, notes: [`A repair of the summary was asked for and failed: ${text.failed}`] };
  const second = findProblems(text, context);
  if (severity(second) <= severity(findings))
    return { text, findings: second, notes: ["The summary was repaired once."], isAskedTwice: true };
  return { ...first, notes: ["A repair of the summary made it worse and was not used."], isAskedTwice: true };
}

const OMISSIONS_HEADING = "## Not Summarised";
const UNVERIFIED_HEADING = "## Unverified";
const NONE = "- (none)";
const OMISSIONS_SHARE = 0.05;
const OMISSIONS_MAX = 8;

interface FinishedSummary {
  readonly text: string;
  readonly notes: readonly string[];
}

function finishSummary(draft: string, context: GuardContext, omissions: readonly string[]): FinishedSummary {
  const { budgetTokens, counter } = context.input;
  const count = counter.countText;
  const { sections, notes, unverified } = removeInvented(parseSections(draft), context);
  const tail = [
    shrunk(requestBlock(context.requests), guardShare("latestRequest"), context),
    ...context.tracked.map((tracked) => shrunk(renderTracked(tracked), guardShare(tracked.section), context)),
    shrunk(omissionsBlock(omissions), OMISSIONS_SHARE, context),
    shrunk(unverifiedBlock(unverified), OMISSIONS_SHARE, context),
  ];
  const body = renderSections(withRequired(withoutOurs(sections, context.sections), context.sections));
  const reserveTokens = Math.min(
    Math.floor(budgetTokens * guardShare("identifiers")),
    count(identifiersBlock(missingFrom(joinBlocks([body, ...tail]), context.facts))),
  );
  const roomTokens = budgetTokens - count(joinBlocks(tail)) - reserveTokens;
  const fitted = shrinkToTokens(body, { limitTokens: Math.max(0, roomTokens), count });
  if (fitted !== body)
    notes.push("The summary was over its budget; the oldest items of its longest lists were taken out.");
  const base = joinBlocks([fitted, ...tail]);
  const identifiers = mostThatFit(base, missingFrom(base, context.facts), context);
  if (identifiers.length > 0) notes.push(`${identifiers.length} identifiers that the summary lacked were appended.`);
  const text = joinBlocks([base, identifiersBlock(identifiers)]);
  return { text: shrinkToTokens(text, { limitTokens: budgetTokens, count }), notes };
}

function guardShare(section: Section): number {
  return SECTION_TABLE[section].guardShare ?? 0;
}

interface Removal {
  readonly sections: readonly TextSection[];
  readonly notes: string[];
  /** Invented, but in running text, where removing a line would remove more with it. */
  readonly unverified: readonly string[];
}

/** Removes list items that name what the conversation does not hold. */
function removeInvented(sections: readonly TextSection[], { source }: GuardContext): Removal {
  const notes: string[] = [];
  const unverified = new Set<string>();
  const isKept = (line: string): boolean => {
    const invented = entitiesOf(line).filter((entity) => !source.holds(entity));
    if (invented.length === 0) return true;
    const names = invented.map(({ text }) => text);
    if (isListItem(line)) notes.push(`An item was removed: the conversation does not hold ${names.join(", ")}.`);
    else for (const name of names) unverified.add(name);
    return !isListItem(line);
  };
  const kept = sections.map((section) => ({ ...section, lines: section.lines.filter(isKept) }));
  if (unverified.size > 0) notes.push(`Not in the conversation, and marked so: ${[...unverified].join(", ")}.`);
  return { sections: kept, notes, unverified: [...unverified] };
}

/** Without sections that the guard writes itself, unless they are required: a model may have copied or altered them. */
function withoutOurs(sections: readonly TextSection[], required: readonly string[]): readonly TextSection[] {
  const written = SECTIONS.filter((section) => SECTION_TABLE[section].asked === undefined);
  const ours = new Set<string>([...written, headingKey(UNVERIFIED_HEADING)]);
  for (const heading of required) ours.delete(headingKey(heading));
  return sections.filter(({ heading }) => !ours.has(headingKey(heading)));
}

/** Every required section in its order, empty ones marked as such, then the others. */
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

/** Empty when there is nothing to say. */
function block(heading: string, pieces: readonly string[], separator = "\n"): string {
  return pieces.length === 0 ? "" : `${heading}\n${pieces.join(separator)}`;
}

function requestBlock(requests: readonly string[]): string {
  const quotes = requests.map((request) => `> ${request.replaceAll("\n", "\n> ")}`);
  return block(headingOf("latestRequest", "en"), quotes, "\n\n");
}

function omissionsBlock(omissions: readonly string[]): string {
  const shown = omissions.slice(0, OMISSIONS_MAX).map((omission) => `- ${omission}`);
  const more = omissions.length - shown.length;
  return block(OMISSIONS_HEADING, more > 0 ? [...shown, `- and ${more} more`] : shown);
}

function unverifiedBlock(unverified: readonly string[]): string {
  const names = unverified.join(", ");
  return block(UNVERIFIED_HEADING, names === "" ? [] : [`Not found in the conversation: ${names}`]);
}

function identifiersBlock(identifiers: readonly string[]): string {
  return block(headingOf("identifiers", "en"), identifiers.map(quoteIdentifier), " ");
}

/** Within its share of the budget; empty when not even the heading and a word under it fit. */
function shrunk(text: string, share: number, { input }: GuardContext): string {
  if (text === "") return "";
  const limitTokens = Math.floor(input.budgetTokens * share);
  const fitted = shrinkToTokens(text, { limitTokens, count: input.counter.countText });
  const heading = text.slice(0, text.indexOf("\n") + 1);
  return fitted.startsWith(heading) && fitted.length > heading.length ? fitted : "";
}

/** As many of the ranked facts as the rest of the budget holds, likeliest first. */
function mostThatFit(base: string, facts: readonly string[], { input }: GuardContext): readonly string[] {
  let low = 0;
  let high = facts.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const text = joinBlocks([base, identifiersBlock(facts.slice(0, middle))]);
    if (input.counter.countText(text) <= input.budgetTokens) low = middle;
    else high = middle - 1;
  }
  return facts.slice(0, low);
}

function joinBlocks(blocks: readonly string[]): string {
  return blocks.filter((text) => text !== "").join("\n\n");
}
