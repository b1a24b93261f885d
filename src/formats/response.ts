/** Refusals of responses that are no answer: errors, blocks, pieces, unfinished or several answers. An empty answer that ended is none. */

import { isObject, type JsonArray, type JsonObject, type JsonValue, stringOf } from "../core/json.ts";
import { headOf } from "../core/text.ts";
import { invalid } from "./body.ts";

/** Throws if a value that is no response is an error. Messages and items have a role or a type, errors have neither. */
export function refuseError(response: JsonObject): void {
  const { type, role, error } = response;
  const isBare = type === undefined && role === undefined && error !== undefined && error !== null;
  if (type === "error" || isBare) refuseFailed(response);
}

/** Throws for a response that has failed, with the provider's reason if it states one. */
export function refuseFailed(response: JsonObject): never {
  throw invalid(`This is an error of the provider and no answer${saidBy(response)}. Send the request again instead.`);
}

export function refusePiece(what: string): never {
  throw invalid(`This is ${what}, a piece of a streamed answer. Append the whole answer once it has ended.`);
}

export function refuseUnfinished(status: string): never {
  throw invalid(`This answer is not finished (${shortOf(status)}). Append it once it has ended.`);
}

export function refuseBlocked(reason: JsonValue | undefined): never {
  refuseNoAnswer(typeof reason === "string" ? `: it was blocked (${shortOf(reason)})` : "");
}

/** For an empty answer that the model did not end itself. */
export function refuseSilent(finishReason: JsonValue | undefined): never {
  refuseNoAnswer(typeof finishReason === "string" ? `: it ended with ${shortOf(finishReason)}` : "");
}

function refuseNoAnswer(why: string): never {
  throw invalid(`The provider gave no answer${why}. Change the request, or send it again.`);
}

export function refuseForeign(what: string): never {
  throw invalid(`This is ${shortOf(what)}, the answer of another API than the session's format is for.`);
}

export function refuseUnknown(what: string, form: string): never {
  throw invalid(`This is ${what}. Append a message in its whole form: ${form}.`);
}

/** The only answer, undefined where there is none. Throws for several, because the caller must choose one. */
export function onlyOne(answers: JsonArray, name: string): JsonValue | undefined {
  if (answers.length > 1) {
    throw invalid(`The response holds ${answers.length} ${name}. Append the message of the one to go on with.`);
  }
  return answers[0];
}

const SAID_CHARACTERS_MAX = 200;

function shortOf(said: string): string {
  return headOf(said, SAID_CHARACTERS_MAX);
}

function saidBy({ error, message }: JsonObject): string {
  const said = isObject(error) ? stringOf(error.message) : (stringOf(error) ?? stringOf(message));
  return said === undefined || said === "" ? "" : `: ${shortOf(said).replace(/[.\s]+$/, "")}`;
}
