/**
 * `openSession`: a conversation with an id, kept in a store. Messages go in and come out in the session's wire format. An appended
 * message is never lost; a compaction is one transaction, and a rollback undoes it. Any number of processes may share a session.
 */

import { type Compactor, type CompactorOptions, createCompactor } from "./compactor.ts";
import { CompactionError } from "./core/errors.ts";
import { type JsonObject, present } from "./core/json.ts";
import type { SessionState, Store } from "./core/store/store.ts";
import { checkSessionId } from "./core/store/store-rules.ts";
import { withUpkeep } from "./core/store/store-upkeep.ts";
import { addressOf } from "./session/agent-store.ts";
import { checkedBase, checkSessionOptions, ownBody } from "./session/check-arguments.ts";
import { createParts } from "./session/compact-view.ts";
import { createSession } from "./session/create-session.ts";
import { recalibrate } from "./session/learned-windows.ts";
import type { Session } from "./session/session-port.ts";
import { createLiveView } from "./session/session-view.ts";
import { type Appendable, readAppendable } from "./session/wire-input.ts";
import { openStore } from "./stores.ts";

export interface SessionOptions<Request extends object = object> {
  /** A store, or the address of one: `memory:`, `jsonl:DIR`, `sqlite:FILE`, `postgres://…`. */
  readonly store: Store | string;
  readonly compactor: Compactor<Request> | CompactorOptions<Request>;
  /** The fields of the request body beside the messages (model, system prompt, tools, …). Its messages are appended to a new session. */
  readonly body?: object;
  /** Whether to create a missing session; default true. */
  readonly create?: boolean;
  /** The agent that owns the session. Agents with the same session id have a session each; without this, the id alone finds it. */
  readonly agentId?: string;
  /** The session that began this one, such as that of the agent that a sub-agent works for. Recorded when the session is created. */
  readonly parentId?: string;
  readonly metadata?: JsonObject;
  /** How long a worker that stopped responding keeps others from compacting: default a minute, at most a day. Renewed during work. */
  readonly leaseMs?: number;
  readonly now?: () => number;
}

/**
 * Opens a session, or creates it where it is missing.
 * @example
 * const session = await openSession("ticket-4711", { store: "sqlite:./sessions.db", compactor: { format: anthropicMessages } });
 */
export async function openSession<Request extends object>(
  id: string,
  options: SessionOptions<Request>,
): Promise<Session<Request>> {
  checkSessionId(id);
  checkSessionOptions(options);
  const isOwnStore = typeof options.store === "string";
  const compactor = "passOver" in options.compactor ? options.compactor : createCompactor(options.compactor);
  const opened = typeof options.store === "string" ? await openStore(options.store) : options.store;
  const connect = ({ store, state }: OpenedSession, ownsStore: boolean): Session => {
    const live = createLiveView(store, compactor.format, state);
    const { leaseMs, now } = options;
    const times = { ...(leaseMs !== undefined && { leaseMs }), ...(now !== undefined && { now }) };
    const parts = createParts({ id: state.id, store, compactor, ...times }, live);
    recalibrate(compactor, live.current());
    return createSession(parts, {
      isOwnStore: ownsStore,
      fork: async (newId, waiting) => {
        const source = withUpkeep(store, "fork sessions");
        const copy = await addressOf(opened, newId, state.agentId);
        await source.fork(state.id, copy.key, waiting);
        // A fork uses its parent's connection, and leaves it open.
        return connect({ store: copy.store, state: await existing(newId, copy.store) }, false);
      },
    });
  };
  try {
    const session = connect(await openState(id, { store: opened, compactor, options }), isOwnStore);
    // The compactor's own format encodes the requests.
    return session as Session<Request>;
  } catch (error) {
    if (isOwnStore) await opened.close();
    throw error;
  }
}

interface OpenInput {
  readonly store: Store;
  readonly compactor: Compactor;
  readonly options: SessionOptions;
}

interface OpenedSession {
  readonly store: Store;
  readonly state: SessionState;
}

/** A bound: other workers may create and delete sessions of this id all the time. */
const ATTEMPTS_MAX = 5;

async function openState(id: string, input: OpenInput): Promise<OpenedSession> {
  const { agentId } = input.options;
  for (let attempt = 1; ; attempt++) {
    const { store, state } = await addressOf(input.store, id, agentId);
    if (state !== undefined) return { store, state: await joined(state, { ...input, store }) };
    if (input.options.create === false) throw missing(id, store);
    const isOurs = await begin(id, { ...input, store });
    if (isOurs) return { store, state: await existing(id, store) };
    // Another worker was faster: the next attempt finds its session, or another id where an agent owns it.
    if (attempt === ATTEMPTS_MAX) throw changing(id, store);
  }
}

/** An existing session, after its format and body were compared with the caller's. */
async function joined(state: SessionState, { store, compactor, options }: OpenInput): Promise<SessionState> {
  const { id } = state;
  const { format } = compactor;
  if (state.format !== format.name) throw otherFormat(state, format.name);
  if (options.body === undefined) return state;
  const base = checkedBase(format, options.body);
  if (JSON.stringify(base) === JSON.stringify(state.base)) return state;
  await store.update(id, { type: "base", base });
  return existing(id, store);
}

/** False where another worker was faster: two may start at once, and the second finds the session of the first. */
async function begin(id: string, { store, compactor, options }: OpenInput): Promise<boolean> {
  const { format } = compactor;
  const { agentId, parentId, metadata, body } = options;
  const list = body === undefined ? undefined : ownBody(body)[format.listKey];
  // Read before anything is written: an invalid body creates no session. Any value is read; one that is no list of
  // messages is refused.
  const first = list === undefined || list === null ? undefined : readAppendable(format, list as Appendable);
  const session = {
    id,
    format: format.name,
    base: body === undefined ? {} : checkedBase(format, body),
    ...present({ agentId, parentId, metadata }),
  };
  try {
    await store.create(session, first);
    return true;
  } catch (error) {
    if (!(error instanceof CompactionError && error.code === "session-exists")) throw error;
    return false;
  }
}

async function existing(id: string, store: Store): Promise<SessionState> {
  const state = await store.open(id);
  if (state === undefined) throw missing(id, store);
  return state;
}

function changing(id: string, { url }: Store): CompactionError {
  const message = `Others make and delete a session ${JSON.stringify(id)} in ${url} all the time. Nothing was changed; try again.`;
  return new CompactionError("store-conflict", message, { retryable: true });
}

function missing(id: string, { url }: Store): CompactionError {
  return new CompactionError("session-missing", `There is no session ${JSON.stringify(id)} in ${url}.`);
}

function otherFormat({ id, format }: SessionState, spoken: string): CompactionError {
  const message = `Session ${JSON.stringify(id)} holds ${format}, the compactor speaks ${spoken}. Nothing was changed.`;
  return new CompactionError("invalid-settings", message);
}
