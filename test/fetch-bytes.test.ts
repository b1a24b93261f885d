/** What `palimpsest/fetch` must not change: requests in which nothing is due, responses, and everything that is no conversation. */

import { createHash } from "node:crypto";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import type { FormatName } from "../src/core/message.ts";
import { palimpsest } from "../src/fetch.ts";
import { formatNames } from "../src/formats.ts";
import { longBody } from "./fetch-agents.ts";
import { type Model, startModel } from "./fetch-server.ts";

const PATHS: Readonly<Record<FormatName, string>> = {
  "anthropic-messages": "/v1/messages?beta=true",
  "openai-chat": "/openai/deployments/gpt/chat/completions?api-version=1",
  "openai-responses": "/v1/responses",
  gemini: "/v1beta/models/gemini-2.5-pro:generateContent",
};

/** Spaces and the order of keys tell whether it was written again. */
const BODIES: Readonly<Record<FormatName, string>> = {
  "anthropic-messages": `{ "messages": [{"role":"user","content":"Hi \\u00e9"}],  "max_tokens": 10, "model": "claude-opus-4-5" }`,
  "openai-chat": `{ "messages": [{"role":"user","content":"Hi \\u00e9"}],  "model": "gpt-5" }`,
  "openai-responses": `{ "input": [{"role":"user","content":"Hi \\u00e9"}],  "model": "gpt-5" }`,
  gemini: `{ "contents": [{"role":"user","parts":[{"text":"Hi \\u00e9"}]}] }`,
};

const streamed = (name: FormatName): readonly [path: string, body: string] =>
  name === "gemini"
    ? ["/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse", BODIES.gemini]
    : [PATHS[name], BODIES[name].replace("{", `{"stream":true,`)];

const errors: unknown[] = [];
const client = palimpsest({ windowTokens: 32_000, onError: (error) => errors.push(error) });

async function post(model: Model, path: string, init: RequestInit & { readonly duplex?: "half" }): Promise<Response> {
  errors.length = 0;
  const response = await client(model.origin + path, { method: "POST", ...init });
  expect(errors).toEqual([]);
  return response;
}

describe.each(formatNames)("%s", (name) => {
  test("a request in which nothing is due goes out with its own bytes, and the answer comes back with its own", async () => {
    const model = await startModel({ windowTokens: 32_000, calls: 1 });
    const response = await post(model, PATHS[name], { body: BODIES[name], headers: { "x-own": "1" } });
    expect(Buffer.from(await response.arrayBuffer())).toEqual(model.answers[0]);
    expect(response.headers.get("x-request-id")).toBe("req_1");
    expect(response.url).toBe(model.origin + PATHS[name]);
    expect(model.requests[0]?.bytes.toString()).toBe(BODIES[name]);
    expect(model.requests[0]?.headers["x-own"]).toBe("1");
  });

  test("a stream that is cut at odd bytes comes back byte for byte", async () => {
    const model = await startModel({ windowTokens: 32_000, calls: 1 });
    const [path, body] = streamed(name);
    const response = await post(model, path, { body });
    const pieces = await Array.fromAsync(response.body ?? []);
    expect(Buffer.concat(pieces)).toEqual(model.answers[0]);
    expect(model.requests[0]?.bytes.toString()).toBe(body);
  });
});

test("a body may be of any kind that the platform takes", async () => {
  const model = await startModel({ windowTokens: 32_000 });
  const text = BODIES["openai-chat"];
  const bytes = new TextEncoder().encode(text);
  const pieces = async function* () {
    yield bytes.slice(0, 9);
    yield bytes.slice(9);
  };
  const bodies: RequestInit["body"][] = [bytes, bytes.buffer, new DataView(bytes.buffer), new Blob([bytes])];
  bodies.push(new Blob([bytes]).stream(), pieces() as unknown as ReadableStream);
  for (const body of bodies) {
    const response = await post(model, "/v1/chat/completions", { body: body ?? null, duplex: "half" });
    expect(response.status).toBe(200);
  }
  const request = new Request(`${model.origin}/v1/chat/completions`, {
    method: "POST",
    body: text,
    headers: { a: "b" },
  });
  expect((await client(request)).status).toBe(200);
  expect((await client(new URL(`${model.origin}/v1/chat/completions`), { method: "POST", body: text })).status).toBe(
    200,
  );
  expect(model.requests.map((sent) => sent.bytes.toString())).toEqual(Array(8).fill(text));
  expect(model.requests[6]?.headers.a).toBe("b");
});

