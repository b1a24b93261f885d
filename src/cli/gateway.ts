/** `palimpsest gateway`: serves clients of any language until it is told to stop. Its settings can change while it runs. */

import { readFileSync } from "node:fs";
import { CompactionError } from "../core/errors.ts";
import { CLIENTS } from "../gateway/clients.ts";
import type { ServeOptions } from "../gateway/serve.ts";
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

const URL_SHOWN = "http://127.0.0.1:4100";

export const command: Command = {
  usage: "[options]",
  options: {
    port: { type: "string", value: "N", about: "default 4100; 0 takes one that is free" },
    host: { type: "string", value: "NAME", about: "default 127.0.0.1; any other needs a token" },
    store: { type: "string", value: "URL", about: "keeps every conversation as a session" },
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
  PALIMPSEST_GATEWAY_TOKEN  what every request must bring

Examples:
  palimpsest gateway
  palimpsest gateway --store sqlite:./sessions.db --port 4200
  palimpsest gateway --help claude-code
`,
  topic: (name) => {
    const client = Object.hasOwn(CLIENTS, name) ? CLIENTS[name] : undefined;
    if (client === undefined) throw usage(`there is no help on ${name}${didYouMean(name, Object.keys(CLIENTS))}`);
    return `${client.title}:\n\n${client.lines(URL_SHOWN)}\n\nWith a token: ${client.token("TOKEN")}\n`;
  },
  run,
};

async function run(given: Words, io: Io): Promise<ExitCode> {
  const { serveGateway } = await import("../gateway/serve.ts");
  const options = (): ServeOptions => ({ ...readOptions(given, io), log: logTo(given, io) });
  const server = await serveGateway(options());
  const ended = Promise.withResolvers<ExitCode>();
  let isEnding = false;
  const end = (): void => {
    // Whoever asks again does not want to wait.
    const closed = server.close(isEnding ? 0 : undefined);
    isEnding = true;
    closed.then(() => ended.resolve(EXIT.ok), ended.reject);
  };
  const reload = (): void => {
    try {
      server.reload(options());
      io.stderr.write(line({ event: "reloaded" }));
    } catch (error) {
      io.stderr.write(
        line({ event: "reload-failed", message: error instanceof Error ? error.message : String(error) }),
      );
    }
  };
  const stops = [io.onInterrupt(end), io.onInterrupt(end, "SIGTERM"), io.onInterrupt(reload, "SIGHUP")];
  try {
    io.stdout.write(greeting(server.url));
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

function line(entry: object): string {
  return `${JSON.stringify({ time: new Date().toISOString(), level: "info", ...entry })}\n`;
}

function greeting(url: string): string {
  const width = Math.max(...Object.keys(CLIENTS).map((name) => name.length));
  const rows = Object.entries(CLIENTS).map(
    ([name, { lines }]) => `  ${name.padEnd(width)}  ${lines(url).split("\n")[0]}`,
  );
  return `palimpsest gateway on ${url} (Ctrl-C ends it)\n\n${rows.join("\n")}\n\nNumbers: ${url}/metrics\n`;
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
  ...["conversation", "recall", "settings"],
];

function readConfig(file: string): ServeOptions {
  let config: unknown;
  try {
    config = JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    const problem = cause instanceof Error ? oneLine(cause.message) : String(cause);
    throw new CompactionError("invalid-settings", `${oneLine(file)} cannot be read as JSON: ${problem}`, { cause });
  }
  if (typeof config !== "object" || config === null || Array.isArray(config))
    throw usage(`${oneLine(file)} must hold one object`);
  const unknown = Object.keys(config).find((key) => !KEYS.includes(key));
  if (unknown !== undefined)
    throw usage(`${oneLine(file)} has an unknown key "${oneLine(unknown)}"${didYouMean(unknown, KEYS)}`);
  const { settings, ...others } = config as { readonly settings?: object };
  return { ...others, ...settings };
}
