/** Anthropic's on-demand compaction: an ordinary request with one more field, and the signed block that it answers with. */

import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../../core/json.ts";
import type { NativeReading, NativeWire } from "../../core/native-wire.ts";
import { readableText } from "../../core/plan/native-items.ts";
import { headOf } from "../../core/well-formed-text.ts";
import { hasText, unusable } from "../native.ts";

export const anthropicCompact: NativeWire = {
  request: anthropicRequest,
  read: readAnthropic,
  takesInstructions: true,
};

/** What an on-demand compaction may not be combined with, or would not be answered in one piece with. */
const ANTHROPIC_REFUSED = new Set(["context_management", "stop_sequences", "stream", "thread"]);
const INSTRUCTIONS_CHARS_MAX = 16_384;
/** Own instructions replace the provider's prompt, so they have to say the whole task. */
const ANTHROPIC_TASK =
  "Summarize the conversation so far so that the work can go on from the summary alone: the task, what was done and decided, what is open, and every path, name, number and error that is still needed. Dwell on this in particular:";

function anthropicRequest(body: JsonObject, instructions: string | undefined): JsonObject {
  const kept = Object.entries(body).filter(
    ([key, value]) => !ANTHROPIC_REFUSED.has(key) && !isForcedChoice(key, value),
  );
  const { output_config: output, ...request } = Object.fromEntries(kept);
  const asked = instructions?.trim() ?? "";
  const focus = asked === "" ? {} : { instructions: headOf(`${ANTHROPIC_TASK}\n\n${asked}`, INSTRUCTIONS_CHARS_MAX) };
  return { ...request, ...plainOutput(output), compaction: { type: "summarize", ...focus } };
}

function isForcedChoice(key: string, value: JsonValue | undefined): boolean {
  return key === "tool_choice" && isObject(value) && (value.type === "any" || value.type === "tool");
}

function plainOutput(output: JsonValue | undefined): JsonObject {
  if (!isObject(output)) return {};
  const { format: _, task_budget: _budget, ...rest } = output;
  return Object.keys(rest).length === 0 ? {} : { output_config: rest };
}

/** Exactly one signed block; without one the answer is empty and its stop reason says why. */
function readAnthropic(answer: unknown): NativeReading {
  const { content, stop_reason: stopReason }: JsonObject = isObject(answer) ? answer : {};
  const blocks = isArray(content) ? content.filter((block) => isObject(block) && block.type === "compaction") : [];
  const [block] = blocks;
  const text = readableText(block);
  if (blocks.length !== 1 || !isObject(block) || text === undefined || !hasText(block.signature)) {
    return unusable(`the answer holds no signed summary (stop reason ${stringOf(stopReason) ?? "unknown"})`);
  }
  // Clients add empty fields that the provider refuses when they come back.
  const sent = Object.fromEntries(Object.entries(block).filter(([, value]) => value !== null));
  return { type: "read", list: [{ role: "assistant", content: [sent] }], text };
}
