/** `--out`: standard output, or a file that is written whole or not at all, and that nobody may read who could not read its source. */

import type { Io } from "./command.ts";
import { STANDARD_INPUT } from "./load.ts";
import { type WriteOptions, writeWhole } from "./write-whole.ts";

export interface Written {
  /** The value of `--out`; `-` for standard output. */
  readonly out: string;
  readonly text: string;
  /** The file that it was made from, `-` for standard input; undefined where it comes from a store. */
  readonly from: string | undefined;
}

export function writeOut({ out, text, from }: Written, { stdout }: Pick<Io, "stdout">): void {
  if (out === STANDARD_INPUT) stdout.write(text);
  else writeWhole(out, text, permissionsFor(from));
}

/** Those of the file. Nobody knows who may read a store, so what comes out of one is for its owner alone. */
function permissionsFor(from: string | undefined): WriteOptions {
  if (from === undefined) return { mode: 0o600 };
  return from === STANDARD_INPUT ? {} : { like: from };
}
