/**
 * One writer at a time, in this process and any other on the same files: a lock file beside the session's. It is held for one write,
 * never across a wait. The lock of a holder that is gone is broken, and in the end that of one which does not move any more. Such a
 * holder may wake up, so a lock alone protects nothing: a writer asks `isHeld` first, and checks its write afterwards.
 */

import { randomUUID } from "node:crypto";
import { closeSync, openSync, readFileSync, readlinkSync, rmSync, statSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { CompactionError } from "../../core/errors.ts";
import { numberOf, stringOf } from "../../core/json.ts";
import { throwIfAborted, type Waiting } from "../../core/store/store.ts";
import { PRIVATE_FILE } from "../private-files.ts";
import { codeOf, parseLine, whereThere } from "./lines.ts";

export interface HeldLock {
  /** False when another process took it. */
  isHeld(): boolean;
}

/** Throws `aborted` where the signal fires before the lock is taken. */
export type WithLock = <T>(path: string, work: (lock: HeldLock) => T, waiting: Waiting) => Promise<T>;

export function fileLocks(): WithLock {
  const self = thisProcess();
  return async (path, work, waiting) => {
    const lock = `${path}${LOCK_ENDING}`;
    const token = randomUUID();
    const deadlineMs = performance.now() + WAIT_MS_MAX;
    for (let waitMs = 1; !takeFile(lock, { ...self, token }); waitMs = Math.min(2 * waitMs, PAUSE_MS_MAX)) {
      if (isStale(lock, self)) breakLock(lock, self);
      else if (performance.now() > deadlineMs) throw stillLocked(lock);
      else await pause(waitMs, waiting);
    }
    const isHeld = (): boolean => holderOf(lock)?.token === token;
    try {
      return work({ isHeld });
    } finally {
      // Only our own: a lock that was broken belongs to another process by now.
      if (isHeld()) rmSync(lock, { force: true });
    }
  };
}

/** Whether a process that may be alive holds it, as far as this process can see. */
export function isLocked(path: string): boolean {
  const lock = `${path}${LOCK_ENDING}`;
  return ageOf(lock) !== undefined && !isStale(lock, thisProcess());
}

async function pause(waitMs: number, waiting: Waiting): Promise<void> {
  await sleep(waitMs, undefined, waiting.signal === undefined ? {} : { signal: waiting.signal }).catch(() => {});
  throwIfAborted(waiting);
}

const LOCK_ENDING = ".lock";

const WAIT_MS_MAX = 10_000;
const PAUSE_MS_MAX = 40;

/** A lock is held for milliseconds. A holder that cannot be checked counts as dead after this long. */
const UNKNOWN_AGE_MS_MAX = 60_000;

/** A living holder that has not written for so long has been stopped. */
const LIVING_AGE_MS_MAX = 600_000;

/** Between making the file and writing who holds it. */
const NAMELESS_AGE_MS_MAX = 5_000;

/** False when it is there already. */
function takeFile(lock: string, holder: Holder): boolean {
  try {
    const descriptor = openSync(lock, "wx", PRIVATE_FILE);
    try {
      writeSync(descriptor, JSON.stringify(holder));
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
  return whereThere(() => holderIn(readFileSync(lock, "utf8")));
}

function isStale(lock: string, self: Self): boolean {
  const ageMs = ageOf(lock);
  if (ageMs === undefined) return false;
  const holder = holderOf(lock);
  if (holder === undefined) return ageMs > NAMELESS_AGE_MS_MAX;
  const isLiving = isAlive(holder, self);
  if (isLiving === undefined) return ageMs > UNKNOWN_AGE_MS_MAX;
  return !isLiving || ageMs > LIVING_AGE_MS_MAX;
}

/** Only one process breaks a lock at a time, and it checks again first, so that it never breaks a new holder's lock. */
function breakLock(lock: string, self: Self): void {
  const breaking = `${lock}.break`;
  if ((ageOf(breaking) ?? 0) > NAMELESS_AGE_MS_MAX) rmSync(breaking, { force: true });
  if (!takeFile(breaking, { ...self, token: "" })) return;
  try {
    if (isStale(lock, self)) rmSync(lock, { force: true });
  } finally {
    rmSync(breaking, { force: true });
  }
}

function ageOf(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && Date.now() - found.mtimeMs;
}

function stillLocked(lock: string): CompactionError {
  const holder = holderOf(lock);
  const who = holder === undefined ? "somebody" : `process ${holder.pid} on ${holder.host}`;
  const message = `The session is locked by ${who} for longer than ${WAIT_MS_MAX / 1_000} s. Nothing was changed; try again, or remove ${lock} if nobody writes to it.`;
  return new CompactionError("storage", message, { retryable: true });
}

export interface Holder {
  readonly pid: number;
  /** For people. */
  readonly host: string;
  /** Processes of one place share their process ids; undefined where that is not known. */
  readonly place?: string | undefined;
  /** When the process began, by the system's count: ids are used again. Undefined where it is not told. */
  readonly began?: string | undefined;
  readonly token: string;
}

type Self = Omit<Holder, "token">;

export function thisProcess(): Self {
  const { pid } = process;
  return { pid, host: hostname(), place: placeOfThisProcess(), began: beganOf(pid) };
}

/** Undefined for a text without a holder, such as a lock that is just being written. */
export function holderIn(text: string): Holder | undefined {
  const json = parseLine(text) ?? {};
  const [pid, host, token] = [numberOf(json.pid), stringOf(json.host), stringOf(json.token)];
  if (pid === undefined || host === undefined || token === undefined) return undefined;
  return { pid, host, token, place: stringOf(json.place), began: stringOf(json.began) };
}

/** Undefined where this process cannot find out. */
export function isAlive({ pid, place, began }: Holder, self: Self): boolean | undefined {
  if (place === undefined || place !== self.place) return undefined;
  if (!isProcess(pid)) return false;
  const now = beganOf(pid);
  return began === undefined || now === undefined || began === now;
}

/** Elsewhere than on Linux there is one count of processes a machine. */
function placeOfThisProcess(): string | undefined {
  if (process.platform !== "linux") return `${process.platform} ${hostname()}`;
  const [boot, namespace] = [textOf("/proc/sys/kernel/random/boot_id"), linkOf("/proc/self/ns/pid")];
  return boot === undefined || namespace === undefined ? undefined : `${boot.trim()} ${namespace}`;
}

function beganOf(pid: number): string | undefined {
  // Behind a foreign mount, other processes stand under these numbers.
  if (linkOf("/proc/self") !== String(process.pid)) return undefined;
  const stat = textOf(`/proc/${pid}/stat`);
  // The name may hold anything, so fields are counted from its end.
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[STARTED_FIELD];
}

/** Of the fields behind the name; see proc(5), where it is number 22. */
const STARTED_FIELD = 19;

function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}

const textOf = (path: string): string | undefined => whereReadable(() => readFileSync(path, "utf8"));
const linkOf = (path: string): string | undefined => whereReadable(() => readlinkSync(path));

function whereReadable(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
