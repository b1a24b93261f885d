/** What a gateway passes on, byte for byte, and how it fails. */

import { once } from "node:events";
import { createServer, type IncomingMessage, request as startRequest } from "node:http";
import { PassThrough, type Transform } from "node:stream";
import { text } from "node:stream/consumers";
import {
  createBrotliCompress,
  createBrotliDecompress,
  createGunzip,
  createGzip,
  createZstdCompress,
  createZstdDecompress,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, onTestFinished, test } from "vitest";
import { createGateway } from "../src/gateway.ts";
import { startProviderServer } from "../src/testing/server.ts";
import { longBody } from "./fetch-agents.ts";
import { startModel } from "./fetch-server.ts";
import { ask, startGateway, startUpstream } from "./gateway-world.ts";

test("the example: a client and nothing but its base address", async () => {
  const provider = await startProviderServer({ reply: () => "Done." });
  onTestFinished(() => provider.close());
  const server = createServer(createGateway({ upstreams: { anthropic: provider.origin } })).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const client = new Anthropic({ baseURL: `http://127.0.0.1:${port}`, apiKey: "none" });
  const messages = [{ role: "user" as const, content: "Hello" }];
  const { content } = await client.messages.create({ model: "claude-opus-4-5", max_tokens: 100, messages });
  expect(content).toEqual([expect.objectContaining({ type: "text", text: "Done." })]);
});

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

const HEADERS = {
  "X-Custom-Case": "a",
  "x-twice": ["1", "2"],
  "content-type": "application/json",
  Authorization: "Bearer key",
};

