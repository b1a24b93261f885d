/** Bodies of every form that the REST API and the SDK take come back as they were. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentBody, model, response, snakeBody, user } from "../../test/gemini-bodies.ts";
import { isObject, type JsonValue } from "../core/json.ts";
import type { Conversation } from "../core/message.ts";
import { repair } from "../core/repair/repair.ts";
import { gemini } from "./gemini.ts";

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
