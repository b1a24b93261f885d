/**
 * A checkpoint as text for a model and a person, and back. What is read back equals what was rendered: every item stands
 * behind a mark of its own (`- `, `> `, `1. `), so nothing inside an item can be taken for a heading. Empty sections are
 * left out. Never changes a word of an item.
 */

import {
  type Checkpoint,
  EMPTY_CHECKPOINT,
  headingOf,
  renderSection,
  SECTION_TABLE,
  SECTIONS,
  type Section,
  sectionOfHeading,
} from "./checkpoint.ts";
import type { Language } from "./language.ts";

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
