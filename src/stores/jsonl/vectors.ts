/**
 * The vectors of a session's messages, for search by meaning, in a file beside the session's own. Its first line names the session; each
 * other line holds a message's number and its vector. Lines that are not whole do not count: the next search makes them anew.
 */

import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { MessageVector } from "../../core/search/embedding.ts";
import { PRIVATE_FILE } from "../private-files.ts";
import { parseLine, whereThere } from "./lines.ts";
import { readHeader } from "./read.ts";

/** Behind the name of the session's file. */
const VECTORS_ENDING = ".vectors";

/** By the numbers of the messages; none where the file is an earlier session's. */
export function readVectors(path: string, incarnation: string): ReadonlyMap<number, Int8Array> {
  const text = whereThere(() => readFileSync(`${path}${VECTORS_ENDING}`, "utf8")) ?? "";
  const [header = "", ...lines] = text.split("\n").filter((line) => line !== "");
  if (parseLine(header)?.incarnation !== incarnation) return new Map();
  return new Map(
    lines.flatMap((line) => {
      const { sequence, vector } = parseLine(line) ?? {};
      if (typeof sequence !== "number" || typeof vector !== "string") return [];
      return [[sequence, Int8Array.from(Buffer.from(vector, "base64"))] as const];
    }),
  );
}

/** The caller holds the lock of the session, here and below. */
export function addVectors(path: string, incarnation: string, vectors: readonly MessageVector[]): void {
  const file = `${path}${VECTORS_ENDING}`;
  const lines = vectors.map(({ sequence, vector }) => {
    const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
    return `${JSON.stringify({ sequence, vector: bytes.toString("base64") })}\n`;
  });
  // A line before may be torn.
  if (readHeader(file)?.incarnation === incarnation) appendFileSync(file, `\n${lines.join("")}`);
  else writeFileSync(file, `${JSON.stringify({ incarnation })}\n${lines.join("")}`, { mode: PRIVATE_FILE });
}

/** Of a session that was forked, or of this one without purged messages: takes the place of what the file holds. */
export function replaceVectors(path: string, incarnation: string, vectors: ReadonlyMap<number, Int8Array>): void {
  removeVectors(path);
  const list = [...vectors].map(([sequence, vector]) => ({ sequence, vector }));
  if (list.length > 0) addVectors(path, incarnation, list);
}

export function removeVectors(path: string): void {
  rmSync(`${path}${VECTORS_ENDING}`, { force: true });
}
