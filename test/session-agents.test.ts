/** Agent and session id together name a session, in every store: two agents may use the same id and never see each other's words. */

import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Store } from "../src/core/store/store.ts";
import { openSession, recallTool, type Session } from "../src/index.ts";
import { memoryStore } from "../src/stores/memory.ts";
import { sqliteStore } from "../src/stores/sqlite.ts";
import { listOf as collected, isSound } from "../src/testing/store/world.ts";
import { runInProcess } from "./run-in-process.ts";
import { listOf, open, refuses, SMALL, talk } from "./session-world.ts";
import { inDirectory } from "./shared-places.ts";
import { storesUnderTest } from "./stores-under-test.ts";

function textOf(session: Session): Promise<string> {
  return session.request().then((request) => JSON.stringify(request));
}

describe.each(storesUnderTest)("$name", ({ open: openStore }) => {
  async function opened(skip: (why: string) => void) {
    const found = await openStore();
    if (typeof found === "string") return skip(found);
    onTestFinished(() => found.dispose());
    return found;
  }

  test("two agents with one session id have a session each", async ({ skip }) => {
    const found = await opened(skip);
    if (found === undefined) return;
    const { store } = found;
    const sessions = await Promise.all(["one", "two", "three"].map((agentId) => open({ store, agentId }, "s")));
    for (const [index, session] of sessions.entries()) {
      expect(session.id).toBe("s");
      await session.append(`secret-${index}`);
      await talk(session, 12);
      await session.fit();
      await session.pin((await session.view()).at(-1)?.id ?? "");
    }
    const again = await found.reopen();
    for (const [index, agentId] of ["one", "two", "three"].entries()) {
      const session = await open({ store: again, agentId, create: false }, "s");
      const all = await session.export({ all: true });
      expect(all).toMatchObject({ id: "s", agentId });
      expect(JSON.stringify(all)).toContain(`secret-${index}`);
      expect(JSON.stringify(all)).not.toContain(`secret-${(index + 1) % 3}`);
      expect((await session.history()).map(({ sessionId }) => sessionId)).toEqual(["s"]);
      expect((await session.recall("secret")).length).toBe(1);
      expect(await recallTool(session).run({ query: "secret" })).toMatch(new RegExp(`secret-${index}`));
      await session.rollback();
      expect(await collected(session.archive())).toEqual([]);
      expect(listOf(await session.export().then(({ request }) => request))).toHaveLength(25);
    }
    await isSound(again);
    await sessions[0]?.delete();
    await expect(open({ store: again, agentId: "one", create: false }, "s")).rejects.toMatchObject({
      code: "session-missing",
    });
    expect(await textOf(await open({ store: again, agentId: "two", create: false }, "s"))).toContain("secret-1");
  });

  test("a fork belongs to the agent whose session it is a copy of", async ({ skip }) => {
    const found = await opened(skip);
    if (found === undefined) return;
    const { store } = found;
    const first = await open({ store, agentId: "one" }, "s");
    await first.append("of one");
    await open({ store, agentId: "one" }, "t");
    const second = await open({ store, agentId: "two" }, "s");
    await second.append("of two");
    await refuses("session-exists", first.fork("t"));
    const copy = await second.fork("t");
    expect([copy.id, await textOf(copy)]).toEqual(["t", expect.stringContaining("of two")]);
    expect(await textOf(await open({ store, agentId: "two" }, "t"))).toContain("of two");
    await refuses("session-exists", second.fork("t"));
    expect(listOf(await (await open({ store, agentId: "one" }, "t")).request())).toEqual([]);
  });
});

test("without an agent a session is found by its id, as before", async () => {
  const store = memoryStore();
  const named = await open({ store, agentId: "one" }, "s");
  await named.append("of one");
  expect(await textOf(await open({ store }, "s"))).toContain("of one");
  await open({ store }, "plain");
  expect(listOf(await (await open({ store, agentId: "one" }, "plain")).request())).toEqual([]);
  expect((await collected(store.sessions())).map(({ id }) => id)).toContain("plain");
});

test("an agent that comes to an id at the same moment as another gets a session of its own", async () => {
  const inner = memoryStore();
  let isFirst = true;
  const store: Store = {
    ...inner,
    create: async (session, ...rest) => {
      if (isFirst) {
        isFirst = false;
        await inner.create({ ...session, agentId: "faster" });
      }
      return inner.create(session, ...rest);
    },
  };
  await (await open({ store, agentId: "slower" }, "s")).append("of the slower");
  expect((await inner.open("s"))?.view).toEqual([]);
  expect(await textOf(await open({ store: inner, agentId: "slower", create: false }, "s"))).toContain("of the slower");
});

