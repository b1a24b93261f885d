/** Tool definitions and usage of Gemini in the neutral form. */

import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../core/json.ts";
import { gemini } from "../gemini.ts";

describe("tools", () => {
  test("declarations of both spellings, the others are foreign", () => {
    const tools: JsonValue = [
      {
        functionDeclarations: [
          { name: "a", description: "A", parametersJsonSchema: { type: "object" } },
          { name: "b" },
        ],
      },
      { function_declarations: [{ name: "c", parameters_json_schema: { type: "object" } }], google_search: {} },
      { codeExecution: {} },
    ];
    expect(gemini.readTools(tools)).toEqual({
      definitions: [
        { name: "a", description: "A", parameters: { type: "object" } },
        { name: "b" },
        { name: "c", parameters: { type: "object" } },
      ],
      foreign: ["google_search", "codeExecution"],
    });
  });

  test("Gemini's own schema becomes JSON Schema", () => {
    const parameters: JsonValue = {
      type: "OBJECT",
      properties: {
        type: { type: "STRING", nullable: true, description: "A property may be called like a keyword" },
        list: { type: "ARRAY", items: { type: "INTEGER" }, maxItems: "3" },
        either: { anyOf: [{ type: "NUMBER" }, { type: "BOOLEAN" }] },
      },
      required: ["type"],
      propertyOrdering: ["list", "type"],
    };
    expect(
      gemini.readTools([{ functionDeclarations: [{ name: "f", parameters }] }]).definitions[0]?.parameters,
    ).toEqual({
      type: "object",
      properties: {
        type: { type: ["string", "null"], description: "A property may be called like a keyword" },
        list: { type: "array", items: { type: "integer" }, maxItems: 3 },
        either: { anyOf: [{ type: "number" }, { type: "boolean" }] },
      },
      required: ["type"],
    });
  });

  test("written tools are read back", () => {
    const definitions = [{ name: "f", description: "F", parameters: { type: "object" } }, { name: "g" }];
    expect(gemini.readTools(gemini.writeTools(definitions))).toEqual({ definitions, foreign: [] });
    expect(gemini.writeTools([])).toEqual([]);
    expect(gemini.readTools(undefined)).toEqual({ definitions: [], foreign: [] });
  });
});

describe("usage", () => {
  const usageMetadata = {
    promptTokenCount: 1000,
    cachedContentTokenCount: 600,
    candidatesTokenCount: 50,
    thoughtsTokenCount: 30,
    toolUsePromptTokenCount: 7,
    totalTokenCount: 1087,
  };
  const expected = {
    inputTokens: 1007,
    cacheReadTokens: 600,
    cacheWriteTokens: 0,
    outputTokens: 80,
    reasoningTokens: 30,
  };
  const early = { usageMetadata: { promptTokenCount: 1000 } };
  const responses: readonly (readonly [string, unknown])[] = [
    ["response or chunk", { candidates: [], usageMetadata }],
    ["response of an earlier SDK", { response: { candidates: [], usageMetadata } }],
    ["bare", usageMetadata],
    ["streamed array, the last wins", [early, { usageMetadata }, { candidates: [] }]],
    [
      "snake case",
      {
        usage_metadata: {
          prompt_token_count: 1000,
          cached_content_token_count: 600,
          candidates_token_count: 50,
          thoughts_token_count: 30,
          tool_use_prompt_token_count: 7,
        },
      },
    ],
    ["Live", { usageMetadata: { ...usageMetadata, candidatesTokenCount: undefined, responseTokenCount: 50 } }],
  ];
  test.each(responses)("%s", (_, response) => expect(gemini.readUsage(response)).toEqual(expected));

  test("input and output make up the total", () =>
    expect(expected.inputTokens + expected.outputTokens).toBe(usageMetadata.totalTokenCount));
  test("missing counts are 0, no usage is none", () => {
    expect(gemini.readUsage(early)).toMatchObject({ inputTokens: 1000, outputTokens: 0 });
    for (const nothing of [undefined, null, {}, [], { candidates: [] }])
      expect(gemini.readUsage(nothing)).toBeUndefined();
  });
});
