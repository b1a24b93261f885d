/** What an attacker tries against a gateway: from a web page, from the network, as another tenant, with requests that two servers read differently. */

import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request as startRequest } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { serveGateway } from "../src/gateway.ts";
import { memoryStore } from "../src/stores/memory.ts";
import { longBody } from "./fetch-agents.ts";
import { startModel } from "./fetch-server.ts";
import { ask, speak, startGateway, startProcess, startUpstream } from "./gateway-world.ts";
import { sampleOf } from "./sample.ts";

describe("other hosts", () => {
  test.each([
    "/u/evil.example/v1/messages",
    "/u/127.0.0.1:22/",
    "/u/http:%2F%2Fevil.example/",
    "/u/constructor/v1/models",
    "/u/__proto__/v1/models",
    "/u//v1/messages",
    "/u/",
    "//evil.example/v1/messages",
    "/v1/..//evil.example",
    "/u/named/../../secret",
    "/u/named//evil.example/secret",
    "/t/token//evil.example/secret",
    "/u/named/..;/secret",
    "/v1/%2e%2e/%2e%2e/secret",
    "/v1/..%2fsecret",
    "/v1/.%2E/secret",
    "/v1/./messages",
    "/v1\\..\\secret",
    "/v1/%5c..%5csecret",
    "/v1/a%00b",
  ])("%s reaches nobody", async (path) => {
    const upstream = await startUpstream();
    const gateway = await startGateway(upstream.origin, { upstreams: { named: `${upstream.origin}/base` } });
    const { hostname, port } = new URL(gateway.url);
    const answer = await ask(gateway.url, { hostname, port, path, method: "POST", body: "{}" });
    expect(answer.status).toBe(404);
    expect(upstream.requests).toEqual([]);
  });

  test("a named upstream gets its own path before every other", async () => {
    const upstream = await startUpstream();
    const gateway = await startGateway("http://127.0.0.1:9", { upstreams: { named: `${upstream.origin}/base/` } });
    await ask(`${gateway.url}/u/named/v1/messages?a=..`, { method: "POST", body: "{}" });
    await ask(`${gateway.url}/u/named?x=1`);
    expect(upstream.requests.map(({ path }) => path)).toEqual(["/base/v1/messages?a=..", "/base/?x=1"]);
  });

  test("it is no proxy", async () => {
    const upstream = await startUpstream();
    const gateway = await startGateway(upstream.origin);
    const { host } = new URL(gateway.url);
    const absolute = await speak(
      gateway.url,
      `GET ${upstream.origin}/v1/models HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    expect(absolute).toMatch(/^HTTP\/1.1 400 /);
    await speak(gateway.url, `CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect(upstream.requests).toEqual([]);
  });

  test("a redirect of an upstream is passed on and not followed", async () => {
    const secret = await startUpstream();
    const upstream = await startUpstream((_, response) =>
      response.writeHead(307, { location: `${secret.origin}/meta` }).end(),
    );
    const gateway = await startGateway(upstream.origin);
    for (const path of ["/v1/models", "/v1/messages"]) {
      const { status, headers } = await ask(`${gateway.url}${path}`, { method: "POST", body: `{"messages":[]}` });
      expect([status, headers.location]).toEqual([307, `${secret.origin}/meta`]);
    }
    expect(secret.requests).toEqual([]);
  });

  test.each(["file:///etc/passwd", "https://user:key@host.example", "https://host.example/?key=1", "host.example", ""])(
    "%s is no address of an upstream, and is not repeated",
    async (address) => {
      const started = serveGateway({ port: 0, upstreams: { own: address } });
      await expect(started).rejects.toThrow(/^The upstream "own" needs an address such as/);
      if (address !== "") await expect(started).rejects.not.toThrow(address);
    },
  );
});

describe("requests that two servers read differently", () => {
  test.each([
    ["two lengths", "Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}   "],
    [
      "a length and chunks",
      "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /v1/secret HTTP/1.1\r\n\r\n",
    ],
    ["another coding", "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"],
    ["chunks twice", "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"],
    ["a folded header", "X-Folded: a\r\n b\r\nContent-Length: 2\r\n\r\n{}"],
    ["a space before the colon", "Content-Length : 2\r\n\r\n{}"],
    ["a bare line feed", "X-A: 1\nContent-Length: 2\r\n\r\n{}"],
    ["a null in a value", "X-A: 1\u0000\r\nContent-Length: 2\r\n\r\n{}"],
  ])("%s is refused", async (_, rest) => {
    const upstream = await startUpstream();
    const gateway = await startGateway(upstream.origin);
    const { host } = new URL(gateway.url);
    const said = await speak(gateway.url, `POST /v1/files HTTP/1.1\r\nHost: ${host}\r\n${rest}`);
    expect(said).toMatch(/^HTTP\/1.1 400 /);
    expect(upstream.requests).toEqual([]);
  });

  test("whatever the headers say, an upstream gets one host, one length, and nothing of a connection", async () => {
    const upstream = await startUpstream();
    const gateway = await startGateway(upstream.origin);
    const { host } = new URL(gateway.url);
    const body = `{"messages":[]}`;
    const own = "X-Palimpsest: failed-open\r\nX-Palimpsest-Token: t\r\nProxy-Authorization: p\r\nKeep-Alive: 1";
    for (const path of ["/v1/messages", "/v1/files"]) {
      const connection = "Connection: close, Content-Length, Host, X-Gone\r\nX-Gone: 1";
      const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${own}\r\n${connection}\r\nContent-Length: ${body.length}`;
      expect(await speak(gateway.url, `${head}\r\n\r\n${body}`)).toMatch(/^HTTP\/1.1 200 /);
    }
    for (const { rawHeaders, bytes } of upstream.requests) {
      const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
      expect(names.toSorted()).toEqual(["connection", "content-length", "host"]);
      expect(bytes.toString()).toBe(body);
    }
    expect(upstream.requests).toHaveLength(2);
  });
});

const BOMBS: readonly (readonly [encoding: string, pack: (bytes: Buffer) => Buffer])[] = [
  ["zstd", (bytes) => zstdCompressSync(bytes)],
  ["gzip", (bytes) => gzipSync(bytes)],
  ["gzip, gzip", (bytes) => gzipSync(gzipSync(bytes))],
];

describe("too much, and too slow", () => {
  test.each([
    ["declared", { "content-length": "2000000" }],
    ["of unknown length", { "transfer-encoding": "chunked" }],
  ])("a body that is too long, %s, is 413", async (_, headers) => {
    const upstream = await startUpstream();
    const gateway = await startGateway(upstream.origin, { limits: { bodyBytesMax: 1_000_000 } });
    const answer = await ask(`${gateway.url}/v1/messages`, {
      method: "POST",
      headers,
      body: Buffer.alloc(2_000_000, " "),
    });
    expect(answer.status).toBe(413);
    expect(upstream.requests).toEqual([]);
    expect(await gateway.metric(`requests_refused_total{reason="too-large"}`)).toBe(1);
  });

  test("all bodies together have a limit, which is free again afterwards", async () => {
    const upstream = await startUpstream();
    const gateway = await startGateway(upstream.origin, { limits: { bufferedBytesMax: 1_000_000 } });
    const slow = startRequest(`${gateway.url}/v1/messages`, {
      method: "POST",
      headers: { "content-length": "900000" },
    });
    slow.on("error", () => {});
    slow.write(Buffer.alloc(800_000, " "));
    await expect.poll(() => gateway.metric("buffered_bytes")).toBe(800_000);
    const body = Buffer.alloc(500_000, " ");
    const status = async () => (await ask(`${gateway.url}/v1/messages`, { method: "POST", body })).status;
    expect(await status()).toBe(503);
    slow.destroy();
    await expect.poll(status).toBe(200);
  });

  test("requests at the same time have a limit", async () => {
    const upstream = await startUpstream(() => {});
    const gateway = await startGateway(upstream.origin, { limits: { requestsMax: 2 } });
    const open = [1, 2].map(() =>
      startRequest(`${gateway.url}/v1/models`)
        .on("error", () => {})
        .end(),
    );
    await expect.poll(() => upstream.requests.length).toBe(2);
    expect((await ask(`${gateway.url}/v1/models`)).status).toBe(503);
    for (const one of open) one.destroy();
  });

  test("a client that sends its headers too slowly is cut off", async () => {
    const upstream = await startUpstream();
    const gateway = await startGateway(upstream.origin, { limits: { headersMs: 50 } });
    const { port, hostname, host } = new URL(gateway.url);
    const socket = connect(Number(port), hostname).on("error", () => {});
    socket.write(`GET /v1/models HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 408 /);
    expect(upstream.requests).toEqual([]);
  });

  test("a client that sends its conversation too slowly is cut off", async () => {
    const upstream = await startUpstream();
    const gateway = await startGateway(upstream.origin, { limits: { stalledMs: 50 } });
    const outgoing = startRequest(`${gateway.url}/v1/messages`, {
      method: "POST",
      headers: { "content-length": "100" },
    });
    outgoing.write("{");
    const [error] = await once(outgoing, "error").catch((cause) => [cause]);
    expect(error.code).toBe("ECONNRESET");
    expect(upstream.requests).toEqual([]);
  });

  test("a client that reads nothing is cut off, and its upstream let go", async () => {
    const closed = Promise.withResolvers<void>();
    const upstream = await startUpstream((_, response) => {
      response.on("close", () => closed.resolve());
      const fill = (): void => {
        while (response.write(Buffer.alloc(100_000)));
      };
      response.on("drain", fill);
      fill();
    });
    const gateway = await startGateway(upstream.origin, { limits: { stalledMs: 100 } });
    const { port, hostname, host } = new URL(gateway.url);
    const socket = connect(Number(port), hostname).on("error", () => {});
    socket.write(`GET /v1/models HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    socket.pause();
    await closed.promise;
    socket.destroy();
  });

  test("a request has an end", async () => {
    const upstream = await startUpstream(() => {});
    const gateway = await startGateway(upstream.origin, { limits: { requestMs: 50 } });
    await expect(ask(`${gateway.url}/v1/messages`, { method: "POST", body: "{}" })).rejects.toThrow(/hang up/);
    await expect.poll(() => gateway.metric("requests_open")).toBe(0);
  });

  test("headers have a limit", async () => {
    const upstream = await startUpstream();
    const gateway = await startGateway(upstream.origin);
    const { host } = new URL(gateway.url);
    const head = `GET /v1/models HTTP/1.1\r\nHost: ${host}\r\nX-Long: ${"x".repeat(70_000)}\r\n\r\n`;
    expect(await speak(gateway.url, head)).toMatch(/^HTTP\/1.1 431 /);
  });

  test.each(BOMBS.slice(0, sampleOf(3, 1)))(
    "decompression bombs in %s go on as they came, and do not add up",
    async (encoding, pack) => {
      const bomb = pack(Buffer.alloc(140_000_000));
      const upstream = await startUpstream();
      const folder = mkdtempSync(join(tmpdir(), "palimpsest-bombs-"));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const config = join(folder, "gateway.json");
      writeFileSync(config, JSON.stringify({ upstreams: { anthropic: upstream.origin } }));
      const { origin } = await startProcess(config, 0);
      const residentBytes = async (): Promise<number> => {
        const page = await (await fetch(`${origin}/metrics`)).text();
        return Number(/^palimpsest_gateway_resident_bytes (\d+)$/m.exec(page)?.[1]);
      };
      const before = await residentBytes();
      const headers = { "content-encoding": encoding };
      const post = () => ask(`${origin}/v1/messages`, { method: "POST", headers, body: bomb });
      let peak = 0;
      let isOver = false;
      const answers = Promise.all(Array.from({ length: sampleOf(6, 3) }, post)).finally(() => {
        isOver = true;
      });
      while (!isOver) peak = Math.max(peak, await residentBytes());
      for (const answer of await answers)
        expect([answer.status, answer.headers["x-palimpsest"]]).toEqual([200, "failed-open"]);
      for (const { bytes } of upstream.requests) expect(bytes.equals(bomb)).toBe(true);
      // Together they would come to much more.
      expect(peak - before).toBeLessThan(600_000_000);
    },
  );
});

describe("who may ask", () => {
  test.each([
    "evil.example",
    "evil.example:4100",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "0.0.0.0",
    "127.0.0.999",
    "127.1",
    "[::2]",
    "[::1].evil.example",
    "localhost:80@evil.example",
    "localhost/evil.example",
  ])("a page of another name that points here, %s, gets nothing", async (host) => {
    const upstream = await startUpstream();
    const gateway = await startGateway(upstream.origin);
    for (const path of ["/", "/v1/messages", "/metrics", "/healthz"]) {
      expect((await ask(`${gateway.url}${path}`, { headers: { host } })).status).toBe(421);
    }
    for (const hosts of ["Host:", `Host: localhost\r\nHost: ${host}`]) {
      expect(await speak(gateway.url, `GET / HTTP/1.1\r\n${hosts}\r\n\r\n`)).toMatch(/^HTTP\/1.1 421 /);
    }
    expect(upstream.requests).toEqual([]);
  });

  test.each(["localhost", "LOCALHOST:80", "127.0.0.1:1", "[::1]:4100", "a.localhost", "gateway.internal:4100"])(
    "%s is a name of it",
    async (host) => {
      const upstream = await startUpstream();
      const gateway = await startGateway(upstream.origin, { hosts: ["gateway.internal"] });
      expect((await ask(`${gateway.url}/v1/models`, { headers: { host } })).status).toBe(200);
    },
  );

  test.each(["https://evil.example", "http://127.0.0.1.evil.example:4100", "null", "http://"])(
    "a page of %s sends nothing through it",
    async (origin) => {
      const upstream = await startUpstream();
      const gateway = await startGateway(upstream.origin);
      // What a page may send without being asked first.
      const headers = { origin, "content-type": "text/plain" };
      const answer = await ask(`${gateway.url}/v1/messages`, { method: "POST", headers, body: `{"messages":[]}` });
      expect(answer.status).toBe(403);
      expect(upstream.requests).toEqual([]);
    },
  );

  test.each(["http://localhost:3000", "https://127.0.0.1", "vscode-webview://1a2b", "https://app.example"])(
    "%s may send requests",
    async (origin) => {
      const upstream = await startUpstream();
      const gateway = await startGateway(upstream.origin, { hosts: ["app.example"] });
      expect((await ask(`${gateway.url}/v1/models`, { headers: { origin } })).status).toBe(200);
      expect(upstream.requests[0]?.headers.origin).toBe(origin);
    },
  );

  test("it listens for others only with a token", async () => {
    await expect(serveGateway({ port: 0, host: "0.0.0.0" })).rejects.toThrow(/only with a token/);
    const gateway = await serveGateway({ port: 0, host: "0.0.0.0", token: "t" });
    await gateway.close();
  });

  test("with a token, every request needs it, and it goes no further", async () => {
    const upstream = await startUpstream();
    const gateway = await startGateway(upstream.origin, { token: "secret-token" });
    const { origin } = new URL(gateway.url);
    for (const path of [
      "/v1/models",
      "/metrics",
      "/healthz",
      "/t/wrong/v1/models",
      "/t/secret-toke/v1/models",
      "/t/",
    ]) {
      expect((await ask(`${origin}${path}`)).status).toBe(401);
    }
    const wrong = { "x-palimpsest-token": "secret-tokeN" };
    expect((await ask(`${origin}/v1/models`, { headers: wrong })).status).toBe(401);
    expect(upstream.requests).toEqual([]);
    const headers = { "x-palimpsest-token": "secret-token", host: "gateway.example" };
    expect((await ask(`${origin}/v1/models`, { headers })).status).toBe(200);
    expect((await ask(`${origin}/t/secret-token/v1/models?a=1`)).status).toBe(200);
    expect(upstream.requests.map(({ path }) => path)).toEqual(["/v1/models", "/v1/models?a=1"]);
    expect(JSON.stringify([upstream.requests, gateway.lines])).not.toContain("secret-token");
  });

  test("a tenant finds nothing of another one's conversation, whatever it sends", async () => {
    const model = await startModel({ windowTokens: 32_000 });
    const store = memoryStore();
    const options = { windowTokens: 32_000, store, recall: true };
    const gateway = await startGateway(model.origin, options);
    const post = async (key: string, calls: number): Promise<string> => {
      const headers = { authorization: `Bearer ${key}` };
      const body = JSON.stringify(longBody(calls));
      const { status } = await ask(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body });
      expect(status).toBe(200);
      return model.requests.at(-1)?.bytes.toString() ?? "";
    };
    await post("sk-alice", 60);
    const sessions = async () => Array.fromAsync(store.sessions());
    const [first] = await sessions();
    // The same list under another key, and one that another key continues: neither is taken for the first tenant's.
    for (const calls of [60, 61]) await post("sk-mallory", calls);
    const all = await sessions();
    expect(new Set(all.map(({ metadata }) => metadata.tenant)).size).toBe(2);
    const unchanged = all.find(({ id }) => id === first?.id);
    expect(unchanged).toEqual(first);
    // What a session is called by its owner does not open it either.
    const headers = { "x-session-id": first?.id ?? "", authorization: "Bearer sk-mallory" };
    const body = JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content: "Go on." }] });
    await ask(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body });
    expect(model.requests.at(-1)?.bytes.toString()).toBe(body);
    expect((await sessions()).find(({ id }) => id === first?.id)).toEqual(first);
  });

  test("keys are in no store", async () => {
    const upstream = await startUpstream();
    const folder = mkdtempSync(join(tmpdir(), "palimpsest-keys-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const gateway = await startGateway(upstream.origin, { store: `sqlite:${join(folder, "sessions.db")}` });
    const headers = {
      authorization: "Bearer sk-secret-1",
      "x-api-key": "sk-secret-2",
      "x-goog-api-key": "sk-secret-3",
    };
    const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "A text that is kept." }] });
    await ask(`${gateway.url}/v1/messages?key=sk-secret-4`, { method: "POST", headers, body });
    await gateway.close();
    const kept = readdirSync(folder).map((file) => readFileSync(join(folder, file), "latin1"));
    expect(kept.join("")).toContain("A text that is kept.");
    expect(kept.join("")).not.toContain("sk-secret");
  });

  test("keys are passed on, and are in no log line", async () => {
    const upstream = await startUpstream();
    const gateway = await startGateway(upstream.origin);
    const headers = { authorization: "Bearer sk-1", "x-api-key": "sk-2", "x-goog-api-key": "sk-3" };
    await ask(`${gateway.url}/v1beta/models/m:generateContent?key=sk-4`, {
      method: "POST",
      headers,
      body: `{"contents":[]}`,
    });
    expect(upstream.requests[0]?.headers).toMatchObject(headers);
    expect(upstream.requests[0]?.path).toContain("?key=sk-4");
    expect(JSON.stringify(gateway.lines)).not.toMatch(/sk-\d/);
  });
});
