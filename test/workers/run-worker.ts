/** Starts a worker as a process of its own, under the Node that runs the tests, and collects what it says. */

import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";

export interface Said {
  readonly type: string;
  readonly [key: string]: unknown;
}

export interface RunningWorker {
  readonly process: ChildProcess;
  /** Everything said so far. */
  readonly said: readonly Said[];
  /** The first line of that type, now or later. Rejects when the worker ends without it. */
  heard(type: string): Promise<Said>;
  /** When it has ended and all it said was read. */
  readonly ended: Promise<{ readonly code: number | null; readonly errors: string }>;
}

export function runWorker(file: string, argv: readonly string[]): RunningWorker {
  const child = spawn(process.execPath, [join(import.meta.dirname, file), ...argv], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  const said: Said[] = [];
  const waiting = new Set<() => void>();
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => {
    // A worker that was killed may leave half a line; what it said whole is what counts.
    if (line.endsWith("}")) said.push(JSON.parse(line));
    for (const wake of waiting) wake();
  });
  const read = new Promise<void>((resolve) => lines.once("close", resolve));
  const ended = new Promise<{ code: number | null; errors: string }>((resolve) => {
    child.once("close", async (code) => {
      await read;
      resolve({ code, errors });
      for (const wake of waiting) wake();
    });
  });
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  const heard = (type: string): Promise<Said> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const line = said.find((each) => each.type === type);
        if (line === undefined && !hasEnded) return;
        waiting.delete(look);
        if (line === undefined) reject(new Error(`${file} ended without saying ${type}: ${errors}`));
        else resolve(line);
      };
      waiting.add(look);
      void ended.then(look);
      look();
    });
  return { process: child, said, heard, ended };
}
