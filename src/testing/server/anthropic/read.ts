/** From a request of the Messages API to what the model reads, or to the refusal that the provider would send. */

import { isCompactionPart } from "../../../core/items.ts";
import { isArray, isObject, type JsonObject, type JsonValue, numberOf, stringOf } from "../../../core/json.ts";
import type { Conversation } from "../../../core/message.ts";
import { countConversation } from "../../../core/tokens/tokens.ts";
import { formatNamed } from "../../../formats.ts";
import {
  isRefusal,
  type ProviderCall,
  type Reading,
  type Refusal,
  refusalOf,
  type ServerMemory,
} from "../provider-api.ts";
import { unseal } from "../seal.ts";
import { applyEdits, editsOf } from "./editing.ts";
import { bad, checkFields } from "./fields.ts";
import { followThinking, type ThinkingMismatch } from "./thinking.ts";

const format = formatNamed("anthropic-messages");

export function readMessages(call: ProviderCall, memory: ServerMemory): Reading | Refusal {
  const { body, kind, model } = call;
  const refused = checkHeaders(call) ?? checkFields(call) ?? checkThread(body) ?? checkCompaction(call);
  if (refused !== undefined) return refused;
  const invalid = refusalOf(format.validate(body, { sending: kind === "answer" }));
  if (invalid !== undefined) return invalid;
  const sent = format.decode(body);
  const forged = checkBlocks(sent);
  if (forged !== undefined) return forged;
  const { end, mismatches } = followThinking(sent, model);
  const dropped = droppedThinking(mismatches, sent, body);
  if (isRefusal(dropped)) return dropped;
  const messages = behindCompaction(withoutBlocks(isArray(body.messages) ? body.messages : [], mismatches));
  const readable = { ...body, messages };
  const counter = memory.counterOf(call);
  const { applied, messages: edited } = applyEdits(readable, (list) => {
    return countConversation(format.decode({ ...readable, messages: list }), counter).totalTokens;
  });
  const conversation = format.decode({ ...readable, messages: edited });
  const { cache_control: mark, thinking, tool_choice: choice } = body;
  return {
    conversation,
    ...(editsOf(body, "clear_tool_uses_20250919").length + editsOf(body, "clear_thinking_20251015").length > 0 && {
      unedited: format.decode(readable),
    }),
    summaries: summariesIn(conversation),
    ...thresholdOf(body),
    cacheSeed: JSON.stringify([thinking ?? null, choice ?? null]),
    marksEnd: isObject(mark),
    notes: { transformations: dropped, applied, place: { ...end }, lastRole: sent.messages.at(-1)?.role },
  };
}

function checkHeaders({ headers }: ProviderCall): Refusal | undefined {
  if (headers["anthropic-version"] === undefined) return bad("anthropic-version: header is required");
  if (headers["x-api-key"] !== undefined || headers.authorization !== undefined) return undefined;
  return { status: 401, message: "x-api-key header is required" };
}

/** As for an organisation without access to threads: clients then send the whole list. */
function checkThread(body: JsonObject): Refusal | undefined {
  if ((body.thread ?? false) === false) return undefined;
  return bad("thread: message threads are not supported for this request", "thread_unsupported_request");
}

const INSTRUCTIONS_CHARS_MAX = 16_384;
const TRIGGER_TOKENS_MIN = 50_000;
const TRIGGER_TOKENS = 150_000;

function checkCompaction({ body, kind }: ProviderCall): Refusal | undefined {
  const [edit] = editsOf(body, "compact_20260112");
  const trigger = isObject(edit?.trigger) ? numberOf(edit.trigger.value) : undefined;
  if (trigger !== undefined && trigger < TRIGGER_TOKENS_MIN) {
    return bad(
      `context_management.edits.0.trigger.value: Input should be greater than or equal to ${TRIGGER_TOKENS_MIN}`,
    );
  }
  if (kind !== "compact") return undefined;
  const { compaction, messages } = body;
  if (!isObject(compaction) || compaction.type !== "summarize")
    return bad("compaction.type: Input should be 'summarize'");
  if ((stringOf(compaction.instructions) ?? "").length > INSTRUCTIONS_CHARS_MAX) {
    return bad(`compaction.instructions: String should have at most ${INSTRUCTIONS_CHARS_MAX} characters`);
  }
  const combined = notCombinable(body);
  if (combined !== undefined) return bad(`compaction: cannot be combined with \`${combined}\``);
  if (!isArray(messages) || messages.length === 0)
    return bad("compaction: nothing to summarize", "compaction_nothing_to_summarize");
  const last = messages.at(-1);
  const blocks = isObject(last) && isArray(last.content) ? last.content : [];
  const isOpen = blocks.some((block) => isObject(block) && block.type === "tool_use");
  return isOpen
    ? bad("compaction: the last turn has unanswered `tool_use` blocks", "compaction_incomplete_turn")
    : undefined;
}

