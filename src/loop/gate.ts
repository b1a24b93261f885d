/**
 * What stands before every model call: a request that fits. Compactions are waited for, or prepared beside the loop and stored at a later
 * gate; then nobody waits unless the window is full.
 */

import { CompactionError } from "../core/errors.ts";
import { untilAborted } from "../core/waiting.ts";
import type { SessionPass } from "../session/compact-view.ts";
import type { Session } from "../session/session-port.ts";

/** Every method ends with the signal of the loop. */
export interface Gate {
  /** The request for the next call, compacted where it is time: before every call, whatever points the settings name. */
  pass(): Promise<SessionPass>;
  /** The request to send again after this refusal; the report says whether that makes sense. */
  heal(refusal: unknown): Promise<SessionPass>;
  /** After the turn, where the settings compact then, so that the next one begins with room. */
  afterTurn(): Promise<void>;
  /** Compacts now. What is prepared is discarded: it knows nothing of the instructions. */
  compact(instructions: string): Promise<SessionPass>;
  /** After an abort, discards what is prepared; else leaves it to be stored by itself, or by the next loop. */
  close(): Promise<void>;
}

/** What is prepared for a session. It outlasts its loop, so that a summary that is paid for is used. */
const preparations = new WeakMap<Session, Preparation>();

export function createGate(session: Session, isBackground: boolean, signal: AbortSignal): Gate {
  preparations.get(session)?.hold();
  const prepared = async (): Promise<void> => preparations.get(session)?.finish(signal);
  /** How large the window is. */
  const prepareIfDue = async (): Promise<number> => {
    const { shouldCompact, windowTokens } = await session.stats({ signal });
    if (shouldCompact && !preparations.has(session)) preparations.set(session, prepare(session, signal));
    return windowTokens;
  };
  return {
    pass: async () => {
      if (!isBackground || preparations.get(session)?.isReady) await prepared();
      if (!isBackground) return fitted(session, { signal });
      const asIs = await session.fit({ signal, ...AS_IS });
      if (asIs.report.tokensAfter <= (await prepareIfDue())) return asIs;
      // There is no room to go on: now it is waited for.
      await prepared();
      return fitted(session, { signal });
    },
    heal: async (overflow) => {
      await prepared();
      return session.fit({ overflow, signal });
    },
    afterTurn: async () => {
      if (!session.compactor.settings.compact.checkPoints.includes("afterTurn")) return;
      if (isBackground) await prepareIfDue();
      else await fitted(session, { checkPoint: "afterTurn", signal });
    },
    compact: async (instructions) => {
      await preparations.get(session)?.discard();
      return session.compact({ signal, ...(instructions !== "" && { instructions }) });
    },
    close: async () => {
      const preparation = preparations.get(session);
      if (signal.aborted) await preparation?.discard();
      else preparation?.release();
    },
  };
}

/** The request without a compaction, and without waiting for one that is under way. */
export const AS_IS = { settings: { compact: { auto: false } }, mayWait: false } as const;

/** A compaction beside the loop. It is stored only when it is let in: no answer is under way then that is signed over the view before it. */
interface Preparation {
  /** The summary is there, and waits to be let in. */
  readonly isReady: boolean;
  /** A loop begins: from now on the compaction waits for its gates. */
  hold(): void;
  /** A loop has ended: the compaction is stored as soon as it is ready. */
  release(): void;
  /** Lets it in, and resolves when it is stored or has failed. */
  finish(signal: AbortSignal): Promise<void>;
  discard(): Promise<void>;
}

function prepare(session: Session, signal: AbortSignal): Preparation {
  const ending = new AbortController();
  let door = Promise.withResolvers<void>();
  let isReady = false;
  const commitWhen = (): Promise<void> => {
    isReady = true;
    return door.promise;
  };
  const work = session
    .compact({ signal: AbortSignal.any([signal, ending.signal]), commitWhen })
    .catch(() => {
      // Nothing to compact, overtaken, failed: its events say so, and a later gate tries again when it is due.
    })
    .then(() => void preparations.delete(session));
  return {
    get isReady() {
      return isReady;
    },
    hold: () => {
      if (!isReady) door = Promise.withResolvers();
    },
    release: () => door.resolve(),
    finish: (waiting) => {
      door.resolve();
      return untilAborted(work, waiting);
    },
    discard: () => {
      ending.abort();
      door.resolve();
      return work;
    },
  };
}

/** Where no summary could be made, the view goes out as it is: whether it is too long is the provider's to say. */
async function fitted(session: Session, call: Parameters<Session["fit"]>[0]): Promise<SessionPass> {
  try {
    return await session.fit(call);
  } catch (error) {
    if (!(error instanceof CompactionError && error.code === "summary-failed")) throw error;
    // A failed summary holds off the next one, so this asks for none.
    return session.fit(call);
  }
}
