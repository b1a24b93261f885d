/**
 * One compaction of a session: decide on the newest view, take the lease, summarise, commit. Either everything is stored in one
 * transaction or the session is as it was. What was changed by others meanwhile is planned again, a bounded number of times.
 */

import { hostname } from "node:os";
import type { CallOptions, Compactor, ViewPass } from "../compactor.ts";
import { CompactionError } from "../core/errors.ts";
import type { HookContext } from "../core/hooks/hook-events.ts";
import type { Message } from "../core/message.ts";
import { isTextStep } from "../core/plan/apply-plan.ts";
import type { Plan } from "../core/plan/plan.ts";
import { RECALL_NAME } from "../core/plan/summary-marks.ts";
import type { SettingsInput } from "../core/settings/settings-input.ts";
import type { PassHistory } from "../core/store/counters.ts";
import type { Commit, Lease, Store } from "../core/store/store.ts";
import { eventRecord } from "./event-record.ts";
import { type HeldLease, holdLease } from "./hold-lease.ts";
import { conversationOf, type LiveView, type Snapshot } from "./live-view.ts";
import { modelOf, systemEditOf } from "./session-view.ts";
import { viewDelta } from "./view-delta.ts";

export interface SessionParts {
  readonly id: string;
  readonly store: Store;
  readonly compactor: Compactor;
  readonly live: LiveView;
  /** Results that are pruned for requests only (C13): sent again in the same way for as long as the session is open. */
  readonly overlay: Map<string, Message>;
  /** What the last pass here came to, where nothing could be stored of it: it holds off the next one all the same (D13, D26). */
  readonly heldOff: { passes: PassHistory | undefined };
  readonly leaseMs: number;
  now(): number;
}

export interface SessionCall extends CallOptions {
  readonly asked?: "manual" | "overflow";
}

export interface SessionPass {
  /** The request body, ready to be sent. */
  readonly request: object;
  readonly plan: Plan;
  readonly report: ViewPass["report"];
  /** The event that was stored, if any. */
  readonly eventId?: string;
}

/** After so many conflicts somebody else is doing nothing but changing the session. */
const ATTEMPTS_MAX = 5;
const WAIT_MS = 100;

export async function compactView(parts: SessionParts, call: SessionCall): Promise<SessionPass> {
  const deadlineMs = parts.now() + parts.leaseMs;
  for (let attempt = 1; ; attempt++) {
    const snapshot = await parts.live.refresh();
    try {
      const passed = await passOnce(parts, snapshot, call);
      const { windowTokens } = parts.compactor.settings;
      const isTooBig = passed.plan.because === "in-progress" && passed.report.tokensAfter > windowTokens;
      // Another worker is at it: its summary is worth waiting for only where there is no room without.
      if (!isTooBig || call.asked === "manual" || parts.now() > deadlineMs) return passed;
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
      attempt--;
    } catch (error) {
      const isConflict = error instanceof CompactionError && error.code === "store-conflict";
      if (!isConflict || attempt >= ATTEMPTS_MAX) throw error;
    }
  }
}

async function passOnce(parts: SessionParts, snapshot: Snapshot, call: SessionCall): Promise<SessionPass> {
  const { compactor, store, id, overlay, leaseMs } = parts;
  const settings = settingsFor(snapshot, compactor, call);
  const startedMs = parts.now();
  const model = modelOf(snapshot.record.base);
  let held: HeldLease | undefined;
  const lost = new AbortController();
  const signals = [lost.signal, ...(call.signal === undefined ? [] : [call.signal])];
  try {
    const passed = await compactor.passOver(conversationOf(snapshot, overlay), {
      ...call,
      ...(settings !== undefined && { settings }),
      signal: AbortSignal.any(signals),
      passes: parts.heldOff.passes ?? snapshot.record.passes,
      failed: (passes) => {
        parts.heldOff.passes = passes;
      },
      hookContext: hookContextOf(snapshot, call),
      ...(model !== undefined && { model }),
      mayBegin: async (plan) => {
        if (!needsCommit(plan, compactor)) return true;
        held = await holdLease(store, id, { holder: `${hostname()}:${process.pid}`, leaseMs });
        held?.signal.addEventListener("abort", () => lost.abort(held?.signal.reason), { once: true });
        return held !== undefined;
      },
    });
    const input: Passed = { snapshot, passed, call, durationMs: parts.now() - startedMs };
    parts.heldOff.passes = passed.report.compacted ? undefined : passed.passes;
    if (held === undefined) return keepForRequests(parts, input);
    return await commitPass(parts, input, held.current());
  } catch (error) {
    // The abort was ours: what the caller needs to know is why.
    throw lost.signal.aborted && !call.signal?.aborted ? lost.signal.reason : error;
  } finally {
    await held?.release();
  }
}

