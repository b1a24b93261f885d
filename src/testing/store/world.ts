/** What the store contract's cases are written in: short ways to append, compact and look, and nothing that knows a store. */

import { strict as assert } from "node:assert";
import { CompactionError, type ErrorCode } from "../../core/errors.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type {
  AppendResult,
  Commit,
  CommitResult,
  Lease,
  NewEvent,
  NewMessage,
  SessionState,
  StoredMessage,
} from "../../core/store/store.ts";
import { ordersBetween } from "../../core/store/store-rules.ts";
import type { FullStore } from "../../core/store/store-upkeep.ts";

export interface OpenedStore<Port = unknown> {
  readonly store: FullStore & Port;
  /** The same data through a new store, as after a restart. A store that keeps nothing returns itself. */
  reopen(): Promise<FullStore & Port>;
  dispose(): Promise<void>;
}

export const BASE: JsonObject = { model: "claude-opus-4-5", max_tokens: 1000, system: "You are a build agent." };

export function user(text: string): NewMessage {
  return { role: "user", body: { role: "user", content: text }, attachments: [] };
}

export function assistant(text: string): NewMessage {
  return { role: "assistant", body: { content: [{ text, type: "text" }], role: "assistant" }, attachments: [] };
}

export async function append(
  store: FullStore,
  session: string,
  messages: readonly NewMessage[],
  usage?: { inputTokens: number; outputTokens: number },
): Promise<AppendResult> {
  const turns = messages.filter(({ role }) => role === "user").length;
  return store.append(session, { messages, turns, ...(usage !== undefined && { usage }) });
}

/** A session with `count` messages: odd ones from the user, even ones from the assistant. */
export async function begin(store: FullStore, session: string, count: number): Promise<void> {
  await store.create({ id: session, format: "anthropic-messages", base: BASE });
  const messages = Array.from({ length: count }, (_, index) =>
    index % 2 === 0 ? user(`question ${index + 1}`) : assistant(`answer ${index + 1}`),
  );
  await append(store, session, messages);
}

export async function stateOf(store: FullStore, session: string): Promise<SessionState> {
  const state = await store.open(session);
  assert(state !== undefined, `session ${session} is there`);
  return state;
}

/** The view as the model would get it: the very text. */
export async function viewText(store: FullStore, session: string): Promise<string> {
  const { view, base, system } = await stateOf(store, session);
  return JSON.stringify({ base, system, messages: view.map(({ body }) => body) });
}

export async function ids(store: FullStore, session: string): Promise<string> {
  return (await stateOf(store, session)).view.map(({ id }) => id).join(" ");
}

export async function takeLease(store: FullStore, session: string, holder = "worker"): Promise<Lease> {
  const lease = await store.lease(session, holder, 60_000);
  assert(lease !== undefined, "the lease is free");
  return lease;
}

export interface Compaction {
  /** Positions in the view, from 0. */
  readonly archive: readonly number[];
  readonly summary?: string;
  /** Position in the view and the new body. */
  readonly edits?: readonly (readonly [number, JsonValue])[];
  readonly system?: Commit["system"];
  readonly event?: Partial<NewEvent>;
  readonly lease?: Lease;
  readonly revision?: number;
  readonly totalTokens?: number;
}

/** What a session would commit; the summary stands where the first archived message stood. */
export async function commitOf(store: FullStore, session: string, compaction: Compaction): Promise<Commit> {
  const { view, version, system } = await stateOf(store, session);
  const lease = compaction.lease ?? (await takeLease(store, session));
  const archived = new Set(compaction.archive);
  const at = compaction.archive[0] ?? 0;
  const before = view.slice(0, at).findLast((_, index) => !archived.has(index));
  const after = view.find((_, index) => index > at && !archived.has(index));
  const { summary } = compaction;
  const [order] = summary === undefined ? [] : ordersBetween(before?.order, after?.order, 1);
  const idAt = (index: number): string => view[index]?.id ?? `missing ${index}`;
  return {
    event: { ...eventOf(summary ?? null, compaction.archive.length), ...compaction.event },
    lease,
    revision: compaction.revision ?? version.revision,
    sequence: version.sequence,
    archivedIds: compaction.archive.map(idAt),
    edits: (compaction.edits ?? []).map(([index, body]) => ({
      messageId: idAt(index),
      kind: "trim" as const,
      body,
      attachments: [],
    })),
    inserted:
      order === undefined || summary === undefined
        ? []
        : [{ role: "user", body: { role: "user", content: `[summary] ${summary}` }, attachments: [], order }],
    system: compaction.system ?? system,
    passes: { weak: 0, tokensAfter: compaction.totalTokens ?? 0 },
    totalTokens: compaction.totalTokens,
  };
}

export async function compact(store: FullStore, session: string, compaction: Compaction): Promise<CommitResult> {
  const commit = await commitOf(store, session, compaction);
  const committed = await store.commit(session, commit);
  await store.release(commit.lease);
  return committed;
}

export function eventOf(summary: string | null, messagesRemoved: number): NewEvent {
  return {
    strategy: "hybrid",
    profile: "balanced",
    trigger: "ratio",
    originalTokens: 176_000,
    compactedTokens: 79_000,
    messagesRemoved,
    isCompaction: true,
    summary,
    preservedMessageIds: ["m1"],
    modelUsed: null,
    promptVersion: "extractive 1",
    calls: 0,
    costUsd: 0.25,
    wholeRatio: 2.2,
    zoneRatio: 12.1,
    durationMs: 17,
    firstKeptId: "m9",
    instructions: null,
    plan: { reason: "ratio", steps: [{ type: "summarize" }] },
    details: { readFiles: ["a.ts"], modifiedFiles: [], toolFailures: [] },
  };
}

export async function refuses(code: ErrorCode, action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch (error) {
    assert(error instanceof CompactionError, `expected a CompactionError, got ${error}`);
    assert.equal(error.code, code, error.message);
    return;
  }
  assert.fail(`expected ${code}, and nothing was refused`);
}

export async function listOf<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

export function bodies(messages: readonly StoredMessage[]): readonly JsonValue[] {
  return messages.map(({ body }) => body);
}

/** Nothing is wrong with the store. */
export async function isSound(store: FullStore): Promise<void> {
  assert.deepEqual(await listOf(store.examine()), []);
}
