/**
 * Which messages ask for something: what a user said, not what a tool returned or another tool summarised in the user's
 * place. Judges by the marks that clients put on what they pass on, never by what the text is about.
 */

import type { Message, Part } from "../message.ts";
import { QUOTED_RESULT_OPENING } from "../repair/pass.ts";
import { isTurnStart } from "../structure/structure.ts";
import { isForeignSummary } from "./foreign-summaries.ts";
import { requestOf } from "./own-words.ts";

export function isRequest(message: Message): boolean {
  return isTurnStart(message) && !isForeignSummary(message) && !isPassedOn(message);
}

/** Where the work begins: the first request in a user's own words, else the first of all. What a client notes in the user's place is no task. */
export function firstRequest(messages: readonly Message[], isAsked: (message: Message) => boolean): number {
  const first = messages.findIndex(isAsked);
  const own = messages.findIndex((message) => isAsked(message) && message.parts.some(isOwn));
  return own < 0 ? first : own;
}

function isOwn(part: Part): boolean {
  return part.type !== "text" || requestOf(part.text) !== "";
}

/** A user's message in which everything that can be read is the output of a tool. */
export function isPassedOn({ role, parts }: Message): boolean {
  if (role !== "user") return false;
  const texts = parts.flatMap((part) => (part.type === "text" && part.text.trim() !== "" ? [part.text] : []));
  return texts.length > 0 && texts.every(isLabelledOutput);
}

const READ_CHARS = 600;

/** Passed on by a client that labels what it passes on: nobody pastes that. */
export function isLabelledOutput(text: string): boolean {
  const start = text.slice(0, READ_CHARS).trimStart();
  return start.startsWith(QUOTED_RESULT_OPENING) || LABEL.test(start);
}

const LABEL =
  /^(?:OBSERVATION:|Observation:|EXECUTION RESULT|\[The command completed|Your command ran successfully|Your proposed edit has|<returncode>|<tool_result|<function_results)/;
