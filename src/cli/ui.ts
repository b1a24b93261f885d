/** `palimpsest ui`: the sessions of a store in a browser, from this machine alone, until Ctrl-C. Changes nothing unless that is allowed. */

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createDashboard, type Dashboard } from "../dashboard.ts";
import { EXIT, usage, type Words } from "./command.ts";
import { storeCommand } from "./store-command.ts";

const PORT = 4117;
const HOST = "127.0.0.1";

export const command = storeCommand({
  // Looking at it makes no tables, and a rollback needs none.
  use: (given) => (given.isSet("allow-changes") ? "existing" : "reading"),
  usage: "[--port N] [--allow-changes] [options]",
  operands: [],
  options: {
    port: { type: "string", value: "N", about: `where it listens (default ${PORT}; 0 for any free port)` },
    "allow-changes": { type: "boolean", about: "with a button that takes a compaction back" },
  },
  notes: `Only this machine can open it. It asks no other host for anything, and ends
with Ctrl-C.

Examples:
  palimpsest ui
  palimpsest ui --store sqlite:agent.db --allow-changes
`,
  begin: (given) => {
    const [port, allowChanges] = [readPort(given), given.isSet("allow-changes")];
    return async ({ store, signal, print }) => {
      const server = serverOf(createDashboard({ store, allowChanges }));
      await listen(server, { port, signal });
      // A server that listens on a port has an address of this form.
      const url = `http://${HOST}:${(server.address() as AddressInfo).port}/`;
      print({ url, store: store.url, allowChanges }, () => [
        [`${url}  (${allowChanges ? "changes allowed" : "read-only"}; Ctrl-C ends it)`],
      ]);
      if (!signal.aborted) await once(signal, "abort");
      server.closeAllConnections();
      server.close();
      return EXIT.interrupted;
    };
  },
});

async function listen(server: Server, { port, signal }: { port: number; signal: AbortSignal }): Promise<void> {
  server.listen(port, HOST);
  try {
    await once(server, "listening", { signal });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
    throw usage(`port ${port} is in use; name another one with --port, or 0 for any that is free`);
  }
}

function serverOf(dashboard: Dashboard): Server {
  return createServer(async (request, response) => {
    if (!(await dashboard(request, response))) response.writeHead(404).end();
  });
}

function readPort(given: Words): number {
  const text = given.text("port");
  if (text === undefined) return PORT;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port >= 0 && port <= 65_535) return port;
  throw usage(`--port must be a number from 0 to 65535, not "${text}"`);
}
