/** Which file of a directory holds which session: ours by their names, others' by the id in their headers. Reads only. */

import { createHash } from "node:crypto";
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { stringOf } from "../../core/json.ts";
import { isPiHeader } from "../../core/pi-entries.ts";
import { whereThere } from "./lines.ts";
import { readHeader } from "./read.ts";
import { isTooNew } from "./record-entry.ts";
import { TEMPORARY_ENDING } from "./write.ts";

export interface SessionDirectory {
  /** Undefined when no file holds that session. */
  find(sessionId: string): string | undefined;
  /** Where a new session of that id may be written. */
  freePath(sessionId: string): string;
  /** Those that this version can read. */
  sessionIds(): readonly string[];
  /** Session files, and files with that ending that are none. */
  files(): readonly DirectoryFile[];
  /** Temporary files of writes that were cut off. */
  leftOver(): readonly LeftOver[];
  /** Drops what was remembered of a file. */
  forget(path: string): void;
}

interface DirectoryFile {
  readonly path: string;
  /** Undefined for a file that is no session. */
  readonly sessionId: string | undefined;
  readonly isTooNew: boolean;
}

interface LeftOver {
  readonly path: string;
  /** Which it was to become; there may be none. */
  readonly session: DirectoryFile;
}

export function sessionDirectory(directory: string): SessionDirectory {
  // A header is never changed, so each is read once.
  const known = new Map<string, DirectoryFile>();
  const fileOf = (name: string): DirectoryFile => {
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

/** An empty file belongs to no session. */
function isFree(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

function foundFile(path: string): DirectoryFile {
  const header = readHeader(path) ?? {};
  return { path, sessionId: isPiHeader(header) ? stringOf(header.id) : undefined, isTooNew: isTooNew(header) };
}

function namesIn(directory: string): readonly string[] {
  return whereThere(() => readdirSync(directory).sort()) ?? [];
}

const SESSION_ENDING = ".jsonl";
/** Of the file that holds a session's lease, behind the name of the session's file. */
export const LEASE_ENDING = ".lease";

export function fileNameOf(sessionId: string): string {
  const name = escaped(sessionId);
  return name.length > NAME_CHARACTERS_MAX ? hashedNameOf(sessionId) : `${name}${SESSION_ENDING}`;
}

/** For long ids, and where another session's file has the name. `=` is always escaped, so no other id gives such a name. */
function hashedNameOf(sessionId: string): string {
  return `=${createHash("sha256").update(sessionId).digest("hex")}${SESSION_ENDING}`;
}

/** File systems allow 255 bytes; our endings come behind the name. */
const NAME_CHARACTERS_MAX = 200;

/** Names of devices on Windows, whatever their ending. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/;

/** Escapes every other character as `%` and two digits per byte; a name may not begin with a dot. */
function escaped(sessionId: string): string {
  const plain = sessionId.replaceAll(/[^a-z0-9_.-]|^\./gu, bytesOf);
  return RESERVED.test(plain) ? `${bytesOf(plain.slice(0, 1))}${plain.slice(1)}` : plain;
}

function bytesOf(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}

/** The session's file need not be there. */
export function removeLeftOver(path: string): void {
  const directory = dirname(path);
  const mine = readdirSync(directory).filter((name) => sessionNameOf(name) === basename(path));
  for (const name of mine) rmSync(join(directory, name), { force: true });
}

/** The left-over temporary files among these names, each with its session's file. Those of leases hold no message, and do not count. */
function leftOverNames(names: readonly string[]): readonly { readonly name: string; readonly of: string }[] {
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