/** Summaries mention the recall tool where the session offers it. */
function settingsFor({ frame }: Snapshot, { format }: Compactor, { settings }: SessionCall): SettingsInput | undefined {
  const offersRecall = format.readTools(frame.tools).definitions.some(({ name }) => name === RECALL_NAME);
  return offersRecall ? { ...settings, render: { mentionsRecall: true, ...settings?.render } } : settings;
}

interface Passed {
  readonly snapshot: Snapshot;
  readonly passed: ViewPass;
  readonly call: SessionCall;
  readonly durationMs: number;
}

function needsCommit(plan: Plan, { settings }: Compactor): boolean {
  return settings.prune.scope === "stored" || !plan.steps.every(isTextStep);
}

function hookContextOf({ record }: Snapshot, { hookContext }: SessionCall): HookContext {
  const { id, agentId, counters } = record;
  return {
    sessionId: id,
    ...(agentId !== "" && { agentId }),
    compactionCount: counters.compactionCount,
    ...hookContext,
  };
}

/** Nothing is stored: texts that were shortened on the way are remembered, so that the prefix stays the same (C13). */
function keepForRequests({ overlay }: SessionParts, { snapshot, passed }: Passed): SessionPass {
  if (passed.plan.steps.length > 0) {
    const stored = new Map(snapshot.entries.map(({ message }) => [message.id, message]));
    const shortened = new Set(passed.plan.steps.filter(isTextStep).map(({ messageId }) => messageId));
    for (const message of passed.view.messages) {
      if (shortened.has(message.id) && stored.has(message.id)) overlay.set(message.id, message);
    }
  }
  return outcome(passed);
}

async function commitPass(parts: SessionParts, input: Passed, lease: Lease): Promise<SessionPass> {
  const { snapshot, passed } = input;
  if (!passed.report.compacted) return outcome(passed);
  const commit = commitOf(parts, input, lease);
  const committed = await parts.store.commit(parts.id, commit);
  for (const id of [...commit.archivedIds, ...commit.edits.map(({ messageId }) => messageId)]) parts.overlay.delete(id);
  const after = await parts.live.refresh();
  // What others appended meanwhile belongs into the request too; it was not there when the view was encoded.
  const isOvertaken = after.record.version.sequence > snapshot.record.version.sequence + commit.inserted.length;
  const { signal } = input.call;
  const newest = isOvertaken ? await compactView(parts, signal === undefined ? {} : { signal }) : outcome(passed);
  return { ...outcome(passed), request: newest.request, eventId: committed.eventId };
}

function commitOf({ compactor, overlay }: SessionParts, input: Passed, lease: Lease): Commit {
  const { snapshot, passed, call, durationMs } = input;
  const { plan, report, view } = passed;
  const before = snapshot.entries;
  const delta = viewDelta({ format: compactor.format, before, after: view.messages, plan });
  const archived = new Set(delta.archivedIds);
  const isForRequestsOnly = compactor.settings.prune.scope === "request";
  const edits = isForRequestsOnly ? delta.edits.filter(({ messageId }) => !overlay.has(messageId)) : delta.edits;
  return {
    event: eventRecord({
      plan,
      report,
      settings: compactor.settings,
      profile: compactor.profile,
      durationMs,
      instructions: call.instructions,
      preservedMessageIds: before.filter(({ stored }) => !archived.has(stored.id)).map(({ stored }) => stored.id),
      messagesRemoved: archived.size,
    }),
    lease,
    revision: snapshot.record.version.revision,
    ...delta,
    edits,
    system: systemEditOf(snapshot.frame, view),
    passes: passed.passes,
    totalTokens: report.tokensAfter,
  };
}

function outcome({ encoded, plan, report }: ViewPass): SessionPass {
  return { request: bodyOf(encoded), plan, report };
}

function bodyOf(encoded: unknown): object {
  // A frame is decoded from an object, and encodes to one.
  return encoded as object;
}
