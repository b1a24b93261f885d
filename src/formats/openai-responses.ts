/** The OpenAI Responses format: bodies of `POST /v1/responses`, or their bare `input` list. */

import { formatRules } from "../core/format-rules.ts";
import { isObject } from "../core/json.ts";
import type { Format } from "../core/ports.ts";
import { type BodyShape, decodeBody, encodeBody } from "./body.ts";
import { decodeItem } from "./openai-responses/decode.ts";
import { encodeItems } from "./openai-responses/encode.ts";
import { decodeInstructions, encodeInstructions } from "./openai-responses/instructions.ts";
import { matchOutputs } from "./openai-responses/match-outputs.ts";
import { responsesCompact } from "./openai-responses/native.ts";
import { readReply } from "./openai-responses/reply.ts";
import { readTools, writeTools } from "./openai-responses/tools.ts";
import { readUsage } from "./openai-responses/usage.ts";
import { validateItems } from "./openai-responses/validate.ts";
import { readOverflow } from "./overflow.ts";
import { validateDecoded } from "./validation.ts";

const SHAPE: BodyShape = {
  format: "openai-responses",
  listKey: "input",
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
  tools: (body) => body.tools,
  encodeTools: (body, tools) => ({ ...body, tools }),
};

/** OpenAI's Responses API. */
export const openaiResponses: Format<OpenaiResponsesRequest> = {
  name: "openai-responses",
  listKey: "input",
  decode: (body) => decodeBody(SHAPE, body),
  encode: (conversation) => encodeBody(SHAPE, { ...conversation, messages: matchOutputs(conversation.messages) }),
  validate: (body) =>
    validateDecoded(SHAPE, body, ({ messages }) => validateItems(messages, isObject(body) ? body : {})),
  rules: () => formatRules("openai-responses"),
  nativeWire: (kind) => (kind === "responses-compact" ? responsesCompact : undefined),
  readReply,
  readUsage,
  readOverflow,
  readTools,
  writeTools,
};

/**
 * A body of `POST /v1/responses` to the compiler: what every request needs, and the items that most conversations have. Whatever
 * else a body or an item holds is carried all the same.
 */
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
