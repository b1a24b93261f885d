/**
 * The structured summary: what an agent needs to go on when the messages behind it have left the view. It is plain data, so that
 * it can be stored, merged, measured and rendered. The table below holds everything that differs between its sections.
 */

import { parseIdentifiers, renderIdentifiers } from "./identifier-list.ts";
import { LANGUAGES, type Language } from "./language.ts";
import { LANGUAGE_TABLE } from "./language-table.ts";

export interface Checkpoint {
  /** What the user wants, in the user's own words where there are any. */
  readonly goal: readonly string[];
  readonly constraints: readonly string[];
  readonly done: readonly string[];
  readonly inProgress: readonly string[];
  readonly blocked: readonly string[];
  readonly decisions: readonly Decision[];
  readonly nextSteps: readonly string[];
  /** Facts, findings and excerpts that do not fit elsewhere. */
  readonly criticalContext: readonly string[];
  readonly filesRead: readonly string[];
  readonly filesModified: readonly string[];
  readonly toolFailures: readonly ToolFailure[];
  /** Exact strings most likely to be needed again, most important first. */
  readonly identifiers: readonly string[];
  /** The user's newest request, verbatim (bounded). Stands beside every summary, so that no summary can invert it. */
  readonly latestRequest?: string;
  /** Which messages the lines stand in. Not part of the text. */
  readonly sources?: readonly LineSource[];
}

/** An entry of a checkpoint, and the ids of the messages that say it. */
export interface LineSource {
  readonly line: string;
  readonly ids: readonly string[];
}

export interface Decision {
  readonly decision: string;
  readonly reason?: string;
}

/** What failed, so that it is not tried again in the same way. */
export interface ToolFailure {
  readonly toolName: string;
  readonly summary: string;
}

export const EMPTY_CHECKPOINT: Checkpoint = {
  goal: [],
  constraints: [],
  done: [],
  inProgress: [],
  blocked: [],
  decisions: [],
  nextSteps: [],
  criticalContext: [],
  filesRead: [],
  filesModified: [],
  toolFailures: [],
  identifiers: [],
};

/** Everything that has a heading of its own; `progress` only groups those below it. */
interface SectionValues extends Omit<Checkpoint, "sources"> {
  readonly progress?: undefined;
}

export type Section = keyof SectionValues;

interface SectionRow<Value> {
  /** Marks a third-level heading under the given section. */
  readonly parent?: Section;
  readonly form: SectionForm<Value>;
  /** What the `checkpoint` prompt pack shows under the heading. Without it no model is asked for the section, and the guard replaces what one writes there. */
  readonly asked?: string;
  /** Share of the budget of a model's summary, for what the guard appends. */
  readonly guardShare?: number;
}

/** How the entries of a section become lines of text and back. */
interface SectionForm<Value> {
  /** Empty when there is nothing to say. */
  readonly render: (value: Value, language: Language) => string;
  readonly parse: (lines: readonly string[]) => Value;
}

const ITEMS: SectionForm<readonly string[]> = { render: renderItems, parse: parseItems };
const DECISIONS: SectionForm<readonly Decision[]> = {
  render: (decisions) => renderItems(decisions.map(renderDecision)),
  parse: (lines) => parseItems(lines).map(parseDecision),
};
const FAILURES: SectionForm<readonly ToolFailure[]> = {
  render: (failures) => renderItems(failures.map(({ toolName, summary }) => `${toolName}: ${summary}`)),
  parse: (lines) => parseItems(lines).map(parseFailure),
};
const STEPS: SectionForm<readonly string[]> = {
  render: (steps) => steps.map((step, index) => `${index + 1}. ${indent(step)}`).join("\n"),
  parse: parseItems,
};
const REQUEST: SectionForm<string | undefined> = {
  render: (request) => (request === undefined ? "" : renderQuotes([request])),
  parse: (lines) => (lines.some(isQuote) ? parseQuotes(lines).join("\n\n") : undefined),
};

/** Finished work; a model marks it with a box. */
const DONE: SectionForm<readonly string[]> = {
  render: (items) => renderItems(items.map((item) => (/^\[[xX]\] /.test(item) ? `[x] ${item}` : item))),
  parse: (lines) => parseItems(lines).map((item) => item.replace(/^\[[xX]\] /, "")),
};

/** Items behind a mark of four characters. */
function checked(mark: string): SectionForm<readonly string[]> {
  return {
    render: (items) => renderItems(items.map((item) => mark + item)),
    parse: (lines) => parseItems(lines).map((item) => item.slice(mark.length)),
  };
}

