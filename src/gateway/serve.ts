/**
 * A gateway with a server of its own: on this machine only unless it has a token, with limits for whoever connects, and with an end that
 * waits for the answers under way.
 */

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { CompactionError } from "../core/errors.ts";
import { isLoopback } from "./access.ts";
import { createGateway, type Gateway, type GatewayOptions } from "./handler.ts";
import { LIMITS } from "./limits.ts";

export interface ServeOptions extends GatewayOptions {
  /** Default: 4100; 0 takes one that is free. */
  readonly port?: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
}

export interface GatewayServer extends Pick<Gateway, "reload"> {
  readonly url: string;
  /** Takes no more requests and waits for those under way, but not longer than that, or than `limits.graceMs`. */
  close(withinMs?: number): Promise<void>;
}

export const PORT = 4_100;
const HOST = "127.0.0.1";

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

/** Listens, and resolves when it does. Throws `invalid-settings` where it cannot. */
export async function serveGateway({ port = PORT, host = HOST, ...options }: ServeOptions): Promise<GatewayServer> {
  if (!isLoopback(host) && options.token === undefined) {
    const problem = `The gateway passes keys on, so it listens on ${host} only with a token`;
    throw new CompactionError("invalid-settings", `${problem}: set PALIMPSEST_GATEWAY_TOKEN, or use ${HOST}.`);
  }
  const gateway = createGateway(options);
  await gateway.ready();
  const { headersMs, graceMs } = { ...LIMITS, ...options.limits };
  const server = createServer({ ...CONNECTION_LIMITS, headersTimeout: headersMs }, gateway);
  server.maxConnections = CONNECTIONS_MAX;
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (cause) {
    const message = `The gateway cannot listen on ${host}, port ${port}. Choose another port.`;
    throw new CompactionError("invalid-settings", message, { cause });
  }
  // A server that listens on a port has an address of this form.
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${taken}`,
    reload: gateway.reload,
    close: async (withinMs = graceMs) => {
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
