/**
 * Keeps a conversation inside its window for the exchange: in the memory of this process, or as a session of a store. Both find it by the
 * hashes of its messages.
 */

import type { Report } from "../compactor/report.ts";
import type { Compactor } from "../compactor.ts";
import { isArray, type JsonObject, type JsonValue } from "../core/json.ts";
import { takePreservedIn } from "../core/marks.ts";
import type { Store } from "../core/store/store.ts";
import type { TrafficStore } from "../core/store/traffic.ts";
import { createIdentity } from "./identity.ts";
import { createStoredConversations } from "./stored-conversations.ts";
import { fitView } from "./stored-view.ts";

/** A request to be fitted, and what is known of who sends it. */
export interface KeptRequest {
  readonly compactor: Compactor;
  /** With the model that the address names. */
  readonly asked: JsonObject;
  /** What the hashes begin with: whose it is, and what the caller calls it. */
  readonly root: readonly string[];
  readonly metadata: JsonObject;
  /** As the caller names it. */
  readonly name: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A request that the provider refused as too long, and its answer. */
export interface RefusedRequest {
  readonly request: JsonObject;
  readonly overflow: unknown;
}

export interface Fitted {
  /** The same object as the one that was asked where nothing has to change. */
  readonly request: JsonObject;
  readonly report: Report;
  /** The estimate of the request, not calibrated; undefined where the compactor knows it. */
  readonly estimatedTokens?: number;
  /** What the client's list would come to, by the calibrated estimate. */
  readonly fullTokens: number;
  readonly sessionId?: string;
  readonly eventId?: string;
}

export interface Keeper {
  fit(request: KeptRequest, refused?: RefusedRequest): Promise<Fitted>;
}

/** In the memory of this process. */
export function memoryKeeper(): Keeper {
  return {
    fit: async ({ compactor, asked, name, signal }, refused) => {
      const { request, report } = await compactor.fit(asked, {
        ...(signal !== undefined && { signal }),
        ...(refused !== undefined && { overflow: refused.overflow }),
        ...(name !== undefined && { hookContext: { sessionId: name } }),
      });
      return { request, report, fullTokens: Math.max(report.tokensBefore, report.tokensAfter) };
    },
  };
}

/** As sessions of a store. */
export function storeKeeper(store: Promise<Store & TrafficStore>, conversationsMax: number): Keeper {
  const identity = createIdentity();
  const conversations = store.then((opened) => createStoredConversations(opened, conversationsMax));
  // Whoever makes a request hears of it.
  conversations.catch(() => {});
  const inMemory = memoryKeeper();
  return {
    fit: async (given, refused) => {
      const { compactor, root, metadata, signal } = given;
      const { listKey, name } = compactor.format;
      const { request: asked } = takePreservedIn(given.asked, listKey);
      const list = listOf(asked, listKey);
      // Nothing is said yet.
      if (list.length === 0) return inMemory.fit(given, refused);
      const base = { ...asked, [listKey]: [] };
      const hashes = identity.chain([name, ...root], list);
      const view = await (await conversations).enter({ compactor, list, hashes, base, metadata, signal });
      const overflow = refused === undefined ? {} : { overflow: refused.overflow, refused: refused.request };
      const fitted = await fitView(view, { asked, list, base, signal, ...overflow });
      return { ...fitted, sessionId: view.parts.id };
    },
  };
}

function listOf(body: JsonObject, listKey: string): readonly JsonValue[] {
  const list = body[listKey];
  return isArray(list) ? list : [];
}
