/**
 * Real coding agents through the gateway, in a window that is far too small for what they do. Part of `npm run soak`: the agents come from the
 * registry, and one that cannot be installed is skipped with a message.
 */

import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { isObject, type JsonObject } from "../src/core/json.ts";
import type { ServeOptions } from "../src/gateway.ts";
import {
  type ModelRequest,
  type ProviderServer,
  type ScriptedReply,
  startProviderServer,
} from "../src/testing/server.ts";
import { CLIENTS, type ClientName, type ClientRow, createClient, installed, offers } from "./gateway-clients.ts";
import { startGateway, type TestGateway } from "./gateway-world.ts";
import { sharedPostgres } from "./postgres-server.ts";

const ROUNDS = 45;
const WINDOW_TOKENS = 60_000;
/** About 2,000 tokens of output. */
const command = (round: number): string => `seq ${round * 1_000} ${round * 1_000 + 600}`;

const isSoak = process.env.SOAK !== undefined;
const only = process.env.CLIENTS?.split(",") ?? Object.keys(CLIENTS);
const names = (Object.keys(CLIENTS) as ClientName[]).filter((name) => only.includes(name));

/** A provider whose model asks for so many commands in each turn, and then ends it. */
interface Provider extends ProviderServer {
  startTurn(rounds?: number): void;
}

async function startProvider(row: ClientRow, windowTokens: number, agentRounds = 0): Promise<Provider> {
  let round = 0;
  let left = 0;
  let agentsLeft = agentRounds === 0 ? 0 : 1;
  let agentRoundsLeft = agentRounds;
  const script = (request: ModelRequest): ScriptedReply => {
    const { body } = request;
    if (!offers(body, row.shell.name)) return { text: sideAnswer(body) };
    const reasoning =
      (isObject(body.thinking) && body.thinking.type !== "disabled") || isObject(body.reasoning)
        ? { reasoning: "What comes next?" }
        : {};
    const call = (name: string, input: JsonObject): ScriptedReply => ({
      ...reasoning,
      text: `Step ${++round}.`,
      toolCalls: [{ name, input }],
    });
    const isAgent = JSON.stringify(request.conversation.messages[0]?.parts ?? []).includes(AGENT_PROMPT);
    if (isAgent) {
      if (agentRoundsLeft-- > 0) return call(row.shell.name, row.shell.input(command(round)));
      return { ...reasoning, text: "The other agent is done." };
    }
    if (row.agent !== undefined && agentsLeft-- > 0) return call(row.agent.name, row.agent.input(AGENT_PROMPT));
    if (left-- > 0) return call(row.shell.name, row.shell.input(command(round)));
    return { ...reasoning, text: "All is done." };
  };
  const server = await startProviderServer({ windowTokens, reply: script });
  onTestFinished(() => server.close());
  return {
    ...server,
    startTurn: (rounds = ROUNDS) => {
      left = rounds;
    },
  };
}

const AGENT_PROMPT = "Read the files of the second half and report.";

/** What titles and checks beside a conversation get: a text, or the JSON that they ask for, with nothing to report. */
function sideAnswer({ generationConfig }: JsonObject): string {
  const schema = isObject(generationConfig)
    ? (generationConfig.responseJsonSchema ?? generationConfig.responseSchema)
    : undefined;
  if (!isObject(schema) || !isObject(schema.properties)) return "A title";
  const values = Object.entries(schema.properties).map(([name, property]) => {
    const type = isObject(property) ? String(property.type).toLowerCase() : "";
    return [name, type === "number" || type === "integer" ? 0 : type === "boolean" ? false : "none"];
  });
  return JSON.stringify(Object.fromEntries(values));
}

