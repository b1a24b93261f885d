/** One attempt at a compaction: from the newest view to a commit, under a lease that is released before this returns. */

import { setTimeout as pause } from "node:timers/promises";
import type { CompactionRecord } from "../compactor/report.ts";
import type { Compactor, ViewPass } from "../compactor.ts";
import type { HookContext } from "../core/hooks/hook-events.ts";
import { type JsonValue, ownCopy } from "../core/json.ts";
import type { Message, Part } from "../core/message.ts";
import { isTextStep } from "../core/plan/apply-plan.ts";
import type { Plan } from "../core/plan/plan.ts";
import { RECALL_NAME } from "../core/plan/user-voice.ts";
import type { Settings, SettingsInput } from "../core/settings/settings.ts";
import type { PassHistory } from "../core/store/counters.ts";
import type { Commit, CommitResult, Lease, NewEdit, NewEvent } from "../core/store/store.ts";
import type { SessionCall, SessionParts } from "./compact-view.ts";
import { type HeldLease, holdLease } from "./hold-lease.ts";
import { entriesOf, modelOf, type Snapshot, systemEditOf } from "./session-view.ts";
import { viewDelta } from "./view-delta.ts";
import { handOut, thinks, viewToSend } from "./view-to-send.ts";

export interface PassAttempt {
  readonly passed: ViewPass;
  readonly request: object;
  readonly eventId?: string;
  /** True when others appended while the summary was made. */
  readonly isOvertaken?: boolean;
}

export async function passOnce(
  parts: SessionParts,
  { commitWhen, mayWait: _, ...call }: SessionCall,
  mayCompact: boolean,
): Promise<PassAttempt> {
  const { compactor, store, id, leaseMs } = parts;
  const snapshot = await parts.live.refresh();
  const startedMs = parts.now();
  const settings = settingsFor(snapshot, compactor, call);
  const model = modelOf(snapshot.record.base);
  const { conversation, notes } = await viewToSend(parts, snapshot);
  let held: HeldLease | undefined;
  let committed: CommittedPass | undefined;
  const lost = new AbortController();
  try {
    const made = await compactor.passOver(conversation, {
      ...call,
      ...(settings !== undefined && { settings }),
      signal: AbortSignal.any([lost.signal, ...(call.signal === undefined ? [] : [call.signal])]),
      passes: passesBefore(parts, snapshot),
      hookContext: hookContextOf(snapshot, call),
      ...(model !== undefined && { model }),
      keeper: {
        originals: () => originalsIn(parts, snapshot),
        failed: (passes) => holdOff(parts, snapshot, passes),
        begin: async (plan, { prune }) => {
          if (!needsCommit(plan, prune)) return true;
          if (!mayCompact) return false;
          held = await holdLease(store, id, { leaseMs, signal: call.signal });
          held?.signal.addEventListener("abort", () => lost.abort(held?.signal.reason), { once: true });
          return held !== undefined;
        },
        // Hooks are told of a compaction only after it is stored.
        commit: async (passed) => {
          if (held === undefined || !passed.report.compacted) return undefined;
          await commitWhen?.();
          committed = await commitPass(
            parts,
            // The clock may have been set back meanwhile.
            { snapshot, passed, call, durationMs: Math.max(0, parts.now() - startedMs) },
            held.current(),
          );
          return { eventId: committed.eventId, createdAt: committed.createdAt };
        },
      },
    });
    const passed = withNotes(made, notes);
    holdOff(parts, snapshot, passed.report.compacted ? undefined : passed.passes);
    if (committed !== undefined) return await afterCommit(parts, { snapshot, passed }, committed);
    if (held === undefined) keepForRequests(parts, { snapshot, passed });
    return requestFrom(parts, snapshot, { passed });
  } catch (error) {
    // The lost lease aborted the work: throw the reason for that.
    throw lost.signal.aborted && !call.signal?.aborted ? lost.signal.reason : error;
  } finally {
    if (held !== undefined) await released(held, call);
  }
}