/** One row for each section, in the order in which they stand in the text. */
export const SECTION_TABLE: { readonly [Key in Section]: SectionRow<SectionValues[Key]> } = {
  goal: {
    form: { render: renderQuotes, parse: parseQuotes },
    asked: "One or two sentences: what the user wants to achieve.",
  },
  constraints: {
    form: ITEMS,
    asked: "- what the user demanded, ruled out or prefers",
  },
  progress: {
    form: { render: () => "", parse: () => undefined },
    asked: "",
  },
  done: {
    parent: "progress",
    form: DONE,
    asked: "- [x] finished work, with its outcome",
  },
  inProgress: {
    parent: "progress",
    form: checked("[ ] "),
    asked: "- [ ] work that was begun",
  },
  blocked: {
    parent: "progress",
    form: ITEMS,
    asked: "- what cannot go on, and what it waits for",
  },
  decisions: {
    form: DECISIONS,
    asked: "- **the decision**: why it was made",
  },
  nextSteps: {
    form: STEPS,
    asked: "1. what to do next, in order",
  },
  criticalContext: {
    form: ITEMS,
    asked: "- exact paths, error texts, names, endpoints and values that the work needs",
  },
  latestRequest: {
    form: REQUEST,
    guardShare: 0.2,
  },
  filesRead: {
    form: ITEMS,
    guardShare: 0.05,
  },
  filesModified: {
    form: ITEMS,
    guardShare: 0.06,
  },
  toolFailures: {
    form: FAILURES,
    guardShare: 0.08,
  },
  identifiers: {
    form: { render: renderIdentifiers, parse: parseIdentifiers },
    guardShare: 0.05,
  },
};

/** Stored beside each summary that a model was asked for by the table: raise it with every row, heading or `asked` that changes. */
export const SECTIONS_VERSION = 1;

/** In the order in which they stand in the text. `Object.keys` forgets the type of its keys; the table has no others. */
export const SECTIONS = Object.keys(SECTION_TABLE) as readonly Section[];

export function headingOf(section: Section, language: Language): string {
  const { parent } = SECTION_TABLE[section];
  const title = LANGUAGE_TABLE[language].headings.split("|")[SECTIONS.indexOf(section)] ?? section;
  return `${parent === undefined ? "##" : "###"} ${title}`;
}

const SECTION_OF: ReadonlyMap<string, Section> = new Map(
  LANGUAGES.flatMap((language) =>
    SECTIONS.map((section): [string, Section] => [headingOf(section, language), section]),
  ),
);

/** The section that a line opens; undefined when the line is no heading of ours. */
export function sectionOfHeading(line: string): Section | undefined {
  return SECTION_OF.get(line.trimEnd());
}

/** Without its heading; empty when there is nothing to say. */
function renderSection<Key extends Section>(values: SectionValues, section: Key, language: Language): string {
  const { form }: SectionRow<SectionValues[Key]> = SECTION_TABLE[section];
  return form.render(values[section], language);
}

/** Quotes a person's own words: one block per entry. */
function renderQuotes(entries: readonly string[]): string {
  return entries.map((entry) => `> ${entry.replaceAll("\n", "\n> ")}`).join("\n\n");
}

function isQuote(line: string): boolean {
  return line.startsWith("> ") || line === ">";
}

function parseQuotes(lines: readonly string[]): readonly string[] {
  const entries: string[] = [];
  let isOpen = false;
  for (const line of lines) {
    if (isQuote(line)) entries.push(isOpen ? `${entries.pop() ?? ""}\n${line.slice(2)}` : line.slice(2));
    isOpen = isQuote(line);
  }
  return entries;
}

function renderItems(items: readonly string[]): string {
  return items.map((item) => `- ${indent(item)}`).join("\n");
}

/** Indents the lines of one item after its first. */
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

/** Between a call and its outcome. */
export const OUTCOME_MARK = " → ";

/** Failures of their own section first, then the calls under Blocked. */
export function failuresIn({ toolFailures, blocked }: Checkpoint): readonly ToolFailure[] {
  const passed = blocked.filter((item) => item.indexOf(": ") > 0 && item.includes(OUTCOME_MARK));
  return [...toolFailures, ...passed.map(parseFailure)];
}

export interface RenderOptions {
  /** Whose headings to use. Default: English. */
  readonly language?: Language;
}

/** Its sections under their headings, without the empty ones. */
export function renderCheckpoint(checkpoint: Checkpoint, { language = "en" }: RenderOptions = {}): string {
  const blocks = new Set<string>();
  for (const section of SECTIONS) {
    const body = renderSection(checkpoint, section, language);
    if (body === "") continue;
    const { parent } = SECTION_TABLE[section];
    if (parent !== undefined) blocks.add(headingOf(parent, language));
    blocks.add(`${headingOf(section, language)}\n${body}`);
  }
  return [...blocks].join("\n");
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
  const values = SECTIONS.map((section) => [section, SECTION_TABLE[section].form.parse(bodies.get(section) ?? [])]);
  // Each value comes from its own row of the table, whose type ties it to the key.
  return { ...EMPTY_CHECKPOINT, ...Object.fromEntries(values.filter(([, value]) => value !== undefined)) };
}
