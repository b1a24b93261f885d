/** A dashboard over real HTTP, for tests: what a page would ask, and how. */

import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createDashboard, type DashboardOptions } from "../src/dashboard.ts";

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface DashboardServer {
  readonly origin: string;
  /** As any client asks, with headers that a browser would not let a page set. */
  ask(path: string, headers?: Readonly<Record<string, string>>): Promise<Answered>;
  post(path: string, body: string, headers?: Readonly<Record<string, string>>): Promise<Answered>;
  /** The answer to one of the page's questions. */
  get<T>(name: string, parameters?: Readonly<Record<string, string>>): Promise<T>;
  close(): Promise<void>;
}

export async function startDashboard(options: DashboardOptions): Promise<DashboardServer> {
  const dashboard = createDashboard(options);
  const server = createServer(async (incoming, response) => {
    if (!(await dashboard(incoming, response))) response.writeHead(404).end("not the dashboard's");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  const send = async (method: string, path: string, headers: object, body = ""): Promise<Answered> => {
    const sent = request({ port, host: "127.0.0.1", path, method, headers: { ...headers } });
    sent.end(body);
    const [response] = await once(sent, "response");
    return { status: response.statusCode, headers: response.headers, text: await text(response) };
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    ask: (path, headers = {}) => send("GET", path, headers),
    post: (path, body, headers = {}) => send("POST", path, headers, body),
    get: async (name, parameters = {}) => {
      const answer = await send("GET", `/dashboard/${name}?${new URLSearchParams(parameters)}`, {});
      if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${answer.text}`);
      return JSON.parse(answer.text);
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
