/** Conversations with something to compact, in the two forms whose providers do it themselves, and settings that leave it to them. */

import type { JsonObject } from "../src/core/json.ts";

export const json = (value: unknown): string => JSON.stringify(value);

/** One turn stays. */
export const NATIVE = {
  compact: { strategy: "native" },
  protect: { firstUser: false, latestRequest: false, tailMessages: 4, tailTokens: 0 },
} as const;

export const work = (index: number): string =>
  `Looked at src/module-${index}.ts and found handler_${index}. `.repeat(12);

/** Turns of question, call, result and answer. */
export function anthropicBody(turns: number): { messages: JsonObject[] } & JsonObject {
  const messages = Array.from({ length: turns }, (_, index): readonly JsonObject[] => [
    { role: "user", content: `Go on with part ${index}.` },
    {
      role: "assistant",
      content: [{ type: "tool_use", id: `t${index}`, name: "read", input: { path: `${index}.ts` } }],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `t${index}`, content: work(index) }] },
    { role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: "c2ln" }, text(work(index))] },
  ]).flat();
  const tools = [{ name: "read", input_schema: { type: "object" } }];
  const extras = { stream: true, stop_sequences: ["x"], tool_choice: { type: "any" } };
  return { model: "claude-opus-5-5", max_tokens: 900, system: "Be careful.", tools, ...extras, messages };
}

const text = (value: string): JsonObject => ({ type: "text", text: value });

export function responsesBody(turns: number): { input: JsonObject[] } & JsonObject {
  const input = Array.from({ length: turns }, (_, index): readonly JsonObject[] => [
    { role: "user", content: `Go on with part ${index}.` },
    { type: "reasoning", id: `rs_${index}`, summary: [], encrypted_content: "gAAAA" },
    { type: "function_call", call_id: `c${index}`, name: "read", arguments: "{}" },
    { type: "function_call_output", call_id: `c${index}`, output: work(index) },
    { role: "assistant", content: [{ type: "output_text", text: work(index) }] },
  ]).flat();
  return { model: "gpt-6-sol", instructions: "Be careful.", tools: [], reasoning: { effort: "low" }, input };
}
