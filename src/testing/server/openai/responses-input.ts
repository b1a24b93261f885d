/** What the Responses API reads: the stored history before the list, stored items in the place of references, and items only it can open. */

import { isArray, isObject, type JsonObject, type JsonValue, numberOf, stringOf } from "../../../core/json.ts";
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
import { cacheKeyOf, checkKey, checkParameters } from "./openai-service.ts";

const format = formatNamed("openai-responses");

const PARAMETERS: ReadonlySet<string> = new Set([
  ...["model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "max_tool_calls", "stream"],
  ...["stream_options", "max_output_tokens", "temperature", "top_p", "top_logprobs", "text", "reasoning", "include"],
  ...["store", "previous_response_id", "conversation", "context_management", "truncation", "prompt", "background"],
  ...["metadata", "user", "safety_identifier", "service_tier", "moderation", "image", "access_programs", "personality"],
  ...["prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "client_metadata"],
]);
const COMPACT_PARAMETERS: ReadonlySet<string> = new Set([
  ...["model", "input", "instructions", "previous_response_id", "service_tier", "image"],
  ...["prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"],
]);

/** Whether a compaction is asked for by an item at the end of the list. */
export function endsWithTrigger({ input }: JsonObject): boolean {
  const last = isArray(input) ? input.at(-1) : undefined;
  return isObject(last) && last.type === "compaction_trigger";
}

const THRESHOLD_TOKENS_MIN = 1_000;

export function readResponses(call: ProviderCall, memory: ServerMemory): Reading | Refusal {
  const { body, kind } = call;
  const isEndpoint = kind === "compact" && !endsWithTrigger(body);
  const refused = checkKey(call) ?? checkParameters(body, isEndpoint ? COMPACT_PARAMETERS : PARAMETERS);
  if (refused !== undefined) return refused;
  const threshold = thresholdOf(body);
  if (threshold !== undefined && threshold < THRESHOLD_TOKENS_MIN) {
    const param = "context_management[0].compact_threshold";
    return bad(`Invalid '${param}': expected a value of at least ${THRESHOLD_TOKENS_MIN}.`, { param });
  }
  const sent = withHistory(body, memory);
  if (isRefusal(sent)) return sent;
  // A compaction may end anywhere: nobody answers what it ends with.
  const invalid = refusalOf(format.validate(sent, { sending: kind === "answer" })) ?? checkItems(sent, memory);
  if (invalid !== undefined) return { ...invalid, param: "input" };
  const items = isArray(sent.input) ? sent.input : [];
  const read = isArray(sent.input) ? { ...sent, input: behindCompaction(items) } : sent;
  return {
    conversation: format.decode(read),
    summaries: items.flatMap((item) => summaryIn(item) ?? []),
    ...(threshold !== undefined && { compactAtTokens: threshold }),
    ...cacheKeyOf(body),
    notes: { input: isArray(sent.input) ? items : [{ role: "user", content: sent.input ?? "" }] },
  };
}

function bad(message: string, where: Pick<Refusal, "code" | "param"> = {}): Refusal {
  return { status: 400, message, ...where };
}

function thresholdOf({ context_management: management }: JsonObject): number | undefined {
  const entries = isArray(management) ? management.filter(isObject) : [];
  return numberOf(entries.find(({ type }) => type === "compaction")?.compact_threshold);
}

/** The whole list as a stateless request would have it. */
function withHistory(body: JsonObject, memory: ServerMemory): JsonObject | Refusal {
  const { previous_response_id: previous, input, ...rest } = body;
  if ((body.conversation ?? null) !== null) {
    const id = isObject(body.conversation) ? body.conversation.id : body.conversation;
    return { status: 404, message: `Conversation with id '${String(id)}' not found.`, param: "conversation" };
  }
  const before = typeof previous === "string" ? memory.storedResponses.get(previous) : [];
  if (before === undefined) {
    const message = `Previous response with id '${String(previous)}' not found.`;
    return { status: 400, message, code: "previous_response_not_found", param: "previous_response_id" };
  }
  if (!isArray(input) && before.length === 0) return body;
  const added = isArray(input) ? input : [{ role: "user", content: input ?? "" }];
  const items: JsonValue[] = [...before];
  for (const item of added) {
    const id = referenceIn(item);
    const stored = id === undefined || body.store === false ? item : memory.storedItems.get(id);
    if (stored === undefined) return { status: 404, message: `Item with id '${id}' not found.`, param: "input" };
    items.push(stored);
  }
  return { ...rest, input: items };
}

/** Of an item that stands for one that the server has: a reference, or reasoning without its content. */
function referenceIn(item: JsonValue): string | undefined {
  if (!isObject(item)) return undefined;
  const isBare = item.type === "reasoning" && (item.encrypted_content ?? null) === null;
  return item.type === "item_reference" || isBare ? stringOf(item.id) : undefined;
}

function checkItems(body: JsonObject, { reasoningOf }: ServerMemory): Refusal | undefined {
  const items = isArray(body.input) ? body.input.filter(isObject) : [];
  const ids = new Set(items.map(({ id }) => id));
  for (const item of items) {
    const { type, id, encrypted_content: encrypted } = item;
    const kind = type === "compaction" ? "summary" : type === "reasoning" ? "reasoning" : undefined;
    if (kind !== undefined && typeof encrypted === "string" && unseal(kind, encrypted) === undefined) {
      const message = `The encrypted content ${encrypted.slice(0, 4)}... could not be verified. Reason: Encrypted content could not be decrypted or parsed.`;
      return bad(message, { code: "invalid_encrypted_content" });
    }
    const reasoning = typeof id === "string" ? reasoningOf.get(id) : undefined;
    if (reasoning !== undefined && !ids.has(reasoning)) {
      const kindOfItem = stringOf(type) ?? "message";
      return bad(
        `Item '${String(id)}' of type '${kindOfItem}' was provided without its required 'reasoning' item: '${reasoning}'.`,
      );
    }
  }
  return undefined;
}

export function summaryIn(item: JsonValue): string | undefined {
  if (!isObject(item) || item.type !== "compaction") return undefined;
  return stringOf(unseal("summary", stringOf(item.encrypted_content))?.text);
}

/** An item stands for what came before it, but for what users and developers said: that it leaves as it is. */
function behindCompaction(items: readonly JsonValue[]): readonly JsonValue[] {
  const at = items.findLastIndex((item) => isObject(item) && item.type === "compaction");
  return items.filter((item, index) => {
    const role = isObject(item) ? item.role : undefined;
    return index >= at || role === "user" || role === "developer" || role === "system";
  });
}
