import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentBody, model, response, snakeBody, user } from "../../test/gemini-bodies.ts";
import { isObject, type JsonValue } from "../core/json.ts";
import type { Conversation } from "../core/message.ts";
import { repair } from "../core/repair/repair.ts";
import { gemini } from "./gemini.ts";

/** Bodies of every form that the REST API and the SDK take come back as they were. */

const BODIES: readonly (readonly [string, JsonValue])[] = [
  ["REST", agentBody],
  ["snake case, roles function and none first", snakeBody],
  ["SDK", { model: "gemini-3-pro", contents: [user({ text: "a" })], config: { systemInstruction: "Be", tools: [] } }],
  ["SDK, a string", { model: "m", contents: "Why?" }],
  ["SDK, one content", { model: "m", contents: user({ text: "a" }) }],
  ["SDK, one part", { model: "m", contents: { text: "a" } }],
  ["SDK, strings and parts", { model: "m", contents: ["What is this?", { text: "b" }, "b"] }],
  ["bare contents", [user({ text: "a" }), model({ text: "b" })]],
  ["bare parts", ["a", { inlineData: { mimeType: "image/png", data: "i" } }]],
  ["role missing, one part without its list", { contents: [{ parts: { text: "a" } }] }],
  ["no parts at all", { contents: [user({ text: "a" }), { role: "model" }] }],
  ["instruction as a list", { contents: [user({ text: "a" })], systemInstruction: ["x", { text: "y" }] }],
  ["instruction as a part", { contents: [user({ text: "a" })], systemInstruction: { text: "y" } }],
  [
    "empty and null fields",
    [
      user({ text: "a" }),
      model(
        { functionCall: { id: "", name: "f" }, thoughtSignature: "" },
        { functionCall: { id: null, name: "g", args: null }, thoughtSignature: null },
        { functionCall: { args: "raw" } },
      ),
      user(
        { functionResponse: { id: "", name: "f", response: {}, parts: [] } },
        { functionResponse: { id: null, name: "g" } },
        { functionResponse: { response: "plain" } },
      ),
    ],
  ],
  [
    "responses of every form",
    [
      user(
        response("a", { output: { deep: [1, 2.5e3, { x: null }] } }),
        response("b", { stdout: "x", stderr: "y" }),
        response("c", { error: { code: 5 } }),
        response("d", { output: "", exitCode: 0 }),
        {
          functionResponse: {
            name: "e",
            response: { output: "o" },
            parts: [{ inlineData: { mimeType: "image/png", data: "i" } }, { odd: 1 }],
          },
        },
      ),
    ],
  ],
  [
    "media without a type",
    [user({ fileData: { fileUri: "u" } }, { inlineData: { data: "d", displayName: "n" } }, { inlineData: {} })],
  ],
];

/** Every message edited without being changed: encoding may not rely on identity alone. */
function copied(conversation: Conversation): Conversation {
  const messages = conversation.messages.map((message) => ({ ...message, parts: [...message.parts] }));
  return { ...conversation, messages, system: [...conversation.system] };
}

describe("what is not changed comes out as it was", () => {
  test.each(BODIES)("%s", (_, body) => {
    const before = JSON.stringify(body);
    const conversation = gemini.decode(body);
    expect(conversation.wire?.json).toBe(body);
    expect(JSON.stringify(gemini.encode(conversation))).toBe(before);
    expect(JSON.stringify(gemini.encode(copied(conversation)))).toBe(before);
    // A conversation from a store has lost all identities.
    expect(JSON.stringify(gemini.encode(copied(structuredClone(conversation))))).toBe(before);
    expect(JSON.stringify(body)).toBe(before);
  });
});

/** Sessions of a client that records Gemini contents, one in each line. */
const RECORDED = "../shared/data/agent_sessions_multi/Resources/Fixtures/stage0/agents/qwen";

function recordedContents(): readonly JsonValue[] {
  const lines = readdirSync(RECORDED).flatMap((name) => readFileSync(join(RECORDED, name), "utf8").split("\n"));
  return lines.flatMap((line) => {
    const record = parseOr(line);
    const message = isObject(record) ? record.message : undefined;
    return isObject(message) && (message.role === "user" || message.role === "model") ? [message] : [];
  });
}

/** A recording may end in the middle of a line. */
function parseOr(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

test.skipIf(!existsSync(RECORDED))("recorded contents come back as they were (skipped without ../shared/data)", () => {
  const contents = recordedContents();
  expect(contents.length).toBeGreaterThan(0);
  const conversation = gemini.decode(contents);
  expect(JSON.stringify(gemini.encode(copied(conversation)))).toBe(JSON.stringify(contents));
  expect(conversation.messages.flatMap(({ parts }) => parts).filter(({ type }) => type === "opaque")).toEqual([]);
});

test("a result that was repeated where the model speaks does not pass for another call's", () => {
  const call = (id?: string) => ({ functionCall: { name: "bash", args: {}, ...(id && { id }) } });
  const result = (id: string) => ({ functionResponse: { id, name: "bash", response: { output: id } } });
  const contents = [
    { role: "user", parts: [{ text: "go" }] },
    { role: "model", parts: [call("a")] },
    { role: "model", parts: [result("a"), result("a")] },
    { role: "model", parts: [call()] },
    { role: "user", parts: [result("b")] },
  ];
  const { conversation } = repair(gemini.decode(contents));
  expect(gemini.validate(gemini.encode(conversation))).toEqual([]);
});

/** Tool definitions and usage of Gemini in the neutral form. */

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
