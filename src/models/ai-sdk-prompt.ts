/** A request of the Anthropic Messages form as the call options of the AI SDK. Throws `invalid-request` for what cannot be said in them. Pure. */

import { CompactionError } from "../core/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { MediaPart, Message, Part, ToolResultPart } from "../core/message.ts";
import { anthropicMessages as format } from "../formats/anthropic-messages.ts";
import { METADATA_KEY, PART_TYPE, parsed, SIGNED_ELSEWHERE } from "./ai-sdk-answer.ts";

/** The call options. The model checks them itself; their type is the AI SDK's. */
export function callOptions(body: JsonObject, abortSignal: AbortSignal): never {
  const { system, messages, tools } = format.decode(body);
  const names = new Map(messages.flatMap(({ parts }) => parts.flatMap(namedCall)));
  const options = {
    prompt: [
      ...system.map((part) => ({ role: "system", content: textOf([part]), ...optionsOf(part, true) })),
      ...messages.flatMap((message) => promptMessages(message, names)),
    ],
    maxOutputTokens: body.max_tokens,
    temperature: body.temperature,
    topP: body.top_p,
    topK: body.top_k,
    stopSequences: body.stop_sequences,
    tools: toolsOf(tools),
    toolChoice: toolChoiceOf(body.tool_choice),
    providerOptions: body[METADATA_KEY],
    abortSignal,
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}

type Json = Readonly<Record<string, unknown>>;

function toolsOf(tools: JsonValue | undefined): readonly Json[] | undefined {
  if (tools === undefined) return undefined;
  const { definitions, foreign } = format.readTools(tools);
  if (foreign.length > 0)
    throw invalid(`The tools ${foreign.join(", ")} run at Anthropic; the AI SDK has tools of its own`);
  return definitions.map(({ name, description, parameters }) => ({
    type: "function",
    name,
    ...(description !== undefined && { description }),
    inputSchema: parameters ?? { type: "object" },
  }));
}

function toolChoiceOf(choice: JsonValue | undefined): Json | undefined {
  if (!isObject(choice)) return undefined;
  if (choice.type === "tool") return { type: "tool", toolName: choice.name };
  return { type: choice.type === "any" ? "required" : choice.type };
}

function namedCall(part: Part): readonly (readonly [string, string])[] {
  return part.type === "tool-call" && part.callId !== undefined ? [[part.callId, part.name]] : [];
}

/** Results are a message of their own, before what the user says beside them. */
function promptMessages({ role, parts }: Message, names: ReadonlyMap<string, string>): readonly Json[] {
  if (role === "system") return [{ role, content: textOf(parts) }];
  const results = parts.filter((part) => part.type === "tool-result");
  const rest = parts.filter((part) => part.type !== "tool-result");
  const isThinking = parts.some(({ type }) => type === "reasoning");
  const said = rest.map((part) => ({ ...contentOf(part), ...optionsOf(part, isThinking) }));
  return [
    ...(results.length > 0 ? [{ role: "tool", content: results.map((part) => resultOf(part, names)) }] : []),
    ...(said.length > 0 ? [{ role, content: said }] : []),
  ];
}

function contentOf(part: Part): Json {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "reasoning":
      return { type: "reasoning", text: part.text };
    case "media":
      return fileOf(part);
    case "tool-call":
      return { type: "tool-call", toolCallId: part.callId ?? "", toolName: part.name, input: part.input };
    case "tool-result":
      throw invalid("A result cannot stand in a result");
    case "opaque":
      return wholePart(part.wire, part.kind);
    default:
      return part satisfies never;
  }
}

/** A part that the model returned, as it takes it back. */
function wholePart({ part }: JsonObject, kind: string): Json {
  if (kind !== PART_TYPE || !isObject(part))
    throw invalid(`A block of the type ${kind} has no place in a prompt of the AI SDK`);
  const { providerMetadata, input, result, isError, ...rest } = part;
  return {
    ...rest,
    ...(input !== undefined && { input: parsed(input) }),
    ...(result !== undefined && { output: { type: isError === true ? "error-json" : "json", value: result } }),
    ...(providerMetadata !== undefined && { providerOptions: providerMetadata }),
  };
}

function fileOf({ kind, mediaType, source, name }: MediaPart): Json {
  return {
    type: "file",
    mediaType: mediaType ?? (kind === "image" ? "image/*" : source.type === "text" ? "text/plain" : "application/pdf"),
    data: dataOf(source),
    ...(name !== undefined && { filename: name }),
  };
}

function dataOf(source: MediaPart["source"]): Json {
  if (source.type === "base64") return { type: "data", data: source.data };
  if (source.type === "url") return { type: "url", url: new URL(source.url) };
  return source.type === "file" ? { type: "reference", reference: { anthropic: source.fileId } } : { ...source };
}

function resultOf(part: ToolResultPart, names: ReadonlyMap<string, string>): Json {
  const { callId = "", content, isError } = part;
  const isText = content.every(({ type }) => type === "text") && (isError || content.length < 2);
  const value = isText ? textOf(content) : content.map(contentOf);
  const type = isText ? (isError ? "error-text" : "text") : "content";
  return {
    type: "tool-result",
    toolCallId: callId,
    toolName: names.get(callId) ?? "",
    output: { type, value },
    ...optionsOf(part, true),
  };
}

/** The metadata that came with a part, and what the block itself says in Anthropic's words. */
function optionsOf(part: Part, isThinking: boolean): Json {
  const kept = part.wire?.[METADATA_KEY];
  const { signature, encrypted } = part.type === "reasoning" ? part : {};
  const cacheControl = part.wire?.cache_control;
  const own = {
    ...(signature && signature !== SIGNED_ELSEWHERE && { signature }),
    ...(encrypted && { redactedData: encrypted }),
    ...(cacheControl !== undefined && { cacheControl }),
  };
  const options = isObject(kept) ? (isThinking ? kept : withoutItemIds(kept)) : {};
  const all =
    Object.keys(own).length === 0 ? options : { ...options, anthropic: { ...objectOr(options.anthropic), ...own } };
  return Object.keys(all).length === 0 ? {} : { providerOptions: all };
}

/** OpenAI refuses an item under its id without the reasoning that produced it; without the id it takes it. */
function withoutItemIds(metadata: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(metadata).map(([provider, options]) => {
      const { itemId: _, ...rest } = objectOr(options);
      return [provider, rest];
    }),
  );
}

function objectOr(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
}

function invalid(message: string): CompactionError {
  return new CompactionError("invalid-request", `${message}.`);
}
