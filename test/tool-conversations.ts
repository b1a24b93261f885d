/** A conversation with tools, written once and sent in each provider's form: for tests of who said what. */

import type { FormatName } from "../src/core/message.ts";

/** What is said with a call, the call and its result. A command `ask` calls a tool whose name says that it asks the user. */
export interface Call {
  readonly said: string;
  readonly command: string;
  readonly output: string;
  readonly isError?: boolean;
}

export type Line = { readonly user: string } | { readonly assistant: string } | Call;

const toolOf = ({ command }: Call): string => (command === "ask" ? "ask_user" : "bash");
const inputOf = (call: Call): object =>
  call.command === "ask" ? { question: "What shall I do about the storage?" } : { command: call.command };

export const BODIES: Readonly<Record<FormatName, (script: readonly Line[]) => object>> = {
  "anthropic-messages": (script) => ({
    model: "claude-opus-4-5",
    max_tokens: 1000,
    messages: script.flatMap((line, index): readonly object[] => {
      if ("user" in line) return [{ role: "user", content: line.user }];
      if ("assistant" in line) return [{ role: "assistant", content: line.assistant }];
      const id = `toolu_${index}`;
      const call = { type: "tool_use", id, name: toolOf(line), input: inputOf(line) };
      const result = { type: "tool_result", tool_use_id: id, content: line.output, is_error: line.isError ?? false };
      return [
        { role: "assistant", content: [{ type: "text", text: line.said }, call] },
        { role: "user", content: [result] },
      ];
    }),
  }),
  "openai-chat": (script) => ({
    model: "gpt-5.1",
    messages: script.flatMap((line, index): readonly object[] => {
      if ("user" in line) return [{ role: "user", content: line.user }];
      if ("assistant" in line) return [{ role: "assistant", content: line.assistant }];
      const id = `call_${index}`;
      const call = { name: toolOf(line), arguments: JSON.stringify(inputOf(line)) };
      return [
        { role: "assistant", content: line.said, tool_calls: [{ id, type: "function", function: call }] },
        { role: "tool", tool_call_id: id, content: line.output },
      ];
    }),
  }),
  "openai-responses": (script) => ({
    model: "gpt-5.1",
    input: script.flatMap((line, index): readonly object[] => {
      if ("user" in line) return [{ role: "user", content: line.user }];
      if ("assistant" in line) return [{ role: "assistant", content: line.assistant }];
      const call = { name: toolOf(line), arguments: JSON.stringify(inputOf(line)) };
      return [
        { role: "assistant", content: line.said },
        { type: "function_call", call_id: `call_${index}`, ...call },
        { type: "function_call_output", call_id: `call_${index}`, output: line.output },
      ];
    }),
  }),
  gemini: (script) => ({
    contents: script.flatMap((line): readonly object[] => {
      if ("user" in line) return [{ role: "user", parts: [{ text: line.user }] }];
      if ("assistant" in line) return [{ role: "model", parts: [{ text: line.assistant }] }];
      const name = toolOf(line);
      const key = line.isError === true ? "error" : "output";
      return [
        { role: "model", parts: [{ text: line.said }, { functionCall: { name, args: inputOf(line) } }] },
        { role: "user", parts: [{ functionResponse: { name, response: { [key]: line.output } } }] },
      ];
    }),
  }),
};

export const FORMATS: readonly FormatName[] = ["anthropic-messages", "openai-chat", "openai-responses", "gemini"];
