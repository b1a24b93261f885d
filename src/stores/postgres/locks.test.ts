import { setTimeout as pause } from "node:timers/promises";
import type { Pool } from "pg";
import { afterAll, expect, test } from "vitest";
import { type PostgresWorld, postgresWorld } from "../../../test/postgres-world.ts";
import type { Waiting } from "../../core/store/store.ts";
import type { FullStore } from "../../core/store/store-upkeep.ts";
import { append, assistant, begin, commitOf, compact, stateOf, takeLease, user } from "../../testing/store/world.ts";
import { postgresStore } from "../postgres.ts";
import type { PostgresClient, PostgresStatement } from "./client.ts";

const world = await postgresWorld();

if (typeof world === "string") test.skip(world, () => {});
else suite(world);

/** Counts what is sent. Each time a row was locked, `onLocked` runs before the next statement is sent. */
function watched(pool: Pool, onLocked: () => Promise<void> = async () => {}): PostgresClient & { sent: string[] } {
  const sent: string[] = [];
  pool.on("error", () => {});
  pool.on("connect", (connection) => connection.on("error", () => {}));
  const query = async (over: Pick<Pool, "query">, statement: PostgresStatement) => {
    sent.push(statement.text);
    const found = await over.query(statement);
    if (statement.text.includes("FOR UPDATE")) await onLocked();
    return found;
  };
  return {
    sent,
    query: (statement) => query(pool, statement),
    connect: async () => {
      const connection = await pool.connect();
      return {
        query: (statement) => query(connection, statement),
        release: (isBroken) => connection.release(isBroken),
      };
    },
  };
}

/** Longer than a test may take: a wait that ends was ended by something else. */
const PATIENT_MS = 600_000;