test("hooks hear the id that the caller gave", async () => {
  const heard: string[] = [];
  const store = memoryStore();
  await open({ store, agentId: "one" }, "s");
  const hooks = { onBeforeCompaction: (id: string) => void heard.push(id) };
  const format = (await import("../src/formats/anthropic-messages.ts")).anthropicMessages;
  const session = await open({ store, agentId: "two", compactor: { format, ...SMALL, hooks } }, "s");
  await talk(session, 12);
  await session.fit();
  expect(heard).toEqual(["s"]);
});

describe("SQL and the command line", () => {
  async function twoAgents() {
    const place = await inDirectory("sqlite", "sessions.db");
    onTestFinished(() => place.remove());
    const file = place.url.replace(/^sqlite:/, "");
    const store = sqliteStore({ file });
    for (const agentId of ["one", "two"]) {
      const session = await open({ store, agentId }, "s");
      await talk(session, 12);
      await session.append(`the word of ${agentId}`);
      await session.fit();
    }
    await store.close();
    return { url: place.url, file };
  }

  test("agent_id and session_id are what was given, and unique together", async () => {
    const { file } = await twoAgents();
    const database = new DatabaseSync(file);
    onTestFinished(() => database.close());
    const states = database.prepare("SELECT agent_id, session_id, compaction_count FROM conversation_state").all();
    expect(states.map((row) => ({ ...row }))).toEqual([
      { agent_id: "one", session_id: "s", compaction_count: 1 },
      { agent_id: "two", session_id: "s", compaction_count: 1 },
    ]);
    const archived = "SELECT count(*) AS count FROM message_archive WHERE session_id = ?1";
    const { count } = database.prepare(archived).get("s") as { count: number };
    const { removed } = database.prepare("SELECT sum(messages_removed) AS removed FROM compaction_events").get() as {
      removed: number;
    };
    expect(count).toBe(removed);
    const insert =
      "INSERT INTO sessions (id, format, agent_id, created_at, updated_at) VALUES (?, 'gemini', 'two', '', '')";
    expect(() => database.prepare(insert).run("s")).toThrow(/UNIQUE/);
    // The sources' clean-up of old archives, over both.
    database.prepare("DELETE FROM message_archive WHERE session_id = 's'").run();
    expect(database.prepare(archived).get("s")).toEqual({ count: 0 });
    expect(
      database.prepare("SELECT count(*) AS count FROM compaction_events WHERE purged_at IS NOT NULL").get(),
    ).toEqual({
      count: 2,
    });
  });

  test("--agent names whose session it is", async () => {
    const { url } = await twoAgents();
    const cli = (...words: string[]) => runInProcess([...words, "--store", url]);
    const listed = await cli("sessions");
    expect(listed.stdout).toMatch(/session +agent/);
    expect(listed.stdout.match(/^s +(?:one|two) /gm)).toHaveLength(2);
    for (const agent of ["one", "two"]) {
      expect((await cli("export", "s", "--agent", agent)).stdout).toContain(`the word of ${agent}`);
      expect((await cli("history", "s", "--agent", agent, "--json")).stdout).toContain('"session": "s"');
    }
    await cli("rollback", "s", "--agent", "two");
    const counts = await Promise.all(["one", "two"].map((agent) => cli("show", "s", "--agent", agent, "--json")));
    expect(counts.map(({ stdout }) => JSON.parse(stdout).messages.length < 25)).toEqual([true, false]);
    const pinned = await cli("pin", "s", "m1", "--agent", "two");
    expect([pinned.code, pinned.stdout]).toEqual([0, "pinned m1 of s\n"]);
    const compacted = await cli("compact", "s", "--agent", "two", "--target", "50%");
    expect(compacted).toMatchObject({ code: 0, stdout: expect.stringContaining("stored as compaction 2") });
    expect((await cli("show", "s", "--agent", "nobody")).stderr).toMatch(/no session "s" of the agent "nobody"/);
  });
});

test("an agent id that is no text is refused", async () => {
  const body = { store: "memory:", compactor: { format: { name: "x" } }, agentId: 5 } as unknown;
  await refuses("invalid-settings", openSession("s", body as Parameters<typeof openSession>[1]));
});
