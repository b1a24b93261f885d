/**
 * Which requests hold a conversation: recognised by the path of their address and by their body. Everything else is somebody else's, and
 * an endpoint that is not in the table is never touched.
 */

import { isArray, isObject, type JsonObject, stringOf } from "../core/json.ts";
import type { FormatName } from "../core/message.ts";

export interface Endpoint {
  readonly format: SpokenFormat;
  /** The model that the address names; undefined where the body does. */
  readonly model: string | undefined;
}

/** The first path that matches decides. A group `model` is the part of the path that names it. */
const ENDPOINTS = [
  [/\/messages$/, "anthropic-messages"],
  // Anthropic's models at Google Cloud and Amazon Bedrock.
  [/\/publishers\/anthropic\/models\/(?<model>[^/]+):(?:rawPredict|streamRawPredict)$/, "anthropic-messages"],
  [/\/model\/(?<model>[^/]*anthropic[^/]*)\/(?:invoke|invoke-with-response-stream)$/, "anthropic-messages"],
  [/\/chat\/completions$/, "openai-chat"],
  [/\/responses$/, "openai-responses"],
  [/\/models\/(?<model>[^/]+):(?:generateContent|streamGenerateContent)$/, "gemini"],
] as const satisfies readonly (readonly [path: RegExp, format: FormatName])[];

/** A format that is spoken at one of these addresses. */
export type SpokenFormat = (typeof ENDPOINTS)[number][1];

export function endpointAt(method: string, url: string): Endpoint | undefined {
  if (method.toUpperCase() !== "POST" || !URL.canParse(url)) return undefined;
  const path = new URL(url).pathname.replace(/\/+$/, "");
  for (const [pattern, format] of ENDPOINTS) {
    const match = pattern.exec(path);
    if (match !== null) return { format, model: decoded(match.groups?.model) };
  }
  return undefined;
}

/** Names in an address may be escaped, and wrongly so. */
function decoded(name: string | undefined): string | undefined {
  if (name === undefined || !name.includes("%")) return name;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Whether a body holds a conversation of the format, and nobody signed its bytes. */
export function isConversation(body: unknown, listKey: string, headers: Headers): body is JsonObject {
  const isSigned = headers.get("authorization")?.startsWith("AWS4-") === true;
  return !isSigned && isObject(body) && isArray(body[listKey]);
}

/**
 * Anthropic's clients may send only what is new of a conversation, as a thread that the provider keeps. A client whose thread is refused in
 * the documented way sends the whole list instead, now and later.
 */
export function threadRefusal(body: JsonObject, { format }: Endpoint): Response | undefined {
  if (format !== "anthropic-messages" || !isObject(body.thread)) return undefined;
  const message = "Message threads are not available here, because the conversation is kept inside the window.";
  const error = { type: "invalid_request_error", message, details: { error_code: "thread_unsupported_request" } };
  return Response.json({ type: "error", error }, { status: 400 });
}

const STREAMING = /:stream\w+\/*$|\/invoke-with-response-stream\/*$/;

/** Whether a stream is asked for, by the body or by the address. */
export function asksForStream(url: string, body: JsonObject): boolean {
  return body.stream === true || STREAMING.test(new URL(url).pathname);
}

/** The address and the body of the same question, whose answer is not streamed. */
export function unstreamed(url: string, body: JsonObject): { readonly url: string; readonly body: JsonObject } {
  const address = new URL(url);
  address.pathname = address.pathname
    .replace(/:streamGenerateContent(?=\/*$)/, ":generateContent")
    .replace(/:streamRawPredict(?=\/*$)/, ":rawPredict")
    .replace(/\/invoke-with-response-stream(?=\/*$)/, "/invoke");
  if (address.searchParams.get("alt") === "sse") address.searchParams.delete("alt");
  const { stream, stream_options: _, ...rest } = body;
  return { url: address.href, body: stream === undefined ? rest : { ...rest, stream: false } };
}

/** The model that a request names. */
export function modelOf(body: JsonObject, { model }: Endpoint): string | undefined {
  return model ?? stringOf(body.model);
}

/** The rules, the window and the estimate are the model's, wherever it is named. */
export function withModel(body: JsonObject, { model }: Endpoint): JsonObject {
  return model === undefined ? body : { ...body, model };
}
