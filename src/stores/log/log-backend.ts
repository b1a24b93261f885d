/** Where logs are kept: the one thing in which the stores over a log differ. */

import type { Finding, Version } from "../../core/store/store.ts";
import type { Waiting } from "../../core/store/waiting.ts";
import type { LeaseState } from "./lease-state.ts";
import type { Appended, Created, LogRecord } from "./log-record.ts";
import type { SessionLog } from "./session-log.ts";

/** How much of a session must be in memory: the view alone may be cheaper to get. */
export type Depth = "view" | "whole";

/** Whoever waits for others may give up until the work begins. */
export interface LogBackend {
  readonly url: string;
  now(): Date;
  newId(): string;
  /** With its first messages, or not at all. False when there is a session of that id. */
  create(created: Created, first: Appended | undefined, waiting: Waiting): Promise<boolean>;
  /** As it is now, whoever wrote to it. Undefined when there is none. */
  load(sessionId: string, depth: Depth): Promise<SessionLog | undefined>;
  /** Nobody else writes meanwhile. The record that `make` returns is durable when this resolves; nothing has changed when it throws. */
  write(sessionId: string, writing: Writing): Promise<Written | undefined>;
  /** Nobody else writes meanwhile. The state that `change` returns is kept; false when it returns none. */
  lease(sessionId: string, change: ChangeLease, waiting: Waiting): Promise<boolean>;
  /** False when there is none. */
  remove(sessionId: string, waiting: Waiting): Promise<boolean>;
  /** False when there is a session of the new id. */
  fork(log: SessionLog, newSessionId: string, waiting: Waiting): Promise<boolean>;
  sessionIds(): Promise<readonly string[]>;
  /** What is wrong beyond the log itself: damaged lines, leftover files. */
  examine(sessionId: string | undefined): Promise<readonly Finding[]>;
}

export interface Writing extends Waiting {
  readonly depth: Depth;
  readonly make: Make;
}

export type ChangeLease = (state: LeaseState) => LeaseState | undefined;

/** The session right after a write, before anybody else could write to it. */
export interface Written {
  readonly version: Version;
  readonly updatedAt: string;
}

/** The lease is read only where it is asked for. */
export type Make = (log: SessionLog, lease: () => LeaseState) => LogRecord | undefined;
