/**
 * What the gateway costs, beside asking the provider directly. Provider, gateway and client share one process, so that what other work on the
 * machine costs is the same for both ways, and the gateway's share is all that is between them: with processes of their own on free cores it
 * is less. Both ways take turns. Prints Markdown tables and exits with 1 when a bar is missed: at least 0.6 of the direct throughput, at most a
 * millisecond and 1.5 times the parsing of the body until the first byte, and memory that does not grow with 200 streams at once. `--full`
 * holds the streams for ten minutes.
 */

import { once } from "node:events";
import http, { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serveGateway } from "../src/gateway.ts";
import { anthropicTurn, turnAt } from "./turn-conversation.ts";

const SHARE_MIN = 0.6;
const PARSE_SHARE_MAX = 1.5;
const EXTRA_MS = 1;
const STREAMS = 200;
const SOAK_MS = process.argv.includes("--full") ? 600_000 : 20_000;
const GROWTH_MAX = 1.15;
const EVENTS = 200;

/** Answers at once with a stream of events, at `/v1/short/messages` with one, at `/v1/slow/messages` with one every 50 ms until the reader leaves. */
async function startProvider(): Promise<string> {
  const start = `data: {"type":"message_start","message":{"usage":{"input_tokens":1,"output_tokens":1}}}\n\n`;
  const event = `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Some words of an answer."}}\n\n`;
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(start);
      if (request.url?.startsWith("/v1/slow") === true) {
        const timer = setInterval(() => response.write(event), 50);
        response.on("close", () => clearInterval(timer));
        return;
      }
      if (request.url?.startsWith("/v1/short") === true) return void response.end();
      let sent = 0;
      const next = (): void => {
        if (sent++ === EVENTS) response.end();
        else response.write(event, next);
      };
      next();
    });
  });
  server.keepAliveTimeout = 65_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function runBench(): Promise<void> {
  const provider = await startProvider();
  const upstreams = { anthropic: provider, openai: provider };
  const gateway = await serveGateway({ port: 0, upstreams, windowTokens: 10 ** 9 });
  // Until then it is being compiled.
  for (let warmUp = 0; warmUp < 500; warmUp++) await post(`${gateway.url}/v1/short/messages`, SMALL);
  const misses = [
    ...(await throughput(provider, gateway.url)),
    ...(await firstByte(provider, gateway.url)),
    ...(await streams(gateway.url)),
  ];
  for (const miss of misses) console.log(`missed: ${miss}`);
  process.exit(misses.length === 0 ? 0 : 1);
}

const agent = new http.Agent({ keepAlive: true });

interface Timing {
  readonly firstByteMs: number;
  readonly bytes: number;
}

function post(url: string, body: string): Promise<Timing> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method: "POST", agent, headers: { "content-type": "application/json" } });
    request.on("error", reject);
    request.on("response", (response) => {
      let firstByteMs = 0;
      let bytes = 0;
      response.on("data", (piece: Buffer) => {
        if (bytes === 0) firstByteMs = performance.now() - started;
        bytes += piece.length;
      });
      response.on("end", () => resolve({ firstByteMs, bytes }));
      response.on("error", reject);
    });
    request.end(body);
  });
}

const SMALL = JSON.stringify({
  model: "claude-opus-4-5",
  stream: true,
  messages: [{ role: "user", content: "Hello" }],
});
const AT_ONCE = 16;
const ROUNDS = 7;
const REQUESTS = 160;

