/** What the Messages API knows as a field, in a body, a message and a block, and which beta header each needs. Reads only. */

import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../../../core/json.ts";
import type { ProviderCall, Refusal } from "../provider-api.ts";

const BODY_FIELDS: ReadonlySet<string> = new Set([
  ...["model", "messages", "max_tokens", "system", "tools", "tool_choice", "stream", "stop_sequences", "metadata"],
  ...["temperature", "top_k", "top_p", "thinking", "service_tier", "container", "mcp_servers", "cache_control"],
  ...["output_config", "output_format", "inference_geo", "speed", "diagnostics", "context_management", "compaction"],
  ...[
    "thread",
    "fallbacks",
    "fallback_credit_token",
    "billing_policy",
    "user_profile_id",
    "workspace_id",
    "safeguards",
  ],
]);

/** Fields that are known only with one of these in the header `anthropic-beta`. */
const BETA_FIELDS: Readonly<Record<string, readonly string[]>> = {
  context_management: ["context-management-2025-06-27", "compact-2026-01-12"],
  compaction: ["compact-2026-09-04"],
  "thinking.block_binding": ["thinking-binding-controls-2026-08-01"],
  thread: ["message-threads-2026-08-12"],
};

const MESSAGE_FIELDS: readonly string[] = ["role", "content"];
/** With what a system message may steer what follows it, each with its betas. */
const SYSTEM_FIELDS: Readonly<Record<string, readonly string[]>> = {
  output_config: ["mid-conversation-output-config-2026-07-01", "per-turn-control-2026-07-01"],
  clear_at: ["mid-conversation-system-clear-at-2026-08-21"],
};

/** Blocks that clients write most; others may have any field. */
const BLOCK_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ["type", "text", "citations", "cache_control"],
  tool_use: ["type", "id", "name", "input", "caller", "toolset_name", "cache_control"],
  tool_result: ["type", "tool_use_id", "content", "is_error", "toolset_name", "cache_control"],
  thinking: ["type", "thinking", "signature"],
  redacted_thinking: ["type", "data"],
  image: ["type", "source", "transformations", "cache_control"],
  compaction: ["type", "content", "encrypted_content", "signature", "tool_changes", "cache_control"],
};

export function checkFields(call: ProviderCall): Refusal | undefined {
  const { body, kind, headers } = call;
  if (typeof body.model !== "string") return bad("model: Field required");
  if (kind !== "count" && typeof body.max_tokens !== "number") return bad("max_tokens: Field required");
  const unknown = Object.keys(body).find((key) => !BODY_FIELDS.has(key));
  if (unknown !== undefined) return bad(`${unknown}: Extra inputs are not permitted`);
  const betas = String(headers["anthropic-beta"] ?? "");
  const gated = Object.entries(BETA_FIELDS).find(
    ([path, names]) => isPresent(body, path) && !names.some((name) => betas.includes(name)),
  );
  if (gated !== undefined) return bad(`${gated[0]}: Extra inputs are not permitted`);
  return isArray(body.messages) ? checkMessages(body.messages, betas) : bad("messages: Field required");
}

function isPresent(body: JsonObject, path: string): boolean {
  const [key = "", inner] = path.split(".");
  const value = body[key];
  return inner === undefined ? value !== undefined : isObject(value) && value[inner] !== undefined;
}

function checkMessages(messages: readonly JsonValue[], betas: string): Refusal | undefined {
  for (const [index, message] of messages.entries()) {
    if (!isObject(message)) continue;
    const isKnown = (key: string): boolean =>
      MESSAGE_FIELDS.includes(key) ||
      (message.role === "system" && SYSTEM_FIELDS[key]?.some((name) => betas.includes(name)) === true);
    const unknown = Object.keys(message).find((key) => !isKnown(key));
    if (unknown !== undefined) return bad(`messages.${index}.${unknown}: Extra inputs are not permitted`);
    if (!isArray(message.content)) continue;
    for (const [position, block] of message.content.entries()) {
      const refused = isObject(block) ? checkBlock(block, `messages.${index}.content.${position}`, betas) : undefined;
      if (refused !== undefined) return refused;
    }
  }
  return undefined;
}

function checkBlock(block: JsonObject, path: string, betas: string): Refusal | undefined {
  const type = stringOf(block.type) ?? "";
  if (type === "compaction" && !betas.includes("compact-2026-")) {
    return bad(`${path}: Input tag 'compaction' found using 'type' does not match any of the expected tags`);
  }
  const unknown = Object.keys(block).find((key) => BLOCK_FIELDS[type]?.includes(key) === false);
  return unknown === undefined ? undefined : bad(`${path}.${type}.${unknown}: Extra inputs are not permitted`);
}

export function bad(message: string, code?: string): Refusal {
  return { status: 400, message, ...(code !== undefined && { code }) };
}
