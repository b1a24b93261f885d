/** What a Responses response says, as items. What is no answer is refused. */

import { isArray, isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { refuseCancelled, refuseError, refuseFailed, refuseForeign, refusePiece, refuseUnfinished } from "../reply.ts";

export function readReply(response: unknown): readonly JsonValue[] | undefined {
  if (!isObject(response)) return undefined;
  const { object, output, type, role } = response;
  if (object === "response") refuseUnlessEnded(response);
  if ((object === "response" || object === "response.compaction") && isArray(output)) return output;
  refuseBegunItem(response);
  // Events are named so, items never.
  if (typeof type === "string" && type.startsWith("response.")) refusePiece(type);
  refuseError(response);
  // Without a type it would pass for a reference to an item by its id; items do not say what object they are.
  if (typeof object === "string" && type === undefined && role === undefined) refuseForeign(`a ${object}`);
  return undefined;
}

/** What a stream adds before the model has written it. */
function refuseBegunItem({ type, role, status }: JsonObject): void {
  const isWritten = type === "message" ? role === "assistant" : typeof type === "string" && WRITTEN.has(type);
  if (isWritten && status === "in_progress") refuseUnfinished(status);
}

/** Items that the model writes. What tools do, theirs or the provider's, may take longer than an answer. */
const WRITTEN: ReadonlySet<string> = new Set(["function_call", "custom_tool_call", "reasoning"]);

/** One that was cut off at a limit is `incomplete` and has ended; compatible servers may leave the status out. */
function refuseUnlessEnded(response: JsonObject): void {
  const { status } = response;
  if (status === "failed") refuseFailed(response);
  if (status === "cancelled") refuseCancelled();
  if (status === "in_progress" || status === "queued") refuseUnfinished(status);
}
