/** Runs the command line tool as its users do: a child process of its own, from the source, with pipes for all streams. */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly stdin?: string | Buffer;
  readonly environment?: Readonly<Record<string, string>>;
  /** Stop reading standard output after its first bytes, as `head` does. */
  readonly hangsUp?: boolean;
  /** Press Ctrl-C as soon as the program reads its standard input, which stays open. */
  readonly interrupts?: boolean;
}

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const MAIN = join(ROOT, "src", "cli", "main.ts");

export async function runCli(words: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const { FORCE_COLOR: _force, NO_COLOR: _no, PALIMPSEST_DEBUG: _debug, ...inherited } = process.env;
  const environment = { ...inherited, LC_ALL: "C.UTF-8", ...options.environment };
  const child = spawn(process.execPath, [MAIN, ...words], { cwd: ROOT, env: environment });
  child.stdin.on("error", () => {}); // a program that never reads its input closes it
  // More than a pipe holds: what was written has been read, for the most part.
  if (options.interrupts) child.stdin.write(Buffer.alloc(1_000_000, "x"), () => child.kill("SIGINT"));
  else child.stdin.end(options.stdin ?? "");
  const stdout = options.hangsUp === true ? hangUp(child.stdout) : text(child.stdout);
  const exited = new Promise<number | null>((resolve) => child.on("close", resolve));
  const [out, stderr, code] = await Promise.all([stdout, text(child.stderr), exited]);
  return { code, stdout: out, stderr };
}

async function hangUp(stream: NodeJS.ReadableStream & { destroy(): unknown }): Promise<string> {
  for await (const chunk of stream) {
    stream.destroy();
    return String(chunk);
  }
  return "";
}

/** A folder of its own for a test file, to be removed afterwards. */
export function temporaryFolder(): {
  readonly path: string;
  file(name: string, contents: unknown): string;
  remove(): void;
} {
  const path = mkdtempSync(join(tmpdir(), "palimpsest-cli-"));
  return {
    path,
    file: (name, contents) => {
      const place = join(path, name);
      const isRaw = typeof contents === "string" || Buffer.isBuffer(contents);
      writeFileSync(place, isRaw ? contents : JSON.stringify(contents));
      return place;
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