async function requestsPerSecond(url: string, body: string): Promise<number> {
  const started = performance.now();
  let left = REQUESTS;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await post(url, body);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return (REQUESTS * 1_000) / (performance.now() - started);
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

async function throughput(direct: string, through: string): Promise<readonly string[]> {
  console.log(
    `\nStreams of ${EVENTS} events, ${AT_ONCE} at a time.\n\n| what | direct, answers/s | through, answers/s | share |\n|---|---:|---:|---:|`,
  );
  const misses: string[] = [];
  for (const [name, path] of [
    ["conversations", "/v1/messages"],
    ["anything else", "/v1/events"],
  ] as const) {
    const rates: [number, number][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      rates.push([await requestsPerSecond(direct + path, SMALL), await requestsPerSecond(through + path, SMALL)]);
    }
    const [one, other] = [median(rates.map(([rate]) => rate)), median(rates.map(([, rate]) => rate))];
    const share = median(rates.map(([a, b]) => b / a));
    console.log(`| ${name} | ${one.toFixed(0)} | ${other.toFixed(0)} | ${share.toFixed(2)} |`);
    if (share < SHARE_MIN) misses.push(`${name} pass at ${share.toFixed(2)} of the direct throughput`);
  }
  return misses;
}

const SIZES = [
  ["10 KB", 10_000],
  ["1 MB", 1_000_000],
  ["4 MB", 4_000_000],
] as const;
const TURNS = 100;
const WARM_UP_TURNS = 40;

/** A conversation that grows by a message from one request to the next. */
async function firstByte(direct: string, through: string): Promise<readonly string[]> {
  console.log(
    "\nTime to the first byte, a growing conversation, milliseconds.\n\n| body | direct | through | added | JSON.parse | added ÷ parse |\n|---|---:|---:|---:|---:|---:|",
  );
  const misses: string[] = [];
  for (const [name, bytes] of SIZES) {
    const messages: object[] = [];
    let turn = 0;
    const grow = (): void => {
      const index = turn++;
      messages.push(...anthropicTurn({ ...turnAt(index), callId: `toolu_${index}` }));
    };
    for (let length = 0; length < bytes; length = turn % 20 === 0 ? JSON.stringify(messages).length : length) grow();
    const times = { direct: [] as number[], through: [] as number[], parse: [] as number[] };
    for (let round = 0; round < TURNS; round++) {
      grow();
      const body = JSON.stringify({ model: "claude-opus-4-5", max_tokens: 1_024, stream: true, messages });
      const started = performance.now();
      JSON.parse(body);
      const parseMs = performance.now() - started;
      const order = [
        ["direct", direct],
        ["through", through],
      ] as const;
      for (const [key, origin] of round % 2 === 0 ? order : order.toReversed()) {
        const { firstByteMs } = await post(`${origin}/v1/short/messages`, body);
        if (round >= WARM_UP_TURNS) times[key].push(firstByteMs);
      }
      if (round >= WARM_UP_TURNS) times.parse.push(parseMs);
    }
    const [one, other, parse] = [quartile(times.direct), quartile(times.through), quartile(times.parse)];
    const added = other - one;
    console.log(
      `| ${name} | ${[one, other, added, parse, added / parse].map((value) => value.toFixed(2)).join(" | ")} |`,
    );
    if (added > PARSE_SHARE_MAX * parse + EXTRA_MS) misses.push(`${name}: ${added.toFixed(2)} ms are added`);
  }
  return misses;
}

/** Other work on the machine only ever makes a request dearer, so the cheaper quarter is compared. */
const quartile = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 2] ?? 0;

const SAMPLES = 10;

async function streams(through: string): Promise<readonly string[]> {
  const controller = new AbortController();
  let events = 0;
  for (let at = 0; at < STREAMS; at++) {
    const { signal } = controller;
    const request = http.request(`${through}/v1/slow/messages`, { method: "POST", agent: false, signal });
    request.on("error", () => {});
    request.on("response", (response) => {
      response.on("error", () => {});
      response.on("data", () => events++);
    });
    request.end(SMALL);
  }
  const sizes: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    await new Promise((resolve) => setTimeout(resolve, SOAK_MS / SAMPLES));
    sizes.push(await residentMegabytes(through));
  }
  controller.abort();
  const [begin, end] = [median(sizes.slice(1, 4)), median(sizes.slice(-3))];
  console.log(
    `\n${STREAMS} streams at once for ${SOAK_MS / 1_000} s, ${events} pieces, resident MB: ${sizes.map((size) => size.toFixed(0)).join(" ")}`,
  );
  return end > begin * GROWTH_MAX ? [`memory grew from ${begin.toFixed(0)} to ${end.toFixed(0)} MB`] : [];
}

async function residentMegabytes(origin: string): Promise<number> {
  const page = await (await fetch(`${origin}/metrics`)).text();
  return Number(/^palimpsest_gateway_resident_bytes (\d+)$/m.exec(page)?.[1]) / 1e6;
}

await runBench();
