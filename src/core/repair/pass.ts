/** Defines what a repair pass gets and returns, and the small edits that several passes make. */

import { readableText } from "../convert/adopt-parts.ts";
import type { FormatRules } from "../format-rules.ts";
import { type Message, type Part, type ToolResultPart, text } from "../message.ts";
import type { Pairing } from "../structure/pairing.ts";
import { isBlankText } from "../text.ts";

export interface RepairContext {
  readonly rules: FormatRules;
  readonly model: string | undefined;
  /** The provider may hold a history with the beginning and the calls that the list lacks. */
  readonly hasServerHistory: boolean;
  /** Whether the provider may find an item by its id alone. */
  readonly findsItems: boolean;
  /** The body has a text in place of its list. */
  readonly isShortList: boolean;
  /** Counts the cache marks in the system prompt and the tools. */
  marksOutside(): number;
  /** Which kinds of content the list holds. Computed once for each list, as is the pairing. */
  contents(messages: readonly Message[]): Contents;
  pairing(messages: readonly Message[]): Pairing;
  report(rule: string, message: Message, change: string): void;
}

/** Returns the very same messages where nothing had to change. */
export type Pass = (messages: readonly Message[], context: RepairContext) => readonly Message[];

/** A new message next to an existing one. Its id begins with the id of that one, so that reports find the index. */
export function messageBeside(origin: Message, suffix: string, message: Omit<Message, "id">): Message {
  return { id: `${origin.id}/${suffix}`, ...message };
}

export function isSameList<Item>(list: readonly Item[], other: readonly Item[]): boolean {
  return list.length === other.length && list.every((item, index) => item === other[index]);
}

export function withParts(message: Message, parts: readonly Part[]): Message {
  return isSameList(parts, message.parts) ? message : { ...message, parts };
}

/** The list with each message mapped to one or several; the same list when every message stays itself. */
export function mapMessages(
  messages: readonly Message[],
  map: (message: Message, index: number) => readonly Message[] | Message,
): readonly Message[] {
  const mapped = messages.map(map);
  return mapped.every((each, index) => each === messages[index]) ? messages : mapped.flat();
}

/** The message with each part mapped to one or several; the same message when every part stays itself. */
export function mapParts(message: Message, map: (part: Part, index: number) => readonly Part[] | Part): Message {
  return withParts(message, message.parts.flatMap(map));
}

/** How the text begins that stands for a result without its call. */
export const QUOTED_RESULT_OPENING = "[Result of the tool call";

/** A result without its call, as plain content: its text quoted, its media kept. */
export function quoteResult(part: ToolResultPart): readonly Part[] {
  const id = part.callId === undefined ? "" : ` ${part.callId}`;
  const status = part.isError ? ", which failed" : "";
  const quoted = readableText(part);
  const header = `${QUOTED_RESULT_OPENING}${id}${status}. The call itself is not part of this conversation.]`;
  const rest = part.content.filter((inner) => inner.type === "media" && inner.source.type !== "text");
  return [text(quoted === "" ? header : `${header}\n${quoted}`), ...rest];
}

/** Which kinds of content a list holds. Hardly any list has them, so a pass for one kind first asks whether there is any. */
export type Contents = ReturnType<typeof contentsOf>;

/** Finds all kinds in one walk. */
export function contentsOf(messages: readonly Message[]) {
  const found = {
    /** Parts that are not interpreted, in results too. */
    opaque: false,
    reasoning: false,
    /** A message without parts, a blank text, or an empty block in a result. */
    blank: false,
    emptyResult: false,
    misplaced: false,
    systemMessage: false,
  };
  for (const { role, parts } of messages) {
    if (role === "system") found.systemMessage = true;
    if (parts.length === 0) found.blank = true;
    for (const part of parts) {
      if (isMisplaced(part, role === "assistant")) found.misplaced = true;
      if (part.type === "opaque") found.opaque = true;
      else if (part.type === "reasoning") found.reasoning = true;
      else if (part.type === "text" && isBlankText(part)) found.blank = true;
      else if (part.type === "tool-result") addResult(found, part);
    }
  }
  return found;
}

function addResult(found: Contents, { content }: ToolResultPart): void {
  if (content.length === 0) found.emptyResult = true;
  for (const inner of content) {
    if (inner.type === "opaque") found.opaque = true;
    else if (isEmptyBlock(inner)) found.blank = true;
  }
}

/** Calls, reasoning and results of the provider's own tools belong to the assistant, results of the client's tools to others. */
export function isMisplaced(part: Part, isAssistant: boolean): boolean {
  if (part.type === "tool-result") return isAssistant !== (part.server === true);
  return !isAssistant && (part.type === "tool-call" || part.type === "reasoning");
}

/** A result may be an empty string, but may not hold an empty text block. */
export function isEmptyBlock(part: Part): boolean {
  return isEmptyText(part) && part.wire !== undefined;
}

/** Gemini ends a stream with an empty text that carries the signature: that one is content. */
export function isEmptyText(part: Part): boolean {
  return part.type === "text" && part.text === "" && part.signature === undefined;
}
