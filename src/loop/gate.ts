/**
 * What stands before every model call: a request that fits. Compactions are waited for, or prepared beside the loop and swapped in at a
 * later gate; then nobody waits unless the window is full.
 */

import { CompactionError } from "../core/errors.ts";
import type { SessionPass } from "../session/compact-view.ts";
import type { Session } from "../session/session-port.ts";

export interface Gate {
  /** The request for the next call, compacted where it is time: before every call, whatever points the settings name. */
  pass(signal: AbortSignal): Promise<SessionPass>;
  /** The request to send again after this refusal; the report says whether that makes sense. */
  heal(refusal: unknown, signal: AbortSignal): Promise<SessionPass>;
  /** After the turn, where the settings compact then, so that the next one begins with room. */
  afterTurn(signal: AbortSignal): Promise<void>;
  /** Ends what is still prepared, and waits until it has ended. */
  close(): Promise<void>;
}

export function createGate(session: Session, isBackground: boolean): Gate {
  const ending = new AbortController();
  let prepared: Prepared | undefined;
  return {
    pass: async (signal) => {
      const call = { signal };
      if (!isBackground) return fitted(session, call);
      if (prepared?.isReady) await prepared.letIn();
      const asIs = await session.fit({ ...call, ...AS_IS });
      const { windowTokens, shouldCompact } = await session.stats({ signal });
      if (prepared?.isOver) prepared = undefined;
      if (shouldCompact) prepared ??= prepare(session, ending.signal);
      if (asIs.report.tokensAfter <= windowTokens) return asIs;
      // There is no room to go on: now it is waited for.
      await prepared?.letIn();
      return fitted(session, call);
    },
    heal: async (overflow, signal) => {
      await prepared?.letIn();
      return session.fit({ overflow, signal });
    },
    afterTurn: async (signal) => {
      const isDue = session.compactor.settings.compact.checkPoints.includes("afterTurn");
      // One that is prepared does that by itself.
      if (isDue && prepared?.isOver !== false) await session.fit({ checkPoint: "afterTurn", signal });
    },
    close: async () => {
      ending.abort();
      await prepared?.letIn();
    },
  };
}

/** The request without a compaction, and without waiting for the one that this gate has to let in first. */
export const AS_IS = { settings: { compact: { auto: false } }, mayWait: false } as const;

/** A compaction beside the loop. It is stored when it is let in: no answer is under way then that would be signed over the view before it. */
interface Prepared {
  /** The summary is there, and waits to be let in. */
  isReady: boolean;
  isOver: boolean;
  /** Resolves when it is stored, or has come to nothing. */
  letIn(): Promise<void>;
}

function prepare(session: Session, signal: AbortSignal): Prepared {
  const door = Promise.withResolvers<void>();
  const commitWhen = (): Promise<void> => {
    prepared.isReady = true;
    return door.promise;
  };
  const work = session.compact({ signal, commitWhen }).catch(() => {
    // Nothing to compact, overtaken, failed: its events say so, and a later gate tries again when it is due.
  });
  const prepared: Prepared = {
    isReady: false,
    isOver: false,
    letIn: async () => {
      door.resolve();
      await work;
    },
  };
  void work.finally(() => {
    prepared.isOver = true;
  });
  return prepared;
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
