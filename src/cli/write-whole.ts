/**
 * Writes a file whole or not at all: beside its place under another name, then renamed. Never leaves half a file, and never
 * replaces the input it was made from.
 */

import { realpathSync, renameSync, rmSync, type Stats, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { CompactionError } from "../core/errors.ts";
import { usage } from "./arguments.ts";

/** Refuses before any work is done. The same file under another name, by a link, is the same file. */
export function refuseSameFile(input: string, output: string): void {
  refuseOutput(output);
  const from = statOf(input);
  const to = statOf(output);
  if (from === undefined || to === undefined || from.ino !== to.ino || from.dev !== to.dev) return;
  throw usage(`--out is the input file itself, which is never overwritten; name another file`);
}

/** A directory, a device or a pipe cannot be replaced. */
export function refuseOutput(output: string): void {
  const to = statOf(output);
  if (to !== undefined && !to.isFile())
    throw usage(`--out ${output} is no ordinary file; name one, or - for standard output`);
}

export interface WriteOptions {
  /** Whose permissions to take over, so that what was private stays so. */
  readonly like?: string;
  /** The permissions of a file that is made, where there is no other to take them from. */
  readonly mode?: number;
}

export function writeWhole(path: string, text: string, { like, mode: own }: WriteOptions = {}): void {
  const place = resolveLinks(path);
  const temporary = join(dirname(place), `.${basename(place)}.${process.pid}.tmp`);
  const mode = like === undefined ? own : statOf(like)?.mode;
  try {
    writeFileSync(temporary, text, { flag: "wx", flush: true, ...(mode === undefined ? {} : { mode: mode & 0o666 }) });
    renameSync(temporary, place);
  } catch (cause) {
    rmSync(temporary, { force: true });
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    throw new CompactionError("invalid-settings", `${path} could not be written (${code}); nothing was changed`, {
      cause,
    });
  }
}

/** A link stays a link, and what it leads to is replaced. */
function resolveLinks(path: string): string {
  return statOf(path) === undefined ? path : realpathSync(path);
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined; // missing or out of reach: reading or writing it will say so
  }
}
