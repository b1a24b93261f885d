/** The OpenAI Responses format: bodies of `POST /v1/responses`, or their bare `input` list. */

import { isArray, isObject, type JsonArray, type JsonObject, type JsonValue, stringOf } from "../core/json.ts";
import type { Format, NativeReading, NativeWire, ReadTools, ToolDefinition } from "../core/ports.ts";
import { type BodyShape, createFormat, encodeBody, invalid, readToolList } from "./body.ts";
import { readFunction } from "./openai.ts";
import { matchOutputs } from "./openai-responses/calls.ts";
import { decodeInstructions, encodeInstructions } from "./openai-responses/content.ts";
import { decodeItem, encodeItems } from "./openai-responses/items.ts";
import { validateItems } from "./openai-responses/validate.ts";
import { refuseError, refuseFailed, refuseForeign, refusePiece, refuseUnfinished } from "./response.ts";

const SHAPE: BodyShape = {
  format: "openai-responses",
  mayLackList: ({ prompt, conversation, previous_response_id: previous }) =>
    prompt !== undefined || conversation !== undefined || previous !== undefined,
  decodeMessage: decodeItem,
  encodeMessage: encodeItems,
  decodeSystem: (body) => decodeInstructions(body.instructions),
  encodeSystem: (body, system) => {
    const { instructions: before, ...rest } = body;
    const isStillEmpty = system.length === 0 && (before === null || Array.isArray(before));
    if (system.length === 0) return isStillEmpty ? body : rest;
    return { ...body, instructions: encodeInstructions(system, before) };
  },
  check: ({ messages, wire }) => validateItems(messages, isObject(wire?.json) ? wire.json : {}),
};

/** OpenAI's Responses API. */
export const openaiResponses: Format<OpenaiResponsesRequest> = createFormat(SHAPE, {
  encode: (conversation) => encodeBody(SHAPE, { ...conversation, messages: matchOutputs(conversation.messages) }),
  nativeWire: (kind) => NATIVE_WIRES.get(kind),
  readReply,
  readTools,
  writeTools,
});

/** A body of `POST /v1/responses` to the compiler: what most conversations have. Whatever else it holds is carried all the same. */
export interface OpenaiResponsesRequest {
  model: string;
  input: ResponsesItem[];
}

type ResponsesItem =
  | { type?: "message"; role: "user" | "assistant" | "system" | "developer"; content: string | ResponsesContent[] }
  | ResponsesOutput
  | { type: "function_call"; id?: string; call_id: string; name: string; arguments: string; status?: ResponsesStatus }
  | { type: "function_call_output"; call_id: string; output: string | ResponsesContent[] }
  | { type: "custom_tool_call"; id?: string; call_id: string; name: string; input: string }
  | { type: "custom_tool_call_output"; call_id: string; output: string | ResponsesContent[] }
  | ResponsesReasoning
  | { type: "compaction"; id?: string | null; encrypted_content: string };

/** What the model said, as it came. */
interface ResponsesOutput {
  type: "message";
  id: string;
  role: "assistant";
  status: ResponsesStatus;
  content: ({ type: "output_text"; text: string; annotations: never[] } | { type: "refusal"; refusal: string })[];
}

interface ResponsesReasoning {
  type: "reasoning";
  id: string;
  summary: { type: "summary_text"; text: string }[];
  encrypted_content?: string | null;
}

type ResponsesStatus = "in_progress" | "completed" | "incomplete";

type ResponsesContent =
  | { type: "input_text"; text: string }
  | { type: "input_image"; detail: "low" | "high" | "auto"; image_url?: string | null; file_id?: string | null }
  | { type: "input_file"; file_data?: string; file_id?: string | null; file_url?: string; filename?: string };

function readReply(response: unknown): readonly JsonValue[] | undefined {
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
  if (status === "cancelled") throw invalid("The provider gave no answer: it was cancelled. Send the request again.");
  if (status === "in_progress" || status === "queued") refuseUnfinished(status);
}

function readTools(tools: JsonValue | undefined): ReadTools {
  return readToolList(tools, (tool) => {
    const definition = tool.type === "function" ? readFunction(tool) : undefined;
    return definition ?? stringOf(tool.name) ?? stringOf(tool.server_label) ?? stringOf(tool.type) ?? "";
  });
}

/** `strict` defaults to true here, which would refuse schemas that other providers accept. */
function writeTools(definitions: readonly ToolDefinition[]): JsonValue {
  return definitions.map(({ parameters = null, ...definition }) => ({
    type: "function",
    ...definition,
    parameters,
    strict: false,
  }));
}

const responsesCompact: NativeWire = {
  request: responsesRequest,
  read: readResponses,
  takesInstructions: false,
  sendsPrefix: false,
};

const TRIGGER = { type: "compaction_trigger" };

const responsesTrigger: NativeWire = {
  request: ({ context_management: _, stream: _stream, ...body }) => ({
    ...body,
    input: [...itemsBefore(body.input), TRIGGER],
  }),
  read: readResponses,
  takesInstructions: false,
  sendsPrefix: true,
};

const NATIVE_WIRES: ReadonlyMap<string, NativeWire> = new Map([
  ["responses-compact", responsesCompact],
  ["responses-trigger", responsesTrigger],
]);

/** A request that was made already ends with the trigger. */
function itemsBefore(input: JsonValue | undefined): JsonArray {
  const items = isArray(input) ? input : input === undefined ? [] : [{ role: "user", content: input }];
  return items.filter((item) => !(isObject(item) && item.type === TRIGGER.type));
}

/** What it takes of an ordinary request. */
const RESPONSES_KEYS = ["model", "instructions", "prompt_cache_key", "prompt_cache_options", "service_tier"];

function responsesRequest(body: JsonObject): JsonObject {
  const kept = RESPONSES_KEYS.flatMap((key) => (body[key] === undefined ? [] : [[key, body[key]] as const]));
  return { ...Object.fromEntries(kept), input: body.input ?? [] };
}

/** The list is the start of the next input as it is: user messages verbatim, the rest as one opaque item. */
function readResponses(answer: unknown): NativeReading {
  const list = isObject(answer) ? answer.output : undefined;
  if (!isArray(list) || list.length === 0) return { type: "unusable", because: "the answer has no output" };
  const isThere = list.some((item) => isObject(item) && item.type === "compaction" && stringOf(item.encrypted_content));
  return isThere ? { type: "read", list } : { type: "unusable", because: "the answer holds no compaction item" };
}
