/**
 * Request bodies of each format with a text in every place that there is for one, and with many small things, for tests that ask how the
 * work grows with them.
 */

import type { JsonObject, JsonValue } from "../src/core/json.ts";
import type { Format } from "../src/core/ports.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { gemini } from "../src/formats/gemini.ts";
import { openaiChat } from "../src/formats/openai-chat.ts";
import { openaiResponses } from "../src/formats/openai-responses.ts";

/** What is done with one text. */
export type OfText = (said: string) => unknown;
/** What is done with so many small things. */
export type OfMany = (count: number) => unknown;

export const FORMATS: readonly Format[] = [anthropicMessages, openaiChat, openaiResponses, gemini];

/** A text in every place that a request has for one: prompt, both sides, reasoning, a call's id, name and input, its result. */
export const EVERYWHERE: Readonly<Record<Format["name"], OfText>> = {
  "anthropic-messages": (said) => ({
    system: said,
    messages: [
      { role: "user", content: said },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: said, signature: said },
          { type: "text", text: said },
          { type: "tool_use", id: said, name: said, input: { command: said } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: said, content: said }] },
    ],
  }),
  "openai-chat": (said) => ({
    messages: [
      { role: "system", content: said },
      { role: "user", content: said },
      { role: "assistant", content: said, tool_calls: [chatCall(said, said)] },
      { role: "tool", tool_call_id: said, content: said },
    ],
  }),
  "openai-responses": (said) => ({
    instructions: said,
    input: [
      { role: "user", content: said },
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: said }], encrypted_content: said },
      { type: "function_call", call_id: said, name: said, arguments: said },
      { type: "function_call_output", call_id: said, output: said },
    ],
  }),
  gemini: (said) => ({
    systemInstruction: { parts: [{ text: said }] },
    contents: [
      { role: "user", parts: [{ text: said }] },
      {
        role: "model",
        parts: [
          { text: said, thought: true },
          { functionCall: { name: said, args: { a: said } }, thoughtSignature: said },
        ],
      },
      { role: "user", parts: [{ functionResponse: { name: said, response: { output: said } } }] },
    ],
  }),
};

function chatCall(id: string, said: string): JsonObject {
  return { id, type: "function", function: { name: said, arguments: said } };
}

/** So many small things in one list: messages, parts of one message, calls with ids of their own, with one id, or with none. */
export const MANY: Readonly<Record<Format["name"], Readonly<Record<string, OfMany>>>> = {
  "anthropic-messages": {
    messages: (count) => ({ messages: listOf(count, (at) => ({ role: at % 2 ? "assistant" : "user", content: "a" })) }),
    "messages of one role": (count) => ({ messages: listOf(count, () => ({ role: "user", content: "a" })) }),
    parts: (count) => ({ messages: [{ role: "user", content: listOf(count, () => ({ type: "text", text: "a" })) }] }),
    calls: (count) => anthropicCalls(count, (at) => `t${at}`),
    "calls of one id": (count) => anthropicCalls(count, () => "t"),
    "calls without results": (count) => ({
      messages: [{ role: "assistant", content: listOf(count, (at) => anthropicCall(`t${at}`)) }],
    }),
    "results without calls": (count) => ({
      messages: [{ role: "user", content: listOf(count, (at) => anthropicResult(`t${at}`)) }],
    }),
  },
  "openai-chat": {
    messages: (count) => ({ messages: listOf(count, (at) => ({ role: at % 2 ? "assistant" : "user", content: "a" })) }),
    parts: (count) => ({ messages: [{ role: "user", content: listOf(count, () => ({ type: "text", text: "a" })) }] }),
    calls: (count) => chatCalls(count, (at) => `t${at}`),
    "calls of one id": (count) => chatCalls(count, () => "t"),
    "system messages": (count) => ({ messages: listOf(count, () => ({ role: "system", content: "a" })) }),
    "results without calls": (count) => ({ messages: listOf(count, (at) => chatResult(`t${at}`)) }),
  },
  "openai-responses": {
    messages: (count) => ({ input: listOf(count, (at) => ({ role: at % 2 ? "assistant" : "user", content: "a" })) }),
    calls: (count) => responsesCalls(count, (at) => `t${at}`),
    "calls of one id": (count) => responsesCalls(count, () => "t"),
    reasoning: (count) => ({ input: listOf(count, (at) => ({ type: "reasoning", id: `rs_${at}`, summary: [] })) }),
    "items of one id": (count) => ({
      input: listOf(count, () => ({ type: "message", id: "msg_1", role: "user", content: "a" })),
    }),
  },
  gemini: {
    messages: (count) => ({
      contents: listOf(count, (at) => ({ role: at % 2 ? "model" : "user", parts: [{ text: "a" }] })),
    }),
    parts: (count) => ({ contents: [{ role: "user", parts: listOf(count, () => ({ text: "a" })) }] }),
    calls: (count) => geminiCalls(count, (at) => ({ id: `t${at}`, name: "run" })),
    "calls of one id": (count) => geminiCalls(count, () => ({ id: "t", name: "run" })),
    "calls without ids": (count) => geminiCalls(count, () => ({ name: "run" })),
    "calls without ids, each of another name": (count) => geminiCalls(count, (at) => ({ name: `run${at}` })),
    "calls without ids, answers in another order": (count) => {
      const { contents } = geminiCalls(count, (at) => ({ name: `run${at}` }));
      const [asked, model, answers] = contents;
      return { contents: [asked, model, { ...answers, parts: answers?.parts.toReversed() }] };
    },
    "rounds of calls without ids": (count) => ({
      contents: listOf(count, () => geminiCalls(1, () => ({ name: "run" })).contents.slice(1)).flat(),
    }),
  },
};