/** Passes bytes on in small pieces, at odd places, and keeps what was asked. */
async function startWire(origin: string, pieceBytes = Number.POSITIVE_INFINITY) {
  const asked: Buffer[] = [];
  const { port, hostname } = new URL(origin);
  const server = createServer((client) => {
    const provider = connect(Number(port), hostname);
    client.on("data", (bytes: Buffer) => void asked.push(bytes));
    client.pipe(provider);
    provider.on("data", (bytes: Buffer) => {
      for (let at = 0; at < bytes.length; at += pieceBytes) client.write(bytes.subarray(at, at + pieceBytes));
    });
    provider.on("end", () => client.end());
    for (const socket of [client, provider]) {
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.on("close", () => void [client, provider].map((one) => one.destroy()));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const refusalsOf = ({ requests }: ProviderServer) =>
  requests
    .filter(({ outcome }) => outcome?.type === "refused")
    .map(({ path, outcome }) => `${path}: ${outcome?.message}`);

/** Of all that the conversation's requests held, what was read from the cache. */
function cachedShare({ requests }: ProviderServer, { shell }: ClientRow): number {
  const usages = requests.filter(({ body }) => body !== undefined && offers(body, shell.name));
  const sum = (key: "inputTokens" | "cacheReadTokens") =>
    usages.reduce((total, { outcome }) => total + (outcome?.usage?.[key] ?? 0), 0);
  return sum("cacheReadTokens") / sum("inputTokens");
}

interface Run {
  readonly name: ClientName;
  readonly path: string;
  readonly provider: Provider;
  readonly origin: string;
  readonly turns?: number;
  readonly rounds?: number;
  /** Before the second turn; another address. */
  readonly between?: () => Promise<string>;
  readonly isPrinted?: boolean;
}

/** Both turns come to their end. */
async function runClient({ name, path, provider, origin, rounds, between, isPrinted }: Run): Promise<void> {
  const client = createClient(name, path, origin, isPrinted);
  const row: ClientRow = CLIENTS[name];
  const turns = row.turns ?? 2;
  for (let turn = 1; turn <= turns; turn++) {
    if (turn === 2 && between !== undefined) client.pointTo(await between());
    provider.startTurn(rounds);
    const { code, output } = await client.ask(turn === 1 ? "Read all files, one by one." : "Now read the others.");
    expect(code, output.slice(-2_000)).toBe(0);
    expect(output).toContain("All is done.");
  }
  const answered = provider.requests.filter(
    ({ body, outcome }) => outcome?.type === "answered" && body !== undefined && offers(body, row.shell.name),
  );
  expect(answered.length).toBeGreaterThanOrEqual(turns * ((rounds ?? ROUNDS) + 1));
}

const SIGNED = /"(?:signature|thoughtSignature|encrypted_content)":"[^"]{20}/;

describe.skipIf(!isSoak).each(names)("%s", { timeout: 3_600_000 }, (name) => {
  const row: ClientRow = CLIENTS[name];
  const small = { windowTokens: WINDOW_TOKENS };

  const program = async (skip: (note: string) => void): Promise<string> => {
    const found = await installed(name);
    if ("path" in found) return found.path;
    skip(found.missing);
    return "";
  };

  const runSmall = async (
    path: string,
    options: ServeOptions,
    with_: Partial<Run> & { readonly agentRounds?: number } = {},
  ) => {
    const provider = with_.provider ?? (await startProvider(row, WINDOW_TOKENS, with_.agentRounds));
    const gateway = await startGateway(with_.origin ?? provider.origin, { ...small, ...options });
    await runClient({ name, path, ...with_, provider, origin: gateway.url });
    await report(name, provider, gateway);
    expect(refusalsOf(provider)).toEqual([]);
    return { provider, gateway };
  };

  test("in a large window nothing changes, down to the byte", async ({ skip }) => {
    const path = await program(skip);
    const [direct, through] = [await startProvider(row, 1_000_000), await startProvider(row, 1_000_000)];
    await runClient({ name, path, provider: direct, origin: direct.origin, rounds: 12 });
    const gateway = await startGateway(through.origin, { windowTokens: 1_000_000 });
    const wire = await startWire(gateway.url);
    await runClient({ name, path, provider: through, origin: wire.origin, rounds: 12 });
    expect(through.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(
      direct.requests.map(({ method, path }) => `${method} ${path}`),
    );
    const asked = Buffer.concat(wire.asked);
    for (const { bytes } of through.requests) expect(asked.includes(bytes)).toBe(true);
    const shares = [cachedShare(direct, row), cachedShare(through, row)] as const;
    console.log(`${name}: cached ${shares.map((share) => (100 * share).toFixed(2)).join(" / ")} %`);
    expect(Math.abs(shares[0] - shares[1])).toBeLessThan(0.01);
  });

  test("45 rounds and two turns in a small window that is told", async ({ skip }) => {
    const path = await program(skip);
    const { provider } = await runSmall(path, {});
    expect(cachedShare(provider, row)).toBeGreaterThan(0.75);
    // Signatures and ciphertext that this provider refuses behind another beginning than they were made for.
    expect(provider.requests.some(({ bytes }) => SIGNED.test(bytes.toString()))).toBe(true);
  });

  test.skipIf(row.printed === undefined)("pointed to it by the line that the gateway prints", async ({ skip }) => {
    const path = await program(skip);
    const { gateway } = await runSmall(path, {}, { isPrinted: true });
    expect(await gateway.metric(`requests_refused_total{reason="upgrade"}`)).toBeGreaterThan(0);
  });

  test("the same where the window is learned", async ({ skip }) => {
    const path = await program(skip);
    const provider = await startProvider(row, WINDOW_TOKENS);
    const gateway = await startGateway(provider.origin);
    await runClient({ name, path, provider, origin: gateway.url });
    await report(name, provider, gateway);
    expect(refusalsOf(provider).length).toBeLessThanOrEqual(2);
  });

  test("with a store, and a new gateway between the turns", async ({ skip }) => {
    const path = await program(skip);
    const store = `sqlite:${join(mkdtempSync(join(tmpdir(), "palimpsest-gateway-")), "sessions.db")}`;
    const provider = await startProvider(row, WINDOW_TOKENS);
    let before = "";
    await runSmall(
      path,
      { store },
      {
        provider,
        between: async () => {
          before = lastList(provider, row);
          return (await startGateway(provider.origin, { ...small, store })).url;
        },
      },
    );
    if ((row.turns ?? 2) > 1) expect(continues(provider, row, before)).toBe(true);
  });

  test("two gateways over one Postgres", async ({ skip }) => {
    const path = await program(skip);
    const place = await sharedPostgres(inject("postgresDoor"));
    if ("missing" in place) return skip(place.missing);
    const store = `${place.url}?schema=gateway_${name.replace("-", "_")}`;
    const provider = await startProvider(row, WINDOW_TOKENS);
    const other = await startGateway(provider.origin, { ...small, store });
    let before = "";
    await runSmall(
      path,
      { store },
      {
        provider,
        between: async () => {
          before = lastList(provider, row);
          return other.url;
        },
      },
    );
    if ((row.turns ?? 2) > 1) expect(continues(provider, row, before)).toBe(true);
  });

  test("streams cut at odd bytes", async ({ skip }) => {
    const path = await program(skip);
    const provider = await startProvider(row, WINDOW_TOKENS);
    const wire = await startWire(provider.origin, 37);
    await runSmall(path, {}, { provider, origin: wire.origin });
  });

  test("an overloaded and a failing provider in between", async ({ skip }) => {
    const path = await program(skip);
    const provider = await startProvider(row, WINDOW_TOKENS);
    const isMain = ({ body }: { readonly body: JsonObject | undefined }): boolean =>
      body !== undefined && offers(body, row.shell.name);
    let seen = 0;
    for (const [type, at] of [
      ["overloaded", 9],
      ["server-error", 21],
      ["overloaded", 33],
      ["server-error", 60],
    ] as const) {
      provider.failNext({ type }, (request) => isMain(request) && seen++ >= at);
    }
    await runSmall(path, {}, { provider });
    expect(provider.requests.filter(({ outcome }) => outcome?.type === "failed").length).toBeGreaterThanOrEqual(2);
  });

  test.skipIf(row.agent === undefined)("another agent that it starts", async ({ skip }) => {
    const path = await program(skip);
    const { provider } = await runSmall(path, {}, { agentRounds: ROUNDS });
    const ofAgent = provider.requests.filter(({ bytes }) => bytes.includes(AGENT_PROMPT));
    expect(ofAgent.length).toBeGreaterThan(ROUNDS);
  });
});

async function report(name: string, provider: ProviderServer, gateway: TestGateway): Promise<void> {
  const [compactions, failures] = [
    await gateway.metric("compactions_total"),
    await gateway.metric("failed_open_total"),
  ];
  const share = (100 * cachedShare(provider, CLIENTS[name as ClientName])).toFixed(1);
  console.log(
    `${name}: ${provider.requests.length} requests, ${compactions} compactions, ${share} % cached, ${refusalsOf(provider).length} refusals`,
  );
  expect(failures).toBe(0);
}

/** The list of the newest request of the conversation, without marks for the cache. */
function lastList({ requests }: ProviderServer, { shell }: ClientRow): string {
  const body = requests.findLast(({ body }) => body !== undefined && offers(body, shell.name))?.body ?? {};
  return listOf(body);
}

function listOf(body: JsonObject): string {
  const list = body.messages ?? body.input ?? body.contents;
  return JSON.stringify(list, (key, value: unknown) => (key === "cache_control" ? undefined : value)).slice(1, -1);
}

/** Whether some later request began with all but the newest messages of that list. */
function continues({ requests }: ProviderServer, { shell }: ClientRow, before: string): boolean {
  const beginning = before.slice(0, Math.floor(before.length * 0.8));
  const lists = requests
    .filter(({ body }) => body !== undefined && offers(body, shell.name))
    .map(({ body = {} }) => listOf(body));
  const at = lists.indexOf(before);
  return lists.slice(at + 1, at + 3).some((list) => list.startsWith(beginning));
}
