import { existsSync, globSync } from "node:fs";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PostgresServer, startPostgres } from "../../test/postgres-server.ts";
import { type PostgresWorld, postgresWorld, worldAt } from "../../test/postgres-world.ts";
import type { FullStore } from "../core/store/store-upkeep.ts";
import { openStore } from "../stores.ts";
import { append, begin, compact, ids, listOf, refuses, stateOf, takeLease, user } from "../testing/store/world.ts";
import { storeContract, trafficContract } from "../testing/store-contract.ts";
import { fromPostgresJs, type PostgresClient, postgresStore } from "./postgres.ts";

interface Place {
  readonly client: PostgresClient;
  readonly schema: string;
}

/** Every case in one schema, emptied in between, because making one takes longer than most cases. */
function contract(name: string, placeOf: () => Place): void {
  const open = async () => {
    const place = placeOf();
    return {
      store: postgresStore(place),
      reopen: async () => postgresStore(place),
      dispose: async () => {
        await place.client.query({ text: `DELETE FROM "${place.schema.replaceAll('"', '""')}".sessions` });
      },
    };
  };
  describe(name, () => {
    for (const each of [...storeContract("postgres", open), ...trafficContract("postgres", open)]) {
      test(each.name, each.run);
    }
  });
}

const world = await postgresWorld();

if (typeof world === "string") test.skip(world, () => {});
else suite(world);

function suite(world: PostgresWorld): void {
  const sql = postgres(world.url, { max: 4, onnotice: () => {} });
  afterAll(async () => {
    await sql.end();
    await world.end();
  });
  const clients: Readonly<Record<string, PostgresClient>> = {
    "over a pool of pg": world.newPool(),
    "over a pool of pg that pipelines": world.newPool({ pipeline: true }),
    "over postgres.js": fromPostgresJs(sql),
  };
  for (const [name, client] of Object.entries(clients)) {
    const place = { client, schema: world.newSchema() };
    contract(name, () => place);
  }
  otherServers();

  test("any number of workers append to one session, and every number is given once", async () => {
    const schema = world.newSchema();
    const workers: FullStore[] = Array.from({ length: 6 }, () =>
      postgresStore({ client: world.newPool({ max: 2 }), schema }),
    );
    const [first] = workers as [FullStore];
    await begin(first, "a", 2);
    const appends = workers.flatMap((store, worker) =>
      Array.from({ length: 20 }, (_, index) => append(store, "a", [user(`${worker} ${index}`), user("and on")])),
    );
    const given = (await Promise.all(appends)).flatMap((appended) => appended.ids);
    expect(new Set(given).size).toBe(240);
    const { view, version } = await stateOf(first, "a");
    expect(view.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 242 }, (_, index) => index + 1));
    expect(version.sequence).toBe(242);
  });

  test("appends go on while one of several workers compacts", async () => {
    const schema = world.newSchema();
    const store = postgresStore({ client: world.newPool(), schema });
    await begin(store, "a", 20);
    const leases = await Promise.all(
      Array.from({ length: 8 }, (_, index) => store.lease("a", `worker ${index}`, 60_000)),
    );
    const [lease, ...others] = leases.filter((each) => each !== undefined);
    expect(others).toEqual([]);
    const appends = Promise.all(
      Array.from({ length: 30 }, (_, index) => append(store, "a", [user(`during ${index}`)])),
    );
    await compact(store, "a", { archive: [0, 1, 2, 3], summary: "s", ...(lease !== undefined && { lease }) });
    await appends;
    expect((await stateOf(store, "a")).view.length).toBe(20 - 4 + 1 + 30);
    expect(await listOf(store.examine())).toEqual([]);
  });

  test("two compactions planned from one state: the first wins", async () => {
    const store = postgresStore({ client: world.newPool(), schema: world.newSchema() });
    await begin(store, "a", 8);
    const lease = await takeLease(store, "a");
    const outcomes = await Promise.allSettled(
      ["one", "two", "three"].map((summary) => compact(store, "a", { archive: [0, 1], summary, lease, revision: 0 })),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled").length).toBe(1);
    expect((await stateOf(store, "a")).counters.compactionCount).toBe(1);
  });

  test.each([true, false])("statements are kept prepared only where asked: %s", async (isPrepared) => {
    const pool = world.newPool({ max: 1 });
    const store = postgresStore({ client: pool, schema: world.newSchema(), isPrepared });
    await begin(store, "a", 4);
    await compact(store, "a", { archive: [0, 1], summary: "s" });
    const { rows } = await pool.query("SELECT name FROM pg_prepared_statements");
    expect(rows.length > 5).toBe(isPrepared);
    if (!isPrepared) expect(rows).toEqual([]);
    expect(await ids(store, "a")).toBe("m5 m3 m4");
  });

  test("a session that is written to while sessions are listed is told once", async () => {
    const store = postgresStore({ client: world.newPool(), schema: world.newSchema() });
    const made = Array.from({ length: 401 }, (_, index) => `a "${index}"`);
    for (const id of made) await store.create({ id, format: "openai-chat", base: {} });
    const told: string[] = [];
    for await (const { id } of store.sessions()) {
      // Makes the oldest of all the newest, after the newest were told.
      if (told.push(id) === 1) await append(store, 'a "0"', [user("more")]);
    }
    expect(told.toSorted()).toEqual(made.toSorted());
  });

  test("an id that no index can hold is refused", async () => {
    const store = postgresStore({ client: world.newPool(), schema: world.newSchema() });
    await refuses("invalid-settings", () => begin(store, "会".repeat(1_000), 1));
    await begin(store, "会".repeat(600), 3);
    await compact(store, "会".repeat(600), { archive: [0], summary: "s" });
    expect(await ids(store, "会".repeat(600))).toBe("m4 m2 m3");
  });

  test("opened by address, it names itself without the password and ends its own pool", async () => {
    const schema = world.newSchema();
    const address = new URL(world.url);
    address.password ||= "secret";
    address.searchParams.set("schema", schema);
    const store = await openStore(address.href);
    await begin(store, "a", 1);
    expect(store.url).toMatch(/^postgres:\/\/.*schema=test/);
    expect(store.url).not.toContain(address.password);
    await Promise.all([store.close(), store.close()]);
    await refuses("storage", () => store.open("a"));
    const found = postgresStore({ client: world.newPool(), schema });
    expect(await ids(found, "a")).toBe("m1");
    await refuses("invalid-settings", async () => postgresStore({ client: world.newPool(), schema: "" }));
  });
}

/** Debian and its kin keep every major version in a folder of its own. */
function otherServers(): void {
  const folders = globSync("/usr/lib/postgresql/*/bin").filter((folder) => existsSync(`${folder}/initdb`));
  if (folders.length === 0) test.skip("no other Postgres is installed here", () => {});
  for (const binaries of folders) {
    describe(`over ${binaries}`, () => {
      let server: PostgresServer | undefined;
      let other: PostgresWorld | undefined;
      let place: Place | undefined;
      beforeAll(async () => {
        server = await startPostgres({ binaries });
        other = worldAt(server.url);
        place = { client: other.newPool(), schema: other.newSchema() };
      });
      afterAll(async () => {
        await other?.end();
        await server?.stop();
      });
      contract("over a pool of pg", () => place ?? expect.fail("the server is up"));
    });
  }
}
