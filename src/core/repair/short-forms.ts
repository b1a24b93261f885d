/** A text or a list of parts that stands for a message where only a message may stand is written out as one. Nothing else changes. */

import type { FormatRules } from "../format-rules.ts";
import { isObject } from "../json.ts";
import type { Message } from "../message.ts";
import { mapMessages, type Pass } from "./pass.ts";

export const writeOutShortForms: Pass = (messages, { rules, isShortList, report }) => {
  if (rules.shortForm === "none" || isShortList || (rules.shortForm === "element" && messages.length === 1))
    return messages;
  return mapMessages(messages, (message) => {
    if (!isShort(message, rules)) return message;
    report("invalid-request", message, "wrote out a message that was given as a text or as parts alone");
    const { wire: _, ...rest } = message;
    return rest;
  });
};

function isShort({ wire }: Message, { shortForm }: FormatRules): boolean {
  if (wire === undefined) return false;
  if (!isObject(wire.json)) return true;
  return shortForm === "element" && wire.json.role === undefined && wire.json.parts === undefined;
}
