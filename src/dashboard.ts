/**
 * `createDashboard`: what is in a store, to look at in a browser: sessions, their context over time, and every compaction. A handler for
 * `node:http`. It only reads, unless `allowChanges` is set. It asks no other host for anything, and whatever a transcript holds is only text.
 */

import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { CompactionError } from "./core/errors.ts";
import type { Store } from "./core/store/store.ts";
import { withUpkeep } from "./core/store/store-upkeep.ts";
import { type Answer, type Asked, answerTo, type Desk, rollBack } from "./dashboard/answers.ts";
import { changeDenialOf, type Denial, denialOf, SAFE_HEADERS } from "./dashboard/guard.ts";
import { createSessionIndex } from "./dashboard/session-index.ts";
import type { Refusal, RollbackRequest } from "./dashboard/wire.ts";

export interface DashboardOptions {
  /** With both ports, as every store of this package has them. Whoever made it closes it. */
  readonly store: Store;
  /** Whether the page may take compactions back. Default: false. */
  readonly allowChanges?: boolean;
  /** Asked for as a password, or as a bearer token. Default: none. */
  readonly token?: string;
  /** Names by which the server is reached, beside those of the loopback interface; requests to any other name are refused. */
  readonly hosts?: readonly string[];
  /** Shows only sessions with this `tenant` in their metadata. */
  readonly tenant?: string;
  readonly now?: () => number;
}

/** Resolves with false, and has done nothing, where the address is not the dashboard's. */
export type Dashboard = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

/**
 * Answers `/` and what is below `/dashboard/`.
 * @example
 * const dashboard = createDashboard({ store: sqliteStore({ file: "./sessions.db" }) });
 * createServer(async (request, response) => {
 *   if (!(await dashboard(request, response))) response.writeHead(404).end();
 * }).listen(4100, "127.0.0.1");
 */
export function createDashboard(options: DashboardOptions): Dashboard {
  const { allowChanges = false, token, hosts = [], tenant, now = Date.now } = options;
  const store = withUpkeep(options.store, "be looked at");
  const desk: Desk = { store, index: createSessionIndex({ store, tenant, now }), compactions: new Map() };
  const pageToken = randomBytes(24).toString("base64url");
  const page = pageText(allowChanges ? pageToken : "");
  return async (request, response) => {
    const path = pathOf(request);
    if (path !== "/" && !path.startsWith("/dashboard/")) return false;
    const denial = denialOf(request, { hosts, token });
    if (denial !== undefined) deny(response, denial);
    else if (request.method === "POST") await change(desk, { request, response, pageToken, allowChanges });
    else if (request.method !== "GET" && request.method !== "HEAD") send(response, { status: 405, text: "" });
    else if (path === "/") await answering(response, async () => htmlAnswer(page));
    else await look(desk, request, response);
    return true;
  };
}

function pathOf({ url = "/" }: IncomingMessage): string {
  return url.replace(/[?#].*$/s, "");
}

/** The token is for changes; without it the page offers none. */
function pageText(pageToken: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="palimpsest-page" content="${pageToken}">
<title>Palimpsest</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="dashboard/page.css">
<script type="module" src="dashboard/page.js"></script>
</head>
<body><div id="page"><noscript>The dashboard needs JavaScript.</noscript></div></body>
</html>
`;
}

function htmlAnswer(text: string): Answer {
  for (const path of Object.keys(FILES)) builtFile(path);
  return { status: 200, type: "text/html; charset=utf-8", text };
}

/** Made by `npm run build:page`. */
const FILES: Readonly<Record<string, string>> = {
  "/dashboard/page.js": "text/javascript; charset=utf-8",
  "/dashboard/page.css": "text/css; charset=utf-8",
};

async function look(desk: Desk, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = pathOf(request);
  const type = Object.hasOwn(FILES, path) ? FILES[path] : undefined;
  const parameters = new URL(request.url ?? "/", "http://localhost").searchParams;
  const asked: Asked = { name: path.slice("/dashboard/".length), parameters, etag: request.headers["if-none-match"] };
  await answering(response, async () =>
    type === undefined ? answerTo(desk, asked) : { status: 200, type, text: builtFile(path) },
  );
}

function builtFile(path: string): string {
  for (const folder of BUILT) {
    const place = new URL(folder + path.slice("/dashboard/".length), import.meta.url);
    if (existsSync(place)) return readFileSync(place, "utf8");
  }
  throw new CompactionError("unreadable-file", "The page was not built: run npm run build:page.");
}

/** Seen from this file; in the package it is part of a chunk. */
const BUILT = ["./dashboard/built/", "../dashboard/built/"];

interface Change {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly pageToken: string;
  readonly allowChanges: boolean;
}

async function change(desk: Desk, { request, response, pageToken, allowChanges }: Change): Promise<void> {
  const denial = allowChanges
    ? changeDenialOf(request, pageToken)
    : ({ status: 403, message: "The dashboard only reads: it was started without changes." } as const);
  if (denial !== undefined) deny(response, denial);
  else if (pathOf(request) !== "/dashboard/rollback") send(response, { status: 404, text: "" });
  else await answering(response, async () => rollBack(desk, rollbackIn(await bodyOf(request))));
}

const BODY_BYTES_MAX = 65_536;

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new CompactionError("invalid-request", "The body is too long.");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch (cause) {
    throw new CompactionError("invalid-request", "The body is no JSON.", { cause });
  }
}

function rollbackIn(body: unknown): RollbackRequest {
  const { session, event, cascade = false } = (body ?? {}) as Partial<Record<string, unknown>>;
  if (typeof session === "string" && typeof event === "string" && typeof cascade === "boolean") {
    return { session, event, cascade };
  }
  throw new CompactionError("invalid-request", "A rollback names its session and its compaction.");
}

async function answering(response: ServerResponse, work: () => Promise<Answer>): Promise<void> {
  try {
    send(response, await work());
  } catch (error) {
    const isKnown = error instanceof CompactionError;
    const message = isKnown ? error.message : "Something failed here; it is not the store's fault.";
    const refusal: Refusal = { code: isKnown ? error.code : "internal", message };
    send(response, { status: isKnown ? (STATUS[error.code] ?? 500) : 500, text: JSON.stringify(refusal) });
  }
}

const STATUS: Readonly<Partial<Record<CompactionError["code"], number>>> = {
  "invalid-request": 400,
  "invalid-settings": 400,
  "session-missing": 404,
  "event-missing": 404,
  "message-missing": 404,
  "needs-cascade": 409,
  "archive-purged": 409,
  "store-conflict": 409,
  "already-in-progress": 409,
};

function deny(response: ServerResponse, { status, message }: Denial): void {
  if (status === 401) response.setHeader("www-authenticate", 'Basic realm="palimpsest", charset="UTF-8"');
  const refusal: Refusal = { code: "refused", message };
  send(response, { status, text: JSON.stringify(refusal) });
}

function send(response: ServerResponse, { status, type = "application/json", text, headers = {} }: Answer): void {
  response.writeHead(status, { ...SAFE_HEADERS, ...(text !== "" && { "content-type": type }), ...headers });
  response.end(response.req.method === "HEAD" ? "" : text);
}