function notCombinable(body: JsonObject): string | undefined {
  const { tool_choice: choice, output_config: output } = body;
  if (isObject(choice) && (choice.type === "any" || choice.type === "tool")) return "tool_choice";
  if (isObject(output) && output.format !== undefined) return "output_config.format";
  return ["context_management", "stop_sequences", "output_format"].find((key) => body[key] !== undefined);
}

/** Compaction blocks that this server did not issue, or not with this text. */
function checkBlocks({ messages }: Conversation): Refusal | undefined {
  for (const [index, { parts }] of messages.entries()) {
    for (const [position, part] of parts.entries()) {
      if (!isCompactionPart(part)) continue;
      const { content, signature, encrypted_content: encrypted } = part.wire;
      // A compaction that failed has neither, and stands for nothing.
      if (content === null) continue;
      const sealed = unseal("summary", stringOf(signature) ?? stringOf(encrypted));
      const path = `messages.${index}.content.${position}`;
      if (sealed === undefined)
        return bad(`${path}: Invalid \`signature\` in \`compaction\` block`, "compaction_signature_invalid");
      if (sealed.text !== content)
        return bad(`${path}: \`content\` does not match the signature`, "compaction_content_mismatch");
    }
  }
  return undefined;
}

const MODIFIED =
  "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.";
const MOVED =
  'Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".';

/** What the answer says about blocks that the model does not read. */
function droppedThinking(
  mismatches: readonly ThinkingMismatch[],
  { messages }: Conversation,
  { thinking }: JsonObject,
): JsonValue[] | Refusal {
  const binding = isObject(thinking) && isObject(thinking.block_binding) ? thinking.block_binding : {};
  const drops = binding.prefix_mismatch_behavior === "drop_block";
  const latest = messages.findLastIndex(({ role }) => role === "assistant");
  const transformations: JsonValue[] = [];
  for (const { type, messageIndex, position } of mismatches) {
    const path = `messages.${messageIndex}.content.${position}`;
    if (type === "changed" && messageIndex === latest) return bad(`${path}: ${MODIFIED}`);
    if (type === "forged" || type === "changed") return bad(`${path}: Invalid \`signature\` in \`thinking\` block`);
    if (type === "moved" && !drops) return bad(`${path}: ${MOVED}`);
    const reason = type === "moved" ? "prefix_binding_mismatch" : "model_binding_mismatch";
    transformations.push({ type: "thinking_dropped", path, reason });
  }
  return transformations;
}

function withoutBlocks(messages: readonly JsonValue[], mismatches: readonly ThinkingMismatch[]): readonly JsonValue[] {
  const paths = new Set(mismatches.map(({ messageIndex, position }) => `${messageIndex}.${position}`));
  if (paths.size === 0) return messages;
  return messages.map((message, index) => {
    if (!isObject(message) || !isArray(message.content)) return message;
    return { ...message, content: message.content.filter((_, position) => !paths.has(`${index}.${position}`)) };
  });
}

/** What stands before the newest block is ignored. */
function behindCompaction(messages: readonly JsonValue[]): readonly JsonValue[] {
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (!isObject(message) || !isArray(message.content)) continue;
    const at = message.content.findLastIndex(
      (block) => isObject(block) && block.type === "compaction" && block.content !== null,
    );
    if (at >= 0) return [{ ...message, content: message.content.slice(at) }, ...messages.slice(index + 1)];
  }
  return messages;
}

function summariesIn({ messages }: Conversation): readonly string[] {
  const parts = messages.flatMap((message) => message.parts).filter(isCompactionPart);
  return parts.flatMap(({ wire }) => stringOf(wire.content) ?? []);
}

function thresholdOf(body: JsonObject): Pick<Reading, "compactAtTokens" | "pausesAfterCompaction"> {
  const [edit] = editsOf(body, "compact_20260112");
  if (edit === undefined) return {};
  const trigger = isObject(edit.trigger) ? numberOf(edit.trigger.value) : undefined;
  return {
    compactAtTokens: trigger ?? TRIGGER_TOKENS,
    pausesAfterCompaction: edit.pause_after_compaction === true,
  };
}
