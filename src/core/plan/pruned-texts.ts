/** What stands in a tool result's place once it was shortened. Every form says that something was removed (R092). */

import type { ToolCallPart } from "../message.ts";
import type { SoftTrim } from "../settings/settings.ts";
import { headOf, tailOf } from "../well-formed-text.ts";

/** R088. Says nothing about what was there; the stub does. */
export const CLEARED_TEXT = "[Tool output cleared — content was processed in earlier turns]";

const STUB_INPUT_CHARS = 160;
const STUB_LINE_CHARS = 120;

/** R087: head, a line with the numbers, tail. The end is kept because that is where errors stand. */
export function trimmedText(text: string, { headChars, tailChars }: SoftTrim): string {
  const marker = `--- trimmed (kept ${headChars} head + ${tailChars} tail of ${text.length} chars) ---`;
  return `${headOf(text, headChars)}\n\n${marker}\n\n${tailOf(text, tailChars)}`;
}

/** R082: cut once, when the result arrives. */
export function cappedText(text: string, capChars: number): string {
  const marker = `\n\n[Output cut at ${capChars} of ${text.length} characters.]`;
  return `${headOf(text, Math.max(0, capChars - marker.length))}${marker}`;
}

/** X10: enough to know what it was and how to get it back, so that nobody invents the contents. */
export function stubText(text: string, call: ToolCallPart | undefined): string {
  const firstLine = headOf(text.split("\n", 1)[0]?.trim() ?? "", STUB_LINE_CHARS);
  const lead = firstLine === "" ? "" : ` It began: ${firstLine}`;
  return `[Output of ${describeCall(call)} removed: ${text.length} characters.${lead} Call it again if you need it.]`;
}

/** The last tier, where there is a stub tier before it. */
export function clearedText(text: string, call: ToolCallPart | undefined): string {
  return `[Output of ${call?.name ?? "a tool"} removed: ${text.length} characters. Call it again if you need it.]`;
}

function describeCall(call: ToolCallPart | undefined): string {
  if (call === undefined) return "a tool";
  const input = typeof call.input === "string" ? call.input : JSON.stringify(call.input);
  const shown = input.length > STUB_INPUT_CHARS ? `${headOf(input, STUB_INPUT_CHARS)}…` : input;
  return `${call.name} ${shown}`;
}
