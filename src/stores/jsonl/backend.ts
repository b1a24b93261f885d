/** Logs in files: reads what others wrote since, writes under a lock, and keeps in memory what it has read. */

import { closeSync, fstatSync, mkdirSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { applyRecord } from "../log/apply-record.ts";
import type { Depth, LogBackend, Make, Written } from "../log/log-backend.ts";
import type { Appended, Created, Purged } from "../log/log-record.ts";
import { type SessionLog, versionOf } from "../log/session-log.ts";
import { appendRecord, recordEntries } from "./append-record.ts";
import { type SessionDirectory, sessionDirectory } from "./directory.ts";
import { examineFiles } from "./examine-files.ts";
import { guarded } from "./failures.ts";
import { createdIn, headerOf, isOwnHeader } from "./header.ts";
import { LEASE_ENDING, readLease, writeLease } from "./lease-file.ts";
import { type Line, linesBetween } from "./lines.ts";
import { withLock } from "./lock.ts";
import { type OpenFile, readHeader, readSession } from "./read-session.ts";
import { recordEntry } from "./record-entry.ts";
import { forkedLines, newEventIds, purgedLines } from "./rewrite.ts";
import { beginFile, type SessionFile } from "./session-file.ts";
import { bytesOf, replaceFile, type Sync, syncDirectory } from "./write-session.ts";

export interface JsonlSettings {
  readonly directory: string;
  readonly sync: Sync;
  readonly now: () => Date;
  readonly newId: () => string;
}

export function jsonlBackend(settings: JsonlSettings): LogBackend {
  const { directory, now, newId } = settings;
  const files = sessionDirectory(directory);
  const context: Context = { settings, files, open: openFiles(files) };
  return {
    url: `jsonl:${directory}`,
    now,
    newId,
    create: (created, first) => guarded(async () => create(context, created, first)),
    load: (sessionId, depth) => guarded(async () => loaded(context, sessionId, depth)?.file.log),
    write: (sessionId, depth, make) => guarded(async () => write(context, { sessionId, depth, make })),
    lease: (sessionId, change) =>
      guarded(async () => {
        const path = files.find(sessionId);
        if (path === undefined) return false;
        return withLock(path, () => {
          const state = change(readLease(path));
          if (state !== undefined) writeLease(path, state, `${newId()}.tmp`);
          return state !== undefined;
        });
      }),
    remove: (sessionId) => guarded(async () => remove(context, sessionId)),
    fork: (log, newSessionId) => guarded(async () => fork(context, log, newSessionId)),
    sessionIds: () => guarded(async () => files.sessionIds()),
    examine: (sessionId) => guarded(async () => examineFiles(files, sessionId)),
  };
}

interface Context {
  readonly settings: JsonlSettings;
  readonly files: SessionDirectory;
  readonly open: OpenFiles;
}

interface OpenFiles {
  read(path: string, depth: Depth): OpenFile | undefined;
  forget(path: string): void;
}

/** Sessions kept in memory; the one that was not asked for the longest goes first. */
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

async function create({ settings, files }: Context, created: Created, first: Appended | undefined): Promise<boolean> {
  mkdirSync(settings.directory, { recursive: true });
  if (files.find(created.id) !== undefined) return false;
  const header = headerOf(created, process.cwd());
  const file = beginFile(header, { span: [0, 0], isTerminated: true });
  const entries = file === undefined || first === undefined ? [] : recordEntries(file, first, settings.newId);
  return writeNew({ settings, files }, created.id, () => bytesOf([header, ...entries]));
}

/** A new file, unless somebody was quicker. */
async function writeNew(
  { settings, files }: Pick<Context, "settings" | "files">,
  sessionId: string,
  bytes: () => Buffer,
): Promise<boolean> {
  const path = files.freePath(sessionId);
  return withLock(path, () => {
    if (files.find(sessionId) !== undefined || files.freePath(sessionId) !== path) return false;
    replaceFile(path, bytes(), { sync: settings.sync, suffix: `${settings.newId()}.tmp` });
    return true;
  });
}

async function write(
  context: Context,
  { sessionId, depth, make }: { sessionId: string; depth: Depth; make: Make },
): Promise<Written | undefined> {
  const { settings, files, open } = context;
  const path = files.find(sessionId);
  if (path === undefined) return undefined;
  return withLock(path, () => {
    const file = open.read(path, depth)?.file;
    if (file === undefined || file.log.id !== sessionId) return undefined;
    const record = make(file.log, () => readLease(path));
    try {
      if (record?.type === "purged") rewritePurged(file, record, { path, settings });
      else if (record !== undefined) appendRecord(file, record, { path, ...settings });
    } catch (error) {
      open.forget(path);
      throw error;
    }
    return { version: versionOf(file.log), updatedAt: file.log.updatedAt };
  });
}

/** The one time that a file is written anew: what is purged must be gone from the disk. */
function rewritePurged(file: SessionFile, record: Purged, target: { path: string; settings: JsonlSettings }): void {
  const { path, settings } = target;
  const kept = purgedLines(linesOf(path), file, record.eventIds);
  applyRecord(file.log, record);
  const entry = { ...recordEntry(file.log, record, settings.newId()), parentId: file.lastEntryId };
  replaceFile(path, bytesOf([...kept, entry]), { sync: settings.sync, suffix: `${settings.newId()}.tmp` });
}

async function remove({ settings, files, open }: Context, sessionId: string): Promise<boolean> {
  const path = files.find(sessionId);
  if (path === undefined) return false;
  return withLock(path, () => {
    const isThere = readHeader(path)?.id === sessionId;
    if (isThere) rmSync(path);
    rmSync(`${path}${LEASE_ENDING}`, { force: true });
    if (settings.sync === "always") syncDirectory(dirname(path));
    open.forget(path);
    files.forget(path);
    return isThere;
  });
}

async function fork({ settings, files }: Context, log: SessionLog, newSessionId: string): Promise<boolean> {
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
    };
    return bytesOf(forkedLines(lines, headerOf(made, process.cwd()), newEventIds(lines, settings.newId)));
  };
  return writeNew({ settings, files }, newSessionId, bytes);
}

/** All of them; a torn last line is none. */
function linesOf(path: string): readonly Line[] {
  const descriptor = openSync(path, "r");
  try {
    return [...linesBetween(descriptor, 0, fstatSync(descriptor).size)];
  } finally {
    closeSync(descriptor);
  }
}
