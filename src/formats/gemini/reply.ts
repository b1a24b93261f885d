/** What a generateContent response says, as contents. What is none, and would become a part of the user's, is refused. */

import { isArray, isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { onlyOne, refuseBlocked, refuseError, refusePiece, refuseSilent, refuseUnknown } from "../reply.ts";
import { isContent, isKnownPart } from "./decode.ts";
import { type Field, fieldOf, objectOf } from "./spelling.ts";

export function readReply(given: unknown): readonly JsonValue[] | undefined {
  if (!isObject(given)) return undefined;
  const response = unwrapped(given);
  if (!isArray(response.candidates)) return refuseNoResponse(response);
  const candidate = onlyOne(response.candidates, "candidates");
  if (!isObject(candidate)) return refuseNoCandidate(response);
  const { content } = candidate;
  const finishReason = fieldOf(candidate, "finishReason");
  const isSaid = isObject(content) && isArray(content.parts) && content.parts.length > 0;
  // Only the last chunk of a stream says how the answer ended.
  if (isSaid && !finishReason) refusePiece("a response without a finishReason");
  if (isSaid) return [{ role: "model", ...content }];
  return FINISHED.has(finishReason) ? [] : refuseSilent(finishReason);
}

/** An earlier SDK hands the response out as a field of its result. */
export function unwrapped(response: JsonObject): JsonObject {
  const inner = response.response;
  return !isContent(response) && isObject(inner) && isArray(inner.candidates) ? inner : response;
}

/** The model came to an end by itself, or to its limit while it thought. */
const FINISHED: ReadonlySet<JsonValue | undefined> = new Set(["STOP", "MAX_TOKENS"]);

function refuseNoCandidate(response: JsonObject): never {
  refuseError(response);
  return refuseBlocked(fieldOf(objectOf(response, "promptFeedback") ?? {}, "blockReason"));
}

/** A part alone is a short form of the user's content, and a part may have any field: only the known ones are taken for one. */
function refuseNoResponse(response: JsonObject): undefined {
  if (isContent(response)) return;
  const isResponse = RESPONSE_FIELDS.some((field) => fieldOf(response, field) !== undefined);
  if (isResponse) refuseNoCandidate(response);
  refuseError(response);
  if (!isKnownPart(response)) refuseUnknown("neither a content nor a part nor a response", "{ role, parts }");
}

/** Of a response that has no candidates; no part has them. */
const RESPONSE_FIELDS: readonly Field[] = ["promptFeedback", "usageMetadata", "modelVersion", "responseId"];
