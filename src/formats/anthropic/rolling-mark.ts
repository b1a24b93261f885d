/**
 * A mark for the provider's cache on the newest results of a tool loop, for clients that set none there: without it every step of the loop is
 * read at the full price. Never removes or moves a client's own mark, and never makes more than the provider takes.
 */

import { isArray, isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { CACHE_MARKS_MAX } from "../../core/marks.ts";

/** Here a client that moves its mark along has one. */
const NEWEST = 3;

/** The same object where the client marks for itself, or is in no loop. */
export function rollingMark(body: JsonObject): JsonObject {
  const { messages, system, tools } = body;
  const last = isArray(messages) ? messages.at(-1) : undefined;
  if (!isArray(messages) || !isObject(last) || !isArray(last.content) || isMarked(body)) return body;
  const at = last.content.findLastIndex((block) => isObject(block) && MARKABLE.has(block.type));
  const block = last.content[at];
  if (!isObject(block) || !last.content.some((one) => isObject(one) && one.type === "tool_result")) return body;
  if (marksIn(messages.slice(-NEWEST)) > 0) return body;
  if (marksIn(messages) + marksIn(system) + marksIn(tools) >= CACHE_MARKS_MAX) return body;
  const content = last.content.with(at, { ...block, cache_control: { type: "ephemeral" } });
  return { ...body, messages: messages.with(-1, { ...last, content }) };
}

const MARKABLE: ReadonlySet<unknown> = new Set(["tool_result", "text", "image", "document"]);

function isMarked(value: JsonObject): boolean {
  return (value.cache_control ?? null) !== null;
}

/** Messages hold blocks, and results hold blocks. */
const LEVELS = 3;

function marksIn(value: JsonValue | undefined, levels = LEVELS): number {
  if (!isArray(value) || levels === 0) return 0;
  return value.reduce<number>(
    (sum, one) => (isObject(one) ? sum + Number(isMarked(one)) + marksIn(one.content, levels - 1) : sum),
    0,
  );
}
