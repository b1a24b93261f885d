/** The Responses API: its answers, streams and limits, and its three ways to compact. */

import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../../../core/json.ts";
import { formatNamed } from "../../../formats.ts";
import {
  type Answer,
  type ProviderApi,
  type ProviderCall,
  type Refusal,
  type ScriptedReply,
  type ServerMemory,
  type StreamEvent,
  textPieces,
  type WrittenAnswer,
} from "../provider-api.ts";
import { seal } from "../seal.ts";
import { bodyOf, cachePolicy, failures, unknownModel, usageOf, writeError } from "./openai-service.ts";
import { endsWithTrigger, readResponses } from "./responses-input.ts";

const format = formatNamed("openai-responses");

export const responsesApi: ProviderApi = {
  read: readResponses,
  compacted: ({ conversation }, summary) => {
    const body = bodyOf(conversation.wire?.json);
    const users = isArray(body.input) ? body.input.filter(isUserMessage) : [];
    return format.decode({
      ...body,
      input: [...users, { type: "compaction", encrypted_content: sealSummary(summary) }],
    });
  },
  write,
  writeCount: (inputTokens) => ({ object: "response.input_tokens", input_tokens: inputTokens }),
  writeError,
  errorEvents: (refusal, call, memory) => {
    const envelope = envelopeOf(call, memory);
    const { message, code = "server_error" } = refusal;
    const failed = { ...envelope, status: "failed", error: { code, message }, output: [], usage: null };
    return numbered([
      { type: "response.created", response: { ...envelope, status: "in_progress", error: null, output: [] } },
      { type: "response.failed", response: failed },
    ]);
  },
  overflow,
  failures,
  unknownModel,
  cachePolicy,
};

function isUserMessage(item: JsonValue): boolean {
  return isObject(item) && item.role === "user";
}

/** The words name no number; only the status line and the code tell what is wrong. */
function overflow(_: ProviderCall, inputTokens: number, windowTokens: number): Refusal | undefined {
  if (inputTokens <= windowTokens) return undefined;
  const message = "Your input exceeds the context window of this model. Please adjust your input and try again.";
  return { status: 400, message, code: "context_length_exceeded", param: "input" };
}

function sealSummary(text: string): string {
  return seal("summary", { text });
}

function write(answer: Answer, memory: ServerMemory): WrittenAnswer {
  const { call, reading, reply, usage, compaction } = answer;
  const { input } = reading.notes ?? {};
  const sent = isArray(input) ? input : [];
  const compacted: JsonObject[] =
    compaction === undefined
      ? []
      : [{ id: memory.nextId("cmp_"), type: "compaction", encrypted_content: sealSummary(compaction.summary) }];
  const total = usageOf(reply === undefined && compaction !== undefined ? compaction.usage : usage, [
    "input",
    "output",
  ]);
  if (call.kind === "compact" && !endsWithTrigger(call.body)) {
    const envelope = { id: memory.nextId("resp_"), object: "response.compaction", created_at: memory.nowSeconds() };
    return {
      whole: { ...envelope, output: [...sent.filter(isUserMessage).map(asStored), ...compacted], usage: total },
      events: [],
    };
  }
  const output = [...compacted, ...(reply === undefined ? [] : outputItems(reply, memory))];
  const envelope = envelopeOf(call, memory);
  const isCut = reply?.stop === "output-limit" || reply?.stop === "window-full";
  const status = isCut ? "incomplete" : "completed";
  const details = isCut ? { reason: "max_output_tokens" } : null;
  const whole = { ...envelope, status, incomplete_details: details, error: null, output, usage: total };
  if (call.body.store !== false) remember(whole, sent, memory);
  const begun = { ...envelope, status: "in_progress", error: null, output: [], usage: null };
  return {
    whole,
    events: numbered([
      { type: "response.created", response: begun },
      { type: "response.in_progress", response: begun },
      ...output.flatMap(itemEvents),
      { type: `response.${status}`, response: whole },
    ]),
  };
}

function asStored(item: JsonValue): JsonValue {
  const { content, ...rest }: JsonObject = isObject(item) ? item : {};
  const blocks = typeof content === "string" ? [{ type: "input_text", text: content }] : content;
  return { type: "message", ...rest, status: "completed", content: blocks };
}

