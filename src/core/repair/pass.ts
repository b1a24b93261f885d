/** Defines what a repair pass gets and returns, and the small edits that several passes make. */

import { isBlankText } from "../blank-text.ts";
import { describeOpaque } from "../convert/adopt-parts.ts";
import type { FormatRules } from "../format-rules.ts";
import { type FormatName, type Message, type Part, type ToolResultPart, text, textsOf } from "../message.ts";
import type { Pairing } from "../structure/pairing.ts";

export interface RepairContext {
  readonly format: FormatName;
  readonly rules: FormatRules;
  readonly model: string | undefined;
  /** Calls and a beginning that the list lacks may stand in a history that the provider holds. */
  readonly hasServerHistory: boolean;
  /** Whether the provider may know what stands in the list under its id alone. */
  readonly findsItems: boolean;
  /** A text stands in the place of the whole list. */
  readonly isShortList: boolean;
  /** Cache marks in the system prompt and the tools. */
  marksOutside(): number;
  /** What the list holds as it is now, at all. */
  contents(messages: readonly Message[]): Contents;
  /** Calls and results of the list as it is now; passes that change nothing share one answer. */
  pairing(messages: readonly Message[]): Pairing;
  report(rule: string, message: Message, change: string): void;
}

/** Returns the very same messages where nothing had to change. */
export type Pass = (messages: readonly Message[], context: RepairContext) => readonly Message[];

/** A message of ours beside another one, named after it so that reports lead back to it. */
export function messageBeside(origin: Message, suffix: string, message: Omit<Message, "id">): Message {
  return { id: `${origin.id}/${suffix}`, ...message };
}

/** The message with other parts; the same one when they are the same. */
export function withParts(message: Message, parts: readonly Part[]): Message {
  const isSame = parts.length === message.parts.length && parts.every((part, index) => part === message.parts[index]);
  return isSame ? message : { ...message, parts };
}

/** The list with each message mapped to others; the same list when every message stays itself. */
export function mapMessages(
  messages: readonly Message[],
  map: (message: Message, index: number) => readonly Message[] | Message,
): readonly Message[] {
  let output: Message[] | undefined;
  messages.forEach((message, index) => {
    const mapped = map(message, index);
    // Nearly every message of nearly every list: nothing is made for it.
    if (output === undefined && mapped === message) return;
    const list = "id" in mapped ? [mapped] : mapped;
    if (output === undefined && list.length === 1 && list[0] === message) return;
    output ??= messages.slice(0, index);
    output.push(...list);
  });
  return output ?? messages;
}

/** How the text begins that stands for a result without its call. */
export const QUOTED_RESULT_OPENING = "[Result of the tool call";

/** A result that no call explains, as plain content: its text quoted, its media kept. */
export function quoteResult(part: ToolResultPart): readonly Part[] {
  const id = part.callId === undefined ? "" : ` ${part.callId}`;
  const status = part.isError ? ", which failed" : "";
  // Search results and blocks that lack their type hold text too.
  const readable = part.content.flatMap((inner) =>
    inner.type === "opaque" ? (describeOpaque(inner) ?? []) : textsOf([inner]),
  );
  const quoted = readable.join("\n");
  const header = `${QUOTED_RESULT_OPENING}${id}${status}. The call itself is not part of this conversation.]`;
  const rest = part.content.filter((inner) => inner.type === "media" && inner.source.type !== "text");
  return [text(quoted === "" ? header : `${header}\n${quoted}`), ...rest];
}

/** Joins neighbouring items that satisfy a test into runs. */
export function runsOf<T>(items: readonly T[], belongsTogether: (a: T, b: T) => boolean): readonly (readonly T[])[] {
  const runs: T[][] = [];
  for (const item of items) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run !== undefined && last !== undefined && belongsTogether(last, item)) run.push(item);
    else runs.push([item]);
  }
  return runs;
}

/** Which kinds of parts a list holds. Most passes look for one kind that hardly any list has; a pass still checks for itself. */
export interface Contents {
  /** Parts that are not interpreted, in results too. */
  readonly opaque: boolean;
  readonly reasoning: boolean;
  /** A message without parts, a text in one that says nothing, or an empty block in a result. */
  readonly blank: boolean;
  readonly emptyResult: boolean;
  /** Clients' results among the assistant's own parts, or calls, reasoning and the provider's results among those of others. */
  readonly misplaced: boolean;
}

/** Finds all of them in one walk. */
export function contentsOf(messages: readonly Message[]): Contents {
  const found: Found = { opaque: false, reasoning: false, blank: false, emptyResult: false, misplaced: false };
  for (const { role, parts } of messages) {
    if (parts.length === 0) found.blank = true;
    for (const part of parts) addPart(found, part, role === "assistant");
  }
  return found;
}

type Found = { -readonly [Kind in keyof Contents]: boolean };

function addPart(found: Found, part: Part, isAssistants: boolean): void {
  switch (part.type) {
    case "text":
      if (isBlankText(part)) found.blank = true;
      return;
    case "tool-result":
      if (isAssistants !== (part.server === true)) found.misplaced = true;
      addResult(found, part);
      return;
    case "tool-call":
    case "reasoning":
      if (!isAssistants) found.misplaced = true;
      if (part.type === "reasoning") found.reasoning = true;
      return;
    case "opaque":
      found.opaque = true;
      return;
    case "media":
      return;
    default:
      part satisfies never;
  }
}

function addResult(found: Found, { content }: ToolResultPart): void {
  if (content.length === 0) found.emptyResult = true;
  for (const inner of content) {
    if (inner.type === "opaque") found.opaque = true;
    if (inner.type === "text" && inner.text === "" && inner.wire !== undefined) found.blank = true;
  }
}
