import { afterAll, expect, test } from "vitest";
import { type PostgresWorld, postgresWorld } from "../../../test/postgres-world.ts";
import type { NewMessage } from "../../core/store/store.ts";
import { append, begin, commitOf, compact, isSound, stateOf } from "../../testing/store/world.ts";
import { postgresStore } from "../postgres.ts";

const world = await postgresWorld();

if (typeof world === "string") test.skip(world, () => {});
else suite(world);

/** Canonical base64, another one for each letter. */
function picture(letter: string): NewMessage {
  const data = letter.repeat(4_000);
  const body = { role: "user", content: [{ data }], note: "with \u0000 in it" };
  return { role: "user", body, attachments: [{ path: ["content", 0, "data"], prefix: "", data }] };
}

function suite(world: PostgresWorld): void {
  afterAll(() => world.end());

  async function pictured() {
    const schema = world.newSchema();
    const pool = world.newPool();
    const store = postgresStore({ client: pool, schema });
    await begin(store, "a", 4);
    // m5 alone has A; m6 and m7 have B, of which m7 stays; an edit of m8 has C.
    await append(store, "a", [picture("A"), picture("B"), picture("B"), picture("D")]);
    const change = await commitOf(store, "a", { archive: [4, 5], edits: [[7, picture("C").body]], summary: "s" });
    const edits = change.edits.map((edit) => ({ ...edit, attachments: picture("C").attachments }));
    const { eventId } = await store.commit("a", { ...change, edits });
    await store.release(change.lease);
    const run = (sql: string) => pool.query(sql.replaceAll("$SCHEMA", `"${schema.replaceAll('"', '""')}"`));
    const kept = async (): Promise<number> => (await run("SELECT 1 FROM $SCHEMA.attachments")).rows.length;
    expect(await kept()).toBe(4);
    return { store, run, kept, eventId };
  }

  test.each([
    ["a purge", 3],
    ["DELETE FROM $SCHEMA.message_archive", 3],
    ["DELETE FROM $SCHEMA.compaction_events", 2],
  ])("%s takes along the bytes that nothing else refers to", async (how, left) => {
    const { store, run, kept } = await pictured();
    if (how === "a purge") expect(await store.purge("a", new Date(Date.now() + 60_000))).toBe(2);
    else await run(how);
    expect(await kept()).toBe(left);
    await isSound(store);
    expect(JSON.stringify((await stateOf(store, "a")).view)).toContain("B".repeat(4_000));
    await append(store, "a", [picture("A")]);
    expect(await kept()).toBe(left + 1);
  });

  test("a session goes with all of them, and a compaction takes none", async () => {
    const { store, kept } = await pictured();
    await compact(store, "a", { archive: [0, 1, 2, 3], summary: "more" });
    expect(await kept()).toBe(4);
    await store.delete("a");
    expect(await kept()).toBe(0);
  });

  test("what is appended while its bytes are being purged is whole", async () => {
    const { store } = await pictured();
    const purged = store.purge("a", new Date(Date.now() + 60_000));
    const appended = Promise.all(Array.from({ length: 8 }, () => append(store, "a", [picture("A")])));
    await Promise.all([purged, appended]);
    await isSound(store);
    expect((await stateOf(store, "a")).view.filter(({ body }) => JSON.stringify(body).includes("AAAA"))).toHaveLength(
      8,
    );
  });
}
