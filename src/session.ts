/**
 * `openSession`: a conversation with an id, kept in a store. Messages go in and come out in the session's wire format. Nothing that
 * was appended is ever lost; a compaction is one transaction, and can be taken back. Any number of processes may share a session.
 */

import { type Compactor, type CompactorOptions, createCompactor } from "./compactor.ts";
import { CompactionError } from "./core/errors.ts";
import { isObject, type JsonObject } from "./core/json.ts";
import { checkSessionId } from "./core/store/session-id.ts";
import type { SessionState, Store } from "./core/store/store.ts";
import type { SessionParts } from "./session/compact-view.ts";
import { createSession } from "./session/create-session.ts";
import { createLiveView } from "./session/live-view.ts";
import type { Session } from "./session/session-port.ts";
import { baseOf } from "./session/session-view.ts";
import { type Appendable, readAppendable } from "./session/wire-input.ts";
import { openStore } from "./stores.ts";

export interface SessionOptions {
  /** A store, or the address of one: `memory:`, `jsonl:DIR`, `sqlite:FILE`, `postgres://…`. */
  readonly store: Store | string;
  readonly compactor: Compactor | CompactorOptions;
  /** The request body around the messages (model, system prompt, tools, …). Messages in it are appended to a new session. */
  readonly body?: object;
  /** Whether a session that is not there is made; default true. */
  readonly create?: boolean;
  readonly agentId?: string;
  readonly metadata?: JsonObject;
  /** How long a worker that fell silent keeps others from compacting. Renewed while it works. */
  readonly leaseMs?: number;
  readonly now?: () => number;
}

const LEASE_MS = 60_000;

export async function openSession(id: string, options: SessionOptions): Promise<Session> {
  checkSessionId(id);
  const isOwnStore = typeof options.store === "string";
  const compactor = "passOver" in options.compactor ? options.compactor : createCompactor(options.compactor);
  const store = typeof options.store === "string" ? await openStore(options.store) : options.store;
  const { leaseMs = LEASE_MS, now = Date.now } = options;
  const connect = async (sessionId: string, state: SessionState): Promise<Session> => {
    const live = createLiveView(store, compactor.format, state);
    const own = { overlay: new Map(), heldOff: { passes: undefined } };
    const parts: SessionParts = { id: sessionId, store, compactor, live, ...own, leaseMs, now };
    return createSession(parts, {
      isOwnStore,
      reopen: async (newId) => connect(newId, await existing(newId, store)),
    });
  };
  try {
    return await connect(id, await openState(id, { store, compactor, options }));
  } catch (error) {
    if (isOwnStore) await store.close();
    throw error;
  }
}

interface OpenInput {
  readonly store: Store;
  readonly compactor: Compactor;
  readonly options: SessionOptions;
}

async function openState(id: string, { store, compactor, options }: OpenInput): Promise<SessionState> {
  const { format } = compactor;
  const body = options.body === undefined ? undefined : checkBody(options.body);
  const state = await store.open(id);
  if (state === undefined) {
    if (options.create === false) throw missing(id, store);
    await begin(id, { store, compactor, options }, body);
    return existing(id, store);
  }
  const base = body === undefined ? state.base : baseOf(format, body);
  if (JSON.stringify(base) === JSON.stringify(state.base)) return state;
  await store.setBase(id, base);
  return existing(id, store);
}

async function begin(
  id: string,
  { store, compactor, options }: OpenInput,
  body: JsonObject | undefined,
): Promise<void> {
  const { format } = compactor;
  const { agentId, metadata } = options;
  const list = body?.[format.listKey];
  // Read before anything is written: a body that is not what it should be makes no session.
  const input = list === undefined || list === null ? undefined : readAppendable(format, list as Appendable);
  try {
    await store.create({
      id,
      format: format.name,
      base: body === undefined ? {} : baseOf(format, body),
      ...(agentId !== undefined && { agentId }),
      ...(metadata !== undefined && { metadata }),
    });
  } catch (error) {
    // Two workers may start at once: the second finds what the first has made.
    if (error instanceof CompactionError && error.code === "session-exists") return;
    throw error;
  }
  if (input !== undefined && input.messages.length > 0) await store.append(id, input);
}

async function existing(id: string, store: Store): Promise<SessionState> {
  const state = await store.open(id);
  if (state === undefined) throw missing(id, store);
  return state;
}

function missing(id: string, { url }: Store): CompactionError {
  return new CompactionError("session-missing", `There is no session ${JSON.stringify(id)} in ${url}.`);
}

function checkBody(body: object): JsonObject {
  if (isObject(body)) return body;
  throw new CompactionError("invalid-options", "`body` must be a request body, an object.");
}
