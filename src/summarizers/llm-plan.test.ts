import { expect, test } from "vitest";
import { checkpointText, scripted } from "../../test/summarizer-script.ts";
import { createCompactor } from "../compactor.ts";
import type { JsonObject } from "../core/json.ts";
import { openaiResponses } from "../formats/openai-responses.ts";
import { llm } from "./llm.ts";

const NOTE = "[The messages from here on opened the turn in progress; the rest of it is kept]";

const said = (role: string, content: string): JsonObject => ({ role, content });

/** Each round begins with reasoning that nobody but the model can read. */
const round = (id: number): readonly JsonObject[] => [
  { type: "reasoning", id: `rs${id}`, summary: [], encrypted_content: "c2VjcmV0" },
  { type: "function_call", call_id: `c${id}`, name: "read_file", arguments: `{"path":"src/part-${id}.ts"}` },
  { type: "function_call_output", call_id: `c${id}`, output: `part ${id}: ${"line of code ".repeat(400)}` },
];

/** The model is told where the turn begins whose rest it will not see. */
test.each([
  ["whose request goes too", false, /\n\n\[User\]: Now rewrite all parts\./],
  ["whose request stays", true, /\n\n\[Assistant called read_file\]: \{"path":"src\/part-0\.ts"\}/],
])("the early part of a turn %s is marked", async (_, latestRequest, start) => {
  const model = scripted(checkpointText("Rewrite all parts."));
  const compactor = createCompactor({
    format: openaiResponses,
    protect: { latestRequest, tailTokens: 5_000, tailMessages: 1, firstUser: false },
    summarizer: llm({ complete: model.complete, windowTokens: 200_000, guard: false }),
  });
  const rounds = Array.from({ length: 20 }, (_unused, id) => round(id)).flat();
  const earlier = [said("user", "Which parts are there?"), said("assistant", "Twenty of them.")];
  await compactor.compact({ model: "m", input: [...earlier, said("user", "Now rewrite all parts."), ...rounds] });
  const prompt = model.requests[0]?.prompt ?? "";
  expect(prompt.split(NOTE)).toHaveLength(2);
  expect(prompt.slice(prompt.indexOf(NOTE) + NOTE.length)).toMatch(new RegExp(`^${start.source}`));
});
