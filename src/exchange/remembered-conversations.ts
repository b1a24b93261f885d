/**
 * Finds the conversation that a list of messages continues among those that this process remembers, by the hashes of its messages: no
 * more work for ten thousand than for one. A list that leaves a remembered one gets a memory of its own, which begins as a copy. Bounded;
 * the conversation unused for longest is forgotten.
 */

import type { Compactor } from "../compactor.ts";
import { setBounded } from "../core/remember.ts";

export interface RememberedConversation {
  /** Remembers the edits of this conversation. */
  readonly compactor: Compactor;
  /** What its compactions took out. */
  savedTokens: number;
  /** How many of its first messages are sent without reasoning, which the provider refused. */
  unreasoned: number;
  /** Ends when the requests before have been fitted. */
  turn: Promise<unknown>;
}

export interface RememberedConversations {
  /** `hashes` has one for each message of the list, over all up to it. Never waits. */
  find(hashes: readonly string[], compactor: Compactor): RememberedConversation;
}

/** Where a remembered list is looked for, from its end: clients change the newest messages when they send them again. */
const ENDS = [0, 1, 2, 4];

interface Remembered extends RememberedConversation {
  /** By these it is found. */
  ends: readonly string[];
}

export function createRememberedConversations(conversationsMax: number): RememberedConversations {
  const byEnd = new Map<string, Remembered>();
  // In the order of their use.
  const kept = new Map<Remembered, Remembered>();
  const forget = (one: Remembered): void => {
    for (const end of one.ends) if (byEnd.get(end) === one) byEnd.delete(end);
  };
  const keep = (one: Remembered, hashes: readonly string[]): Remembered => {
    forget(one);
    one.ends = ENDS.flatMap((fromEnd) => hashes[hashes.length - 1 - fromEnd] ?? []);
    for (const end of one.ends) byEnd.set(end, one);
    const [oldest] = kept.keys();
    setBounded(kept, [one, one], conversationsMax);
    if (oldest !== undefined && !kept.has(oldest)) forget(oldest);
    return one;
  };
  return {
    find: (hashes, compactor) => {
      const end = hashes.findLast((hash) => byEnd.has(hash));
      const found = end === undefined ? undefined : byEnd.get(end);
      if (found !== undefined && found.ends[0] === end) return keep(found, hashes);
      const source = found?.compactor ?? compactor;
      const { savedTokens = 0, unreasoned = 0 } = found ?? {};
      const own = { compactor: source.forConversation(), turn: Promise.resolve() };
      return keep({ ...own, savedTokens, unreasoned: Math.min(unreasoned, hashes.length), ends: [] }, hashes);
    },
  };
}
