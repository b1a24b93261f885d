/**
 * A summary's text as headings with the lines under them, and back. Recognises the checkpoint's headings in every language and in the
 * forms that models give them. Never changes a line. An indented line is no heading: it belongs to the item above it, which may
 * quote anything.
 */

import {
  type Checkpoint,
  type Decision,
  EMPTY_CHECKPOINT,
  headingOf,
  parseCheckpoint,
  SECTION_TABLE,
  SECTIONS,
  type Section,
  sectionOfHeading,
} from "../core/checkpoint/checkpoint.ts";

export interface TextSection {
  /** As in the text; empty before the first heading. */
  readonly heading: string;
  readonly lines: readonly string[];
}

export function parseSections(text: string): readonly TextSection[] {
  const sections: { heading: string; lines: string[] }[] = [];
  let isCode = false;
  for (const line of text.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    if (!isCode && isHeading(line)) sections.push({ heading: line.trim(), lines: [] });
    else if (sections.length === 0) sections.push({ heading: "", lines: [line] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections;
}

/** Blank lines between sections, none before a subsection. */
export function renderSections(sections: readonly TextSection[]): string {
  const blocks = sections.map(({ heading, lines }) =>
    [...(heading === "" ? [] : [heading]), ...trimBlank(lines)].join("\n"),
  );
  return blocks
    .filter((block) => block !== "")
    .reduce((text, block) => (text === "" ? block : `${text}${block.startsWith("###") ? "\n" : "\n\n"}${block}`), "");
}

/** Equal for two headings of the same section: the checkpoint section they name, else their words. */
export function headingKey(heading: string): string {
  const title = titleOf(heading);
  return sectionOfTitle(title) ?? title.toLowerCase();
}

/** An earlier list of identifiers is no text to carry on: what is needed of it is added again. */
export function withoutIdentifiers(text: string): string {
  const sections = parseSections(text);
  const others = sections.filter(({ heading }) => headingKey(heading) !== "identifiers");
  return others.length === sections.length ? text : renderSections(others);
}

/** Section headings that are not in the text. */
export function missingHeadings(text: string, required: readonly string[]): readonly string[] {
  const present = new Set(parseSections(text).map(({ heading }) => headingKey(heading)));
  return required.filter((heading) => !present.has(headingKey(heading)));
}

/** Joins texts of one layout: the lines of equal sections stand under one heading, in order, without repeats. */
export function joinSections(texts: readonly string[]): string {
  const joined = new Map<string, { heading: string; lines: string[] }>();
  for (const { heading, lines } of texts.flatMap(parseSections)) {
    const key = headingKey(heading);
    const section = joined.get(key);
    const said = trimBlank(lines).filter((line) => !isNone(line));
    if (section === undefined) joined.set(key, { heading, lines: [...said] });
    else section.lines.push(...said.filter((line) => line.trim() === "" || !section.lines.includes(line)));
  }
  return renderSections([...joined.values()]);
}

/** Reads a checkpoint that a model wrote in our layout: marks may be missing, and the goal is prose. Never throws. */
export function checkpointOfText(text: string): Checkpoint {
  const lines = new Map(parseSections(text).map((section) => [headingKey(section.heading), section.lines]));
  const items = (section: Section): readonly string[] => itemsOf(lines.get(section) ?? []);
  const asked = SECTIONS.filter((section) => section !== "progress" && SECTION_TABLE[section].asked !== undefined);
  return {
    ...(parseCheckpoint(text) ?? EMPTY_CHECKPOINT),
    ...Object.fromEntries(asked.map((section) => [section, items(section)])),
    goal: goalOf(lines.get("goal") ?? []),
    decisions: items("decisions").map(decisionOf),
  };
}

function goalOf(lines: readonly string[]): readonly string[] {
  const said = lines.map((line) => line.replace(/^\s*(?:>|[-*+])\s?/, "").trim());
  const goal = said.filter((line) => line !== "" && !isNone(line)).join("\n");
  return goal === "" ? [] : [goal];
}

/** One per list item, with the lines that belong to it; lines outside any list are items of their own. */
function itemsOf(lines: readonly string[]): readonly string[] {
  const items: string[] = [];
  for (const line of lines) {
    if (line.trim() === "" || isNone(line)) continue;
    const isContinuation = /^\s/.test(line) && !isListItem(line) && items.length > 0;
    if (isContinuation) items.push(`${items.pop() ?? ""}\n${line.trim()}`);
    else items.push(line.replace(/^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s*)?/, "").trim());
  }
  return items;
}

function decisionOf(item: string): Decision {
  const [, decision, reason = ""] = /^\*\*(.+?)\*\*\s*[:—–-]?\s*([\s\S]*)$/.exec(item) ?? [];
  if (decision === undefined) return { decision: item };
  const plain = decision.replace(/:$/, "");
  return { decision: plain, ...(reason !== "" && { reason }) };
}

export function isListItem(line: string): boolean {
  return /^\s*(?:[-*+•]|\d{1,3}[.)])\s/.test(line);
}

/** What models write in an empty section. */
export function isNone(line: string): boolean {
  return /^[-*]?\s*\(?(?:none|n\/a|nothing)\)?\.?$/i.test(line.trim());
}

function trimBlank(lines: readonly string[]): readonly string[] {
  let start = 0;
  let end = lines.length;
  while (start < end && lines[start]?.trim() === "") start++;
  while (end > start && lines[end - 1]?.trim() === "") end--;
  return lines.slice(start, end);
}

const TITLE_CHARS_MAX = 80;

/** `## Goal`, `**Goal**`, `**Goal:**`: a line that is nothing but a title. */
function isHeading(line: string): boolean {
  const trimmed = line.trimEnd();
  if (trimmed.length > TITLE_CHARS_MAX) return false;
  if (/^#{1,6}\s+\S/.test(trimmed)) return true;
  return /^\*\*[^*]+\*\*:?$/.test(trimmed) && sectionOfTitle(titleOf(trimmed)) !== undefined;
}

function titleOf(heading: string): string {
  return heading
    .replace(/^#+\s*|\*\*/g, "")
    .replace(/\s+#*$/, "")
    .replace(/:\s*$/, "")
    .trim();
}

function sectionOfTitle(title: string): Section | undefined {
  const named = sectionOfHeading(`## ${title}`) ?? sectionOfHeading(`### ${title}`);
  return named ?? ENGLISH.get(title.toLowerCase().replace(/\band\b/g, "&"));
}

const ENGLISH: ReadonlyMap<string, Section> = new Map(
  SECTIONS.map((section): [string, Section] => [titleOf(headingOf(section, "en")).toLowerCase(), section]),
);
