import { afterAll, expect, test } from "vitest";
import { type PostgresWorld, postgresWorld } from "../../../test/postgres-world.ts";
import type { StoredMessage } from "../../core/store/store.ts";
import { begin, compact, isSound, listOf } from "../../testing/store/world.ts";
import { postgresStore } from "../postgres.ts";

const world = await postgresWorld();

if (typeof world === "string") test.skip(world, () => {});
else suite(world);

function suite(world: PostgresWorld): void {
  afterAll(() => world.end());

  test("a summary whose event was deleted stays a summary in the copy", async () => {
    const schema = world.newSchema();
    const pool = world.newPool();
    const store = postgresStore({ client: pool, schema });
    await begin(store, "a", 8);
    const { eventId } = await compact(store, "a", { archive: [0, 1], summary: "first" });
    await compact(store, "a", { archive: [1, 2], summary: "second" });
    await pool.query(`DELETE FROM "${schema.replaceAll('"', '""')}".compaction_events WHERE id = $1`, [eventId]);
    await store.fork("a", "b");
    const kind = ({ id, isSummary, madeBy }: StoredMessage) => [id, isSummary, madeBy !== null];
    const log = (await listOf(store.log("a"))).map(kind);
    expect(log).toContainEqual(["m9", true, true]);
    expect((await listOf(store.log("b"))).map(kind)).toEqual(log);
    await isSound(store);
  });
}
