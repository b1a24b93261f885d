/**
 * One writer at a time, in this process and any other on the same files: a lock file beside the session's. It is held for one write,
 * never across a wait. A lock whose holder is gone is broken; one whose holder is merely slow is not.
 */

import { randomUUID } from "node:crypto";
import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { CompactionError } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { parseLine } from "./lines.ts";

export async function withLock<T>(path: string, work: () => T): Promise<T> {
  const lock = `${path}${LOCK_ENDING}`;
  const token = randomUUID();
  const deadlineMs = Date.now() + WAIT_MS_MAX;
  for (let waitMs = 1; !takeFile(lock, token); waitMs = Math.min(2 * waitMs, PAUSE_MS_MAX)) {
    if (isStale(lock)) breakLock(lock);
    else if (Date.now() > deadlineMs) throw stillLocked(lock);
    else await sleep(waitMs);
  }
  try {
    return work();
  } finally {
    // Only its own: a lock that was broken belongs to somebody else by now.
    if (holderOf(lock)?.token === token) rmSync(lock, { force: true });
  }
}

export const LOCK_ENDING = ".lock";

const WAIT_MS_MAX = 10_000;
const PAUSE_MS_MAX = 40;

/** A lock is held for milliseconds. Where nobody can ask whether its holder lives, it is taken for dead after this long. */
const FOREIGN_AGE_MS_MAX = 60_000;

/** Process ids are used again, so even one that lives may not be the holder any more. */
const LOCAL_AGE_MS_MAX = 600_000;

/** Between making the file and writing who holds it. */
const NAMELESS_AGE_MS_MAX = 5_000;

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly token: string;
}

/** False when it is there already. */
function takeFile(lock: string, token: string): boolean {
  try {
    const descriptor = openSync(lock, "wx");
    try {
      writeSync(descriptor, JSON.stringify({ pid: process.pid, host: hostname(), token }));
    } finally {
      closeSync(descriptor);
    }
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function holderOf(lock: string): Holder | undefined {
  try {
    const json = parseLine(readFileSync(lock, "utf8"));
    const { pid, host, token } = isObject(json) ? json : {};
    return typeof pid === "number" && typeof host === "string" && typeof token === "string"
      ? { pid, host, token }
      : undefined;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function isStale(lock: string): boolean {
  const ageMs = ageOf(lock);
  if (ageMs === undefined) return false;
  const holder = holderOf(lock);
  if (holder === undefined) return ageMs > NAMELESS_AGE_MS_MAX;
  if (holder.host !== hostname()) return ageMs > FOREIGN_AGE_MS_MAX;
  return !isAlive(holder.pid) || ageMs > LOCAL_AGE_MS_MAX;
}

/** One breaks at a time, and looks again before: otherwise the lock of whoever was quicker would be broken. */
function breakLock(lock: string): void {
  const breaking = `${lock}.break`;
  if ((ageOf(breaking) ?? 0) > NAMELESS_AGE_MS_MAX) rmSync(breaking, { force: true });
  if (!takeFile(breaking, "")) return;
  try {
    if (isStale(lock)) rmSync(lock, { force: true });
  } finally {
    rmSync(breaking, { force: true });
  }
}

function ageOf(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && Date.now() - found.mtimeMs;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function stillLocked(lock: string): CompactionError {
  const holder = holderOf(lock);
  const who = holder === undefined ? "somebody" : `process ${holder.pid} on ${holder.host}`;
  const message = `The session is locked by ${who} for longer than ${WAIT_MS_MAX / 1_000} s. Nothing was changed; try again, or remove ${lock} if nobody writes to it.`;
  return new CompactionError("storage", message, { retryable: true });
}
