/**
 * Checks every summary that a model made: looks for problems, asks for one repair at most, then corrects what can be corrected
 * without a model. Appends verbatim what must not be lost. Returns a text within the budget, or throws an error with a reason.
 */

import { type Checkpoint, headingOf, SECTION_TABLE, SECTIONS } from "../core/checkpoint/checkpoint.ts";
import {
  type SettingsSummarizer,
  type Summarizer,
  type SummaryInput,
  settingsSummarizer,
} from "../core/checkpoint/summary.ts";
import { failed } from "./answer.ts";
import { createSource, placeOf } from "./entities.ts";
import { summaryFailed } from "./failure.ts";
import {
  createGuardContext,
  type Findings,
  findProblems,
  type GuardContext,
  type GuardOptions,
  identifierTokens,
  inventedIn,
  isWorthRepair,
  severity,
} from "./guard-findings.ts";
import { block, type GuardBlock, joinBlocks, laterBlocks, UNVERIFIED_HEADING } from "./guard-lines.ts";
import {
  checkpointOfText,
  headingKey,
  isListItem,
  parseSections,
  renderSections,
  type TextSection,
} from "./sections.ts";
import { shrinkToTokens } from "./shrink-text.ts";

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

const NONE = "- (none)";

interface FinishedSummary {
  readonly text: string;
  readonly notes: readonly string[];
}

/** Where room is short, lines of the guard go before lines of the model. */
function finishSummary(draft: string, context: GuardContext, omissions: readonly string[]): FinishedSummary {
  const { input, own, sections: required } = context;
  const { budgetTokens, counter } = input;
  const count = counter.countText;
  const { sections, notes, unverified } = removeInvented(parseSections(draft), context);
  const body = renderSections(withRequired(withoutOurs(sections, required), required));
  const told = own.map((each) => inTheirWords(each, sections));
  const blocks = thatFit(body, [...told, ...laterBlocks(omissions, unverified, input)], input);
  const tail = blocks.map(({ text }) => text);
  const roomTokens = budgetTokens - count(joinBlocks(["", ...tail]));
  const fitted = shrinkToTokens(body, { limitTokens: Math.max(0, roomTokens), count });
  if (fitted !== body)
    notes.push("The summary was over its budget; the oldest items of its longest lists were taken out.");
  const base = joinBlocks([fitted, ...tail]);
  const lines = fitted === body ? identifierLines(base, context) : [];
  if (lines.length > 0) notes.push(`${lines.length} identifiers that the summary lacked were appended.`);
  const text = joinBlocks([base, identifiersBlock(lines)]);
  return { text: shrinkToTokens(text, { limitTokens: budgetTokens, count }), notes };
}

/** Where the model wrote more about a file than its path, its line stands in the list. */
function inTheirWords({ text, worth }: GuardBlock, sections: readonly TextSection[]): GuardBlock {
  const [title = "", ...lines] = text.split("\n");
  const theirs = sections.filter(({ heading }) => headingKey(heading) === headingKey(title));
  const written = theirs.flatMap((section) => section.lines.filter(isListItem));
  const wordsOn = (item: string): string | undefined => written.find((line) => placeOf(line, item) >= 0);
  const merged = lines.map((line) => (line.startsWith("- ") ? (wordsOn(line.slice(2)) ?? line) : line));
  return { text: [title, ...merged].join("\n"), worth };
}

/** Without the least, until the text fits. */
function thatFit(body: string, blocks: readonly GuardBlock[], input: SummaryInput): readonly GuardBlock[] {
  const text = joinBlocks([body, ...blocks.map(({ text }) => text)]);
  const least = Math.min(...blocks.map(({ worth }) => worth));
  if (input.counter.countText(text) <= input.budgetTokens || !Number.isFinite(least)) return blocks;
  return thatFit(
    body,
    blocks.filter(({ worth }) => worth !== least),
    input,
  );
}

/** Values that the text lacks, likeliest first, as many as their share and the rest of the budget hold. */
function identifierLines(base: string, { input, values, roleOf }: GuardContext): readonly string[] {
  const { budgetTokens, counter } = input;
  const limitTokens = Math.min(counter.countText(base) + identifierTokens(budgetTokens), budgetTokens);
  const told = createSource([base]);
  const lines: string[] = [];
  for (const value of values()) {
    const line = told.names(value) ? undefined : roleOf(value);
    if (line === undefined) continue;
    const text = joinBlocks([base, identifiersBlock([...lines, line])]);
    if (counter.countText(text) > limitTokens) break;
    lines.push(line);
  }
  return lines;
}

function identifiersBlock(lines: readonly string[]): string {
  return block(headingOf("identifiers", "en"), lines);
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
  const isKept = (line: string, heading: string): boolean => {
    const invented = inventedIn(line, heading, source);
    if (invented.length === 0) return true;
    const names = invented.map(({ text }) => text);
    if (isListItem(line)) notes.push(`An item was removed: the conversation does not hold ${names.join(", ")}.`);
    else for (const name of names) unverified.add(name);
    return !isListItem(line);
  };
  const kept = sections.map(({ heading, lines }) => ({
    heading,
    lines: lines.filter((line) => isKept(line, heading)),
  }));
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
