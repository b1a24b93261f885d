/**
 * One compaction of a session: decide on the newest view, take the lease, summarize, commit. Either all of it is stored in one
 * transaction, or the session stays as it was. After a conflict with another worker it plans again, a bounded number of times.
 */

import { setTimeout as pause } from "node:timers/promises";
import type { CallOptions, Compactor, ViewPass } from "../compactor.ts";
import { CompactionError } from "../core/errors.ts";
import type { Conversation } from "../core/message.ts";
import type { Plan } from "../core/plan/plan.ts";
import type { PassHistory } from "../core/store/counters.ts";
import type { Store, Version } from "../core/store/store.ts";
import { type PassAttempt, passOnce } from "./pass-once.ts";
import type { LiveView, Overlay } from "./session-view.ts";
import type { GrowingRequest, SendableView } from "./view-to-send.ts";

export interface SessionParts {
  readonly id: string;
  readonly store: Store;
  readonly compactor: Compactor;
  readonly live: LiveView;
  /** Results that are shortened in requests only: sent in the same form while the session is open. */
  readonly overlay: Overlay;
  /** The messages in the form they are sent, as far as they were built; discarded when the overlay changes. */
  sendable: SendableView | undefined;
  /** The request that was returned last, to be continued. */
  handedOut: GrowingRequest | undefined;
  /** What the last pass means for the next one, where nothing of it was stored. */
  readonly heldOff: { passes: PassHistory | undefined; version: Version | undefined };
  /** How often in a row the provider refused a request, and how many messages had been appended by then. */
  readonly refused: { attempts: number; messageCount: number };
  readonly leaseMs: number;
  now(): number;
}

/** How long a worker that stopped responding keeps others from compacting. */
export const LEASE_MS = 60_000;

/** What a process keeps of a session that it opened. */
export function createParts(
  { id, store, compactor, leaseMs = LEASE_MS, now = Date.now }: PartsInput,
  live: LiveView,
): SessionParts {
  const own = {
    overlay: new Map(),
    heldOff: { passes: undefined, version: undefined },
    refused: { attempts: 0, messageCount: 0 },
    sendable: undefined,
    handedOut: undefined,
  };
  return { id, store, compactor, live, ...own, leaseMs, now };
}

type PartsInput = Pick<SessionParts, "id" | "store" | "compactor"> & Partial<Pick<SessionParts, "leaseMs" | "now">>;

export interface SessionCall extends CallOptions {
  readonly asked?: "manual" | "overflow";
  /** How often in a row the provider refused the view as too long, this time included. */
  readonly attempt?: number;
  /** Awaited before a compaction is stored: a loop lets it in between two model calls, so that no answer is signed over the view before it. */
  readonly commitWhen?: () => Promise<void>;
  /** False: while another pass is under way, a view that does not fit is returned as it is. */
  readonly mayWait?: boolean;
}

export interface SessionPass<Request extends object = object> {
  /** The request body, ready to send; the caller owns it and may change it. */
  readonly request: Request;
  readonly plan: Plan;
  readonly report: ViewPass["report"];
  /** The id of the stored event, if any. */
  readonly eventId?: string;
}

/** A bound on conflicts: other workers keep changing the session, and every attempt may cost a summary. */
const ATTEMPTS_MAX = 4;
const WAIT_MS = 100;

/** With the estimate of the request, and the conversation that it encodes. */
export interface RequestPass extends SessionPass {
  readonly estimatedTokens: number;
  readonly sent: Conversation;
}

export async function compactView(parts: SessionParts, call: SessionCall): Promise<RequestPass> {
  // Wait at most as long as a lease lasts, whatever the clock does.
  const deadlineMs = performance.now() + parts.leaseMs;
  let stored: PassAttempt | undefined;
  let lost: { readonly kind: ConflictCode; readonly error: unknown } | undefined;
  for (let attempts = 0; ; ) {
    const demand = stored === undefined ? call : withoutDemand(call);
    try {
      const passed = await passOnce(parts, demand, attempts < ATTEMPTS_MAX);
      if (passed.eventId !== undefined) stored = passed;
      // Messages that others appended meanwhile belong in the request too; the encoded view does not have them.
      // A compaction that was prepared beside a loop needs no request: the loop asks for its own.
      if (passed.isOvertaken && call.commitWhen === undefined) attempts++;
      else if (!isWaiting(passed, demand)) return outcome(passed, stored);
      // After our own last attempt nobody else need be compacting, so do not wait; only a lost lease went to another worker.
      else if (attempts >= ATTEMPTS_MAX && lost?.kind !== "lease-lost") throw changedTooOften(parts.id, lost?.error);
      else if (performance.now() > deadlineMs) throw inProgress(parts.id);
      else await wait(call);
    } catch (error) {
      const kind = overcomeBy(error);
      // A worker that lost its lease does not try again: another worker may be compacting.
      attempts = kind === "lease-lost" ? Math.max(ATTEMPTS_MAX, attempts + 1) : attempts + 1;
      // Unless the caller asked for a compaction, a request that fits is sent without one.
      const isOver = attempts > ATTEMPTS_MAX || (attempts === ATTEMPTS_MAX && demand.asked !== undefined);
      if (kind === undefined || isOver) throw error;
      lost = { kind, error };
    }
  }
}

async function wait({ signal }: SessionCall): Promise<void> {
  // The next attempt reports an abort.
  await pause(WAIT_MS, undefined, signal === undefined ? {} : { signal }).catch(() => {});
}

/** The requested compaction is done; the next attempt is an ordinary request. */
function withoutDemand({ asked: _, attempt: _attempt, ...call }: SessionCall): SessionCall {
  return call;
}

/** Another worker is compacting: wait for its summary only where the view does not fit without it. */
function isWaiting({ passed }: PassAttempt, { asked, mayWait = true }: SessionCall): boolean {
  const isTooBig = asked === "overflow" || passed.report.tokensAfter > passed.settings.windowTokens;
  return mayWait && passed.plan.because === "in-progress" && isTooBig && asked !== "manual";
}

type ConflictCode = "store-conflict" | "lease-lost";

/** The code of a conflict with another worker that changed nothing here. */
function overcomeBy(error: unknown): ConflictCode | undefined {
  if (!(error instanceof CompactionError)) return undefined;
  return error.code === "store-conflict" || error.code === "lease-lost" ? error.code : undefined;
}

export function inProgress(id: string): CompactionError {
  const message = `Another worker is compacting session ${JSON.stringify(id)}; nothing was changed. Try again later.`;
  return new CompactionError("already-in-progress", message, { retryable: true });
}

function changedTooOften(id: string, cause: unknown): CompactionError {
  const message = `Session ${JSON.stringify(id)} was changed each time while it was being compacted, and does not fit as it is. Nothing is lost; try again.`;
  return new CompactionError("store-conflict", message, { cause, retryable: true });
}

/** The newest request, with the pass that was stored on the way to it. */
function outcome(newest: PassAttempt, stored: PassAttempt | undefined): RequestPass {
  const { passed, eventId } = newest.eventId === undefined && stored !== undefined ? stored : newest;
  return {
    request: newest.request,
    estimatedTokens: newest.passed.estimatedTokens,
    sent: newest.passed.sent,
    plan: passed.plan,
    report: passed.report,
    ...(eventId !== undefined && { eventId }),
  };
}