describe("what is not rewritten", () => {
  test.each([
    [
      "POST",
      "/v1/messages",
      JSON.stringify({ model: "claude-opus-4-5", messages: [{ role: "user", content: "a" }], unknown: 1 }),
    ],
    ["POST", "/v1/messages?beta=true", `{\n  "messages": [ ]\n}`],
    ["POST", "/v1/messages/count_tokens?beta=true", `{"messages":[]}`],
    ["POST", "/v1/files", "\u0000 no JSON"],
    ["POST", "/v1/chat/completions", "no JSON"],
    ["PUT", "/v1/unknown/path;x=%20?a=b&a=%2F", "text"],
    ["GET", "/v1/models?limit=1000", undefined],
    ["HEAD", "/api/hello", undefined],
    ["DELETE", "/v1/files/file_1", undefined],
    ["OPTIONS", "/v1/messages", undefined],
  ])("%s %s passes byte for byte, with its headers, and so does the answer", async (method, path, body) => {
    const upstream = await startUpstream((_, response) => {
      response.sendDate = false;
      const list = ["X-Rate-Limit-Left", "12", "request-id", "req_1", "Set-Cookie", "a=1", "Set-Cookie", "b=2"];
      response.writeHead(418, "Own Words", [
        ...list,
        "content-type",
        "text/x-own",
        "Connection",
        "X-Hop",
        "X-Hop",
        "1",
      ]);
      response.end("an answer of its own \u0001");
    });
    const gateway = await startGateway(upstream.origin);
    const length = body === undefined ? {} : { "Content-Length": Buffer.byteLength(body) };
    const headers = { ...HEADERS, ...length, Connection: "close, X-Mine", "X-Mine": "1", TE: "trailers" };
    const answer = await ask(`${gateway.url}${path}`, { method, headers, ...(body !== undefined && { body }) });
    const [sent] = upstream.requests;
    expect([sent?.method, sent?.path, sent?.bytes.toString()]).toEqual([method, path, body ?? ""]);
    // As they were written, in their order, without those of the connection.
    const raw = sent?.rawHeaders ?? [];
    const kept = ["X-Custom-Case", "a", "x-twice", "1", "x-twice", "2", "content-type", "application/json"];
    expect(raw.slice(2, 2 + kept.length + 2)).toEqual([...kept, "Authorization", "Bearer key"]);
    expect(sent?.headers).toMatchObject({ host: new URL(upstream.origin).host });
    for (const name of ["x-mine", "te", "x-palimpsest"]) expect(sent?.headers).not.toHaveProperty(name);
    expect(answer.status).toBe(418);
    expect(answer.bytes.toString()).toBe(method === "HEAD" ? "" : "an answer of its own \u0001");
    expect(answer.rawHeaders.slice(0, 10)).toEqual([
      ...["X-Rate-Limit-Left", "12", "request-id", "req_1", "Set-Cookie", "a=1", "Set-Cookie", "b=2"],
      ...["content-type", "text/x-own"],
    ]);
    for (const name of ["x-hop", "date", "x-palimpsest"]) expect(answer.headers).not.toHaveProperty(name);
  });

  test.each(["/v1/files", "/v1/messages"])("%s of unknown length passes", async (path) => {
    const upstream = await startUpstream();
    const gateway = await startGateway(upstream.origin);
    const outgoing = startRequest(`${gateway.url}${path}`, {
      method: "POST",
      headers: { "transfer-encoding": "chunked" },
    });
    for (const piece of [`{"messages":`, "[", "]}"]) outgoing.write(piece);
    outgoing.end();
    await once(outgoing, "response");
    expect(upstream.requests[0]?.bytes.toString()).toBe(`{"messages":[]}`);
  });

  test("an encoded body passes encoded, and a compacted one plain", async () => {
    const model = await startModel({ windowTokens: 32_000 });
    const gateway = await startGateway(model.origin, { windowTokens: 32_000 });
    const post = (body: Uint8Array, encoding: string) =>
      ask(`${gateway.url}/v1/chat/completions`, { method: "POST", body, headers: { "content-encoding": encoding } });
    const small = gzipSync(JSON.stringify(longBody(5)));
    expect((await post(small, "gzip")).status).toBe(200);
    expect(model.requests[0]?.bytes).toEqual(small);
    const answer = await post(zstdCompressSync(JSON.stringify(longBody(60))), "zstd");
    expect(answer.headers["x-palimpsest"]).toBe("compacted");
    expect(model.requests[1]?.headers["content-encoding"]).toBeUndefined();
    expect(model.requests[1]?.headers["content-length"]).toBe(String(model.requests[1]?.bytes.length));
    expect(await gateway.metric("compactions_total")).toBe(1);
    expect(model.refusals).toEqual([]);
  });

  test.each([
    ["gzip", () => createGzip()],
    ["br", () => createBrotliCompress()],
    ["zstd", () => createZstdCompress()],
  ])("a stream encoded in %s passes as it comes, and its usage is read", async (encoding, createEncoder) => {
    const next = Promise.withResolvers<void>();
    const upstream = await startUpstream(async (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": encoding });
      const encoder = createEncoder();
      encoder.pipe(response);
      encoder.write(`data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}\n\n`);
      encoder.flush();
      await next.promise;
      const usage = { prompt_tokens: 900, completion_tokens: 20, total_tokens: 920 };
      encoder.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
    });
    const gateway = await startGateway(upstream.origin);
    const headers = { "accept-encoding": encoding };
    const outgoing = startRequest(`${gateway.url}/v1/chat/completions`, { method: "POST", headers });
    outgoing.end(JSON.stringify({ ...longBody(5), stream: true }));
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    expect(answer.headers["content-encoding"]).toBe(encoding);
    const decoder = answer.pipe(DECODERS[encoding]?.() ?? new PassThrough());
    const [first] = await once(decoder, "data");
    expect(String(first)).toContain("Hi");
    next.resolve();
    expect(await text(decoder)).toContain("[DONE]");
    expect(upstream.requests[0]?.headers["accept-encoding"]).toBe(encoding);
    await expect.poll(() => gateway.metric(`tokens_total{kind="output"}`)).toBe(20);
  });

  test("a refusal that is encoded is read and healed", async () => {
    const model = await startModel({ windowTokens: 32_000 });
    // A provider behind a server that encodes what is asked for.
    const front = await startUpstream(async (request, response) => {
      const { bytes } = front.requests.at(-1) ?? {};
      const answer = await fetch(`${model.origin}${request.url}`, { method: "POST", body: bytes ?? null });
      const isEncoded = request.headers["accept-encoding"]?.includes("gzip") === true;
      const plain = await answer.bytes();
      const type = { "content-type": "application/json" };
      response.writeHead(answer.status, { ...type, ...(isEncoded && { "content-encoding": "gzip" }) });
      response.end(isEncoded ? gzipSync(plain) : plain);
    });
    const gateway = await startGateway(front.origin);
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify(longBody(60)),
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-palimpsest")).toBe("compacted");
    expect(model.refusals).toHaveLength(1);
    expect(await answer.json()).toHaveProperty("choices");
  });

  test("statuses without a body, and early hints", async () => {
    const upstream = await startUpstream((request, response) => {
      if (request.url === "/v1/hints") response.writeEarlyHints({ link: "</a>; rel=preload" });
      response.writeHead(request.url === "/v1/messages" ? 204 : 304, { etag: "x" }).end();
    });
    const gateway = await startGateway(upstream.origin);
    const one = await ask(`${gateway.url}/v1/messages`, { method: "POST", body: `{"messages":[]}` });
    expect([one.status, one.headers.etag, one.bytes.length]).toEqual([204, "x", 0]);
    const two = await ask(`${gateway.url}/v1/hints`);
    expect([two.status, two.headers.etag]).toEqual([304, "x"]);
  });
});

