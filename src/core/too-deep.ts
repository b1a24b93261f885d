/**
 * Refuses what nests deeper than recursive walks are safe with, before any of them goes into it. Asked where a message is new, not
 * wherever it is sent again.
 */

import { CompactionError } from "./errors.ts";
import { isDeeperThan, JSON_DEPTH_MAX, type JsonValue } from "./json.ts";
import type { Message, Part } from "./message.ts";

export function refuseDeepMessage({ id, parts }: Message): void {
  if (holdsDeep(parts)) throw tooDeep(`Message ${id}`);
}

export function refuseDeepPrompt(system: readonly Part[], tools: JsonValue | undefined): void {
  if (holdsDeep(system)) throw tooDeep("The system prompt");
  if (isDeeperThan(tools, JSON_DEPTH_MAX)) throw tooDeep("tools");
}

/** Only of what is walked: a field that nobody reads may nest as it likes. */
function holdsDeep(parts: readonly Part[], levels: number = JSON_DEPTH_MAX): boolean {
  for (const part of parts) {
    if (part.type === "tool-call" && isDeeperThan(part.input, levels)) return true;
    if (part.type === "opaque" && isDeeperThan(part.wire, levels)) return true;
    if (part.type === "tool-result" && (levels === 0 || holdsDeep(part.content, levels - 1))) return true;
  }
  return false;
}

function tooDeep(what: string): CompactionError {
  const message = `${what} nests deeper than ${JSON_DEPTH_MAX} levels, which no conversation does. Nothing was changed.`;
  return new CompactionError("invalid-request", message);
}