test("an encoded body goes out as it came, and plain once it was changed", async () => {
  const model = await startModel({ windowTokens: 32_000 });
  const encoded = gzipSync(BODIES["openai-chat"]);
  const headers = { "content-encoding": "gzip", "content-type": "application/json" };
  await post(model, "/v1/chat/completions", { body: encoded, headers });
  expect(model.requests[0]?.bytes).toEqual(encoded);
  expect(model.requests[0]?.headers["content-encoding"]).toBe("gzip");
  const long = JSON.stringify(longBody(60));
  await post(model, "/v1/chat/completions", { body: gzipSync(long), headers });
  await post(model, "/v1/chat/completions", { body: zstdCompressSync(long), headers: { "content-encoding": "zstd" } });
  await client(new Request(`${model.origin}/v1/chat/completions`, { method: "POST", body: gzipSync(long), headers }));
  for (const sent of model.requests.slice(1)) {
    expect(sent.headers["content-encoding"]).toBeUndefined();
    expect(sent.bytes.length).toBeLessThan(long.length / 2);
    // The same edits, whatever the encoding.
    expect(sent.bytes).toEqual(model.requests[1]?.bytes);
  }
  expect(model.refusals).toEqual([]);
});

test("everything that is no conversation passes untouched", async () => {
  const model = await startModel({ windowTokens: 1 });
  const long = JSON.stringify({ ...longBody(60), input: "x" });
  const untouched = [
    ["/v1/embeddings", long],
    ["/v1/messages/count_tokens", long],
    ["/v1/files", "\u0000\u0001 no JSON"],
    ["/v1/batches", "[]"],
  ] as const;
  for (const [path, body] of untouched) {
    const response = await post(model, path, { body });
    expect(response.status).toBe(404);
    // The server sends back what it got.
    expect(hash(await response.text())).toBe(hash(body));
  }
  for (const body of ["no JSON", "[]", `{"messages":"none"}`, "null", ""]) {
    await post(model, "/v1/messages", { body });
    expect(model.requests.at(-1)?.bytes.toString()).toBe(body);
  }
  const form = new FormData();
  form.append("file", "text");
  await post(model, "/v1/responses", { body: form });
  expect(model.requests.at(-1)?.headers["content-type"]).toContain("multipart/form-data");
  const calls: unknown[][] = [];
  const own = palimpsest({ fetch: async (...given) => new Response(String(calls.push(given))) });
  const init = { headers: { a: "b" } };
  await own("https://example.invalid/v1/messages", init);
  expect(calls[0]?.[1]).toBe(init);
});

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

test("a request whose bytes are signed is not touched", async () => {
  const model = await startModel({ windowTokens: 10 ** 6 });
  const body = JSON.stringify(longBody(300));
  await post(model, "/v1/chat/completions", { body, headers: { authorization: "AWS4-HMAC-SHA256 Credential=none" } });
  expect(model.requests[0]?.bytes.toString()).toBe(body);
});

test("a redirect is followed with the request as it is", async () => {
  const model = await startModel({
    windowTokens: 32_000,
    answer: ({ path }, response) => {
      if (path !== "/old/v1/chat/completions") return false;
      response.writeHead(307, { location: "/v1/chat/completions" }).end();
      return true;
    },
  });
  const response = await post(model, "/old/v1/chat/completions", { body: JSON.stringify(longBody(60)) });
  expect(response.status).toBe(200);
  expect(response.redirected).toBe(true);
  expect(model.requests[1]?.bytes).toEqual(model.requests[0]?.bytes);
});

test("an abort reaches the server at once, before the answer and within it", async () => {
  for (const isBegun of [false, true]) {
    const arrived = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const model = await startModel({
      windowTokens: 32_000,
      answer: (_, response) => {
        response.on("close", () => closed.resolve());
        if (isBegun)
          response.writeHead(200, { "content-type": "text/event-stream" }).write(`data: {"choices":[{}]}\n\n`);
        arrived.resolve();
        return true;
      },
    });
    const controller = new AbortController();
    const answer = post(model, "/v1/chat/completions", { body: BODIES["openai-chat"], signal: controller.signal });
    await arrived.promise;
    const rejected = isBegun ? answer.then((response) => response.text()) : answer;
    if (isBegun) await answer;
    controller.abort();
    await expect(rejected).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
    await closed.promise;
  }
});

test("a reader that stops reading ends the answer of the server", async () => {
  const closed = Promise.withResolvers<void>();
  const model = await startModel({
    windowTokens: 32_000,
    answer: (_, response) => {
      response.on("close", () => closed.resolve());
      response.writeHead(200, { "content-type": "text/event-stream" }).write(`data: {"choices":[{}]}\n\n`);
      return true;
    },
  });
  const response = await post(model, "/v1/chat/completions", { body: BODIES["openai-chat"] });
  for await (const _ of response.body ?? []) break;
  await closed.promise;
});

test("an aborted signal and a server that is not there fail as with the platform's fetch", async () => {
  const init = { method: "POST", body: BODIES["openai-chat"], signal: AbortSignal.abort() };
  await expect(client("http://127.0.0.1:9/v1/chat/completions", init)).rejects.toThrow(/aborted/);
  const { signal: _, ...plain } = init;
  await expect(client("http://127.0.0.1:9/v1/chat/completions", plain)).rejects.toThrow("fetch failed");
});

test("the platform's fetch is looked up with each request", async () => {
  const platform = globalThis.fetch;
  onTestFinished(() => {
    globalThis.fetch = platform;
  });
  globalThis.fetch = async () => new Response("replaced");
  const response = await client("https://example.invalid/v1/models");
  expect(await response.text()).toBe("replaced");
});