/** The original form of messages that a stored edit or a request shortens. */
async function originalsIn(parts: SessionParts, { entries }: Snapshot): Promise<readonly Message[]> {
  const { overlay } = parts;
  const edited = entries.filter(({ stored }) => stored.isEdited);
  const overlaid = entries.filter((entry) => !entry.stored.isEdited && overlay.get(entry.message.id)?.over === entry);
  const written = await writtenMessages(
    parts,
    edited.map(({ stored }) => stored.id),
  );
  const stored = edited.map(async ({ message, stored: { sequence } }) => {
    const original = written.get(message.id);
    if (original === undefined) return [];
    const isJoined = resultsIn(message).length > resultsIn(original).length;
    if (!isJoined) return [original];
    // A repair joined the following rows with this one.
    const behind = Array.from({ length: JOINED_ROWS_MAX }, (_, index) => `m${sequence + index + 1}`);
    const others = [...(await writtenMessages(parts, behind)).values()];
    return [{ ...original, parts: [...original.parts, ...others.flatMap(resultsIn)] }];
  });
  return [...overlaid.map(({ message }) => message), ...(await Promise.all(stored)).flat()];
}

/** The most rows with results of one round that may have been appended one by one. */
const JOINED_ROWS_MAX = 16;

async function writtenMessages(
  { id, store, compactor }: SessionParts,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Message>> {
  if (ids.length === 0) return new Map();
  const entries = entriesOf(compactor.format, await store.messages(id, ids));
  return new Map(entries.map(({ message }) => [message.id, message]));
}

function resultsIn({ parts }: Message): readonly Part[] {
  return parts.filter(({ type }) => type === "tool-result");
}

function withNotes(passed: ViewPass, notes: readonly string[]): ViewPass {
  if (notes.length === 0) return passed;
  const { report } = passed;
  return { ...passed, report: { ...report, notes: [...notes, ...report.notes] } };
}

/** After an abort, release the lease without waiting for the lock. */
async function released(held: HeldLease, { signal }: SessionCall): Promise<void> {
  const release = held.release();
  if (signal?.aborted !== true) return release;
  const over = new AbortController();
  // A timer left running would keep the process alive.
  const patience = pause(RELEASE_MS_MAX, undefined, { signal: over.signal }).catch(() => {});
  await Promise.race([release, patience]);
  over.abort();
}

const RELEASE_MS_MAX = 200;

/** A held-off pass counts no more once the session has changed. */
export function passesBefore({ heldOff }: SessionParts, { record }: Snapshot): PassHistory {
  const { incarnation, revision } = record.version;
  const isSame = heldOff.version?.incarnation === incarnation && heldOff.version.revision === revision;
  return isSame ? (heldOff.passes ?? record.passes) : record.passes;
}

function holdOff({ heldOff }: SessionParts, { record }: Snapshot, passes: PassHistory | undefined): void {
  heldOff.passes = passes;
  heldOff.version = record.version;
}

interface SnapshotPass {
  readonly snapshot: Snapshot;
  readonly passed: ViewPass;
}

interface Attempt extends SnapshotPass {
  readonly call: SessionCall;
  readonly durationMs: number;
}

/** Summaries mention the recall tool where the session offers it. */
function settingsFor({ frame }: Snapshot, { format }: Compactor, { settings }: SessionCall): SettingsInput | undefined {
  const offersRecall = format.readTools(frame.tools).definitions.some(({ name }) => name === RECALL_NAME);
  return offersRecall ? { ...settings, render: { mentionsRecall: true, ...settings?.render } } : settings;
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

/** Where no compaction is due and pruning is for requests only, so are a limit on messages or tool turns. */
function needsCommit({ reason, steps }: Plan, { scope }: Settings["prune"]): boolean {
  if (scope === "stored") return true;
  return reason !== "prune" && !steps.every(isTextStep);
}

/** Remembers what was shortened, or lost with it, without storing it, so that the prefix stays the same. */
function keepForRequests(parts: SessionParts, { snapshot, passed }: SnapshotPass): void {
  const { overlay } = parts;
  const shortened = new Set(passed.plan.steps.filter(isTextStep).map(({ messageId }) => messageId));
  if (shortened.size === 0) return;
  const entries = new Map(snapshot.entries.map((entry) => [entry.message.id, entry]));
  for (const message of passed.view.messages) {
    const over = entries.get(message.id);
    const isKept = over !== undefined && (shortened.has(message.id) || hasLostThinking(over.message, message));
    if (isKept) overlay.set(message.id, { over, message });
  }
  parts.sendable = undefined;
}

/** Records that an answer is signed over this request, if nothing else is appended before it. */
function requestFrom(
  parts: SessionParts,
  { record, frame }: Snapshot,
  made: Omit<PassAttempt, "request">,
): PassAttempt {
  parts.live.signing.handedOut(record.version.sequence);
  return { ...made, request: handOut(parts, frame, made.passed) };
}

/** Thinking that was removed because an earlier text was shortened must stay out while that text is short. */
function hasLostThinking(before: Message, after: Message): boolean {
  return before.parts !== after.parts && thinks(before) && !thinks(after);
}

interface CommittedPass extends CommitResult {
  readonly commit: Commit;
}

async function commitPass(parts: SessionParts, attempt: Attempt, lease: Lease): Promise<CommittedPass> {
  const commit = commitOf(parts, attempt, lease);
  return { commit, ...(await parts.store.commit(parts.id, commit, { signal: attempt.call.signal })) };
}

async function afterCommit(parts: SessionParts, made: SnapshotPass, committed: CommittedPass): Promise<PassAttempt> {
  const { snapshot, passed } = made;
  const { commit, eventId, version, createdAt } = committed;
  const keptIds = commit.event.preservedMessageIds;
  parts.live.signing.committed({ before: snapshot.record.version, after: version, createdAt, keptIds });
  if (passed.settings.prune.scope === "request") keepForRequests(parts, made);
  for (const id of [...commit.archivedIds, ...commit.edits.map(({ messageId }) => messageId)]) parts.overlay.delete(id);
  parts.sendable = undefined;
  const after = await parts.live.refresh();
  const isOvertaken = after.record.version.sequence > snapshot.record.version.sequence + commit.inserted.length;
  return requestFrom(parts, after, { passed, eventId, isOvertaken });
}

function commitOf({ compactor, overlay }: SessionParts, attempt: Attempt, lease: Lease): Commit {
  const { snapshot, passed } = attempt;
  const { plan, report, view } = passed;
  const { version } = snapshot.record;
  const before = snapshot.entries;
  const { joinedIds, ...delta } = viewDelta({ format: compactor.format, before, after: view.messages, plan });
  const archived = new Set(delta.archivedIds);
  const isForRequestsOnly = passed.settings.prune.scope === "request";
  // Text shortened for requests only is not stored, unless its row holds the text of rows that leave the view.
  const isStored = ({ messageId, kind }: NewEdit): boolean =>
    joinedIds.includes(messageId) || (kind === "reshape" && !overlay.has(messageId));
  const edits = isForRequestsOnly ? delta.edits.filter(isStored) : delta.edits;
  return {
    event: {
      ...eventFacts(attempt),
      profile: compactor.profile,
      preservedMessageIds: before.filter(({ stored }) => !archived.has(stored.id)).map(({ stored }) => stored.id),
      messagesRemoved: archived.size,
    },
    lease,
    revision: version.revision,
    sequence: version.sequence,
    ...delta,
    edits,
    system: systemEditOf(snapshot.frame, view),
    passes: passed.passes,
    totalTokens: report.tokensAfter,
  };
}

type EventFacts = Omit<NewEvent, "profile" | "preservedMessageIds" | "messagesRemoved">;

function eventFacts({ passed, call, durationMs }: Attempt): EventFacts {
  const { plan, report, strategy, isCompaction } = passed;
  const { result } = report;
  return {
    strategy,
    trigger: plan.reason,
    originalTokens: report.tokensBefore,
    compactedTokens: report.tokensAfter,
    isCompaction,
    summary: result?.summary ?? null,
    modelUsed: report.model ?? null,
    promptVersion: result?.summarizer ?? null,
    calls: report.calls,
    costUsd: report.costUsd ?? null,
    wholeRatio: report.ratios.whole,
    zoneRatio: report.ratios.zone ?? null,
    durationMs,
    firstKeptId: result?.firstKeptEntryId ?? null,
    instructions: call.instructions ?? null,
    plan: plainJson(plan),
    details: plainJson(detailsOf(result)),
  };
}

/** With the messages that each line of the checkpoint came from, where the summarizer knows them. */
function detailsOf(result: CompactionRecord | undefined): object {
  const details = result?.details ?? { readFiles: [], modifiedFiles: [], toolFailures: [] };
  const sources = result?.checkpoint?.sources;
  return sources === undefined ? details : { ...details, sources };
}

/** JSON without undefined fields, as a store would read it back. */
function plainJson(value: unknown): JsonValue {
  // The copy was parsed from JSON.
  return ownCopy(value) as JsonValue;
}
