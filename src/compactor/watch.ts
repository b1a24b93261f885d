/**
 * Who looks on: hooks, logger and telemetry of one compactor, and how they are told. Nothing that they do can fail a pass; only
 * gates and providers, which are asked and not told, can change one.
 */

import { setBounded } from "../core/bounded-map.ts";
import { errorText } from "../core/error-text.ts";
import { sessionIdOf } from "../core/hooks/hook-aliases.ts";
import type { HookContext, HookEvent, Telemetry } from "../core/hooks/hook-events.ts";
import {
  createHooks,
  type FileOperations,
  type HookLists,
  type Hooks,
  notifyAll,
  type OnHook,
} from "../core/hooks/hooks.ts";
import type { LogFields, Logger } from "../core/hooks/log-lines.ts";
import { fieldsOf, type LogEvent, lineFor, type Remark } from "../core/hooks/log-lines.ts";
import type { Message } from "../core/message.ts";

export interface WatchOptions {
  /** Gates, listeners and providers; the sources' own names work too. */
  readonly hooks?: Hooks;
  /** Given to every hook; a call may add to it. */
  readonly hookContext?: HookContext;
  /** Silent without one. Pino fits. */
  readonly logger?: Logger;
  /** A clock for durations, in milliseconds. Default: `performance.now`. */
  readonly now?: () => number;
}

export interface Watch {
  /** Those in force now. */
  readonly hooks: HookLists;
  readonly on: OnHook;
  readonly context: HookContext;
  readonly logger: Logger | undefined;
  readonly telemetry: Telemetry;
  /** The profile's name, or `own`. */
  readonly profile: string;
  readonly counts: CompactionCounts;
  now(): number;
  filesOf(messages: readonly Message[]): FileOperations;
}

export function createWatch(options: WatchOptions, rest: Pick<Watch, "telemetry" | "filesOf" | "profile">): Watch {
  const register = createHooks(options.hooks);
  return {
    get hooks(): HookLists {
      return register.lists();
    },
    on: register.on,
    context: options.hookContext ?? {},
    logger: options.logger,
    telemetry: rest.telemetry,
    profile: rest.profile,
    counts: createCounts(),
    now: options.now ?? (() => performance.now()),
    filesOf: rest.filesOf,
  };
}

/** One pass's voice to everybody who looks on. */
export interface Teller {
  readonly context: HookContext;
  tell(event: HookEvent): void;
  /** Logged, and noted for the report. */
  remark(remark: Remark): void;
  /** A hook that threw; the pass goes on. */
  hookFailed(kind: "notify" | "provide", error: unknown): void;
  /** Remarks, and what went wrong with hooks so far, for the report. */
  readonly notes: string[];
}

export function createTeller(watch: Watch, context: HookContext): Teller {
  const notes: string[] = [];
  const attributes = { "palimpsest.profile": watch.profile };
  const log = (event: LogEvent): void => {
    try {
      writeLine(watch, event, context);
    } catch (error) {
      notes.push(`The logger failed: ${errorText(error)}`);
    }
  };
  const hookFailed: Teller["hookFailed"] = (kind, error) => {
    const because = errorText(error);
    notes.push(`A ${kind} hook failed: ${because}`);
    log({ type: "hook-failed", kind, because });
  };
  const tell = (event: HookEvent): void => {
    log(event);
    watch.telemetry.record(event, attributes);
    notifyAll(watch.hooks.notifies, { event, context }, (error) => hookFailed("notify", error));
  };
  const remark = (event: Remark): void => {
    const line = lineFor(watch.profile, event);
    if (line !== undefined) notes.push(`${line.message.replace(/^Compaction: /, "")}.`);
    log(event);
  };
  return { context, tell, remark, hookFailed, notes };
}

function writeLine({ logger, profile }: Watch, event: LogEvent, context: HookContext): void {
  if (logger === undefined) return;
  const line = lineFor(profile, event);
  if (line === undefined) return;
  const { sessionId, sessionKey, agentId } = context;
  const fields: LogFields = {
    ...fieldsOf(event),
    profile,
    ...(sessionId !== undefined && { sessionId }),
    ...(sessionKey !== undefined && { sessionKey }),
    ...(agentId !== undefined && { agentId }),
  };
  logger[line.level](fields, line.message);
}

/** Compactions made so far, per session id; those without an id count as one session. */
export interface CompactionCounts {
  of(context: HookContext): number;
  raise(context: HookContext): void;
}

const SESSIONS_MAX = 1_000;

function createCounts(): CompactionCounts {
  const counts = new Map<string, number>();
  const of = (context: HookContext): number => context.compactionCount ?? counts.get(sessionIdOf(context)) ?? 0;
  return {
    of,
    raise: (context) => {
      setBounded(counts, [sessionIdOf(context), of(context) + 1], SESSIONS_MAX);
    },
  };
}
