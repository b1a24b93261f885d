/**
 * What `palimpsest/fetch` adds to the time until the first byte of an answer, when nothing is due: the same conversation sent again with
 * one more message, through a bare `fetch` and through ours, in turn, to a server on the loopback interface. Beside it `JSON.parse` of the
 * body. Other work on the machine only ever makes a request dearer, so the cheaper quarter of the rounds is compared. Prints a Markdown
 * table and exits with 1 when the bar is missed: at most 1.5 times the parsing, and a millisecond. The same over a SQLite file, which
 * makes each new message durable before the request goes out, is shown beside it.
 */

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { palimpsest } from "../src/fetch.ts";
import { anthropicTurn, turnAt } from "./turn-conversation.ts";

const SIZES = [
  ["10 KB", 10_000],
  ["1 MB", 1_000_000],
  ["4 MB", 4_000_000],
] as const;
const WARM_UP_ROUNDS = 40;
const ROUNDS = 120;
const SHARE_MAX = 1.5;
const EXTRA_MS = 1;

const ANSWER = `data: {"type":"message_start","message":{"usage":{"input_tokens":1,"output_tokens":1}}}\n\n`;
const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(ANSWER);
  });
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
// A server that listens on a port has an address of this form.
const { port } = server.address() as AddressInfo;
const url = `http://127.0.0.1:${port}/v1/messages`;

async function firstByteMs(fetch: typeof globalThis.fetch, body: string): Promise<number> {
  const started = performance.now();
  const response = await fetch(url, { method: "POST", body, headers: { "content-type": "application/json" } });
  const reader = response.body?.getReader();
  await reader?.read();
  const ms = performance.now() - started;
  // To the end, so that the connection is used again.
  while ((await reader?.read())?.done === false);
  return ms;
}

function parseMs(body: string): number {
  const started = performance.now();
  JSON.parse(body);
  return performance.now() - started;
}

/** A quarter of the rounds were cheaper. */
const quartile = (values: readonly number[]): number =>
  values.slice(WARM_UP_ROUNDS).toSorted((a, b) => a - b)[(values.length - WARM_UP_ROUNDS) >> 2] ?? 0;

const directory = mkdtempSync(join(tmpdir(), "palimpsest-bench-"));
let isMissed = false;
console.log("| body | bare fetch, ms | added, ms | added with a store, ms | JSON.parse, ms | added ÷ parse |");
console.log("|---|---:|---:|---:|---:|---:|");
for (const [name, bytes] of SIZES) {
  const ours = palimpsest({ windowTokens: 10 ** 9 });
  const stored = palimpsest({ windowTokens: 10 ** 9, store: `sqlite:${join(directory, `${bytes}.db`)}` });
  const messages: object[] = [];
  let turn = 0;
  const grow = (): void => {
    const index = turn++;
    messages.push(...anthropicTurn({ ...turnAt(index), callId: `toolu_${index}` }));
  };
  for (let length = 0; length < bytes; length = turn % 20 === 0 ? JSON.stringify(messages).length : length) grow();
  const times = { bare: [] as number[], ours: [] as number[], stored: [] as number[], parse: [] as number[] };
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
    grow();
    const body = JSON.stringify({ model: "claude-opus-4-5", max_tokens: 1_024, stream: true, messages });
    times.parse.push(parseMs(body));
    if (round % 2 === 0) times.bare.push(await firstByteMs(fetch, body));
    times.ours.push(await firstByteMs(ours, body));
    if (round % 2 === 1) times.bare.push(await firstByteMs(fetch, body));
    times.stored.push(await firstByteMs(stored, body));
  }
  const bare = quartile(times.bare);
  const parse = quartile(times.parse);
  const added = quartile(times.ours) - bare;
  isMissed ||= added > SHARE_MAX * parse + EXTRA_MS;
  const cells = [bare, added, quartile(times.stored) - bare, parse, added / parse].map((value) => value.toFixed(2));
  console.log(`| ${name} | ${cells.join(" | ")} |`);
}
server.closeAllConnections();
server.close();
rmSync(directory, { recursive: true });
process.exitCode = isMissed ? 1 : 0;
