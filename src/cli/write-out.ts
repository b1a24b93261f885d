/** `--out`: standard output, or a file that is written whole or not at all, with permissions no wider than those of its source. */

import { realpathSync, renameSync, rmSync, type Stats, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { CompactionError } from "../core/errors.ts";
import { type Io, usage, type Words } from "./command.ts";
import { STANDARD_INPUT } from "./load.ts";

interface OutputText {
  /** The value of `--out`; `-` for standard output. */
  readonly out: string;
  readonly text: string;
  /** The file that it was made from, `-` for standard input; undefined where it comes from a store. */
  readonly from: string | undefined;
}

/** The value of `--out`, checked before any work is done; undefined where it is left out. */
export function readOutput(given: Words): string | undefined {
  const out = given.text("out");
  if (out === "") throw usage("--out needs a FILE (- for standard output)");
  if (out === STANDARD_INPUT && given.isSet("json"))
    throw usage("--json and --out - both want standard output; name a file");
  return out;
}

export function writeOut({ out, text, from }: OutputText, { stdout }: Pick<Io, "stdout">): void {
  if (out === STANDARD_INPUT) stdout.write(text);
  else writeWhole(out, text, modeFor(from));
}

/** The permissions of the file. Who may read a store is not known, so a file that comes from one is for its owner alone. */
function modeFor(from: string | undefined): number | undefined {
  if (from === undefined) return 0o600;
  return from === STANDARD_INPUT ? undefined : statOf(from)?.mode;
}

/** Refuses before any work is done. The same file under another name, by a link, is the same file. */
export function refuseSameFile(input: string, output: string): void {
  refuseOutput(output);
  const from = statOf(input);
  const to = statOf(output);
  if (from === undefined || to === undefined || from.ino !== to.ino || from.dev !== to.dev) return;
  throw usage("--out is the input file itself, which is never overwritten; name another file");
}

/** A directory, a device or a pipe cannot be replaced. */
export function refuseOutput(output: string): void {
  const to = statOf(output);
  if (to === undefined || to.isFile()) return;
  throw usage(`--out ${output} is no ordinary file; name one, or - for standard output`);
}

function writeWhole(path: string, text: string, mode: number | undefined): void {
  // A link stays a link, and the file that it leads to is replaced.
  const place = statOf(path) === undefined ? path : realpathSync(path);
  const temporary = join(dirname(place), `.${basename(place)}.${process.pid}.tmp`);
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

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined; // missing or out of reach: reading or writing it will say so
  }
}
