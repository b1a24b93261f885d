/** Small builders of Gemini JSON and two whole bodies, for the tests of this format. */

import type { JsonObject, JsonValue } from "../src/core/json.ts";

export const user = (...parts: JsonValue[]): JsonObject => ({ role: "user", parts });
export const model = (...parts: JsonValue[]): JsonObject => ({ role: "model", parts });
export const call = (name: string, args: JsonValue = { a: 1 }): JsonObject => ({ functionCall: { name, args } });
export const response = (name: string, value: JsonValue): JsonObject => ({
  functionResponse: { name, response: value },
});

export const agentBody: JsonObject = {
  systemInstruction: { parts: [{ text: "You are a build agent." }] },
  contents: [
    user(
      { text: "Fix the build" },
      { inlineData: { mimeType: "image/png", data: "iVBOR" } },
      { fileData: { mimeType: "application/pdf", fileUri: "https://files/abc" } },
    ),
    model(
      { text: "Tests first.", thought: true },
      { functionCall: { id: "a", name: "bash", args: { cmd: "npm test" } }, thoughtSignature: "CsYB" },
      { functionCall: { id: "b", name: "read", args: { path: "a.ts" } } },
    ),
    user(
      { functionResponse: { id: "a", name: "bash", response: { output: "3 failed" } } },
      { functionResponse: { id: "b", name: "read", response: { error: "ENOENT" } }, partMetadata: { x: 1 } },
    ),
    model({ executableCode: { language: "PYTHON", code: "1" } }, { codeExecutionResult: { outcome: "OUTCOME_OK" } }),
  ],
  tools: [{ functionDeclarations: [{ name: "bash" }] }],
  generationConfig: { temperature: 0 },
};

export const snakeBody: JsonObject = {
  contents: [
    { role: "user", parts: [{ inline_data: { mime_type: "audio/wav", data: "UklG" } }] },
    {
      parts: [{ function_call: { name: "run", args: { n: 1 } }, thought_signature: "S" }],
      role: "model",
    },
    { role: "function", parts: [{ function_response: { name: "run", response: { result: "long" } } }] },
    { role: "model", parts: [{ text: "", thought_signature: "T" }] },
  ],
  system_instruction: "Be brief.",
};