function remember(
  { id, output }: { readonly id: string; readonly output: readonly JsonObject[] },
  sent: readonly JsonValue[],
  { storedItems, storedResponses }: ServerMemory,
): void {
  for (const item of output) storedItems.set(stringOf(item.id) ?? "", item);
  storedResponses.set(id, [...sent, ...output]);
}

function envelopeOf({ model, body }: ProviderCall, memory: ServerMemory) {
  const { instructions = null, tools = [], metadata = {}, previous_response_id: previous = null } = body;
  return {
    id: memory.nextId("resp_"),
    object: "response",
    created_at: memory.nowSeconds(),
    model,
    instructions,
    tools,
    metadata,
    previous_response_id: previous,
    parallel_tool_calls: true,
    tool_choice: body.tool_choice ?? "auto",
    store: body.store ?? true,
  };
}

/** Reasoning and what it produced belong together; the server remembers which. */
function outputItems(
  { reasoning = "", text = "", toolCalls = [], stop }: ScriptedReply,
  memory: ServerMemory,
): JsonObject[] {
  const items: JsonObject[] = [];
  const reasoningId = reasoning === "" ? undefined : memory.nextId("rs_");
  if (reasoningId !== undefined) {
    const encrypted = seal("reasoning", { text: reasoning });
    items.push({ id: reasoningId, type: "reasoning", summary: [], encrypted_content: encrypted });
  }
  if (text !== "") {
    const block =
      stop === "refusal"
        ? { type: "refusal", refusal: text }
        : { type: "output_text", text, annotations: [], logprobs: [] };
    const phase = toolCalls.length > 0 ? "commentary" : "final_answer";
    items.push({
      id: memory.nextId("msg_"),
      type: "message",
      role: "assistant",
      status: "completed",
      phase,
      content: [block],
    });
  }
  for (const { id = memory.nextId("call_"), name, input } of toolCalls) {
    const call = { type: "function_call", call_id: id, name, arguments: JSON.stringify(input), status: "completed" };
    items.push({ id: memory.nextId("fc_"), ...call });
  }
  const [first] = items.slice(reasoningId === undefined ? 0 : 1);
  if (reasoningId !== undefined && first !== undefined) memory.reasoningOf.set(stringOf(first.id) ?? "", reasoningId);
  return items;
}

function itemEvents(item: JsonObject, index: number): readonly JsonObject[] {
  const at = { item_id: item.id, output_index: index };
  const around = (begun: JsonObject, events: readonly JsonObject[]): readonly JsonObject[] => [
    { type: "response.output_item.added", output_index: index, item: { ...item, ...begun } },
    ...events,
    { type: "response.output_item.done", output_index: index, item },
  ];
  if (item.type === "function_call") {
    const input = stringOf(item.arguments) ?? "";
    const name = "response.function_call_arguments";
    return around({ status: "in_progress", arguments: "" }, [
      ...textPieces(input).map((delta) => ({ type: `${name}.delta`, ...at, delta })),
      { type: `${name}.done`, ...at, name: item.name, arguments: input },
    ]);
  }
  if (item.type === "compaction") return around({}, [{ type: "response.compaction.compacting", ...at }]);
  if (item.type !== "message") return around({}, []);
  const [block] = isArray(item.content) ? item.content : [];
  return around(
    { status: "in_progress", content: [] },
    isObject(block) ? blockEvents(block, { ...at, content_index: 0 }) : [],
  );
}

function blockEvents(block: JsonObject, at: JsonObject): readonly JsonObject[] {
  const key = block.type === "refusal" ? "refusal" : "text";
  const text = stringOf(block[key]) ?? "";
  const name = `response.${String(block.type)}`;
  return [
    { type: "response.content_part.added", ...at, part: { ...block, [key]: "" } },
    ...textPieces(text).map((delta) => ({ type: `${name}.delta`, ...at, delta, logprobs: [] })),
    { type: `${name}.done`, ...at, [key]: text, logprobs: [] },
    { type: "response.content_part.done", ...at, part: block },
  ];
}

function numbered(events: readonly JsonObject[]): readonly StreamEvent[] {
  return events.map((event, index) => ({
    name: stringOf(event.type) ?? "",
    data: { ...event, sequence_number: index },
  }));
}
