import { afterAll, expect, test } from "vitest";
import { type PostgresWorld, postgresWorld } from "../../../test/postgres-world.ts";
import { DAMAGES, damageable } from "../../../test/store-damages.ts";
import { append, begin, isSound, listOf, user } from "../../testing/store/world.ts";
import { postgresStore } from "../postgres.ts";

/** Nobody minds references any more; what triggers do they still do. */
const UNBOUND = `ALTER TABLE messages DROP CONSTRAINT messages_session_id_archived_by_fkey;
  ALTER TABLE message_edits DROP CONSTRAINT message_edits_session_id_event_id_fkey,
    DROP CONSTRAINT message_edits_session_id_sequence_fkey`;

const world = await postgresWorld();

if (typeof world === "string") test.skip(world, () => {});
else suite(world);

function suite(world: PostgresWorld): void {
  afterAll(() => world.end());

  test("a message without words is in the index too", async () => {
    const store = postgresStore({ client: world.newPool(), schema: world.newSchema() });
    await begin(store, "a", 2);
    await append(store, "a", [user("…"), user("")]);
    expect(await store.search("a", "question", 5)).toHaveLength(1);
    await isSound(store);
  });

  test.each(DAMAGES)("$name", async ({ sql, rules, says = /^/ }) => {
    const schema = world.newSchema();
    const store = postgresStore({ client: world.newPool(), schema });
    await damageable(store);
    const client = await world.newPool({ max: 1 }).connect();
    try {
      await client.query(`SET search_path = "${schema.replaceAll('"', '""')}"; ${UNBOUND}; ${sql}`);
    } finally {
      client.release(true);
    }
    const found = await listOf(store.examine());
    expect(found.map(({ sessionId, rule }) => `${sessionId} ${rule}`)).toEqual(rules.map((rule) => `a ${rule}`));
    expect(found.map(({ message, remedy }) => `${message} ${remedy}`)[0] ?? "").toMatch(says);
    expect(await listOf(store.examine("b"))).toEqual([]);
  });
}
