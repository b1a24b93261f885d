/** The lease of a session, in a file beside it that is replaced as a whole. The caller holds the lock. */

import { readFileSync } from "node:fs";
import { type LeaseState, NO_LEASE } from "../log/lease-state.ts";
import { parseLine } from "./lines.ts";
import { replaceFile } from "./write-session.ts";

export const LEASE_ENDING = ".lease";

/** A file that cannot be read as one holds no lease. */
export function readLease(path: string): LeaseState {
  const { holder, token, expiresAtMs } = parseLine(textOf(`${path}${LEASE_ENDING}`)) ?? {};
  const isSound = typeof holder === "string" && typeof token === "number" && typeof expiresAtMs === "number";
  return isSound ? { holder, token, expiresAtMs } : NO_LEASE;
}

/** Not synced: whoever held a lease when the machine stopped has stopped with it. */
export function writeLease(path: string, state: LeaseState, suffix: string): void {
  replaceFile(`${path}${LEASE_ENDING}`, Buffer.from(JSON.stringify(state)), { sync: "never", suffix });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}
