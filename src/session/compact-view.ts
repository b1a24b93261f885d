/**
 * One compaction of a session: decide on the newest view, take the lease, summarise, commit. Either everything is stored in one
 * transaction or the session is as it was. What was changed by others meanwhile is planned again, a bounded number of times.
 */

import { setTimeout as pause } from "node:timers/promises";
import type { CallOptions, Compactor, ViewPass } from "../compactor.ts";
import { CompactionError } from "../core/errors.ts";
import type { Plan } from "../core/plan/plan.ts";
import type { PassHistory } from "../core/store/counters.ts";
import type { Store, Version } from "../core/store/store.ts";
import type { GrowingRequest } from "./hand-out.ts";
import type { LiveView, Overlay } from "./live-view.ts";
import { type PassAttempt, passOnce } from "./pass-once.ts";
import type { SendableView } from "./view-to-send.ts";

export interface SessionParts {
  readonly id: string;
  readonly store: Store;
  readonly compactor: Compactor;
  readonly live: LiveView;
  /** Results that are pruned for requests only: sent again in the same way for as long as the session is open. */
  readonly overlay: Overlay;
  /** The messages as they are sent, as far as they are put together; forgotten where the overlay changes. */
  sendable: SendableView | undefined;
  /** What was handed out last, to be continued. */
  handedOut: GrowingRequest | undefined;
  /** What the last pass here came to, where nothing could be stored of it: it holds off the next one all the same. */
  readonly heldOff: { passes: PassHistory | undefined; version: Version | undefined };
  /** How often in a row the provider refused a request, and how many messages were appended by then. */
  readonly refused: { attempts: number; messageCount: number };
  readonly leaseMs: number;
  now(): number;
}

export interface SessionCall extends CallOptions {
  readonly asked?: "manual" | "overflow";
  /** How often in a row the view was refused as too long, this time included. */
  readonly attempt?: number;
  /** Awaited before a compaction is stored: a loop lets it in between two model calls, so that no answer is signed over the view before it. */
  readonly commitWhen?: () => Promise<void>;
}

export interface SessionPass<Request extends object = object> {
  /** The request body, ready to be sent; the caller's own, to be changed at will. */
  readonly request: Request;
  readonly plan: Plan;
  readonly report: ViewPass["report"];
  /** The event that was stored, if any. */
  readonly eventId?: string;
}

/** After so many conflicts somebody else is doing nothing but changing the session, and every attempt may cost a summary. */
const ATTEMPTS_MAX = 4;
const WAIT_MS = 100;

/** With what the counter says of the request. */
export interface RequestPass extends SessionPass {
  readonly estimatedTokens: number;
}

export async function compactView(parts: SessionParts, call: SessionCall): Promise<RequestPass> {
  // Whatever becomes of the clock, nobody waits for longer than a lease lasts.
  const deadlineMs = performance.now() + parts.leaseMs;
  let stored: PassAttempt | undefined;
  let lost: { readonly kind: Overcome; readonly error: unknown } | undefined;
  for (let attempts = 0; ; ) {
    const demand = stored === undefined ? call : withoutDemand(call);
    try {
      const passed = await passOnce(parts, demand, attempts < ATTEMPTS_MAX);
      if (passed.eventId !== undefined) stored = passed;
      // What others appended meanwhile belongs into the request too; it was not there when the view was encoded.
      if (passed.isOvertaken) attempts++;
      else if (!isWaiting(passed, demand)) return outcome(passed, stored);
      // We gave up ourselves: there need be nobody at it, and nothing to wait for. Only a lost lease was lost to somebody.
      else if (attempts >= ATTEMPTS_MAX && lost?.kind !== "lease-lost") throw changedTooOften(parts.id, lost?.error);
      else if (performance.now() > deadlineMs) throw inProgress(parts.id);
      else await wait(call);
    } catch (error) {
      const kind = overcomeBy(error);
      // A worker that fell silent for longer than its lease does not try again: somebody else may be at it by now.
      attempts = kind === "lease-lost" ? Math.max(ATTEMPTS_MAX, attempts + 1) : attempts + 1;
      // Where nobody asked for it, a request that fits is sent without a compaction.
      const isOver = attempts > ATTEMPTS_MAX || (attempts === ATTEMPTS_MAX && demand.asked !== undefined);
      if (kind === undefined || isOver) throw error;
      lost = { kind, error };
    }
  }
}

async function wait({ signal }: SessionCall): Promise<void> {
  // An abort is told by the next attempt.
  await pause(WAIT_MS, undefined, signal === undefined ? {} : { signal }).catch(() => {});
}

/** The compaction that was asked for is done; what follows is the ordinary request after it. */
function withoutDemand({ asked: _, attempt: _attempt, ...call }: SessionCall): SessionCall {
  return call;
}

/** Another worker is at it: its summary is worth waiting for only where there is no room without. */
function isWaiting({ passed }: PassAttempt, { asked }: SessionCall): boolean {
  const isTooBig = asked === "overflow" || passed.report.tokensAfter > passed.settings.windowTokens;
  return passed.plan.because === "in-progress" && isTooBig && asked !== "manual";
}

type Overcome = "store-conflict" | "lease-lost";

/** Lost to somebody else, and nothing was changed. */
function overcomeBy(error: unknown): Overcome | undefined {
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

/** The newest request, with what was done on the way to it. */
function outcome(newest: PassAttempt, stored: PassAttempt | undefined): RequestPass {
  const { passed, eventId } = newest.eventId === undefined && stored !== undefined ? stored : newest;
  return {
    request: newest.request,
    estimatedTokens: newest.passed.estimatedTokens,
    plan: passed.plan,
    report: passed.report,
    ...(eventId !== undefined && { eventId }),
  };
}
