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
      : `palimpsest: internal error: ${message}; set PALIMPSEST_DEBUG=1 for the stack\n`,
  );
  if (environment.PALIMPSEST_DEBUG && error instanceof Error) stderr.write(`${error.stack}\n`);
  if (!isExpected) return EXIT.internal;
  return error.retryable ? EXIT.busy : EXIT.usage;
}
