/** A gateway over upstreams of a test, and requests to it down to the bytes on the wire. Everything ends with the test. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type RequestOptions,
  request as startRequest,
} from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { buffer, text } from "node:stream/consumers";
import { onTestFinished, vi } from "vitest";
import { type GatewayLogLine, type GatewayServer, type ServeOptions, serveGateway } from "../src/gateway.ts";

export interface Upstream {
  readonly origin: string;
  readonly requests: readonly UpstreamRequest[];
}

export interface UpstreamRequest {
  readonly method: string;
  readonly path: string;
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage["headers"];
  readonly bytes: Buffer;
}

/** Reads each request whole before it answers. */
export async function startUpstream(answer: RequestListener = (_, response) => response.end("ok")): Promise<Upstream> {
  const requests: UpstreamRequest[] = [];
  const server = createServer(async (request, response) => {
    const bytes = await buffer(request).catch(() => Buffer.alloc(0));
    const { method = "", url: path = "", rawHeaders, headers } = request;
    requests.push({ method, path, rawHeaders, headers, bytes });
    answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, requests };
}

export interface TestGateway extends GatewayServer {
  readonly lines: readonly GatewayLogLine[];
  /** The value of a metric, by its name without the common beginning, and with its labels. */
  metric(name: string): Promise<number>;
}

/** All providers are the same upstream. */
export async function startGateway(origin: string, options: ServeOptions = {}): Promise<TestGateway> {
  const lines: GatewayLogLine[] = [];
  const upstreams = { anthropic: origin, openai: origin, gemini: origin, chatgpt: origin, ...options.upstreams };
  const gateway = await serveGateway({ port: 0, log: (line) => lines.push(line), ...options, upstreams });
  onTestFinished(() => gateway.close(0));
  const metric = async (name: string): Promise<number> => {
    const headers = options.token === undefined ? {} : { "x-palimpsest-token": options.token };
    const page = await (await fetch(`${gateway.url}/metrics`, { headers })).text();
    const row = page.split("\n").find((line) => line.startsWith(`palimpsest_gateway_${name} `));
    return Number(row?.split(" ").at(-1));
  };
  return { ...gateway, lines, metric };
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: readonly string[];
  readonly bytes: Buffer;
}

/** A request as `node:http` sends it: nothing is decoded, followed or added. */
export async function ask(
  url: string,
  { body, ...options }: RequestOptions & { readonly body?: string | Uint8Array } = {},
): Promise<WireAnswer> {
  const outgoing = startRequest(url, { agent: false, ...options });
  outgoing.end(body);
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  const { statusCode: status = 0, headers, rawHeaders } = answer;
  return { status, headers, rawHeaders, bytes: await buffer(answer) };
}

/** Writes bytes to the port and returns all that comes back until the connection ends. */
export async function speak(url: string, bytes: string | readonly string[]): Promise<string> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  for (const piece of typeof bytes === "string" ? [bytes] : bytes) socket.write(piece);
  return text(socket);
}

/** A gateway in a process of its own, as `palimpsest gateway` starts it. */
export interface GatewayProcess {
  readonly process: ChildProcess;
  readonly origin: string;
  /** The next line of its log that holds the text. */
  logged(text: string): Promise<string>;
}

/** With a file of options; ends with the test at the latest. */
export async function startProcess(config: string, port: number): Promise<GatewayProcess> {
  const main = join(import.meta.dirname, "../src/cli/main.ts");
  const words = [main, "gateway", "--config", config, "--port", String(port), "--quiet"];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "pipe"] });
  const unread: string[] = [];
  createInterface(child.stderr).on("line", (line) => unread.push(line));
  const logged = (wanted: string): Promise<string> =>
    vi.waitUntil(
      () => {
        const at = unread.findIndex((line) => line.includes(wanted));
        return at < 0 ? undefined : unread.splice(0, at + 1).at(-1);
      },
      { timeout: LOGGED_MS },
    );
  onTestFinished(() => void child.kill("SIGKILL"));
  for await (const line of createInterface(child.stdout)) {
    const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (origin !== undefined) return { process: child, origin, logged };
  }
  throw new Error(`The gateway did not start: ${unread.join("\n")}`);
}

/** Only what hangs waits so long. */
const LOGGED_MS = 60_000;