export function listOf<Item>(length: number, itemAt: (at: number) => Item): Item[] {
  return Array.from({ length }, (_, at) => itemAt(at));
}

const anthropicCall = (id: string): JsonObject => ({ type: "tool_use", id, name: "run", input: {} });
const anthropicResult = (id: string): JsonObject => ({ type: "tool_result", tool_use_id: id, content: "a" });
const chatResult = (id: string): JsonObject => ({ role: "tool", tool_call_id: id, content: "a" });

function anthropicCalls(count: number, idAt: (at: number) => string): JsonObject {
  return {
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content: listOf(count, (at) => anthropicCall(idAt(at))) },
      { role: "user", content: listOf(count, (at) => anthropicResult(idAt(at))) },
    ],
  };
}

function chatCalls(count: number, idAt: (at: number) => string): JsonObject {
  const calls = listOf(count, (at) => ({ ...chatCall(idAt(at), "run") }));
  return {
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content: null, tool_calls: calls },
      ...listOf(count, (at) => chatResult(idAt(at))),
    ],
  };
}

function responsesCalls(count: number, idAt: (at: number) => string): JsonObject {
  const calls = listOf(count, (at) => ({ type: "function_call", call_id: idAt(at), name: "run", arguments: "{}" }));
  const results = listOf(count, (at) => ({ type: "function_call_output", call_id: idAt(at), output: "a" }));
  return { input: [{ role: "user", content: "go" }, ...calls, ...results] };
}

function geminiCalls(count: number, callAt: (at: number) => JsonObject & { readonly name: string }) {
  return {
    contents: [
      { role: "user", parts: [{ text: "go" }] as JsonObject[] },
      { role: "model", parts: listOf<JsonObject>(count, (at) => ({ functionCall: { ...callAt(at), args: {} } })) },
      {
        role: "user",
        parts: listOf<JsonObject>(count, (at) => ({ functionResponse: { ...callAt(at), response: { output: "a" } } })),
      },
    ],
  };
}

export const PLACES = ["user", "assistant", "final", "result", "input", "previous"] as const;
export type Place = (typeof PLACES)[number];

/** Three turns of work; the middle one has the text in one of its places. */
export function conversationWith(said: string, place: Place): JsonObject {
  const messages: JsonValue[] = [{ role: "user", content: "Please build the tide gate and keep the harbour open." }];
  if (place === "previous")
    messages.push(
      {
        role: "user",
        content: `[Summary of the earlier conversation, which was archived]\n\n${said}\n\n[End of the summary]`,
      },
      { role: "assistant", content: "I have the summary and continue from there." },
    );
  for (let round = 0; round < 3; round++) {
    const at = (where: Place, otherwise: string): string => (round === 1 && where === place ? said : otherwise);
    const id = `call_${round}`;
    const call = { type: "tool_use", id, name: "bash", input: { command: at("input", "npm test") } };
    messages.push(
      { role: "assistant", content: [{ type: "text", text: at("assistant", "I will look at the gate.") }, call] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: at("result", "3 passed") }] },
      { role: "assistant", content: [{ type: "text", text: at("final", "The gate is built.") }] },
      { role: "user", content: at("user", `And now the lamp of pier ${round}.`) },
    );
  }
  return { messages };
}

/** Turns with a request, a decision, a failed call and a result each. */
export const toolRounds = (count: number): JsonObject => ({
  messages: listOf(count, (at) => [
    { role: "user", content: `Please fix gate ${at} of src/gate-${at}.ts` },
    {
      role: "assistant",
      content: [{ type: "text", text: `I've decided to use beam ${at}.` }, anthropicCall(`t${at}`)],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `t${at}`, content: `Error: beam ${at} failed`, is_error: true }],
    },
    { role: "assistant", content: `Gate ${at} is fixed.` },
  ]).flat(),
});
