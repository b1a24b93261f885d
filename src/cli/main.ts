#!/usr/bin/env node
/**
 * The `palimpsest` command as a process: its streams, its signals, its exit code. What it does is in dispatch.ts.
 */

import { EXIT } from "./command.ts";
import { runPalimpsest } from "./dispatch.ts";

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // A reader such as `head` that has seen enough is no error.
    if (error.code !== "EPIPE") process.exitCode = EXIT.usage;
    if (error.code !== "EPIPE" && stream === process.stdout) {
      process.stderr.write(`palimpsest: the output could not be written (${error.code})\n`);
    }
    process.exit();
  });
}

process.exitCode = await runPalimpsest(process.argv.slice(2), {
  stdin: process.stdin,
  keyboard: process.stdin.isTTY && process.stdout.isTTY ? process.stdin : undefined,
  stdout: process.stdout,
  stderr: process.stderr,
  environment: process.env,
  onInterrupt: (listener, signal = "SIGINT") => {
    process.on(signal, listener);
    return () => process.off(signal, listener);
  },
});
// Input that is still open would keep the process alive.
if (process.exitCode === EXIT.interrupted) process.exit();
