/**
 * What providers send where an answer was expected: an error, a block, a piece of a stream, several answers at once. None of it can
 * be a message of the conversation, so each is refused with a word on what to do; nothing is ever taken from it silently.
 */

import { isObject, type JsonArray, type JsonObject, type JsonValue, stringOf } from "../core/json.ts";
import { headOf } from "../core/well-formed-text.ts";
import { invalid } from "./body.ts";

/** For what was not recognised as a response: messages and items have a role or a type of their own, errors have neither. */
export function refuseError(response: JsonObject): void {
  const { type, role, error } = response;
  const isBare = type === undefined && role === undefined && error !== undefined && error !== null;
  if (type !== "error" && !isBare) return;
  throw invalid(`This is an error of the provider and no answer${saidBy(response)}. Send the request again instead.`);
}

export function refusePiece(what: string): never {
  throw invalid(`This is ${what}, a piece of a streamed answer. Append the whole answer once it has ended.`);
}

export function refuseBlocked(reason: JsonValue | undefined): never {
  const why = typeof reason === "string" ? `: it was blocked (${headOf(reason, SAID_CHARACTERS_MAX)})` : "";
  throw invalid(`The provider gave no answer${why}. Change the request, or send it again.`);
}

/** The only one, undefined where there is none. Which of several the conversation goes on with is not ours to choose. */
export function onlyOne(answers: JsonArray, name: string): JsonValue | undefined {
  if (answers.length > 1) {
    throw invalid(`The response holds ${answers.length} ${name}. Append the message of the one to go on with.`);
  }
  return answers[0];
}

const SAID_CHARACTERS_MAX = 200;

function saidBy({ error, message }: JsonObject): string {
  const said = isObject(error) ? stringOf(error.message) : (stringOf(error) ?? stringOf(message));
  return said === undefined || said === "" ? "" : `: ${headOf(said, SAID_CHARACTERS_MAX).replace(/[.\s]+$/, "")}`;
}
