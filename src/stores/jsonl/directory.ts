/** Which file of a directory holds which session: ours by their names, others' by the id in their headers. Reads only. */

import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { stringOf } from "../../core/json.ts";
import { isPiHeader } from "../../core/pi-entries/live-path.ts";
import { fileNameOf, hashedNameOf, SESSION_ENDING } from "./file-name.ts";
import { isTooNew } from "./header.ts";
import { leftOverNames } from "./left-over.ts";
import { readHeader } from "./read-session.ts";

export interface SessionDirectory {
  /** Undefined when no file holds that session. */
  find(sessionId: string): string | undefined;
  /** Where a new session of that id may be written. */
  freePath(sessionId: string): string;
  /** Those that this version can read. */
  sessionIds(): readonly string[];
  /** Session files, and files with that ending that are none. */
  files(): readonly FoundFile[];
  /** What writes that were cut off left, and is no session's. */
  leftOver(): readonly LeftOver[];
  /** What was known of a file no longer holds. */
  forget(path: string): void;
}

export interface FoundFile {
  readonly path: string;
  /** Undefined for a file that is no session. */
  readonly sessionId: string | undefined;
  readonly isTooNew: boolean;
}

export interface LeftOver {
  readonly path: string;
  /** Which it was to become; there may be none. */
  readonly session: FoundFile;
}

export function sessionDirectory(directory: string): SessionDirectory {
  // A header is never changed, so each is read once.
  const known = new Map<string, FoundFile>();
  const fileOf = (name: string): FoundFile => {
    const file = known.get(name) ?? foundFile(join(directory, name));
    if (file.sessionId !== undefined) known.set(name, file);
    return file;
  };
  const idOf = (name: string): string | undefined => fileOf(name).sessionId;
  const names = (): readonly string[] => namesIn(directory).filter((name) => name.endsWith(SESSION_ENDING));
  return {
    find(sessionId) {
      // Another process may have deleted it since.
      const isHere = (name: string): boolean => idOf(name) === sessionId && existsSync(join(directory, name));
      const own = [fileNameOf(sessionId), hashedNameOf(sessionId)].find(isHere);
      const name = own ?? names().find((each) => idOf(each) === sessionId);
      return name === undefined ? undefined : join(directory, name);
    },
    freePath(sessionId) {
      const path = join(directory, fileNameOf(sessionId));
      return isFree(path) ? path : join(directory, hashedNameOf(sessionId));
    },
    sessionIds() {
      const readable = names()
        .map(fileOf)
        .filter(({ isTooNew }) => !isTooNew);
      return [...new Set(readable.flatMap(({ sessionId }) => sessionId ?? []))];
    },
    files: () => names().map(fileOf),
    leftOver: () =>
      leftOverNames(namesIn(directory)).map(({ name, of }) => ({ path: join(directory, name), session: fileOf(of) })),
    forget(path) {
      known.delete(basename(path));
    },
  };
}

/** A file that was made and never written to is nobody's. */
function isFree(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

function foundFile(path: string): FoundFile {
  const header = readHeader(path) ?? {};
  return { path, sessionId: isPiHeader(header) ? stringOf(header.id) : undefined, isTooNew: isTooNew(header) };
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).sort();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
