import type { Pool } from "pg";
import { afterAll, expect, test } from "vitest";
import { startPostgres } from "../../../test/postgres-server.ts";
import { type PostgresWorld, postgresWorld, worldAt } from "../../../test/postgres-world.ts";
import { CompactionError } from "../../core/errors.ts";
import type { FullStore } from "../../core/store/store-upkeep.ts";
import { append, begin, commitOf, compact, ids, listOf, takeLease, user } from "../../testing/store/world.ts";
import { postgresStore } from "../postgres.ts";
import type { PostgresClient, PostgresQueryable, PostgresStatement } from "./client.ts";

const world = await postgresWorld();

if (typeof world === "string") test.skip(world, () => {});
else suite(world);

/** What happens in place of the statement with that number, counted from 1; nothing when it is undefined. */
interface Fault {
  at: number | undefined;
  /** How often. */
  times: number;
  happen(connection: PostgresQueryable): Promise<never>;
}

/** The pool, with one of the statements of its transactions failing. Statements of `write` and `read` count too. */
function faulty(pool: Pool, fault: Fault): PostgresClient & { count(): number; reset(at: number | undefined): void } {
  let count = 0;
  // The store listens to what it was given, which here is not the pool itself.
  pool.on("error", () => {});
  pool.on("connect", (connection) => connection.on("error", () => {}));
  const over = (connection: PostgresQueryable): PostgresQueryable => ({
    query: async (statement: PostgresStatement) => {
      // What ends a failed transaction is not part of it.
      if (statement.text !== "ROLLBACK") count++;
      if (fault.at === undefined || count < fault.at || fault.times === 0) return connection.query(statement);
      fault.times--;
      return fault.happen(connection);
    },
  });
  return {
    ...over(pool),
    connect: async () => {
      const connection = await pool.connect();
      const { pipeline } = connection;
      return { ...over(connection), pipeline, release: (isBroken) => connection.release(isBroken) };
    },
    count: () => count,
    reset: (at) => {
      count = 0;
      fault.at = at;
      fault.times = 1;
    },
  };
}

/** The server itself refuses, inside whatever transaction is open. */
const raising = (code: string) => async (connection: PostgresQueryable) => {
  await connection.query({ text: `DO $$ BEGIN RAISE EXCEPTION 'as a test asked' USING ERRCODE = '${code}'; END $$` });
  throw new Error("the server was expected to refuse");
};

/** The server ends the connection. */
const terminating = async (connection: PostgresQueryable) => {
  await connection.query({ text: "SELECT pg_terminate_backend(pg_backend_pid())" });
  throw new Error("the server was expected to hang up");
};

/** The client fails by itself; the server knows of nothing and would commit what it has. */
const breaking = async () => {
  throw new Error("the client broke");
};

async function wholeOf(store: FullStore): Promise<string> {
  const [state, log, events] = [await store.open("a"), await listOf(store.log("a")), await listOf(store.events("a"))];
  return JSON.stringify({ state, log, events, archive: await listOf(store.archive("a")) });
}

async function failureOf(action: Promise<unknown>): Promise<CompactionError> {
  const error = await action.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof CompactionError)) throw new Error(`a CompactionError was expected, not ${error}`);
  return error;
}

