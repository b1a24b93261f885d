/** The texts that replace shortened tool results, and the way back to the original. Every text says that something was removed. */

import { isSameParts } from "../identity.ts";
import { type Message, type Part, type ToolCallPart, type ToolResultPart, text } from "../message.ts";
import type { SoftTrim } from "../settings/settings.ts";
import { headOf, tailOf } from "../text.ts";
import { RECALL_NAME } from "./user-voice.ts";

/** Says nothing about the content; the stub did. */
export const CLEARED_TEXT = "[Tool output cleared — content was processed in earlier turns]";

const STUB_INPUT_CHARS = 160;
const STUB_LINE_CHARS = 120;

/** Head, a line with the numbers, tail, because errors are at the end. A text that was trimmed before keeps its original length in the line. */
export function trimmedText(text: string, wanted: Pick<SoftTrim, "headChars" | "tailChars">): string {
  const { head, tail, chars } = trimmedBefore(text) ?? { head: text, tail: text, chars: text.length };
  const headChars = Math.min(wanted.headChars, head.length);
  const tailChars = Math.min(wanted.tailChars, tail.length);
  const marker = `--- trimmed (kept ${headChars} head + ${tailChars} tail of ${chars} chars) ---`;
  return `${headOf(head, headChars)}\n\n${marker}\n\n${tailOf(tail, tailChars)}`;
}

const TRIM_MARKER = /\n\n--- trimmed \(kept (\d+) head \+ (\d+) tail of (\d+) chars\) ---\n\n/g;

interface TrimmedText {
  readonly head: string;
  readonly tail: string;
  /** Length of the original text. */
  readonly chars: number;
}

/** The pieces of a text that we trimmed: both are as long as the marker says. An output may hold such a marker itself. */
function trimmedBefore(text: string): TrimmedText | undefined {
  for (const match of text.matchAll(TRIM_MARKER)) {
    const [headChars = 0, tailChars = 0, chars = 0] = match.slice(1).map(Number);
    const head = text.slice(0, match.index);
    const tail = text.slice(match.index + match[0].length);
    const isOurs = isCutTo(head, headChars) && isCutTo(tail, tailChars) && headChars + tailChars < chars;
    if (isOurs) return { head, tail, chars };
  }
  return undefined;
}

/** A cut never divides a surrogate pair, so the piece may be one unit shorter. */
function isCutTo(piece: string, chars: number): boolean {
  return piece.length === chars || piece.length === chars - 1;
}

/** Cut once, when the result arrives; `moreChars` further where the cut alone would not make it cheaper. */
export function cappedText(text: string, capChars: number, moreChars = 0): string {
  const marker = `\n\n[Output cut at ${capChars} of ${text.length} characters.]`;
  return `${headOf(text, Math.max(0, capChars - marker.length - moreChars))}${marker}`;
}

const CAP_MARKER = /\n\n\[Output cut at (\d+) of (\d+) characters\.\]$/;

/** Whether we cut the text: it ends in our exact marker, and is as long as that says. An output may end in such words. */
export function isCappedText(text: string): boolean {
  const [, capChars, chars] = CAP_MARKER.exec(text) ?? [];
  return capChars !== undefined && text.length <= Number(capChars) && Number(capChars) < Number(chars);
}

/** Any line end, so that an output's first line cannot begin a new line of the stub. */
const LINE_END = /[\n\r\u0085\u2028\u2029]/;

export interface ShortenedResult {
  readonly text: string;
  readonly call: ToolCallPart | undefined;
  /** The message id for the recall tool; undefined where that tool is not offered. */
  readonly recallId?: string | undefined;
}

/** Says what the result was and how to get it back, so that the model does not invent the contents. */
export function stubText({ text, call, recallId }: ShortenedResult): string {
  const firstLine = headOf(text.split(LINE_END, 1)[0]?.trim() ?? "", STUB_LINE_CHARS);
  const lead = firstLine === "" ? "" : ` It began: ${firstLine}`;
  return `[Output of ${describeCall(call)} removed: ${text.length} characters.${lead}${wayBack(recallId)}]`;
}

