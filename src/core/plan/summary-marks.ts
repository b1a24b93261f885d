/**
 * Finds our own summaries in a list by their marks, so that a conversation that comes back without our memory of it is
 * still recognised: the old summary is updated, never summarized again or repeated. Only the text between the marks is
 * the summary; a pinned message never counts as one.
 */

import { type Message, type Part, type TextPart, text } from "../message.ts";
import type { Format } from "../ports.ts";
import type { RenderSettings, Settings } from "../settings/settings.ts";
import { isLabelledOutput, RECALL_NAME } from "./user-voice.ts";

export interface EarlierSummary {
  readonly text: string;
  /** Messages that hold only a summary, or its acknowledgement: they leave when it is replaced. */
  readonly messageIds: readonly string[];
}

/** The system prompt may hold a summary too (renderer `system` where the prompt is outside the list). */
export function findSummary(
  messages: readonly Message[],
  system: readonly Part[],
  render: RenderSettings,
): EarlierSummary | undefined {
  const texts: string[] = [];
  const ownTexts: string[] = [];
  const messageIds = new Set<string>();
  for (const part of system) if (part.type === "text") texts.push(...summaryIn(part.text, render));
  messages.forEach((message, index) => {
    const found = summariesIn(message, render);
    const newest = found.at(-1);
    if (newest === undefined) return;
    texts.push(newest);
    const isOwn = withoutSummary(message, render).parts.length === 0;
    if (isOwn) ownTexts.push(newest);
    // Where neighbours of one role are refused, an acknowledgement precedes a summary too.
    const [before, after] = [messages[index - 1], messages[index + 1]];
    if (isOwn && before !== undefined && isAcknowledgement(before, render)) messageIds.add(before.id);
    if (isOwn) messageIds.add(message.id);
    if (after !== undefined && isAcknowledgement(after, render)) messageIds.add(after.id);
  });
  // A summary in its own message is ours; marks around a part of a message may be pasted text.
  const text = ownTexts.at(-1) ?? texts.at(-1);
  return text === undefined ? undefined : { text, messageIds: [...messageIds] };
}

/** The message before a summary was merged into it; the same object when it holds none, or is pinned. */
export function withoutSummary(message: Message, render: RenderSettings): Message {
  if (summariesIn(message, render).length === 0) return message;
  return { ...message, parts: stripParts(message.parts, render) };
}

export function stripParts(parts: readonly Part[], render: RenderSettings): readonly Part[] {
  return parts.flatMap((part): readonly Part[] => {
    const mark = part.type === "text" ? locate(part.text, render) : undefined;
    if (part.type !== "text" || mark === undefined) return [part];
    const around = [part.text.slice(0, mark.start), part.text.slice(mark.end)];
    const rest = around.map(withoutSeparator).filter((said) => said.trim() !== "");
    return rest.length === 0 ? [] : [{ ...part, text: rest.join(SEPARATOR) }];
  });
}

/** The text around a summary, without the separating empty lines. */
function withoutSeparator(value: string): string {
  const start = value.startsWith(SEPARATOR) ? SEPARATOR.length : 0;
  const end = value.endsWith(SEPARATOR) ? Math.max(start, value.length - SEPARATOR.length) : value.length;
  return value.slice(start, end);
}

function summariesIn(message: Message, render: RenderSettings): readonly string[] {
  if (message.pinned || !holdsMark(message.parts, render.opening)) return NONE;
  return message.parts.flatMap((part) => (part.type === "text" ? summaryIn(part.text, render) : []));
}

const NONE: readonly string[] = [];

/** A fast check: hardly any text holds the mark. */
function holdsMark(parts: readonly Part[], opening: string): boolean {
  for (const part of parts) if (part.type === "text" && part.text.includes(opening.trim())) return true;
  return false;
}

/** Appended to a message's only text, or as a separate text. */
export function withSummary(message: Message, summary: string, render: RenderSettings): Message {
  const [only] = message.parts;
  const marked = markedSummary(summary, render);
  if (message.parts.length !== 1 || only?.type !== "text")
    return { ...message, parts: [...message.parts, text(marked)] };
  return { ...message, parts: [{ ...only, text: `${only.text}${SEPARATOR}${marked}` }] };
}

