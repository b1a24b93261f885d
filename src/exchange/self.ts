/**
 * A summarizer that asks the very model, endpoint and account of the request that is being compacted, so that nobody needs a second key.
 * It asks in band: with the request itself and one more message, which the provider reads from its cache.
 */

import type { SettingsSummarizer } from "../core/checkpoint/summary.ts";
import { CompactionError } from "../core/errors.ts";
import { isObject, type JsonObject, stringOf } from "../core/json.ts";
import { textsOf } from "../core/message.ts";
import type { Format } from "../core/ports.ts";
import type { Completion, CompletionRequest } from "../summarizers/ask.ts";
import { llm } from "../summarizers/llm.ts";
import { type Endpoint, unstreamed } from "./endpoints.ts";
import { parseJson } from "./request-body.ts";

/** The request that is being compacted, and how to send another one like it. */
export interface LiveRequest {
  readonly format: Format;
  readonly url: string;
  readonly body: JsonObject;
  readonly endpoint: Endpoint;
  send(question: { readonly url: string; readonly body: string; readonly signal: AbortSignal }): Promise<Response>;
}

/** A caller waits for its answer meanwhile, and a summary that needs no model is at hand. */
const RETRY = { maxAttempts: 2, firstDelayMs: 1_000, maxStatedDelayMs: 5_000 };

export function selfSummarizer(live: () => LiveRequest | undefined): SettingsSummarizer {
  return llm({ name: "self", inBand: true, retry: RETRY, complete: (question) => ask(live(), question) });
}

async function ask(live: LiveRequest | undefined, question: CompletionRequest): Promise<Completion> {
  if (live === undefined)
    throw new CompactionError("summary-failed", "There is no request whose model could be asked.");
  const { format } = live;
  const asked = isObject(question.body) ? question.body : questionBody(live, question);
  const { url, body } = unstreamed(live.url, live.endpoint.model === undefined ? asked : withoutModel(asked));
  const response = await live.send({ url, body: JSON.stringify(body), signal: question.signal });
  const text = await response.text();
  if (!response.ok) {
    const { status, headers } = response;
    // In the form of an SDK's error: by its status and headers the question is asked again, or not.
    throw Object.assign(new Error(`${status} ${text}`), { status, headers });
  }
  const answer = parseJson(text);
  const reply = format.readReply(answer) ?? [];
  const said = format.decode(reply).messages.flatMap(({ parts }) => textsOf(parts));
  const usage = format.readUsage(answer);
  const model = isObject(answer) ? stringOf(answer.model) : undefined;
  return { text: said.join("\n"), ...(usage !== undefined && { usage }), ...(model !== undefined && { model }) };
}

export function withoutModel({ model: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

/** A question without the conversation, where the conversation leaves no room for one. */
function questionBody(live: LiveRequest, { system, prompt, maxOutputTokens }: CompletionRequest): JsonObject {
  const { model, anthropic_version: version } = live.body;
  const user = { role: "user", content: prompt };
  switch (live.endpoint.format) {
    case "anthropic-messages":
      return { anthropic_version: version, model, max_tokens: maxOutputTokens, system, messages: [user] };
    case "openai-chat": {
      // Servers know one of both names, and the request that is being compacted says which.
      const limit = ["max_completion_tokens", "max_tokens"].find((key) => live.body[key] !== undefined);
      const messages = [{ role: "system", content: system }, user];
      return { model, messages, ...(limit !== undefined && { [limit]: maxOutputTokens }) };
    }
    case "openai-responses":
      return { model, store: false, instructions: system, input: [user], max_output_tokens: maxOutputTokens };
    case "gemini":
      return {
        systemInstruction: { parts: [{ text: system }] },
        contents: [{ role: "user", parts: [{ text: prompt }] }],
        generationConfig: { maxOutputTokens },
      };
    default:
      return live.endpoint.format satisfies never;
  }
}
