/** What this process knows about the prefix over which thinking in a view was signed. Reads events only when they may have changed. */

import type { CompactionEvent, Store, StoredMessage, Version } from "../core/store/store.ts";
import { idsIn, stepsOf } from "./views-around.ts";

export interface Signing {
  /** Records a returned request that holds all messages up to this number. */
  handedOut(sequence: number): void;
  /** Records stored messages of this process: the first answers the last returned request, if that ends directly before it. */
  appended(ids: readonly string[], sequenceBefore: number): void;
  /** Forgets the known answers once others compacted or rolled back: what they were signed over is unknown now. */
  saw(version: Version): void;
  /** Our own pass settled the messages that it saw; an answer that came meanwhile was signed over the view before it. */
  committed(commit: OwnCommit): void;
  /** True for a message that directly answers a request of this process, in the form that is still sent. */
  isOwnAnswer(messageId: string): boolean;
  /** The facts of the events, at a version. */
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
  /** Events that are no longer in force. */
  readonly undone: readonly UndoneEvent[];
  readonly newest: EventInForce | undefined;
}

interface EventInForce {
  readonly id: string;
  readonly createdAt: string;
  /** The last message number that its pass saw; 0 where unknown. */
  readonly seen: number;
  /** The last message number before its commit, where this process made it: times alone do not tell within a millisecond. */
  readonly upTo?: number;
}

interface UndoneEvent extends EventInForce {
  readonly undoneAt: string;
}

export function createSigning(store: Store, sessionId: string, opened: Version): Signing {
  let answers = new Set<string>();
  let last = opened;
  let own: EventInForce | undefined;
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
      if (after.head === null) return;
      const newest = { id: after.head, createdAt, seen: before.sequence, upTo: after.sequence };
      own = newest;
      if (known === undefined || !isSameRevision(known.version, before)) return;
      known = { version: after, facts: { ...known.facts, newest } };
    },
    isOwnAnswer: (messageId) => answers.has(messageId),
    eventsAt: async (version) => {
      if (known === undefined || !isSameRevision(known.version, version)) {
        const facts = await readFacts(store.events(sessionId), version.head);
        known = { version, facts: own?.id === version.head ? { ...facts, newest: own } : facts };
      }
      return known.facts;
    },
  };
}

/**
 * Whether a message was appended under another view than the current one: while an event was in force that is undone
 * now, or between the plan and the commit of the newest event. `firstMade` is the first number that the newest event
 * gave to an inserted message. Equal times count as yes, because a request without thinking is valid.
 */
export function isSignedElsewhere(stored: StoredMessage, facts: EventFacts, firstMade: number | undefined): boolean {
  const { createdAt, madeBy, sequence } = stored;
  const { undone, newest } = facts;
  if (madeBy !== null) return false;
  const isUnder = (event: UndoneEvent): boolean => cameBehind(event, stored) && createdAt <= event.undoneAt;
  if (undone.some(isUnder)) return true;
  if (newest === undefined || sequence <= newest.seen) return false;
  if (newest.upTo !== undefined) return sequence <= newest.upTo && (firstMade === undefined || sequence < firstMade);
  return firstMade === undefined ? createdAt <= newest.createdAt : sequence < firstMade;
}

function cameBehind({ seen, createdAt }: EventInForce, stored: StoredMessage): boolean {
  return seen > 0 ? stored.sequence > seen : stored.createdAt >= createdAt;
}

async function readFacts(events: AsyncIterable<CompactionEvent>, head: string | null): Promise<EventFacts> {
  const undone: UndoneEvent[] = [];
  let newest: EventInForce | undefined;
  for await (const { id, createdAt, undoneAt, preservedMessageIds, plan } of events) {
    const planned = stepsOf({ plan }).flatMap((step) => idsIn(step, "messageIds"));
    const event = { id, createdAt, seen: lastNumber([...preservedMessageIds, ...planned]) };
    if (undoneAt !== null) undone.push({ ...event, undoneAt });
    else if (id === head) newest = event;
  }
  return { undone, newest };
}

/** An id is `m` and a number. A pass kept or removed every message that it saw. */
function lastNumber(ids: readonly string[]): number {
  return ids.reduce((last, id) => Math.max(last, Number.parseInt(id.slice(1), 10) || 0), 0);
}

function isSameRevision(a: Version, b: Version): boolean {
  return a.incarnation === b.incarnation && a.revision === b.revision;
}
