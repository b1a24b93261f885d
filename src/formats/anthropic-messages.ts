/** The Anthropic Messages format: bodies of `POST /v1/messages`, or their bare `messages` list. */

import { readableText } from "../core/items.ts";
import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../core/json.ts";
import { CACHE_MARKS_MAX, marksIn, marksOutside } from "../core/marks.ts";
import type { Conversation, Part } from "../core/message.ts";
import type { Format, NativeReading, NativeWire, ReadTools, ToolDefinition, Violation } from "../core/ports.ts";
import { headOf, isBlankPrompt } from "../core/text.ts";
import { thinksManually, unthoughtStart } from "../core/thinking.ts";
import { decodeContent, decodeMessage, encodeBlocks, encodeMessage } from "./anthropic/blocks.ts";
import { validateMessages } from "./anthropic/validate.ts";
import { type BodyShape, createFormat, type ListOptions, readToolList, toolDefinition } from "./body.ts";
import { refuseError, refusePiece, refuseUnfinished } from "./response.ts";

const SHAPE: BodyShape = {
  format: "anthropic-messages",
  decodeMessage,
  encodeMessage,
  decodeSystem: (body) => (body.system === undefined ? [] : decodeContent(body.system, "system")),
  encodeSystem: (body, system) => {
    const { system: before, ...rest } = body;
    return system.length === 0 ? rest : { ...body, system: encodeBlocks(system, before) };
  },
  check,
  unknownField: (path) => `${path}: Extra inputs are not permitted`,
};

/** Anthropic's Messages API. */
export const anthropicMessages: Format<AnthropicRequest> = createFormat(SHAPE, {
  nativeWire: (kind) => (kind === "anthropic-compact" ? anthropicCompact : undefined),
  readReply,
  readTools,
  writeTools,
});

/** A body of `POST /v1/messages` to the compiler: what most conversations have. Whatever else it holds is carried all the same. */
export interface AnthropicRequest {
  model: string;
  max_tokens: number;
  messages: AnthropicMessage[];
}

interface AnthropicMessage {
  role: "user" | "assistant";
  content: string | AnthropicBlock[];
}

type AnthropicBlock =
  | AnthropicContent
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string }
  | { type: "tool_use"; id: string; name: string; input: unknown }
  | { type: "tool_result"; tool_use_id: string; content?: string | AnthropicContent[]; is_error?: boolean };

type AnthropicContent =
  | { type: "text"; text: string }
  | { type: "image"; source: AnthropicImage }
  | { type: "document"; source: AnthropicDocument; title?: string | null; context?: string | null };

type AnthropicImage =
  | { type: "base64"; media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp"; data: string }
  | { type: "url"; url: string };

type AnthropicDocument =
  | { type: "base64"; media_type: "application/pdf"; data: string }
  | { type: "text"; media_type: "text/plain"; data: string }
  | { type: "url"; url: string };

function check(conversation: Conversation, options: ListOptions): readonly Violation[] {
  return [
    ...checkMarks(conversation),
    ...conversation.system.flatMap(checkPrompt),
    ...validateMessages(conversation.messages, options),
    ...(options.sending ? checkThinking(conversation) : []),
  ];
}

/** With a budget for thinking, the turn that the model is to go on with begins with thinking. */
function checkThinking(conversation: Conversation): readonly Violation[] {
  const messageIndex = thinksManually(conversation) ? unthoughtStart(conversation.messages) : undefined;
  if (messageIndex === undefined) return [];
  const found = encodedType(conversation.messages[messageIndex]?.parts[0]);
  const path = `messages.${messageIndex}.content.0.type`;
  const message = `${path}: Expected \`thinking\` or \`redacted_thinking\`, but found \`${found}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`;
  return [{ rule: "thinking-missing", path, messageIndex, message }];
}

function encodedType(part: Part | undefined): string {
  return stringOf(part?.wire?.type) ?? (part?.type === "tool-call" ? "tool_use" : "text");
}

function checkMarks(conversation: Conversation): readonly Violation[] {
  const found = marksOutside(conversation) + conversation.messages.reduce((sum, { parts }) => sum + marksIn(parts), 0);
  if (found <= CACHE_MARKS_MAX) return [];
  const message = `A maximum of ${CACHE_MARKS_MAX} blocks with cache_control may be provided. Found ${found}.`;
  return [{ rule: "too-many-cache-marks", path: "messages", messageIndex: -1, message }];
}

function checkPrompt(part: Part, position: number): readonly Violation[] {
  if (!isBlankPrompt(part)) return [];
  const lack = part.text === "" ? "be non-empty" : "contain non-whitespace text";
  const path = `system.${position}`;
  return [{ rule: "empty-content", path, messageIndex: -1, message: `system: text content blocks must ${lack}` }];
}

function readReply(response: unknown): readonly JsonValue[] | undefined {
  if (!isObject(response)) return undefined;
  const isAssistant = response.role === undefined || response.role === "assistant";
  if (response.type !== "message" || !isAssistant || !isArray(response.content)) {
    refuseError(response);
    if (typeof response.type === "string" && EVENTS.has(response.type)) refusePiece(response.type);
    return undefined;
  }
  // Null while the answer is still streamed; compatible servers may leave the field out.
  if (response.stop_reason === null) refuseUnfinished("stop_reason is null");
  // A refusal or a pause may say nothing at all, and an empty message would be refused.
  return response.content.length === 0 ? [] : [{ role: "assistant", content: response.content }];
}

/** Of a stream. */
const EVENTS: ReadonlySet<string> = new Set([
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
  "ping",
]);

function readTools(tools: JsonValue | undefined): ReadTools {
  return readToolList(tools, ({ type, name, description, input_schema: parameters }) => {
    const kind = stringOf(type) ?? "custom";
    return (kind === "custom" ? toolDefinition({ name, description, parameters }) : undefined) ?? kind;
  });
}

function writeTools(definitions: readonly ToolDefinition[]): JsonValue {
  return definitions.map(({ parameters, ...definition }) => ({
    ...definition,
    input_schema: parameters ?? { type: "object" },
  }));
}

const anthropicCompact: NativeWire = {
  request: anthropicRequest,
  read: readAnthropic,
  takesInstructions: true,
  sendsPrefix: true,
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
  if (blocks.length !== 1 || !isObject(block) || text === undefined || !stringOf(block.signature)) {
    const because = `the answer holds no signed summary (stop reason ${stringOf(stopReason) ?? "unknown"})`;
    return { type: "unusable", because };
  }
  // Clients add empty fields that the provider refuses when they come back.
  const sent = Object.fromEntries(Object.entries(block).filter(([, value]) => value !== null));
  return { type: "read", list: [{ role: "assistant", content: [sent] }], text };
}