describe("streams", () => {
  test.each(["/v1/messages", "/v1/events"])("%s passes as it comes", async (path) => {
    const next = Promise.withResolvers<void>();
    const upstream = await startUpstream(async (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: {"type":"message_start","message":{}}\n\n`);
      await next.promise;
      response.end(`data: {"type":"message_stop"}\n\n`);
    });
    const gateway = await startGateway(upstream.origin);
    const outgoing = startRequest(`${gateway.url}${path}`, { method: "POST" }).end(`{"messages":[],"stream":true}`);
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    const [first] = await once(answer, "data");
    expect(String(first)).toContain("message_start");
    next.resolve();
    expect(await text(answer)).toBe(`data: {"type":"message_stop"}\n\n`);
  });

  test.each(["/v1/messages", "/v1/events"])("%s is read no faster than its reader reads", async (path) => {
    const written = Promise.withResolvers<number>();
    let bytes = 0;
    const upstream = await startUpstream((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const piece = Buffer.from(`data: {"type":"ping","text":"${"x".repeat(65_000)}"}\n\n`);
      const fill = (): void => {
        while (bytes < 400_000_000) {
          bytes += piece.length;
          if (!response.write(piece)) return;
        }
      };
      response.on("drain", fill);
      fill();
      let before = -1;
      // Nobody reads: it stops after what sockets and buffers hold.
      const timer = setInterval(() => {
        if (bytes === before) written.resolve(bytes);
        before = bytes;
      }, 300);
      response.on("close", () => clearInterval(timer));
    });
    const gateway = await startGateway(upstream.origin);
    const outgoing = startRequest(`${gateway.url}${path}`, { method: "POST" }).end(`{"messages":[],"stream":true}`);
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    answer.pause();
    expect(await written.promise).toBeLessThan(50_000_000);
    answer.destroy();
  });

  test.each([
    ["/v1/messages", false],
    ["/v1/messages", true],
    ["/v1/events", false],
    ["/v1/events", true],
  ])("a client that leaves %s, begun: %s, ends the upstream's work", async (path, isBegun) => {
    const arrived = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const upstream = await startUpstream((_, response) => {
      response.on("close", () => closed.resolve());
      if (isBegun) response.writeHead(200, { "content-type": "text/event-stream" }).write(`data: {"type":"ping2"}\n\n`);
      arrived.resolve();
    });
    const gateway = await startGateway(upstream.origin);
    const outgoing = startRequest(`${gateway.url}${path}`, { method: "POST" }).end(`{"messages":[],"stream":true}`);
    outgoing.on("error", () => {});
    await arrived.promise;
    if (isBegun) await once(outgoing, "response");
    outgoing.destroy();
    await closed.promise;
    await expect.poll(() => gateway.metric("aborted_total")).toBe(1);
    expect(await gateway.metric("requests_open")).toBe(0);
  });

  test.each(["/v1/messages", "/v1/events"])("an answer of %s that breaks off does not look whole", async (path) => {
    const upstream = await startUpstream((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: {"type":"message_start"}\n\n`, () => response.destroy());
    });
    const gateway = await startGateway(upstream.origin);
    const broken = ask(`${gateway.url}${path}`, { method: "POST", body: `{"messages":[],"stream":true}` });
    await expect(broken).rejects.toThrow(/aborted/);
    await expect.poll(() => gateway.metric("upstream_failures_total")).toBe(1);
  });
});

describe("failures", () => {
  test("an upstream that is not there is 502, in a form that clients read", async () => {
    const gateway = await startGateway("http://127.0.0.1:9");
    for (const path of ["/v1/messages", "/v1/models"]) {
      const { status, bytes } = await ask(`${gateway.url}${path}`, { method: "POST", body: `{"messages":[]}` });
      expect(status).toBe(502);
      expect(JSON.parse(bytes.toString())).toMatchObject({ type: "error", error: { type: "gateway_upstream" } });
    }
  });

  test("whatever fails in a compaction, the request goes out as it came, and the answer and a number say so", async () => {
    const upstream = await startUpstream();
    const conversation = (): never => {
      throw new Error("secret text of a message");
    };
    const gateway = await startGateway(upstream.origin, { conversation });
    const body = JSON.stringify(longBody(60));
    const answer = await ask(`${gateway.url}/v1/chat/completions`, { method: "POST", body });
    expect([answer.status, answer.headers["x-palimpsest"]]).toEqual([200, "failed-open"]);
    expect(upstream.requests[0]?.bytes.toString()).toBe(body);
    expect(await gateway.metric("failed_open_total")).toBe(1);
    expect(JSON.stringify(gateway.lines)).not.toContain("secret");
    expect(gateway.lines[0]).toMatchObject({ level: "error", event: "failure", error: "Error" });
  });

  test("an upgrade to WebSockets is refused with 426, and an HTTP request goes on", async () => {
    const upstream = await startUpstream();
    const gateway = await startGateway(upstream.origin);
    const headers = {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-key": "a",
      "sec-websocket-version": "13",
    };
    const refused = await ask(`${gateway.url}/v1/responses`, { headers });
    expect(refused.status).toBe(426);
    expect(refused.headers.upgrade).toBe("HTTP/1.1");
    expect(upstream.requests).toEqual([]);
  });
});
