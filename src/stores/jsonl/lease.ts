/** The lease of a session, in a file beside it that is replaced as a whole. The caller holds the lock. */

import { readFileSync } from "node:fs";
import { numberOf, stringOf } from "../../core/json.ts";
import { type LeaseState, NO_LEASE } from "../log/lease.ts";
import { parseLine } from "./lines.ts";
import { type Replacement, replaceFile } from "./write.ts";

export const LEASE_ENDING = ".lease";

/** A file that cannot be read as one holds no lease; one that says no length is believed. */
export function readLease(path: string): LeaseState {
  const json = parseLine(textOf(`${path}${LEASE_ENDING}`)) ?? {};
  const [holder, token, expiresAtMs] = [stringOf(json.holder), numberOf(json.token), numberOf(json.expiresAtMs)];
  if (holder === undefined || token === undefined || expiresAtMs === undefined) return NO_LEASE;
  return { holder, token, expiresAtMs, lengthMs: numberOf(json.lengthMs) ?? Number.POSITIVE_INFINITY };
}

/** Not synced: whoever held a lease when the machine stopped has stopped with it. False when it came too late. */
export function writeLease(path: string, state: LeaseState, how: Omit<Replacement, "sync">): boolean {
  return replaceFile(`${path}${LEASE_ENDING}`, Buffer.from(JSON.stringify(state)), { sync: "never", ...how });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}
