/** Stored messages as rows of a list, and one in full, part by part. Bounded, whatever a message holds. Pure. */

import type { JsonValue } from "../core/json.ts";
import type { Message, Part } from "../core/message.ts";
import type { Format } from "../core/ports.ts";
import type { CompactionEvent, SessionRecord, StoredMessage } from "../core/store/store.ts";
import { beginningOf, labelOf } from "../core/structure/message-label.ts";
import { resultNames } from "../core/structure/pairing.ts";
import { structureOf } from "../core/structure/structure.ts";
import { headOf } from "../core/text.ts";
import { countedIn } from "../core/tokens/counted.ts";
import { estimateTokens, type TokenCounter } from "../core/tokens/tokens.ts";
import { entriesOf, modelOf } from "../session/session-view.ts";
import type { Mark, MessageRow, PartText } from "./wire.ts";

const BEGINNING_CHARACTERS = 240;
const PART_CHARACTERS = 40_000;

export function counterOf({ format, base }: Pick<SessionRecord, "format" | "base">): TokenCounter {
  return estimateTokens(countedIn(format, base, modelOf(base)));
}

/** Bodies, decoded under their own ids. */
export function decoded(format: Format, stored: readonly StoredMessage[]): readonly Message[] {
  return entriesOf(format, stored).map(({ message }) => message);
}

export interface Listed {
  readonly stored: readonly StoredMessage[];
  /** The same messages, decoded. */
  readonly messages: readonly Message[];
  readonly marks?: readonly Mark[];
}

export interface Surroundings {
  readonly counter: TokenCounter;
  readonly events: readonly CompactionEvent[];
}

/** Rows by index: only what is shown is counted. Calls and results are told apart by those that stand in the same list. */
export function rowMaker({ stored, messages, marks }: Listed, { counter, events }: Surroundings) {
  const names = resultNames(structureOf(messages).pairing);
  const numbers = new Map(events.map(({ id, number }) => [id, number]));
  return (index: number): readonly MessageRow[] => {
    const [row, message, mark] = [stored[index], messages[index], marks?.[index]];
    if (row === undefined || message === undefined) return [];
    const { id, role, isPinned, isSummary, isEdited, createdAt, archivedBy } = row;
    return [
      {
        id,
        role,
        what: labelOf(message, names),
        tokens: counter.count(message),
        begins: headOf(beginningOf(message).trim(), BEGINNING_CHARACTERS),
        at: createdAt,
        isPinned,
        isSummary,
        isEdited,
        archivedBy: archivedBy === null ? null : (numbers.get(archivedBy) ?? 0),
        ...(mark !== undefined && { mark }),
      },
    ];
  };
}

export function partsOf(format: Format, body: JsonValue): readonly PartText[] {
  const [message] = format.decode([body]).messages;
  return (message?.parts ?? []).map((part) => shownPart(part));
}

function shownPart(part: Part): PartText {
  switch (part.type) {
    case "text":
      return cutPart("text", part.text);
    case "reasoning":
      return cutPart("reasoning", part.text);
    case "tool-call":
      return cutPart(`calls ${part.name}`, inputText(part.input));
    case "tool-result":
      return cutPart(
        part.isError ? "result, failed" : "result",
        part.content.map((each) => shownPart(each).text).join("\n"),
      );
    case "media":
      return cutPart(part.kind, `[${part.kind}${part.mediaType === undefined ? "" : ` ${part.mediaType}`}]`);
    case "opaque":
      return cutPart(part.kind, `[${part.kind}]`);
    default:
      return part satisfies never;
  }
}

function inputText(input: JsonValue): string {
  return typeof input === "string" ? input : JSON.stringify(input, null, 2);
}

function cutPart(label: string, text: string): PartText {
  const shown = text.length <= PART_CHARACTERS ? text : headOf(text, PART_CHARACTERS);
  return { label, text: shown.toWellFormed(), cut: Math.max(0, text.length - shown.length) };
}
