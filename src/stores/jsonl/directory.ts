/** Which file of a directory holds which session: ours by their names, others' by the id in their headers. Reads only. */

import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { type JsonObject, stringOf } from "../../core/json.ts";
import { isPiHeader } from "../../core/pi-entries/live-path.ts";
import { fileNameOf, hashedNameOf, SESSION_ENDING } from "./file-name.ts";
import { readHeader } from "./read-session.ts";

export interface SessionDirectory {
  /** Undefined when no file holds that session. */
  find(sessionId: string): string | undefined;
  /** Where a new session of that id may be written. */
  freePath(sessionId: string): string;
  sessionIds(): readonly string[];
  /** Session files, and files with that ending that are none. */
  files(): readonly { readonly path: string; readonly sessionId: string | undefined }[];
  /** What was known of a file no longer holds. */
  forget(path: string): void;
}

export function sessionDirectory(directory: string): SessionDirectory {
  // A header is never changed, so each is read once.
  const known = new Map<string, string>();
  const idOf = (name: string): string | undefined => {
    const id = known.get(name) ?? sessionIdIn(readHeader(join(directory, name)));
    if (id !== undefined) known.set(name, id);
    return id;
  };
  const names = (): readonly string[] => namesIn(directory).filter((name) => name.endsWith(SESSION_ENDING));
  return {
    find(sessionId) {
      const own = [fileNameOf(sessionId), hashedNameOf(sessionId)].find((name) => idOf(name) === sessionId);
      const name = own ?? names().find((each) => idOf(each) === sessionId);
      return name === undefined ? undefined : join(directory, name);
    },
    freePath(sessionId) {
      const path = join(directory, fileNameOf(sessionId));
      return isFree(path) ? path : join(directory, hashedNameOf(sessionId));
    },
    sessionIds: () => [...new Set(names().flatMap((name) => idOf(name) ?? []))],
    files: () => names().map((name) => ({ path: join(directory, name), sessionId: idOf(name) })),
    forget(path) {
      known.delete(basename(path));
    },
  };
}

/** A file that was made and never written to is nobody's. */
function isFree(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

function sessionIdIn(header: JsonObject | undefined): string | undefined {
  return header !== undefined && isPiHeader(header) ? stringOf(header.id) : undefined;
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).sort();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
