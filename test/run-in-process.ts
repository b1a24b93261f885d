/** Runs a command of the tool without a process of its own: the same code from the first word on, its streams kept as text. */

import { join } from "node:path";
import { runPalimpsest } from "../src/cli/dispatch.ts";
import type { Outcome } from "./run-cli.ts";

export interface InProcessOptions {
  readonly stdin?: string | Uint8Array;
  readonly environment?: Readonly<Record<string, string>>;
}

export async function runInProcess(words: readonly string[], options: InProcessOptions = {}): Promise<Outcome> {
  const written = { stdout: "", stderr: "" };
  const code = await runPalimpsest(words, {
    stdin: bytesOf(options.stdin ?? ""),
    stdout: { write: (text) => (written.stdout += text) },
    stderr: { write: (text) => (written.stderr += text) },
    environment: { LC_ALL: "C.UTF-8", ...options.environment },
    onInterrupt: () => () => {},
  });
  return { code, ...written };
}

export interface TestStore {
  readonly file: string;
  readonly url: string;
  /** A command with `--store` for this one. */
  cli(...words: string[]): Promise<Outcome>;
}

export function sqliteAt(folder: string, name: string): TestStore {
  const file = join(folder, name);
  const url = `sqlite:${file}`;
  return { file, url, cli: (...words) => runInProcess([...words, "--store", url]) };
}

async function* bytesOf(text: string | Uint8Array): AsyncIterable<Uint8Array> {
  yield typeof text === "string" ? Buffer.from(text) : text;
}