/** The last tier, where there is a stub tier before it. */
export function clearedText({ text, call, recallId }: ShortenedResult): string {
  return `[Output of ${call?.name ?? "a tool"} removed: ${text.length} characters.${wayBack(recallId)}]`;
}

function wayBack(recallId: string | undefined): string {
  if (recallId === undefined) return " Call it again if you need it.";
  return ` Call it again if you need it, or read it with \`${RECALL_NAME}\` (message_id ${recallId}).`;
}

const STUB =
  /^\[Output of .* removed: \d+ characters\.(?: It began: (.*))? Call it again if you need it(?:\.|, or read it with `recall` \(message_id \S+\)\.)\]$/s;

/** A name, an input and a first line need less: a longer text only looks like a stub. */
const STUB_CHARS_MAX = 600;

/** Whether a text is a stub or a cleared text already, which stays as it is. */
export function isPrunedText(text: string): boolean {
  return text === CLEARED_TEXT || (text.length <= STUB_CHARS_MAX && STUB.test(text));
}

const LEFT_OUT = "…";

/** What is left of an output, without the words and numbers that we inserted; undefined where nothing is left. */
export function withoutPruneMarks(text: string): string | undefined {
  if (isPrunedText(text)) return `${STUB.exec(text)?.[1] ?? ""}${LEFT_OUT}`;
  if (isCappedText(text)) return `${text.replace(CAP_MARKER, "")}${LEFT_OUT}`;
  const trimmed = trimmedBefore(text);
  return trimmed === undefined ? undefined : `${trimmed.head}\n${LEFT_OUT}\n${trimmed.tail}`;
}

function describeCall(call: ToolCallPart | undefined): string {
  if (call === undefined) return "a tool";
  const input = typeof call.input === "string" ? call.input : JSON.stringify(call.input);
  const shown = input.length > STUB_INPUT_CHARS ? `${headOf(input, STUB_INPUT_CHARS)}…` : input;
  return `${call.name} ${shown}`;
}

/** Messages as they were before their results were shortened, by id. */
export type Originals = ReadonlyMap<string, Message>;

/** The message with its original results, from which summaries are written; without our inserted words where an original is missing. */
export function asReturned(message: Message, originals: Originals): Message {
  const results = message.parts.filter(isResult);
  if (results.length === 0) return message;
  const original = originals.get(message.id);
  const wholes = original === undefined ? NO_RESULTS : original.parts.filter(isResult);
  const parts = message.parts.map((part) => {
    if (!isResult(part)) return part;
    const whole = wholeOf(part, { results, wholes });
    return whole === undefined ? withoutMarks(part) : withContent(part, whole.content);
  });
  return parts.every((part, index) => part === message.parts[index]) ? message : { ...message, parts };
}

const NO_RESULTS: readonly ToolResultPart[] = [];

function isResult(part: Part): part is ToolResultPart {
  return part.type === "tool-result";
}

/** Finds the original by its place, or by its call id where a repair joined the message with others. */
function wholeOf(
  part: ToolResultPart,
  { results, wholes }: Readonly<Record<"results" | "wholes", readonly ToolResultPart[]>>,
): ToolResultPart | undefined {
  if (results.length === wholes.length) return wholes[results.indexOf(part)];
  return part.callId === undefined ? undefined : wholes.find(({ callId }) => callId === part.callId);
}

function withContent(part: ToolResultPart, content: readonly Part[]): ToolResultPart {
  return isSameParts(part.content, content) ? part : { ...part, content };
}

function withoutMarks(part: ToolResultPart): ToolResultPart {
  const content = part.content.map((inner) => {
    const bare = inner.type === "text" ? withoutPruneMarks(inner.text) : undefined;
    return bare === undefined ? inner : text(bare);
  });
  return content.every((inner, index) => inner === part.content[index]) ? part : { ...part, content };
}
