/** `palimpsest gateway`: serves clients of any language until it is told to stop. Its settings can change while it runs. */

import { readFileSync } from "node:fs";
import { CompactionError } from "../core/errors.ts";
import { isPlainObject } from "../core/json.ts";
import type { Store } from "../core/store/store.ts";
import { CLIENTS, HOST, PORT, urlAt } from "../gateway/clients.ts";
import type { GatewayServer, ServeOptions } from "../gateway/serve.ts";
import { openStore } from "../stores.ts";
import {
  type Command,
  didYouMean,
  EXIT,
  type ExitCode,
  type Io,
  readWindow,
  usage,
  WINDOW_OPTION,
  type Words,
} from "./command.ts";
import { oneLine } from "./one-line.ts";

export const command: Command = {
  usage: "[options]",
  options: {
    port: { type: "string", value: "N", about: "default 4100; 0 takes one that is free" },
    host: { type: "string", value: "NAME", about: "default 127.0.0.1; any other needs a token" },
    store: { type: "string", value: "URL", about: "keeps every conversation as a session" },
    "allow-changes": { type: "boolean", about: "the dashboard may take compactions back" },
    profile: { type: "string", value: "NAME", about: "see palimpsest profiles" },
    window: WINDOW_OPTION,
    config: { type: "string", value: "FILE", about: "JSON with these and all other options; read again on SIGHUP" },
    quiet: { type: "boolean", about: "no line on standard error for each request" },
  },
  notes: `Listens for requests of model clients and passes them on, with every
conversation kept inside its model's window. Runs until Ctrl-C, and then lets
the answers under way end; a second Ctrl-C cuts them off.

\`palimpsest gateway --help CLIENT\` prints how to point a client to it:
  ${Object.keys(CLIENTS).slice(0, 7).join(", ")},
  ${Object.keys(CLIENTS).slice(7).join(", ")}

Environment:
  PALIMPSEST_GATEWAY_TOKEN    what every request must bring
  PALIMPSEST_DASHBOARD_TOKEN  the password of the dashboard, which shows all
                              sessions; beside a gateway's token it needs one

Examples:
  palimpsest gateway
  palimpsest gateway --store sqlite:./sessions.db --port 4200
  palimpsest gateway --help claude-code
`,
  topic: (given) => {
    const [name = ""] = given.operands;
    const client = Object.hasOwn(CLIENTS, name) ? CLIENTS[name] : undefined;
    const names = Object.keys(CLIENTS);
    if (client === undefined)
      throw usage(`there is no help on "${name}"${didYouMean(name, names) || `; there is on ${names.join(", ")}`}`);
    const port = given.text("port");
    const url = urlAt(given.text("host") ?? HOST, port === undefined ? PORT : readPort(port));
    return `${client.title}:\n\n${client.lines(url)}\n\nWith a token: ${client.token("TOKEN")}\n`;
  },
  run,
};

async function run(given: Words, io: Io): Promise<ExitCode> {
  const [word] = given.operands;
  if (word !== undefined) throw usage(`gateway takes nothing but options, but was given "${word}"`);
  const { serveGateway } = await import("../gateway/serve.ts");
  const first = readOptions(given, io);
  const store = first.store === undefined ? undefined : await openStore(String(first.store));
  const pagesFor = store === undefined ? undefined : await dashboardOver(store, { first, given, io });
  const settled = (options: ServeOptions): ServeOptions => {
    if (options.store !== first.store) throw usage("the store cannot change while the gateway runs: start it anew");
    const pages = pagesFor?.(options);
    return { ...options, ...(store && { store }), ...(pages && { pages }), log: logTo(given, io) };
  };
  try {
    const server = await serveGateway(settled(first));
    const reload = (): void => server.reload(settled(readOptions(given, io)));
    const ended = untilEnded(server, io, given.text("config") === undefined ? undefined : reload);
    const dashboard =
      pagesFor !== undefined
        ? `Dashboard: ${server.url}/`
        : `No dashboard: ${store === undefined ? "it needs --store" : "set PALIMPSEST_DASHBOARD_TOKEN, its password"}.`;
    io.stdout.write(greeting(server.url, { hasToken: first.token !== undefined, dashboard, output: io.stdout }));
    return await ended;
  } finally {
    await store?.close();
  }
}

/** It shows the sessions of all callers, so whoever may only use the gateway does not get to see it. */
async function dashboardOver(
  store: Store,
  { first, given, io }: { readonly first: ServeOptions; readonly given: Words; readonly io: Io },
): Promise<((options: ServeOptions) => ServeOptions["pages"]) | undefined> {
  const token = io.environment.PALIMPSEST_DASHBOARD_TOKEN || undefined;
  if (first.token !== undefined && token === undefined) return undefined;
  const { createDashboard } = await import("../dashboard.ts");
  const allowChanges = given.isSet("allow-changes");
  const own = first.host === undefined ? [] : [`${first.host}`, `[${first.host}]`];
  return ({ hosts }) => {
    // Those of a file are checked by the gateway.
    const names = Array.isArray(hosts) ? [...own, ...hosts] : own;
    return createDashboard({ store, allowChanges, hosts: names, ...(token !== undefined && { token }) });
  };
}