const SEPARATOR = "\n\n";

const RECALL_NOTE = `(What this summary replaced can be searched and read with the tool \`${RECALL_NAME}\`.)`;

/** The text with its marks, the same for every renderer. */
export function markedSummary(summary: string, { opening, closing, mentionsRecall }: RenderSettings): string {
  const said = mentionsRecall ? `${summary}${SEPARATOR}${RECALL_NOTE}` : summary;
  return `${opening}${indented(said, opening.trim())}${closing}`;
}

/** A mark counts at the start of a line: where the summary quotes one there, a space makes it plain text. */
function indented(said: string, mark: string): string {
  if (mark === "" || !said.includes(mark)) return said;
  return `\n${said}`.split(`\n${mark}`).join(`\n ${mark}`).slice(1);
}

export function summaryPart(summary: string, render: RenderSettings): TextPart {
  return text(markedSummary(summary, render));
}

function summaryIn(value: string, render: RenderSettings): readonly string[] {
  const mark = locate(value, render);
  if (mark === undefined) return [];
  const said = value.slice(mark.textStart, mark.textEnd).trim();
  // The note is ours, whatever the current settings say.
  return [said.endsWith(RECALL_NOTE) ? said.slice(0, -RECALL_NOTE.length).trimEnd() : said];
}

interface Mark {
  /** Positions of the marks, and of the text between them. */
  readonly start: number;
  readonly end: number;
  readonly textStart: number;
  readonly textEnd: number;
}

/**
 * Finds the last opening mark at the start of a text, or of a line after other text; elsewhere it is a quotation.
 * Without a closing mark the summary goes on to the end, so only the merging renderer's summaries may follow other text
 * then. The output of a tool may hold any mark, and no renderer merges into one.
 */
function locate(value: string, { opening, closing, renderer }: RenderSettings): Mark | undefined {
  const [first, last] = [opening.trim(), closing.trim()];
  const textEnd = last === "" ? value.length : value.lastIndexOf(last);
  const start = first === "" || textEnd < first.length ? -1 : lineStartOf(first, value.slice(0, textEnd));
  if (start < 0 || isLabelledOutput(value)) return undefined;
  const isBehindText = value.slice(0, start).trim() !== "";
  if (isBehindText && last === "" && renderer !== "merge-first-user") return undefined;
  return { start, textStart: start + first.length, textEnd, end: textEnd + last.length };
}

/** The start of the last line that begins with the mark; -1 without one. */
function lineStartOf(mark: string, value: string): number {
  const behindLine = value.lastIndexOf(`\n${mark}`);
  if (behindLine >= 0) return behindLine + 1;
  return value.startsWith(mark) ? 0 : -1;
}

const UNDERSTOOD_TEXT = "Understood.";

/** The assistant's line where a summary needs an answer, also under settings without one. */
export function acknowledgementText({ acknowledgement }: RenderSettings): string {
  return acknowledgement.text || UNDERSTOOD_TEXT;
}

function isAcknowledgement(message: Message, render: RenderSettings): boolean {
  const [only] = message.parts;
  return (
    !message.pinned &&
    message.role === "assistant" &&
    message.parts.length === 1 &&
    only?.type === "text" &&
    only.text === acknowledgementText(render)
  );
}

/** Reads a request and its summary; a compactor fits. */
export interface SummaryReader {
  readonly format: Format;
  readonly settings: Pick<Settings, "render"> & Partial<Pick<Settings, "userTools">>;
}

/**
 * Trims the contexts that a host keeps beside its messages, one per turn, newest last. `request` is a returned one.
 * Where it holds a summary and there are more contexts than other messages, half as many contexts as those messages
 * stay: the newest, at least one.
 */
export function trimTurnContexts<Context>(
  contexts: readonly Context[],
  request: unknown,
  { format, settings }: SummaryReader,
): readonly Context[] {
  const { messages, system } = format.decode(request);
  const found = findSummary(messages, system, settings.render);
  if (found === undefined) return contexts;
  const recent = messages.length - found.messageIds.length;
  return contexts.length > recent ? contexts.slice(-Math.max(1, Math.floor(recent / 2))) : contexts;
}
