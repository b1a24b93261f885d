import { gzipSync, zstdCompressSync } from "node:zlib";
import { type Content, GoogleGenAI } from "@google/genai";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ProviderServer, startProviderServer } from "../server.ts";

let server: ProviderServer;
beforeEach(async () => {
  server = await startProviderServer({
    reply: ({ index }) =>
      index === 0 ? { text: "Reading.", toolCalls: [{ name: "read", input: { path: "a.ts" } }] } : "Done.",
  });
});
afterEach(() => server.close());

const MODEL = "gemini-3.8-flash";
const models = () => new GoogleGenAI({ apiKey: "any", httpOptions: { baseUrl: server.origin } }).models;
const ask = (contents: Content[], model = MODEL) => models().generateContent({ model, contents });
const refusal = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => expect.fail("It was not refused."),
    ({ message }: Error) => JSON.parse(message).error.message,
  );

const user: Content = { role: "user", parts: [{ text: "Go." }] };
const result: Content = {
  role: "user",
  parts: [{ functionResponse: { id: "call_1", name: "read", response: { output: "done" } } }],
};
const signed = (content: Content, thoughtSignature: string | undefined): Content => {
  const parts = content.parts?.map(({ thoughtSignature: _, ...part }) => {
    return part.functionCall === undefined || thoughtSignature === undefined ? part : { ...part, thoughtSignature };
  });
  return { ...content, parts: parts ?? [] };
};

test("calls of the current turn carry the signature that the server gave them, or a dummy", async () => {
  const answer = (await ask([user])).candidates?.[0]?.content ?? expect.fail("no content");
  await ask([user, answer, result]);
  await ask([user, signed(answer, "skip_thought_signature_validator"), result]);
  expect(await refusal(ask([user, signed(answer, undefined), result]))).toContain("missing a thought_signature");
  expect(await refusal(ask([user, signed(answer, "c2ln"), result]))).toBe("Corrupted thought signature.");
  expect(await refusal(ask([user, answer, result], "gemini-4-argon"))).toBe("Invalid thought signature.");
  await ask([user, signed(answer, undefined), result], "gemini-2.5-pro");
  // In an older turn nobody looks.
  await ask([user, signed(answer, "c2ln"), result, { role: "model", parts: [{ text: "Done." }] }, user]);
});

test("a list that does not alternate is refused", async () => {
  expect(await refusal(ask([user, user]))).toContain("alternate");
  expect(await refusal(ask([user, { role: "model", parts: [{ text: "Done." }] }]))).toContain("ends with a user role");
});

test("the count is that of the answer's usage", async () => {
  const { totalTokens } = await models().countTokens({ model: MODEL, contents: [user] });
  expect((await ask([user])).usageMetadata?.promptTokenCount).toBe(totalTokens);
});

test("both spellings are read, unknown fields and missing keys are refused", async () => {
  const post = (path: string, body: string, headers: Record<string, string> = { "x-goog-api-key": "any" }) =>
    fetch(`${server.origin}/v1beta/models/${MODEL}:${path}`, { method: "POST", body, headers });
  const body = JSON.stringify({ contents: [user], system_instruction: { parts: [{ text: "Be careful." }] } });
  expect((await post("generateContent", body)).status).toBe(200);
  expect((await post("generateContent", body, {})).status).toBe(403);
  expect((await post("generateContent", "no json")).status).toBe(400);
  const unknown = await post("generateContent", JSON.stringify({ contents: [user], messages: [] }));
  expect(await unknown.text()).toContain('Unknown name \\"messages\\": Cannot find field.');
  // Without `alt=sse` a stream is one array.
  const array = await post("streamGenerateContent", body);
  expect(await array.json()).toMatchObject([{ candidates: [{ finishReason: "STOP" }] }]);
});

test.each([
  ["gzip", gzipSync],
  ["zstd", zstdCompressSync],
] as const)("a body that came as %s is read, and recorded as it came", async (encoding, compress) => {
  const bytes = compress(JSON.stringify({ contents: [user] }));
  const headers = { "x-goog-api-key": "any", "content-encoding": encoding };
  const url = `${server.origin}/v1beta/models/${MODEL}:generateContent`;
  expect((await fetch(url, { method: "POST", body: new Uint8Array(bytes), headers })).status).toBe(200);
  expect(server.requests[0]?.bytes).toEqual(bytes);
  expect(server.requests[0]?.body).toEqual({ contents: [user] });
});