function suite(world: PostgresWorld): void {
  afterAll(() => world.end());

  /** A session with a compaction, whose row somebody else has locked until `unlock`. */
  async function locked(options: { readonly busyTimeoutMs?: number; readonly pipeline?: boolean } = {}) {
    const { busyTimeoutMs, pipeline = false } = options;
    const schema = world.newSchema();
    const client = world.newPool({ pipeline });
    const store = postgresStore({ client, schema, ...(busyTimeoutMs !== undefined && { busyTimeoutMs }) });
    await begin(store, "a", 8);
    await compact(store, "a", { archive: [0, 1], summary: "first" });
    const commit = await commitOf(store, "a", { archive: [0], lease: await takeLease(store, "a") });
    await begin(store, "free", 1);
    const holder = await world.newPool().connect();
    await holder.query("BEGIN");
    await holder.query(`SELECT 1 FROM "${schema.replaceAll('"', '""')}".sessions FOR UPDATE`);
    const unlock = async (): Promise<void> => {
      await holder.query("ROLLBACK");
      holder.release();
    };
    return { store, schema, commit, unlock };
  }

  type Change = (store: FullStore, waiting: Waiting) => Promise<unknown>;

  function changesOf(commit: Awaited<ReturnType<typeof locked>>["commit"]): Readonly<Record<string, Change>> {
    const batch = { messages: [user("late")], turns: 1 };
    return {
      append: (store, waiting) => store.append("a", batch, waiting),
      lease: (store, waiting) => store.lease("free", "another", 1_000, waiting),
      commit: (store, waiting) => store.commit("a", commit, waiting),
      rollback: (store, waiting) => store.rollback("a", {}, waiting),
      pin: (store, waiting) => store.update("a", { type: "pin", messageIds: ["m4"], isPinned: true }, waiting),
      base: (store, waiting) => store.update("a", { type: "base", base: { model: "other" } }, waiting),
      metadata: (store, waiting) => store.update("a", { type: "metadata", metadata: { model: "other" } }, waiting),
      purge: (store, waiting) => store.purge("a", new Date(Date.now() + 60_000), waiting),
      delete: (store, waiting) => store.delete("a", waiting),
      search: (store, waiting) => store.search("a", "question", 3, "all", waiting),
    };
  }

  test("an abort ends the wait for a lock, and nothing happens later", async () => {
    for (const pipeline of [false, true]) {
      const { store, commit, unlock } = await locked({ pipeline, busyTimeoutMs: PATIENT_MS });
      const before = JSON.stringify(await store.open("a"));
      const calls = Object.entries(changesOf(commit)).map(async ([name, change]) => {
        await expect(change(store, { signal: AbortSignal.timeout(100) }), name).rejects.toMatchObject({
          code: "aborted",
        });
      });
      await Promise.all(calls);
      await unlock();
      await pause(100);
      expect(JSON.stringify(await store.open("a"))).toBe(before);
    }
  });

  test("a signal that is not aborted changes nothing: the wait goes on over its slices", async () => {
    const { store, unlock } = await locked({ busyTimeoutMs: PATIENT_MS });
    const waiting = { signal: new AbortController().signal };
    const appended = store.append("a", { messages: [assistant("late")], turns: 0 }, waiting);
    const pinned = store.update("a", { type: "pin", messageIds: ["m5"], isPinned: true }, waiting);
    await pause(500);
    await unlock();
    expect((await appended).ids).toEqual(["m10"]);
    await pinned;
    expect((await stateOf(store, "a")).view.find(({ id }) => id === "m5")?.isPinned).toBe(true);
  });

  test("a lock that is not to be had in time is told, and may be tried again", async () => {
    const { store, commit, unlock } = await locked({ busyTimeoutMs: 150 });
    for (const [name, change] of Object.entries(changesOf(commit))) {
      const error = {
        code: "storage",
        retryable: true,
        message: expect.stringMatching(/Nothing was changed.*try again/),
      };
      await expect(change(store, {}), name).rejects.toMatchObject(error);
    }
    await unlock();
    expect((await append(store, "a", [user("now")])).ids).toEqual(["m10"]);
  });

  test("a worker that is frozen inside its commit holds up nobody for long, and its commit never comes", async () => {
    const { store, schema, commit, unlock } = await locked({ busyTimeoutMs: PATIENT_MS });
    await unlock();
    const hasLock = Promise.withResolvers<void>();
    const thawed = Promise.withResolvers<void>();
    const onLocked = (): Promise<void> => {
      hasLock.resolve();
      return thawed.promise;
    };
    const worker = postgresStore({ client: watched(world.newPool(), onLocked), schema });
    const committed = worker.commit("a", commit);
    await hasLock.promise;
    // The server ends the silent transaction while this waits; nothing else would let it through.
    expect((await append(store, "a", [user("of another worker")])).ids).toEqual(["m10"]);
    thawed.resolve();
    await expect(committed).rejects.toMatchObject({ code: "storage", retryable: true });
    expect((await stateOf(store, "a")).counters.compactionCount).toBe(1);
  });

  /** Somebody is just making the session `x`, and never comes to an end. */
  async function making(busyTimeoutMs: number) {
    const schema = world.newSchema();
    const store = postgresStore({ client: world.newPool(), schema, busyTimeoutMs });
    await begin(store, "a", 1);
    const holder = await world.newPool().connect();
    await holder.query("BEGIN");
    await holder.query(
      `INSERT INTO "${schema.replaceAll('"', '""')}".sessions (id, format, agent_id, base, metadata)
       VALUES ('x', 'gemini', '', '{}', '{}')`,
    );
    const giveUp = async (): Promise<void> => {
      await holder.query("ROLLBACK");
      holder.release();
    };
    return { store, giveUp };
  }

  const NEW = { id: "x", format: "gemini", base: {} } as const;
  const FIRST = { messages: [user("one")], turns: 1 };

  test.each([
    ["without messages", undefined],
    ["with its first messages", FIRST],
  ])("making a session %s ends with an abort, or when its time is over", async (_, first) => {
    const patient = await making(PATIENT_MS);
    const aborted = patient.store.create(NEW, first, { signal: AbortSignal.timeout(100) });
    await expect(aborted).rejects.toMatchObject({ code: "aborted" });
    await patient.giveUp();
    expect(await patient.store.open("x")).toBeUndefined();
    const hasty = await making(150);
    await expect(hasty.store.create(NEW, first)).rejects.toMatchObject({ code: "storage", retryable: true });
    await hasty.giveUp();
    await hasty.store.create(NEW, first);
    await expect(hasty.store.create(NEW, first)).rejects.toMatchObject({ code: "session-exists" });
  });

  test("bounds cost no round trip", async () => {
    const client = watched(world.newPool());
    const store = postgresStore({ client, schema: world.newSchema() });
    await begin(store, "a", 4);
    client.sent.length = 0;
    await append(store, "a", [user("one")]);
    expect(client.sent).toHaveLength(1);
    await store.update("a", { type: "pin", messageIds: ["m1"], isPinned: true });
    // The append, then BEGIN with its bounds, the lock, the pin, the session, COMMIT.
    expect(client.sent).toHaveLength(1 + 5);
  });

  test("what is no time to wait is refused", () => {
    for (const busyTimeoutMs of [-1, Number.NaN, 1e9, "5" as unknown as number]) {
      const open = () => postgresStore({ client: world.newPool(), busyTimeoutMs });
      expect(open).toThrow(/busyTimeoutMs must be/);
    }
  });

  test("a misspelt use of the schema is refused", () => {
    const open = () => postgresStore({ client: world.newPool(), schemaUse: "kepe" as "keep" });
    expect(open).toThrow(expect.objectContaining({ code: "invalid-settings" }));
  });
}
