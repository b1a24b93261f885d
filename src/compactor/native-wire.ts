/**
 * The two forms in which providers compact by themselves, as data in and data out: the request from an ordinary one, and what
 * of the answer takes the zone's place. Sends nothing; an answer that cannot be used is refused with the reason.
 */

import { isArray, isObject, type JsonArray, type JsonObject, type JsonValue, stringOf } from "../core/json.ts";
import { readableText } from "../core/plan/native-items.ts";
import { headOf } from "../core/well-formed-text.ts";

export interface NativeWire {
  /** Where an ordinary request of the provider has its messages. */
  readonly listKey: string;
  /** From an ordinary request that holds just what is to be compacted. */
  request(body: JsonObject, instructions: string | undefined): JsonObject;
  read(answer: unknown): NativeReading;
  /** Whether the request has a place for what the summary should dwell on. */
  readonly takesInstructions: boolean;
}

export type NativeReading =
  | { readonly type: "read"; readonly list: JsonArray; readonly text?: string }
  | { readonly type: "unusable"; readonly because: string };

export function nativeWire(kind: string): NativeWire | undefined {
  return WIRES.get(kind);
}

/** `POST /v1/responses/compact`: what it takes of an ordinary request. */
const RESPONSES_KEYS = ["model", "instructions", "prompt_cache_key", "prompt_cache_options", "service_tier"];

/** What an on-demand compaction may not be combined with, or would not be answered in one piece with. */
const ANTHROPIC_REFUSED = new Set(["context_management", "stop_sequences", "stream", "thread"]);
const INSTRUCTIONS_CHARS_MAX = 16_384;
/** Own instructions replace the provider's prompt, so they have to say the whole task. */
const ANTHROPIC_TASK =
  "Summarize the conversation so far so that the work can go on from the summary alone: the task, what was done and decided, what is open, and every path, name, number and error that is still needed. Dwell on this in particular:";

const WIRES: ReadonlyMap<string, NativeWire> = new Map<string, NativeWire>([
  ["responses-compact", { listKey: "input", request: responsesRequest, read: readResponses, takesInstructions: false }],
  [
    "anthropic-compact",
    { listKey: "messages", request: anthropicRequest, read: readAnthropic, takesInstructions: true },
  ],
]);

function responsesRequest(body: JsonObject): JsonObject {
  const kept = RESPONSES_KEYS.flatMap((key) => (body[key] === undefined ? [] : [[key, body[key]] as const]));
  return { ...Object.fromEntries(kept), input: body.input ?? [] };
}

/** The list is the start of the next input as it is: user messages verbatim, the rest as one opaque item (X24). */
function readResponses(answer: unknown): NativeReading {
  const list = isObject(answer) ? answer.output : undefined;
  if (!isArray(list) || list.length === 0) return unusable("the answer has no output");
  const isThere = list.some((item) => isObject(item) && item.type === "compaction" && hasText(item.encrypted_content));
  return isThere ? { type: "read", list } : unusable("the answer holds no compaction item");
}

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

function hasText(value: JsonValue | undefined): boolean {
  return typeof value === "string" && value !== "";
}

function unusable(because: string): NativeReading {
  return { type: "unusable", because };
}
