/** The Responses API's own compaction, `POST /v1/responses/compact`: its request from an ordinary one, and what it answers. */

import { isArray, isObject, type JsonObject } from "../../core/json.ts";
import type { NativeReading, NativeWire } from "../../core/native-wire.ts";
import { hasText, unusable } from "../native.ts";

export const responsesCompact: NativeWire = {
  request: responsesRequest,
  read: readResponses,
  takesInstructions: false,
};

/** What it takes of an ordinary request. */
const RESPONSES_KEYS = ["model", "instructions", "prompt_cache_key", "prompt_cache_options", "service_tier"];

function responsesRequest(body: JsonObject): JsonObject {
  const kept = RESPONSES_KEYS.flatMap((key) => (body[key] === undefined ? [] : [[key, body[key]] as const]));
  return { ...Object.fromEntries(kept), input: body.input ?? [] };
}

/** The list is the start of the next input as it is: user messages verbatim, the rest as one opaque item. */
function readResponses(answer: unknown): NativeReading {
  const list = isObject(answer) ? answer.output : undefined;
  if (!isArray(list) || list.length === 0) return unusable("the answer has no output");
  const isThere = list.some((item) => isObject(item) && item.type === "compaction" && hasText(item.encrypted_content));
  return isThere ? { type: "read", list } : unusable("the answer holds no compaction item");
}
