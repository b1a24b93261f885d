import { expect, test } from "vitest";
import { inputOf, PREVIEWS } from "../../test/summarizer-script.ts";
import type { JsonObject } from "../core/json.ts";
import type { Format } from "../core/ports.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { gemini } from "../formats/gemini.ts";
import { openaiResponses } from "../formats/openai-responses.ts";
import { createGuardContext, findProblems } from "./guard-findings.ts";
import { serialize } from "./serialize.ts";

/** What the provider's own tools returned, as a model that summarises reads it. */
function check(format: Format, body: JsonObject, ...expected: readonly string[]): void {
  const { messages } = format.decode(body);
  const shown = serialize(messages, { style: "labelled", input: PREVIEWS });
  for (const words of expected) expect(shown).toContain(words);
  expect(shown).not.toContain("SECRET");
}

const anthropic = (...content: readonly JsonObject[]): JsonObject => ({ messages: [{ role: "assistant", content }] });
const called = (name: string): JsonObject => ({ type: "server_tool_use", id: "s1", name, input: {} });
const SEARCHED = anthropic(called("web_search"), {
  type: "web_search_tool_result",
  tool_use_id: "s1",
  content: [{ type: "web_search_result", url: "https://a.example/p", title: "Hinges", encrypted_content: "SECRET" }],
});

test("pages that were found", () => check(anthropicMessages, SEARCHED, "https://a.example/p\nHinges"));

test("pages that were fetched, but no files", () => {
  const fetched = (source: JsonObject): JsonObject =>
    anthropic(called("web_fetch"), {
      type: "web_fetch_tool_result",
      tool_use_id: "s1",
      content: { type: "web_fetch_result", url: "https://a.example", content: { type: "document", source } },
    });
  check(anthropicMessages, fetched({ type: "text", media_type: "text/plain", data: "The page." }), "The page.");
  check(
    anthropicMessages,
    fetched({ type: "base64", media_type: "application/pdf", data: "SECRET" }),
    "https://a.example",
  );
});

test("commands that the provider ran", () =>
  check(
    anthropicMessages,
    anthropic(called("bash_code_execution"), {
      type: "bash_code_execution_tool_result",
      tool_use_id: "s1",
      content: { type: "bash_code_execution_result", stdout: "12 passed", stderr: "slow", return_code: 0, content: [] },
    }),
    "12 passed\nslow",
  ));

test("items of Responses and parts of Gemini", () => {
  const search = {
    type: "web_search_call",
    id: "SECRET",
    status: "completed",
    action: { type: "search", query: "brass" },
  };
  const compacted = { type: "compaction", id: "cmp", encrypted_content: "SECRET", content: "SECRET" };
  check(
    openaiResponses,
    { input: [{ role: "user", content: "go" }, search, compacted] },
    "[other content: web_search_call] brass",
  );
  const parts = [
    { executableCode: { language: "PYTHON", code: "print(6*7)" } },
    { codeExecutionResult: { output: "42" } },
  ];
  check(gemini, { contents: [{ role: "model", parts }] }, "print(6*7)", "[other content: codeExecutionResult] 42");
});

test("results are shown as a preview", () => {
  const { messages } = gemini.decode({
    contents: [{ role: "model", parts: [{ codeExecutionResult: { output: "9".repeat(5_000) } }] }],
  });
  expect(serialize(messages, { style: "labelled", input: PREVIEWS }).replace(/[^9]/g, "")).toHaveLength(700);
});

test("what was found is not taken for invented", () => {
  const context = createGuardContext(inputOf(anthropicMessages.decode(SEARCHED).messages), { sections: [] });
  expect(
    findProblems("Found https://a.example/p and https://b.example/q.", context).invented.map(({ text }) => text),
  ).toEqual(["https://b.example/q"]);
});
