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
export const openaiResponses: Format = {
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
