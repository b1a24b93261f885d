/**
 * Where a session's file stands: a name that no id can turn into a path, that two ids never share (not on file systems that ignore
 * case either), and that every file system takes.
 */

import { createHash } from "node:crypto";

export const SESSION_ENDING = ".jsonl";

export function fileNameOf(sessionId: string): string {
  const name = escaped(sessionId);
  return name.length > NAME_CHARACTERS_MAX ? hashedNameOf(sessionId) : `${name}${SESSION_ENDING}`;
}

/** For long ids, and where another session's file has the name. `=` is always escaped, so no other id gives such a name. */
export function hashedNameOf(sessionId: string): string {
  return `=${createHash("sha256").update(sessionId).digest("hex")}${SESSION_ENDING}`;
}

/** File systems take 255 bytes; endings of ours come behind. */
const NAME_CHARACTERS_MAX = 200;

/** Names of devices on Windows, whatever their ending. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/;

/** What is not plain becomes `%` and two digits a byte; a dot may not come first. */
function escaped(sessionId: string): string {
  const plain = sessionId.replaceAll(/[^a-z0-9_.-]|^\./gu, bytesOf);
  return RESERVED.test(plain) ? `${bytesOf(plain.slice(0, 1))}${plain.slice(1)}` : plain;
}

function bytesOf(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}
