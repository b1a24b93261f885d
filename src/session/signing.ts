/**
 * What this process can know about the prefix that thinking in a view was signed over: which events were undone or committed past
 * it, and which answers came to requests of its own. Reads events only when asked, and only where they may have changed.
 */

import { isArray, isObject, type JsonValue } from "../core/json.ts";
import type { CompactionEvent } from "../core/store/compaction-event.ts";
import type { Store, StoredMessage, Version } from "../core/store/store.ts";

export interface Signing {
  /** A request was handed out that holds everything up to this number. */
  handedOut(sequence: number): void;
  /** Stored as the very next ones, by this process: the first of them is the answer to what was handed out, if that ends there. */
  appended(ids: readonly string[], sequenceBefore: number): void;
  /** Once others compacted or rolled back, nobody here knows any more what was signed over what. */
  saw(version: Version): void;
  /** Our own pass settled what it saw; what came meanwhile was signed over the view before it. */
  committed(commit: OwnCommit): void;
  /** True for what directly answers a request of this process, in the form in which it is still sent. */
  isOwnAnswer(messageId: string): boolean;
  /** What the events say, as of a version. */
  eventsAt(version: Version): Promise<EventFacts>;
}

export interface OwnCommit {
  readonly before: Version;
  readonly after: Version;
  readonly createdAt: string;
  /** Messages that the pass saw and left in the view. */
  readonly keptIds: readonly string[];
}

export interface EventFacts {
  /** Events that were in force and are not any more. */
  readonly undone: readonly UndoneEvent[];
  /** The newest event in force. */
  readonly newest: EventInForce | undefined;
}

interface EventInForce {
  readonly id: string;
  readonly createdAt: string;
  /** The last number that its pass saw; 0 where nobody knows. */
  readonly seen: number;
}

interface UndoneEvent extends EventInForce {
  readonly undoneAt: string;
}

export function createSigning(store: Store, sessionId: string, opened: Version): Signing {
  let answers = new Set<string>();
  let last = opened;
  let handedOut: number | undefined;
  let known: { readonly version: Version; readonly facts: EventFacts } | undefined;
  return {
    handedOut: (sequence) => {
      handedOut = sequence;
    },
    appended: (ids, sequenceBefore) => {
      const [first] = ids;
      if (first !== undefined && sequenceBefore === handedOut) answers.add(first);
    },
    saw: (version) => {
      if (version.head !== last.head || version.incarnation !== last.incarnation) answers = new Set();
      last = version;
    },
    committed: ({ before, after, createdAt, keptIds }) => {
      answers = new Set(keptIds.filter((id) => answers.has(id)));
      last = after;
      if (known === undefined || !isSameRevision(known.version, before) || after.head === null) return;
      const newest = { id: after.head, createdAt, seen: before.sequence };
      known = { version: after, facts: { ...known.facts, newest } };
    },
    isOwnAnswer: (messageId) => answers.has(messageId),
    eventsAt: async (version) => {
      if (known === undefined || !isSameRevision(known.version, version)) {
        known = { version, facts: await readFacts(store.events(sessionId), version.head) };
      }
      return known.facts;
    },
  };
}

/**
 * Whether a message was appended under a view that is not the one of today: while an event was in force that is undone, or after
 * the newest event was planned and before it was committed. `firstMade` is the first number that this one gave to what it
 * inserted. Where two times are the same it was so: without thinking a request is valid.
 */
export function isSignedElsewhere(stored: StoredMessage, facts: EventFacts, firstMade: number | undefined): boolean {
  const { createdAt, madeBy, sequence } = stored;
  const { undone, newest } = facts;
  if (madeBy !== null) return false;
  const isUnder = (event: UndoneEvent): boolean => cameBehind(event, stored) && createdAt <= event.undoneAt;
  if (undone.some(isUnder)) return true;
  if (newest === undefined || sequence <= newest.seen) return false;
  return firstMade === undefined ? createdAt < newest.createdAt : sequence < firstMade;
}

function cameBehind({ seen, createdAt }: EventInForce, stored: StoredMessage): boolean {
  return seen > 0 ? stored.sequence > seen : stored.createdAt >= createdAt;
}

async function readFacts(events: AsyncIterable<CompactionEvent>, head: string | null): Promise<EventFacts> {
  const undone: UndoneEvent[] = [];
  let newest: EventInForce | undefined;
  for await (const { id, createdAt, undoneAt, preservedMessageIds, plan } of events) {
    const event = { id, createdAt, seen: lastNumber([...preservedMessageIds, ...idsIn(plan)]) };
    if (undoneAt !== null) undone.push({ ...event, undoneAt });
    else if (id === head) newest = event;
  }
  return { undone, newest };
}

/** Messages that a plan, as it was stored, did something to. */
function idsIn(plan: JsonValue): readonly string[] {
  const steps = isObject(plan) && isArray(plan.steps) ? plan.steps : [];
  return steps.flatMap((step) => {
    const ids = isObject(step) && isArray(step.messageIds) ? step.messageIds : [];
    return ids.filter((id) => typeof id === "string");
  });
}

/** An id is `m` and its number. What a pass saw, it either kept or took. */
function lastNumber(ids: readonly string[]): number {
  return ids.reduce((last, id) => Math.max(last, Number.parseInt(id.slice(1), 10) || 0), 0);
}

function isSameRevision(a: Version, b: Version): boolean {
  return a.incarnation === b.incarnation && a.revision === b.revision;
}
