import { afterAll, expect, test } from "vitest";
import { describeSchema } from "../../../test/postgres-schema.ts";
import { type PostgresWorld, postgresWorld } from "../../../test/postgres-world.ts";
import type { FullStore } from "../../core/store/store-upkeep.ts";
import { append, begin, compact, ids, listOf, refuses, stateOf, user, viewText } from "../../testing/store/world.ts";
import { postgresStore } from "../postgres.ts";

const world = await postgresWorld();

if (typeof world === "string") test.skip(world, () => {});
else suite(world);

/** As users of AgentPG have them in their scripts. */
const ARCHIVE_QUERY = `SELECT ma.id, ma.original_message->>'role' as role, ma.archived_at, ce.strategy
FROM message_archive ma JOIN compaction_events ce ON ma.compaction_event_id = ce.id
WHERE ma.session_id = $1 ORDER BY ma.archived_at DESC;`;
const RETENTION_QUERY = "DELETE FROM message_archive WHERE archived_at < NOW() - INTERVAL '90 days';";

function suite(world: PostgresWorld): void {
  afterAll(() => world.end());

  /** A store, and a pool whose statements name its tables without a schema. */
  function opened(schema = world.newSchema()) {
    const path = `"${schema.replaceAll('"', '""')}"`;
    const pool = world.newPool({ max: 1, options: `-c search_path=${path.replaceAll(" ", "\\ ")}` });
    const rows = async (text: string, values: unknown[] = []) =>
      (await pool.query<Record<string, unknown>>(text, values)).rows;
    return { store: postgresStore({ client: world.newPool(), schema }), rows, pool, schema };
  }

  async function compacted(store: FullStore): Promise<string> {
    await begin(store, "a", 6);
    return (await compact(store, "a", { archive: [0, 1, 2], summary: "what happened" })).eventId;
  }

  test("the schema is the one that is committed", async () => {
    const { store, pool, schema } = opened();
    await begin(store, "a", 1);
    await expect(await describeSchema(pool, schema)).toMatchFileSnapshot("./schema.sql");
  });

  test("the sources' query over the archive runs as printed", async () => {
    const { store, rows } = opened();
    await compacted(store);
    const found = await rows(ARCHIVE_QUERY, ["a"]);
    expect(found.map(({ id, role, strategy }) => [id, role, strategy]).toSorted()).toEqual([
      ["m1", "user", "hybrid"],
      ["m2", "assistant", "hybrid"],
      ["m3", "user", "hybrid"],
    ]);
    expect(found[0]?.archived_at).toBeInstanceOf(Date);
  });

  test("it reads messages that text cannot hold, and the store gives them back as they were", async () => {
    const { store, rows } = opened();
    await store.create({
      id: "a",
      format: "openai-chat",
      base: { "\u0000": "\ud83d" },
      metadata: { key: "\udc00\u0000" },
    });
    const odd = [
      "NUL \u0000\u0000 and",
      "half \ud83d",
      "\\u0000 as text",
      "\\\u0000",
      "whole 😀 \u001b",
      "\udc00 back",
    ];
    const messages = odd.map((content) => ({
      role: "user" as const,
      body: { content, role: "user" },
      attachments: [],
    }));
    await append(store, "a", messages);
    await compact(store, "a", { archive: [0, 1, 2, 3, 4], summary: "odd \u0000 \ud83d" });
    expect((await listOf(store.archive("a"))).map(({ body }) => body)).toEqual(
      messages.slice(0, 5).map(({ body }) => body),
    );
    const { base, metadata } = await stateOf(store, "a");
    expect([base, metadata]).toEqual([{ "\u0000": "\ud83d" }, { key: "\udc00\u0000" }]);
    const found = await rows("SELECT original_message->>'content' AS content FROM message_archive ORDER BY id");
    expect(found.map(({ content }) => content)).toEqual([
      "NUL \ufffd\ufffd and",
      "half \ufffd",
      "\\u0000 as text",
      "\\\ufffd",
      "whole 😀 \u001b",
    ]);
    expect((await store.search("a", "whole", 5)).map(({ messageId }) => messageId)).toEqual(["m5"]);
  });

  test("the sources' retention query runs as printed, and is a purge", async () => {
    const { store, rows, pool } = opened();
    const eventId = await compacted(store);
    const { eventId: later } = await compact(store, "a", { archive: [1], summary: "later" });
    expect((await pool.query(RETENTION_QUERY)).rowCount).toBe(0);
    await rows("UPDATE compaction_events SET created_at = now() - interval '91 days' WHERE id = $1", [eventId]);
    const { version } = await stateOf(store, "a");
    expect((await pool.query(RETENTION_QUERY)).rowCount).toBe(3);
    expect((await listOf(store.archive("a"))).map(({ id }) => id)).toEqual(["m4"]);
    expect((await store.changes("a", version)).type).toBe("changed");
    await store.rollback("a", { to: later });
    await refuses("archive-purged", () => store.rollback("a", {}));
    expect(await listOf(store.examine())).toEqual([]);
  });

  test("conversation_state has the sources' columns", async () => {
    const { store, rows } = opened();
    await store.create({ id: "b", format: "gemini", base: {}, agentId: "agent" });
    await compacted(store);
    const states = await rows("SELECT * FROM conversation_state ORDER BY session_id");
    expect(states.map(({ updated_at, ...rest }) => [updated_at instanceof Date, rest])).toEqual([
      [true, { agent_id: "", session_id: "a", summary: "what happened", turn_count: 3, compaction_count: 1 }],
      [true, { agent_id: "agent", session_id: "b", summary: null, turn_count: 0, compaction_count: 0 }],
    ]);
    await store.rollback("a", {});
    expect(await rows("SELECT summary, compaction_count FROM conversation_state WHERE session_id = 'a'")).toEqual([
      { summary: null, compaction_count: 0 },
    ]);
  });

  test("deleting an event deletes its archive, and the session goes on", async () => {
    const { store, rows } = opened();
    await begin(store, "a", 6);
    await compact(store, "a", { archive: [], edits: [[5, { role: "assistant", content: "trimmed" }]] });
    const { eventId } = await compact(store, "a", {
      archive: [0, 1, 2],
      summary: "s",
      edits: [[5, { role: "assistant", content: "stub" }]],
    });
    const { eventId: third } = await compact(store, "a", { archive: [], summary: "on top" });
    await rows("DELETE FROM compaction_events WHERE id = $1", [eventId]);
    expect(await ids(store, "a")).toBe("m7 m8 m4 m5 m6");
    const { view, version } = await stateOf(store, "a");
    expect([view.at(-1)?.body, version.head]).toEqual([{ role: "assistant", content: "trimmed" }, third]);
    expect(await rows("SELECT * FROM message_archive")).toEqual([]);
    expect((await store.rollback("a", {})).undoneIds).toEqual([third]);
    expect(await listOf(store.examine())).toEqual([]);
  });

  test("deleting a session leaves nothing", async () => {
    const { store, rows } = opened();
    await compacted(store);
    await store.search("a", "question", 3);
    await rows("DELETE FROM sessions");
    for (const table of ["messages", "compaction_events", "message_edits", "attachments", "message_search"]) {
      expect([table, await rows(`SELECT * FROM ${table}`)]).toEqual([table, []]);
    }
  });

  test("binary content is stored once, apart from the body, and goes when nothing refers to it", async () => {
    const { store, rows } = opened();
    await store.create({ id: "a", format: "openai-chat", base: {} });
    const data = "iVBORw0KGgo".padEnd(4_000, "Ab9+");
    const picture = (word: string) => ({
      role: "user" as const,
      body: {
        role: "user",
        content: [{ type: "image_url", word, image_url: { url: `data:image/png;base64,${data}` } }],
      },
      attachments: [{ path: ["content", 0, "image_url", "url"], prefix: "data:image/png;base64,", data }],
    });
    await append(store, "a", [picture("one"), picture("two")]);
    await append(store, "a", [picture("three"), user("no picture")]);
    const [{ count, longest } = {}] = await rows(
      "SELECT (SELECT count(*)::int FROM attachments) AS count, max(length(body::text)) AS longest FROM messages",
    );
    expect([count, Number(longest) < 200]).toEqual([1, true]);
    await compact(store, "a", { archive: [0, 1], summary: "s" });
    await store.purge("a", new Date(Date.now() + 60_000));
    expect((await stateOf(store, "a")).view[1]?.body).toEqual(picture("three").body);
    await compact(store, "a", { archive: [1], summary: "t" });
    await store.purge("a", new Date(Date.now() + 60_000));
    expect(await rows("SELECT hash FROM attachments")).toEqual([]);
  });

  test("a lease does not outlast a server's clock that goes back", async () => {
    const { store, rows } = opened();
    await begin(store, "a", 2);
    const dead = await store.lease("a", "dead", 60_000);
    await rows("UPDATE sessions SET lease_expires_at = lease_expires_at + interval '30 seconds'");
    expect(await store.lease("a", "next", 1_000)).toBeUndefined();
    await rows("UPDATE sessions SET lease_expires_at = lease_expires_at + interval '1 day'");
    expect((await store.lease("a", "next", 1_000))?.token).toBeGreaterThan(dead?.token ?? 0);
  });

  test("two agents with one session id are two rows of the views, and unique together", async () => {
    const { store, rows } = opened();
    const key = "s\u001ftwo";
    for (const [id, agentId] of [
      ["s", "one"],
      [key, "two"],
    ] as const) {
      await store.create({ id, agentId, format: "anthropic-messages", base: {} });
      await append(store, id, [user("one"), user("two"), user("three")]);
      await compact(store, id, { archive: [0, 1], summary: agentId });
    }
    expect(await rows("SELECT agent_id, session_id, summary FROM conversation_state ORDER BY agent_id")).toEqual([
      { agent_id: "one", session_id: "s", summary: "one" },
      { agent_id: "two", session_id: "s", summary: "two" },
    ]);
    const archived = "SELECT agent_id FROM message_archive WHERE session_id = 's' ORDER BY agent_id";
    expect(await rows(archived)).toHaveLength(4);
    await rows("DELETE FROM message_archive WHERE agent_id = 'two'");
    expect(await rows(archived)).toEqual([{ agent_id: "one" }, { agent_id: "one" }]);
    expect((await listOf(store.events(key)))[0]?.purgedAt).not.toBeNull();
    expect((await listOf(store.events("s")))[0]?.purgedAt).toBeNull();
    await rows("UPDATE sessions SET agent_id = 'two' WHERE id = 's'").then(
      () => expect.fail("unique together"),
      (error: unknown) => expect(String(error)).toContain("sessions_by_agent"),
    );
  });

  test("eight that start at once make one schema", async () => {
    const schema = world.newSchema();
    const stores = Array.from({ length: 8 }, () => postgresStore({ client: world.newPool({ max: 1 }), schema }));
    await Promise.all(stores.map((store, index) => begin(store, `session ${index}`, 1)));
    const { rows, store } = opened(schema);
    expect(await rows("SELECT number, name FROM schema_migrations")).toEqual([
      { number: 1, name: "initial" },
      { number: 2, name: "identity" },
      { number: 3, name: "attachments" },
      { number: 4, name: "search-words" },
      { number: 5, name: "agents" },
      { number: 6, name: "traffic" },
      { number: 7, name: "search" },
    ]);
    expect((await listOf(store.sessions())).length).toBe(8);
  });

  test("a schema of a newer version is left alone", async () => {
    const { store, rows, schema } = opened();
    await compacted(store);
    const before = await viewText(store, "a");
    await rows("INSERT INTO schema_migrations (number, name) VALUES (99, 'from the future')");
    const { store: older } = opened(schema);
    await refuses("schema-too-new", () => older.open("a"));
    await refuses("schema-too-new", () => append(older, "a", [user("never")]));
    await rows("DELETE FROM schema_migrations WHERE number = 99");
    expect(await viewText(older, "a")).toBe(before);
  });

  test("examine finds what somebody broke by hand", async () => {
    const { store, rows } = opened();
    const eventId = await compacted(store);
    await rows("UPDATE sessions SET compaction_count = 7, head_event_id = NULL");
    await rows("UPDATE compaction_events SET undone_at = now() WHERE id = $1", [eventId]);
    const rules = (await listOf(store.examine("a"))).map(({ rule }) => rule);
    expect(rules).toEqual(expect.arrayContaining(["compaction-count", "archived-by-in-force", "made-by-in-force"]));
    expect(await listOf(store.examine("another"))).toEqual([]);
  });

  test("a message with more words than one index row holds is found by any of them", async () => {
    const { store } = opened();
    await store.create({ id: "a", format: "gemini", base: {} });
    const words = Array.from({ length: 60_000 }, (_, index) => `word${index}x${"z".repeat(20)}`);
    await append(store, "a", [user(words.join(" ")), user("short")]);
    for (const word of [words[0], words[31_337], words[59_999]]) {
      expect((await store.search("a", word ?? "", 5)).map(({ messageId }) => messageId)).toEqual(["m1"]);
    }
  });
}
