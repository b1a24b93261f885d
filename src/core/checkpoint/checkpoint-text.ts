/**
 * A checkpoint as text for a model and a person, and back. What is read back equals what was rendered: every item stands
 * behind a mark of its own (`- `, `> `, `1. `), so nothing inside an item can be taken for a heading. Empty sections are
 * left out. Never changes a word of an item.
 */

import { type Checkpoint, type Decision, EMPTY_CHECKPOINT, type ToolFailure } from "./checkpoint.ts";
import { headingOf, SECTIONS, type Section, sectionOfHeading } from "./checkpoint-headings.ts";
import { parseIdentifiers, renderIdentifiers } from "./identifier-list.ts";
import type { Language } from "./language.ts";

export interface RenderOptions {
  /** Whose headings to use. Default: English. */
  readonly language?: Language;
}

/** Its sections under their headings, without the empty ones. */
export function renderCheckpoint(checkpoint: Checkpoint, { language = "en" }: RenderOptions = {}): string {
  const blocks: string[] = [];
  for (const section of SECTIONS) {
    const body = renderSection(checkpoint, section, language);
    if (body !== "") blocks.push(`${headingOf(section, language)}\n${body}`);
    else if (section === "progress" && hasProgress(checkpoint)) blocks.push(headingOf(section, language));
  }
  return blocks.join("\n");
}

/** Undefined when the text has none of our headings, as when a model wrote it freely. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const bodies = new Map<Section, string[]>();
  let lines: string[] | undefined;
  // A model may quote what a tool printed as a block of code; in what we render, none begins a line.
  let isCode = false;
  for (const line of text.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    const section = isCode ? undefined : sectionOfHeading(line);
    if (section !== undefined) {
      lines = [];
      bodies.set(section, lines);
    } else lines?.push(line);
  }
  if (bodies.size === 0) return undefined;
  const items = (section: Section): readonly string[] => parseItems(bodies.get(section) ?? []);
  const latest = parseQuotes(bodies.get("latestRequest") ?? []);
  return {
    ...EMPTY_CHECKPOINT,
    goal: parseQuotes(bodies.get("goal") ?? []),
    constraints: items("constraints"),
    done: items("done").map((item) => item.slice(4)),
    inProgress: items("inProgress").map((item) => item.slice(4)),
    blocked: items("blocked"),
    decisions: items("decisions").map(parseDecision),
    nextSteps: items("nextSteps"),
    criticalContext: items("criticalContext"),
    filesRead: items("filesRead"),
    filesModified: items("filesModified"),
    toolFailures: items("toolFailures").map(parseFailure),
    identifiers: parseIdentifiers(bodies.get("identifiers") ?? []),
    ...(latest.length > 0 ? { latestRequest: latest.join("\n\n") } : {}),
  };
}

function hasProgress({ done, inProgress, blocked }: Checkpoint): boolean {
  return done.length + inProgress.length + blocked.length > 0;
}

function renderSection(checkpoint: Checkpoint, section: Section, language: Language): string {
  switch (section) {
    case "progress":
      return "";
    case "goal":
      return renderQuotes(checkpoint.goal);
    case "latestRequest":
      return checkpoint.latestRequest === undefined ? "" : renderQuotes([checkpoint.latestRequest]);
    case "done":
      return renderItems(checkpoint.done.map((item) => `[x] ${item}`));
    case "inProgress":
      return renderItems(checkpoint.inProgress.map((item) => `[ ] ${item}`));
    case "decisions":
      return renderItems(checkpoint.decisions.map(renderDecision));
    case "nextSteps":
      return checkpoint.nextSteps.map((step, index) => `${index + 1}. ${indent(step)}`).join("\n");
    case "toolFailures":
      return renderItems(checkpoint.toolFailures.map(({ toolName, summary }) => `${toolName}: ${summary}`));
    case "identifiers":
      return renderIdentifiers(checkpoint.identifiers, language);
    default:
      return renderItems(checkpoint[section]);
  }
}

/** A person's own words, quoted: one block per entry. */
function renderQuotes(entries: readonly string[]): string {
  return entries.map((entry) => `> ${entry.replaceAll("\n", "\n> ")}`).join("\n\n");
}

function parseQuotes(lines: readonly string[]): readonly string[] {
  const entries: string[][] = [];
  let isOpen = false;
  for (const line of lines) {
    const isQuote = line.startsWith("> ") || line === ">";
    if (!isQuote) isOpen = false;
    else if (isOpen) entries.at(-1)?.push(line.slice(2));
    else {
      entries.push([line.slice(2)]);
      isOpen = true;
    }
  }
  return entries.map((entry) => entry.join("\n"));
}

function renderItems(items: readonly string[]): string {
  return items.map((item) => `- ${indent(item)}`).join("\n");
}

/** The lines of one item after its first. */
function indent(item: string): string {
  return item.replaceAll("\n", "\n  ");
}

function parseItems(lines: readonly string[]): readonly string[] {
  const items: string[] = [];
  for (const line of lines) {
    const mark = /^(?:- |\d+\. )/.exec(line)?.[0];
    if (mark !== undefined) items.push(line.slice(mark.length));
    else if (line.startsWith("  ") && items.length > 0) items.push(`${items.pop() ?? ""}\n${line.slice(2)}`);
  }
  return items;
}

const REASON_MARK = "** — ";

function renderDecision({ decision, reason }: Decision): string {
  const bold = `**${decision.replaceAll("**", "\\*\\*")}`;
  return reason === undefined ? `${bold}**` : `${bold}${REASON_MARK}${reason}`;
}

function parseDecision(item: string): Decision {
  if (!item.startsWith("**")) return { decision: item };
  const at = item.indexOf(REASON_MARK, 2);
  const bold = at < 0 ? item.slice(2, item.endsWith("**") ? -2 : undefined) : item.slice(2, at);
  const decision = bold.replaceAll("\\*\\*", "**");
  return at < 0 ? { decision } : { decision, reason: item.slice(at + REASON_MARK.length) };
}

function parseFailure(item: string): ToolFailure {
  const at = item.indexOf(": ");
  return at < 0 ? { toolName: "", summary: item } : { toolName: item.slice(0, at), summary: item.slice(at + 2) };
}
