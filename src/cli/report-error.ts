/** Whatever was thrown, as one line and an exit code. The stack only where PALIMPSEST_DEBUG asks for it. */

import { CompactionError } from "../core/errors.ts";
import { EXIT, type ExitCode, type Io } from "./command.ts";
import { oneLine } from "./one-line.ts";

export function reportError(error: unknown, { stderr, environment }: Pick<Io, "stderr" | "environment">): ExitCode {
  const isExpected = error instanceof CompactionError;
  const message = oneLine(error instanceof Error ? error.message : String(error));
  stderr.write(
    isExpected
      ? `palimpsest: ${message}\n`
      : `palimpsest: internal error: ${message}; ${adviceFor(process.versions.node)}\n`,
  );
  if (environment.PALIMPSEST_DEBUG && error instanceof Error) stderr.write(`${error.stack}\n`);
  if (!isExpected) return EXIT.internal;
  return error.retryable ? EXIT.busy : EXIT.usage;
}

/** As `engines` in package.json has it; a test holds them together. */
export const NODE_MIN: readonly [major: number, minor: number] = [22, 18];

/** What an older Node lacks fails somewhere inside, and would read as our defect. */
export function adviceFor(nodeVersion: string): string {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  const isOlder = major < NODE_MIN[0] || (major === NODE_MIN[0] && minor < NODE_MIN[1]);
  return isOlder
    ? `this is Node ${nodeVersion}, and Node ${NODE_MIN.join(".")} or newer is needed`
    : "set PALIMPSEST_DEBUG=1 for the stack";
}