function suite(world: PostgresWorld): void {
  afterAll(() => world.end());

  /** Fails every statement of a change in turn; the session must stay as it was, until at last nothing fails. How many there were. */
  async function check(
    prepare: (store: FullStore) => Promise<(store: FullStore) => Promise<unknown>>,
    { happen, isPipelined = false }: { readonly happen: Fault["happen"]; readonly isPipelined?: boolean },
  ): Promise<number> {
    const schema = world.newSchema();
    const sound = postgresStore({ client: world.newPool(), schema });
    await begin(sound, "a", 10);
    await compact(sound, "a", { archive: [0, 1], summary: "first", edits: [[4, { role: "user", content: "short" }]] });
    const change = await prepare(sound);
    const before = await wholeOf(sound);
    const client = faulty(world.newPool({ pipeline: isPipelined }), { at: undefined, times: 0, happen });
    const store = postgresStore({ client, schema });
    await store.open("a");
    for (let at = 1; at < 50; at++) {
      client.reset(at);
      const error = await change(store).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (error === undefined) {
        expect(client.count()).toBe(at - 1);
        expect(await wholeOf(sound)).not.toBe(before);
        return at - 1;
      }
      expect(error).toMatchObject({ code: "storage" });
      expect(await wholeOf(sound), `after statement ${at} failed`).toBe(before);
    }
    throw new Error("the change never succeeded");
  }

  /** One that archives, edits, and inserts a summary with binary content. */
  async function committing(sound: FullStore) {
    const lease = await takeLease(sound, "a");
    const edits = [[4, { role: "user", content: "shorter" }]] as const;
    const commit = await commitOf(sound, "a", { archive: [1, 2], summary: "second", lease, edits });
    const data = "iVBORw0KGgo".padEnd(2_000, "Ab9+");
    const attachments = [{ path: ["content"], prefix: "", data }];
    const inserted = commit.inserted.map((message) => ({ ...message, body: { content: data }, attachments }));
    return (store: FullStore) => store.commit("a", { ...commit, inserted });
  }
  const rollingBack = async () => (store: FullStore) => store.rollback("a", {});

  test("every statement of a commit failing in turn leaves the session as it was", async () => {
    // BEGIN, lock, event, marks, session and summary, edits, attachments, COMMIT.
    expect(await check(committing, { happen: raising("XX000") })).toBe(8);
    expect(await check(committing, { happen: raising("XX000"), isPipelined: true })).toBe(8);
  });

  test("so does the client failing, or the connection ending, in the place of each of them", async () => {
    expect(await check(committing, { happen: breaking })).toBe(8);
    expect(await check(committing, { happen: breaking, isPipelined: true })).toBe(8);
    expect(await check(committing, { happen: terminating })).toBe(8);
    expect(await check(committing, { happen: terminating, isPipelined: true })).toBe(8);
  });

  test("every statement of a rollback failing in turn leaves the session as it was", async () => {
    expect(await check(rollingBack, { happen: raising("XX000") })).toBe(9);
    expect(await check(rollingBack, { happen: breaking })).toBe(9);
    expect(await check(rollingBack, { happen: terminating, isPipelined: true })).toBe(9);
  });

  test("every statement of a purge and of a pin failing in turn leaves the session as it was", async () => {
    const purging = async () => (store: FullStore) => store.purge("a", new Date(Date.now() + 60_000));
    const pinning = async () => (store: FullStore) =>
      store.update("a", { type: "pin", messageIds: ["m4", "m5"], isPinned: true });
    expect(await check(purging, { happen: raising("XX000") })).toBe(5);
    expect(await check(pinning, { happen: raising("XX000") })).toBe(5);
  });

  test("what Postgres took back in favour of another is done again, so many times and no more", async () => {
    const schema = world.newSchema();
    const fault = { at: undefined, times: 0, happen: raising("40P01") };
    const client = faulty(world.newPool(), fault);
    const store = postgresStore({ client, schema });
    await begin(store, "a", 4);
    const commit = await commitOf(store, "a", { archive: [0, 1], summary: "s" });
    client.reset(4);
    await store.commit("a", commit);
    expect(await ids(store, "a")).toBe("m5 m3 m4");
    const always: Fault = { at: 1, times: 100, happen: raising("40001") };
    const unlucky = postgresStore({ client: { ...faulty(world.newPool(), always) }, schema });
    expect(await failureOf(unlucky.open("a"))).toMatchObject({ code: "storage", retryable: true });
  });

  test.each([
    ["53100", false, /Free some space/],
    ["42501", false, /rights/],
    ["57014", true, /Nothing was changed/],
    ["55P03", true, /Nothing was changed/],
    ["22000", false, /as a test asked\. Nothing was changed/],
  ])("an append refused with %s says what to do", async (code, retryable, message) => {
    const client = faulty(world.newPool(), { at: undefined, times: 0, happen: raising(code) });
    const store = postgresStore({ client, schema: world.newSchema() });
    await begin(store, "a", 1);
    client.reset(1);
    const failure = await failureOf(append(store, "a", [user("never")]));
    expect(failure).toMatchObject({ code: "storage", retryable, message: expect.stringMatching(message) });
    expect(await ids(store, "a")).toBe("m1");
  });

  test("a server that is read-only is told apart from one that is down", async () => {
    const schema = world.newSchema();
    await begin(postgresStore({ client: world.newPool(), schema }), "a", 2);
    const replica = postgresStore({
      client: world.newPool({ options: "-c default_transaction_read_only=on" }),
      schema,
    });
    expect(await ids(replica, "a")).toBe("m1 m2");
    const failure = await failureOf(append(replica, "a", [user("never")]));
    expect(failure).toMatchObject({ retryable: false, message: expect.stringMatching(/connect to the primary/) });
  });

  test("a server that restarts midway gives a retryable error, and nothing acknowledged is lost", async () => {
    const server = await startPostgres();
    const own = worldAt(server.url);
    try {
      const store = postgresStore({ client: own.newPool() });
      await begin(store, "a", 3);
      const working = compact(store, "a", { archive: [0], summary: "s" });
      await working;
      await server.halt();
      expect(await failureOf(store.open("a"))).toMatchObject({ code: "storage", retryable: true });
      const failure = await failureOf(append(store, "a", [user("never")]));
      expect(failure).toMatchObject({ code: "storage", retryable: true });
      expect(failure.message).not.toContain(server.url);
      await server.restart();
      expect(await ids(store, "a")).toBe("m4 m2 m3");
      await append(store, "a", [user("again")]);
      await server.restart();
      // A read finds its connection dead and takes another; the caller notices nothing.
      expect(await ids(store, "a")).toBe("m4 m2 m3 m5");
      expect(await listOf(store.examine())).toEqual([]);
    } finally {
      await own.end().catch(() => undefined);
      await server.stop();
    }
  });

  test("a write whose answer was lost is not sent again, and says that nobody knows", async () => {
    const schema = world.newSchema();
    const pool = world.newPool();
    const store = postgresStore({ client: hangingUp(pool), schema });
    await begin(postgresStore({ client: world.newPool(), schema }), "a", 1);
    const failure = await failureOf(append(store, "a", [user("written, yet never acknowledged")]));
    expect(failure).toMatchObject({
      retryable: true,
      message: expect.stringMatching(/not known: look at the session/),
    });
    expect(await ids(store, "a")).toBe("m1 m2");
  });
}

/** Carries every append out, and loses the answer. */
function hangingUp(pool: Pool): PostgresClient {
  return {
    connect: () => pool.connect(),
    query: async (statement) => {
      const answer = await pool.query(statement);
      if (statement.text.includes("INSERT INTO")) throw new Error("Connection terminated unexpectedly");
      return answer;
    },
  };
}
