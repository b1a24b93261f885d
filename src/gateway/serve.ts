/**
 * A gateway with a server of its own: on this machine only unless it has a token, with limits for whoever connects, and with an end that
 * waits for the answers under way.
 */

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { CompactionError } from "../core/errors.ts";
import { checkSchema, refuseProblems } from "../core/settings/check-schema.ts";
import { amount, filledText, group, type ObjectSchema } from "../core/settings/schema.ts";
import { isLoopback } from "./access.ts";
import { HOST, PORT, urlAt } from "./clients.ts";
import { createGateway, type GatewayOptions } from "./handler.ts";
import { LIMITS } from "./limits.ts";

export interface ServeOptions extends GatewayOptions {
  /** Default: 4100; 0 takes one that is free. */
  readonly port?: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
}

export interface GatewayServer {
  readonly url: string;
  /** Other options for the requests that come from now on. Throws where they are wrong or name another port or host, and then the old ones stay. */
  reload(options: ServeOptions): void;
  /** Takes no more requests and waits for those under way, but not longer than that, or than `limits.graceMs`. */
  close(withinMs?: number): Promise<void>;
}

/** Of a connection, whatever is asked over it. */
const CONNECTION_LIMITS = {
  requestTimeout: 300_000,
  // How soon a slow client is found.
  connectionsCheckingInterval: 1_000,
  // Clients that wait between two requests would run into a connection that is just being closed.
  keepAliveTimeout: 65_000,
  maxHeaderSize: 64 * 1_024,
} as const;
const CONNECTIONS_MAX = 2_000;

const ADDRESS: ObjectSchema = group("Where a gateway listens.", {
  port: { ...amount("Its port."), max: 65_535 },
  host: filledText("Its name or address."),
});

/** Listens, and resolves when it does. Throws `invalid-settings` where it cannot. */
export async function serveGateway({ port = PORT, host = HOST, ...options }: ServeOptions): Promise<GatewayServer> {
  refuseProblems(checkSchema({ port, host }, ADDRESS, { partial: false }));
  refuseOpenDoor(host, options);
  const gateway = createGateway(options);
  await gateway.ready();
  let limits = { ...LIMITS, ...options.limits };
  const server = createServer({ ...CONNECTION_LIMITS, headersTimeout: limits.headersMs }, gateway);
  server.maxConnections = CONNECTIONS_MAX;
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (cause) {
    await gateway.close();
    const problem = `The gateway cannot listen on ${host}, port ${port}: ${listenProblem(cause)}`;
    throw new CompactionError("invalid-settings", problem, { cause });
  }
  // A server that listens on a port has an address of this form.
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: urlAt(host, taken),
    reload: ({ port: otherPort = port, host: otherHost = host, ...next }) => {
      if (otherPort !== port || otherHost !== host) {
        throw new CompactionError(
          "invalid-settings",
          "port and host cannot change while the gateway runs: start it anew.",
        );
      }
      refuseOpenDoor(host, next);
      gateway.reload(next);
      limits = { ...LIMITS, ...next.limits };
      server.headersTimeout = limits.headersMs;
    },
    close: async (withinMs = limits.graceMs) => {
      const closed = once(server, "close");
      server.close();
      const timer = setTimeout(() => server.closeAllConnections(), withinMs);
      await gateway.close();
      server.closeIdleConnections();
      await closed;
      clearTimeout(timer);
    },
  };
}

function refuseOpenDoor(host: string, { token }: GatewayOptions): void {
  if (isLoopback(host) || token !== undefined) return;
  const problem = `The gateway passes keys on, so it listens on ${host} only with a token`;
  throw new CompactionError("invalid-settings", `${problem}: set PALIMPSEST_GATEWAY_TOKEN, or use ${HOST}.`);
}

function listenProblem(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return LISTEN_PROBLEMS[code] ?? `the system says ${code}. Choose another one.`;
}

const LISTEN_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: "something listens there already. Choose another port, or 0 for any that is free.",
  EACCES: "only an administrator may. Choose a port above 1023.",
  EADDRNOTAVAIL: "this machine has no such address. Choose another host.",
  ENOTFOUND: "nobody knows that name. Choose another host.",
};