/** Ctrl-C and SIGTERM end it. SIGHUP has it read its file again; without one, it is a terminal that was closed. */
async function untilEnded(server: GatewayServer, io: Io, reload: (() => void) | undefined): Promise<ExitCode> {
  const ended = Promise.withResolvers<ExitCode>();
  let isEnding = false;
  const end = (): void => {
    // Whoever asks again does not want to wait.
    const closed = server.close(isEnding ? 0 : undefined);
    isEnding = true;
    closed.then(() => ended.resolve(EXIT.ok), ended.reject);
  };
  const tell = (entry: object): void => {
    io.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), ...entry })}\n`);
  };
  const read = (): void => {
    try {
      reload?.();
      tell({ level: "info", event: "reload" });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      tell({ level: "error", event: "reload", message });
    }
  };
  const stops = [
    io.onInterrupt(end),
    io.onInterrupt(end, "SIGTERM"),
    io.onInterrupt(reload === undefined ? end : read, "SIGHUP"),
  ];
  try {
    return await ended.promise;
  } finally {
    for (const stop of stops) stop();
  }
}

function logTo(given: Words, io: Io): NonNullable<ServeOptions["log"]> {
  return (entry) => {
    if (entry.level === "error" || !given.isSet("quiet")) io.stderr.write(`${JSON.stringify(entry)}\n`);
  };
}

interface Greeting {
  readonly hasToken: boolean;
  readonly dashboard: string;
  readonly output: Io["stdout"];
}

/** A line to copy is whole or not there: a narrow terminal shows where it stands. */
function greeting(url: string, { hasToken, dashboard, output: { isTTY, columns } }: Greeting): string {
  const width = Math.max(...Object.keys(CLIENTS).map((name) => name.length));
  const columnsMax = isTTY === true && columns !== undefined ? columns : Number.POSITIVE_INFINITY;
  const { port } = new URL(url);
  const rows = Object.entries(CLIENTS).map(([name, { lines }]) => {
    const [line = ""] = lines(url).split("\n");
    const row = `  ${name.padEnd(width)}  ${line}`;
    return row.length <= columnsMax ? row : `  ${name.padEnd(width)}  palimpsest gateway --port ${port} --help ${name}`;
  });
  const pages = [
    ...(hasToken ? ["Clients bring the token; palimpsest gateway --help CLIENT says how."] : []),
    dashboard,
    `Numbers: ${url}/metrics`,
  ];
  return `palimpsest gateway on ${url} (Ctrl-C ends it)\n\n${rows.join("\n")}\n\n${pages.join("\n")}\n`;
}

/** What the command line says overrides the file. */
function readOptions(given: Words, io: Io): ServeOptions {
  const file = given.text("config");
  const token = io.environment.PALIMPSEST_GATEWAY_TOKEN;
  const window = readWindow(given);
  const text = (name: string): object => (given.text(name) === undefined ? {} : { [name]: given.text(name) });
  const port = given.text("port");
  return {
    ...(file !== undefined && readConfig(file)),
    ...text("host"),
    ...text("store"),
    ...text("profile"),
    ...(port !== undefined && { port: readPort(port) }),
    ...(window !== undefined && { windowTokens: window }),
    ...(token !== undefined && token !== "" && { token }),
  };
}

function readPort(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw usage(`--port must be a number up to 65535, not "${text}"`);
  return port;
}

const KEYS = [
  ...[
    "port",
    "host",
    "store",
    "profile",
    "windowTokens",
    "upstreams",
    "hosts",
    "limits",
    "summarizer",
    "conversations",
  ],
  ...["conversation", "recall", "cacheMarks", "callerKey", "settings"],
];

function readConfig(file: string): ServeOptions {
  const config = parsedFile(file);
  if (!isPlainObject(config)) throw usage(`${oneLine(file)} must hold one object`);
  const unknown = Object.keys(config).find((key) => !KEYS.includes(key));
  if (unknown !== undefined)
    throw usage(`${oneLine(file)} has an unknown key "${oneLine(unknown)}"${didYouMean(unknown, KEYS)}`);
  const { settings = {}, ...others } = config;
  if (!isPlainObject(settings)) throw usage(`"settings" of ${oneLine(file)} must be an object`);
  const outside = Object.keys(settings).find((key) => key !== "windowTokens" && KEYS.includes(key));
  if (outside !== undefined) throw usage(`"${outside}" of ${oneLine(file)} belongs beside "settings", not into it`);
  return { ...others, ...settings };
}

/** A mark of the byte order, as some editors write it, is no part of JSON. */
const BYTE_ORDER_MARK = /^\uFEFF/;

function parsedFile(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    const problem = `${oneLine(file)} cannot be read: ${READ_PROBLEMS[code] ?? `the system says ${code}`}`;
    throw new CompactionError("unreadable-file", problem, { cause });
  }
  try {
    return JSON.parse(text.replace(BYTE_ORDER_MARK, ""));
  } catch (cause) {
    const problem = cause instanceof Error ? oneLine(cause.message) : String(cause);
    throw new CompactionError("unreadable-file", `${oneLine(file)} is no JSON: ${problem}`, { cause });
  }
}

const READ_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "its permissions forbid it",
};
