/** A store of session files, append-only, in the form that pi and OpenClaw read and write. Only `purge` changes what was written. */

import { randomUUID } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { CompactionError } from "../core/errors.ts";
import { numberOf, stringOf } from "../core/json.ts";
import type { Waiting } from "../core/store/store.ts";
import type { FullStore } from "../core/store/store-upkeep.ts";
import { LEASE_ENDING, removeLeftOver, type SessionDirectory, sessionDirectory } from "./jsonl/directory.ts";
import { codeOf, parseLine, whereThere } from "./jsonl/lines.ts";
import { fileLocks, type HeldLock, type WithLock } from "./jsonl/lock.ts";
import { isUnchanged, type OpenFile, readHeader, readSession } from "./jsonl/read.ts";
import { createdIn, headerOf, isOwnHeader, recordEntry } from "./jsonl/record-entry.ts";
import { beginFile } from "./jsonl/session-file.ts";
import { examineFiles, forkedLines, linesOf, newEventIds, purgedLines } from "./jsonl/upkeep.ts";
import {
  appendRecord,
  bytesOf,
  type EntryForm,
  type Replacement,
  recordEntries,
  replaceFile,
  type Sync,
  syncDirectory,
} from "./jsonl/write.ts";
import {
  type ChangeLease,
  type Depth,
  type LogBackend,
  logStore,
  type WriteOptions,
  type WriteResult,
} from "./log/log-store.ts";
import { type AppendRecord, type LeaseState, type LogHeader, NO_LEASE, type PurgeRecord } from "./log/records.ts";
import { applyRecord, type SessionLog, versionOf } from "./log/session-log.ts";
import { makePrivateDirectory } from "./private-files.ts";

export interface JsonlStoreOptions {
  /** Made when the first session is. */
  readonly directory: string;
  /** `always`: on the disk when an append or commit resolves. `never`: when the system sees fit; only a crash of the machine loses anything. */
  readonly sync?: Sync;
  /** `iso` as pi and OpenClaw write them; `number` for milliseconds since 1970. Both are read. Default: `iso`. */
  readonly compactionTimestamps?: "iso" | "number";
  readonly now?: () => Date;
  readonly newId?: () => string;
}

/** @example const store = jsonlStore({ directory: "./sessions" }); */
export function jsonlStore(options: JsonlStoreOptions): FullStore {
  const {
    directory,
    sync = "always",
    compactionTimestamps = "iso",
    now = () => new Date(),
    newId = randomUUID,
  } = options;
  if (directory === "")
    throw new CompactionError("invalid-settings", "directory is empty; name one for the session files.");
  if (sync !== "always" && sync !== "never") {
    throw new CompactionError("invalid-settings", 'sync must be "always" or "never".');
  }
  if (compactionTimestamps !== "iso" && compactionTimestamps !== "number") {
    throw new CompactionError("invalid-settings", 'compactionTimestamps must be "iso" or "number".');
  }
  return logStore(jsonlBackend({ directory: resolve(directory), sync, compactionTimestamps, now, newId }));
}

interface JsonlSettings extends EntryForm {
  readonly directory: string;
  readonly sync: Sync;
  readonly now: () => Date;
}

/** Logs in files: reads what others wrote since, writes under a lock, and keeps in memory what it has read. */
function jsonlBackend(settings: JsonlSettings): LogBackend {
  const { directory, now, newId } = settings;
  const files = sessionDirectory(directory);
  const context: Context = { settings, files, open: openFiles(files), withLock: fileLocks() };
  return {
    url: `jsonl:${directory}`,
    now,
    newId,
    create: (created, first, waiting) => guarded(async () => create(context, { created, first, ...waiting })),
    load: (sessionId, depth) => guarded(async () => loaded(context, sessionId, depth)?.file.log),
    write: (sessionId, writing) => guarded(async () => write(context, { sessionId, ...writing })),
    lease: (sessionId, change, waiting) => guarded(async () => changeLease(context, { sessionId, change, ...waiting })),
    remove: (sessionId, waiting) => guarded(async () => remove(context, sessionId, waiting)),
    fork: (log, newSessionId, waiting) => guarded(async () => fork(context, { log, newSessionId, ...waiting })),
    sessionIds: () => guarded(async () => files.sessionIds()),
    examine: (sessionId) => guarded(async () => examineFiles(files, sessionId)),
  };
}

interface Context {
  readonly settings: JsonlSettings;
  readonly files: SessionDirectory;
  readonly open: OpenFiles;
  readonly withLock: WithLock;
}

