/**
 * Files that a process left which was killed while it wrote one anew. They hold what the session held, so they must not outlive it.
 * Removes nothing but those, and only for a caller that holds the session's lock.
 */

import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { SESSION_ENDING } from "./file-name.ts";
import { LEASE_ENDING } from "./lease-file.ts";
import { TEMPORARY_ENDING } from "./write-session.ts";

/** The session's file need not be there. */
export function removeLeftOver(path: string): void {
  const directory = dirname(path);
  const mine = readdirSync(directory).filter((name) => sessionNameOf(name) === basename(path));
  for (const name of mine) rmSync(join(directory, name), { force: true });
}

/**
 * Of the names of a directory, those of such files, each with the name of the session's file that it was to become. One that was
 * to become a lease is none: it holds no message, and any worker's end may leave one.
 */
export function leftOverNames(names: readonly string[]): readonly { readonly name: string; readonly of: string }[] {
  return names.flatMap((name) => {
    const of = sessionNameOf(name);
    return of === undefined || name.startsWith(`${of}${LEASE_ENDING}.`) ? [] : [{ name, of }];
  });
}

/** A session's id may hold any ending of ours, so the last one that a session's file has ends the name. */
function sessionNameOf(name: string): string | undefined {
  const end = name.endsWith(TEMPORARY_ENDING) ? name.lastIndexOf(`${SESSION_ENDING}.`) : -1;
  return end === -1 ? undefined : name.slice(0, end + SESSION_ENDING.length);
}
