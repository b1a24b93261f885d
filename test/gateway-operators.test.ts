/** What an operator sees of a gateway, how it ends, and what of it changes while it runs. */

import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { serveGateway } from "../src/gateway.ts";
import { longBody } from "./fetch-agents.ts";
import { startModel } from "./fetch-server.ts";
import { ask, startGateway, startUpstream } from "./gateway-world.ts";

test("numbers in Prometheus' form, and the state of health", async () => {
  const upstream = await startUpstream();
  const gateway = await startGateway(upstream.origin);
  await ask(`${gateway.url}/v1/messages?key=secret`, { method: "POST", body: `{"messages":[]}` });
  const health = await ask(`${gateway.url}/healthz`);
  expect([health.status, health.bytes.toString()]).toEqual([200, "ok\n"]);
  const page = (await ask(`${gateway.url}/metrics`)).bytes.toString();
  expect(page).toContain(
    `palimpsest_gateway_requests_total{upstream="anthropic",kind="conversation",status="200"} 1\n`,
  );
  expect(page).toContain(`palimpsest_gateway_request_seconds_count 1\n`);
  for (const [, name, type] of page.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
    expect(page, name).toMatch(
      new RegExp(`^${name}${type === "histogram" ? "_count" : ""}(?:\\{[^}]*\\})? [\\d.e+-]+$`, "m"),
    );
  }
  expect(gateway.lines).toHaveLength(1);
  expect(gateway.lines[0]).toMatchObject({ level: "info", upstream: "anthropic", path: "/v1/messages", status: 200 });
  expect(JSON.stringify(gateway.lines) + page).not.toContain("secret");
});

test("it ends when the answers under way have ended", async () => {
  const next = Promise.withResolvers<void>();
  const upstream = await startUpstream(async (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`data: {"type":"message_start"}\n\n`);
    await next.promise;
    response.end("data: end\n\n");
  });
  const gateway = await startGateway(upstream.origin);
  const outgoing = get(`${gateway.url}/v1/events`);
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  const closed = gateway.close();
  await expect(fetch(`${gateway.url}/healthz`)).rejects.toThrow();
  next.resolve();
  expect(await text(answer)).toContain("data: end");
  await closed;
});

test("an answer that does not end is cut off when the time for it is over", async () => {
  const upstream = await startUpstream((_, response) => void response.writeHead(200).write("begun"));
  const gateway = await startGateway(upstream.origin, { limits: { graceMs: 50 } });
  const broken = ask(`${gateway.url}/v1/events`);
  broken.catch(() => {});
  await expect.poll(() => upstream.requests.length).toBe(1);
  await gateway.close();
  await expect(broken).rejects.toThrow(/aborted|hang up/);
  expect(gateway.lines[0]).toMatchObject({ event: "closing", requestsOpen: 1 });
});

test("options change while it runs, and what is remembered stays", async () => {
  const [one, two] = [await startUpstream(), await startUpstream()];
  const gateway = await startGateway(one.origin);
  await ask(`${gateway.url}/v1/models`);
  gateway.reload({ upstreams: { openai: two.origin } });
  await ask(`${gateway.url}/v1/models`);
  expect([one.requests.length, two.requests.length]).toEqual([1, 1]);
  expect(() => gateway.reload({ upstreams: { openai: "file:///etc/passwd" } })).toThrow(/needs an address/);
  await ask(`${gateway.url}/v1/models`);
  expect(two.requests).toHaveLength(2);
});

test("every option of a running gateway changes with the next request, but for where it listens", async () => {
  const model = await startModel({ windowTokens: 1_000_000 });
  const upstreams = { openai: model.origin };
  const gateway = await startGateway(model.origin, { windowTokens: 1_000_000 });
  const post = async (options: object = {}) =>
    ask(`${gateway.url}/v1/chat/completions`, { method: "POST", body: JSON.stringify(longBody(60)), ...options });
  expect((await post()).headers).not.toHaveProperty("x-palimpsest");
  gateway.reload({ upstreams, windowTokens: 32_000 });
  expect((await post()).headers["x-palimpsest"]).toBe("compacted");
  gateway.reload({ upstreams, limits: { bodyBytesMax: 100 } });
  expect((await post()).status).toBe(413);
  const host = "gateway.internal";
  expect((await post({ headers: { host } })).status).toBe(421);
  gateway.reload({ upstreams, hosts: [host] });
  expect((await post({ headers: { host } })).status).toBe(200);
  gateway.reload({ upstreams, token: "t" });
  expect((await post()).status).toBe(401);
  gateway.reload({ upstreams, limits: { headersMs: 50, graceMs: 0 } });
  const { port, hostname } = new URL(gateway.url);
  expect(await text(connect(Number(port), hostname))).toMatch(/^HTTP\/1.1 408 /);
  for (const other of [{ port: 1 }, { host: "localhost" }]) {
    expect(() => gateway.reload({ upstreams, ...other })).toThrow(/port and host cannot change/);
  }
  expect(() => gateway.reload({ limits: { requestsMax: 0 } })).toThrow(/requestsMax must be/);
  expect((await post()).status).toBe(200);
});

test("a gateway for others keeps its token", async () => {
  const gateway = await serveGateway({ port: 0, host: "0.0.0.0", token: "t" });
  expect(() => gateway.reload({})).toThrow(/only with a token/);
  gateway.reload({ token: "u" });
  await gateway.close();
});

test("each request is a span", async () => {
  const upstream = await startUpstream();
  const spans: [string, object][] = [];
  const tracer = {
    startActiveSpan: (name: string, { attributes }: { attributes: object }, run: (span: never) => unknown) => {
      spans.push([name, attributes]);
      const span = {
        setAttributes: (more: object) => Object.assign(attributes, more),
        setStatus: () => {},
        end: () => {},
      };
      return run(span as never) as never;
    },
  };
  const gateway = await startGateway(upstream.origin, { telemetry: { tracer } });
  await ask(`${gateway.url}/v1/models`);
  const attributes = {
    "http.request.method": "GET",
    "palimpsest.upstream": "openai",
    "http.response.status_code": 200,
  };
  expect(spans).toEqual([["palimpsest.gateway.request", expect.objectContaining(attributes)]]);
});