/** Returned by work that lost its lock before it wrote: it changed nothing and is started again. */
const LOST = Symbol("lost");

/** A lock is lost only where the process was stopped for longer than a lock lasts. */
const ATTEMPTS_MAX = 5;

async function underLock<T>(
  { withLock, signal }: Pick<Context, "withLock"> & Waiting,
  path: string,
  work: (lock: HeldLock) => T | typeof LOST,
): Promise<T> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const done = await withLock(path, work, { signal });
    if (done !== LOST) return done;
  }
  const message = `The lock on ${path} was lost ${ATTEMPTS_MAX} times in a row before anything was written. Nothing was changed; try again.`;
  throw new CompactionError("storage", message, { retryable: true });
}

interface OpenFiles {
  read(path: string, depth: Depth): OpenFile | undefined;
  forget(path: string): void;
}

/** Sessions kept in memory; the least recently used is dropped first. */
const OPEN_FILES_MAX = 64;

function openFiles(files: SessionDirectory): OpenFiles {
  const known = new Map<string, OpenFile>();
  return {
    read(path, depth) {
      const opened = readSession(path, depth, known.get(path));
      known.delete(path);
      if (opened === undefined) files.forget(path);
      else known.set(path, opened);
      const [oldest] = known.keys();
      if (known.size > OPEN_FILES_MAX && oldest !== undefined) known.delete(oldest);
      return opened;
    },
    forget: (path) => known.delete(path),
  };
}

function loaded({ files, open }: Context, sessionId: string, depth: Depth): OpenFile | undefined {
  const path = files.find(sessionId);
  const opened = path === undefined ? undefined : open.read(path, depth);
  // The file may have been replaced by another session's.
  return opened?.file.log.id === sessionId ? opened : undefined;
}

async function changeLease(
  context: Context,
  { sessionId, change, ...waiting }: Waiting & { readonly sessionId: string; readonly change: ChangeLease },
): Promise<LeaseState | undefined> {
  const path = context.files.find(sessionId);
  if (path === undefined) return undefined;
  return underLock({ ...context, ...waiting }, path, ({ isHeld }) => {
    const state = change(readLease(path));
    if (state === undefined) return undefined;
    // Not synced: a holder that the machine stopped with has no use for its lease.
    const how: Replacement = { sync: "never", newId: context.settings.newId, isCurrent: isHeld };
    return replaceFile(`${path}${LEASE_ENDING}`, Buffer.from(JSON.stringify(state)), how) ? state : LOST;
  });
}

/** A file that cannot be read as one holds no lease; one that says no length is believed. */
function readLease(path: string): LeaseState {
  const text = whereThere(() => readFileSync(`${path}${LEASE_ENDING}`, "utf8"));
  const json = parseLine(text ?? "") ?? {};
  const [holder, token, expiresAtMs] = [stringOf(json.holder), numberOf(json.token), numberOf(json.expiresAtMs)];
  if (holder === undefined || token === undefined || expiresAtMs === undefined) return NO_LEASE;
  return { holder, token, expiresAtMs, lengthMs: numberOf(json.lengthMs) ?? Number.POSITIVE_INFINITY };
}

async function create(
  context: Context,
  { created, first, ...waiting }: Waiting & { readonly created: LogHeader; readonly first: AppendRecord | undefined },
): Promise<boolean> {
  const { settings, files } = context;
  makePrivateDirectory(settings.directory);
  if (files.find(created.id) !== undefined) return false;
  const header = headerOf(created, process.cwd());
  const file = beginFile(header, { span: [0, 0], isTerminated: true });
  const entries = file === undefined || first === undefined ? [] : recordEntries(file, first, settings);
  return writeNew({ ...context, ...waiting }, created.id, () => bytesOf([header, ...entries]));
}

/** Writes a new file; false where another process made the session first. */
async function writeNew(context: Context & Waiting, sessionId: string, bytes: () => Buffer): Promise<boolean> {
  const { settings, files } = context;
  const path = files.freePath(sessionId);
  return underLock(context, path, ({ isHeld }) => {
    const isFree = (): boolean => files.find(sessionId) === undefined && files.freePath(sessionId) === path;
    if (!isFree()) return false;
    if (!isHeld()) return LOST;
    removeLeftOver(path);
    const { sync, newId } = settings;
    return replaceFile(path, bytes(), { sync, newId, isCurrent: () => isHeld() && isFree() }) || LOST;
  });
}

