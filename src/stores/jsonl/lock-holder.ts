/**
 * Who holds a lock, and whether that can be told from here: a process id says something only to processes that count them alike, and
 * containers of one host name do not. Reads only; what cannot be known is never guessed.
 */

import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { numberOf, stringOf } from "../../core/json.ts";
import { parseLine } from "./lines.ts";

export interface Holder {
  readonly pid: number;
  /** For people. */
  readonly host: string;
  /** Processes of one place share their process ids; undefined where that is not known. */
  readonly place?: string;
  /** When the process began, by the system's count: ids are used again. Undefined where it is not told. */
  readonly began?: string;
  readonly token: string;
}

export type Self = Omit<Holder, "token">;

export function thisProcess(): Self {
  const { pid } = process;
  const [place, began] = [placeOfThisProcess(), beganOf(pid)];
  return { pid, host: hostname(), ...(place !== undefined && { place }), ...(began !== undefined && { began }) };
}

/** Undefined for what names nobody, as a lock that is just being written does. */
export function holderIn(text: string): Holder | undefined {
  const json = parseLine(text) ?? {};
  const [pid, host, token] = [numberOf(json.pid), stringOf(json.host), stringOf(json.token)];
  if (pid === undefined || host === undefined || token === undefined) return undefined;
  const [place, began] = [stringOf(json.place), stringOf(json.began)];
  return { pid, host, token, ...(place !== undefined && { place }), ...(began !== undefined && { began }) };
}

/** Undefined where nobody can tell from here. */
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
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
