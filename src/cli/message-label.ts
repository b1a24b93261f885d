/** A message in a few words: who, with which tools, and how it begins. */

import type { Conversation } from "../core/message.ts";
import type { CountTokens } from "../core/ports.ts";
import { beginningOf, labelOf } from "../core/structure/message-label.ts";
import { resultNames } from "../core/structure/pairing.ts";
import { type Structure, structureOf } from "../core/structure/structure.ts";
import { excerpt } from "./one-line.ts";

export interface ShownMessage {
  readonly index: number;
  readonly what: string;
  readonly tokens: number;
  readonly begins: string;
}

/** Wide enough for any terminal. */
const BEGINNING_COLUMNS = 200;

/** Shows messages of a conversation by their index. */
export function messageShower(
  { messages }: Pick<Conversation, "messages">,
  tokensOf: CountTokens,
  structure: Structure = structureOf(messages),
): (index: number) => ShownMessage {
  const names = resultNames(structure.pairing);
  return (index) => {
    const message = messages[index];
    if (message === undefined) return { index, what: "", tokens: 0, begins: "" };
    const begins = excerpt(beginningOf(message), BEGINNING_COLUMNS);
    return { index, what: labelOf(message, names), tokens: tokensOf(message), begins };
  };
}