async function write(
  context: Context,
  { sessionId, depth, make, ...waiting }: WriteOptions & { readonly sessionId: string },
): Promise<WriteResult | undefined> {
  const { settings, files, open } = context;
  const path = files.find(sessionId);
  if (path === undefined) return undefined;
  return underLock({ ...context, ...waiting }, path, (lock) => {
    const opened = open.read(path, depth);
    if (opened === undefined || opened.file.log.id !== sessionId) return undefined;
    const { file } = opened;
    const record = make(file.log, () => readLease(path));
    let isWritten = false;
    try {
      if (record?.type === "purged") isWritten = rewritePurged(opened, record, { path, settings, lock });
      else isWritten = record === undefined || appendRecord(file, record, { path, ...settings, lock });
    } finally {
      // Its log holds what was not written.
      if (!isWritten) open.forget(path);
    }
    return isWritten ? { version: versionOf(file.log), updatedAt: file.log.updatedAt } : LOST;
  });
}

interface Rewrite {
  readonly path: string;
  readonly settings: JsonlSettings;
  readonly lock: HeldLock;
}

/** Rewrites the whole file, because purged bytes must be gone from the disk. False when another process wrote meanwhile. */
function rewritePurged({ file, identity }: OpenFile, record: PurgeRecord, { path, settings, lock }: Rewrite): boolean {
  const kept = purgedLines(linesOf(path), file, record.eventIds);
  applyRecord(file.log, record);
  const entry = { ...recordEntry(file.log, record, settings.newId()), parentId: file.lastEntryId };
  const isCurrent = (): boolean => lock.isHeld() && isUnchanged(path, { identity, size: file.size });
  const { sync, newId } = settings;
  if (!isCurrent()) return false;
  removeLeftOver(path);
  return replaceFile(path, bytesOf([...kept, entry]), { sync, newId, isCurrent });
}

async function remove(context: Context, sessionId: string, waiting: Waiting): Promise<boolean> {
  const { settings, files, open } = context;
  const path = files.find(sessionId);
  if (path === undefined) return false;
  return underLock({ ...context, ...waiting }, path, ({ isHeld }) => {
    if (!isHeld()) return LOST;
    const isThere = readHeader(path)?.id === sessionId;
    if (isThere) rmSync(path);
    rmSync(`${path}${LEASE_ENDING}`, { force: true });
    removeLeftOver(path);
    if (settings.sync === "always") syncDirectory(dirname(path));
    open.forget(path);
    files.forget(path);
    return isThere;
  });
}

async function fork(
  context: Context,
  { log, newSessionId, ...waiting }: Waiting & { readonly log: SessionLog; readonly newSessionId: string },
): Promise<boolean> {
  const { settings, files } = context;
  const path = files.find(log.id);
  if (path === undefined || files.find(newSessionId) !== undefined) return false;
  const bytes = (): Buffer => {
    const lines = linesOf(path);
    const old = lines.find(({ json }) => json !== undefined)?.json ?? {};
    const { format, agentId, metadata } = log;
    // Of a file that pi began, the base is what its entries say.
    const base = (isOwnHeader(old) ? createdIn(old)?.base : undefined) ?? log.base;
    const made = {
      id: newSessionId,
      at: settings.now().toISOString(),
      format,
      agentId,
      metadata,
      base,
      parentId: log.id,
      incarnation: settings.newId(),
    };
    return bytesOf(forkedLines(lines, headerOf(made, process.cwd()), newEventIds(lines, settings.newId)));
  };
  return writeNew({ ...context, ...waiting }, newSessionId, bytes);
}

/** The store's methods with their errors translated. */
async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof CompactionError ? error : storageError(error);
  }
}

function storageError(cause: unknown): CompactionError {
  const code = codeOf(cause);
  const remedy = REMEDIES[code] ?? "look at the cause";
  const message = `A session file could not be read or written${code === "" ? "" : ` (${code})`}. Nothing was changed; ${remedy}.`;
  return new CompactionError("storage", message, { cause, retryable: RETRYABLE.has(code) });
}

const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: "give this process the right to write to the directory",
  EPERM: "give this process the right to write to the directory",
  EROFS: "the disk is read-only: choose another directory",
  ENOSPC: "the disk is full: make room and try again",
  EDQUOT: "the quota is used up: make room and try again",
  EMFILE: "too many files are open: try again, or raise the limit",
  ENOTDIR: "the directory's path names a file: choose another",
};

const RETRYABLE: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EMFILE", "ENFILE", "EAGAIN", "EBUSY", "EINTR"]);
