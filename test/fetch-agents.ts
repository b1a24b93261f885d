/** What the agents of the tests of `palimpsest/fetch` ask and read: the same in every SDK and framework. */

import type { JsonObject } from "../src/core/json.ts";

export const QUESTION = "Read every module of src and list what each of them exports.";

const WORDS = ["the", "module", "exports", "function", "returns", "number", "list", "parse", "state", "of", "a"];

/** A few thousand characters, other ones for each call. */
export function fileText(call: number): string {
  const lines = Array.from({ length: 40 }, (_, line) => {
    const words = Array.from({ length: 10 }, (__, word) => WORDS[(call * 7 + line * 3 + word * 5) % WORDS.length]);
    return `${words.join(" ")} name_${call}_${line};`;
  });
  return lines.join("\n");
}

/** A request of Chat Completions after so many calls, each with its result. */
export function longBody(calls: number): JsonObject {
  const messages: JsonObject[] = [{ role: "user", content: "Read every module." }];
  for (let call = 1; call <= calls; call++) {
    const run = { name: "read_file", arguments: `{"path":"src/module-${call}.ts"}` };
    messages.push({
      role: "assistant",
      content: null,
      tool_calls: [{ id: `c${call}`, type: "function", function: run }],
    });
    messages.push({ role: "tool", tool_call_id: `c${call}`, content: fileText(call) });
  }
  return { model: "gpt-5", messages };
}
