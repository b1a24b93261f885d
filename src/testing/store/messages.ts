/** Contract of a store: sessions and messages. */

import { strict as assert } from "node:assert";
import type { JsonValue } from "../../core/json.ts";
import type { Cases } from "../store-contract.ts";
import {
  append,
  assistant,
  BASE,
  begin,
  bodies,
  compact,
  ids,
  isSound,
  listOf,
  refuses,
  stateOf,
  user,
} from "./world.ts";

export const MESSAGE_CASES: Cases = {
  "a session that nobody made is undefined": async ({ store }) => {
    assert.equal(await store.open("nobody"), undefined);
    await refuses("session-missing", () => append(store, "nobody", [user("hello")]));
    await refuses("session-missing", () =>
      store.changes("nobody", { incarnation: "", head: null, sequence: 0, revision: 0 }),
    );
    await refuses("session-missing", () => store.delete("nobody"));
  },
  "a new session is empty and knows its base": async ({ store }) => {
    await store.create({ id: "a", format: "gemini", base: BASE, agentId: "agent", metadata: { tenant: "t" } });
    const state = await stateOf(store, "a");
    const { view, version, format, base, agentId, metadata, counters, system, parentId } = state;
    assert.deepEqual(
      { view, version, format, agentId, metadata, system, parentId },
      {
        view: [],
        version: { incarnation: version.incarnation, head: null, sequence: 0, revision: 0 },
        format: "gemini",
        agentId: "agent",
        metadata: { tenant: "t" },
        system: null,
        parentId: null,
      },
    );
    assert.equal(JSON.stringify(base), JSON.stringify(BASE));
    assert.deepEqual([counters.messageCount, counters.compactionCount, counters.isTotalStale], [0, 0, true]);
    await refuses("session-exists", () => store.create({ id: "a", format: "gemini", base: BASE }));
  },
  "a session begins with its first messages, or not at all": async ({ store, reopen }) => {
    const session = { id: "a", format: "anthropic-messages" as const, base: BASE };
    const usage = { inputTokens: 90, outputTokens: 10 };
    await store.create(session, { messages: [user("one"), assistant("two")], turns: 1, usage });
    await refuses("session-exists", () => store.create(session, { messages: [user("three")], turns: 1 }));
    for (const each of [store, await reopen()]) {
      const { view, version, counters } = await stateOf(each, "a");
      assert.deepEqual(bodies(view), [user("one").body, assistant("two").body]);
      assert.deepEqual([view[0]?.id, view[1]?.id, version.sequence, version.revision], ["m1", "m2", 2, 0]);
      const { messageCount, turnCount, totalTokens, isTotalStale } = counters;
      assert.deepEqual([messageCount, turnCount, totalTokens, isTotalStale], [2, 1, 100, false]);
    }
    await store.create({ ...session, id: "b" }, { messages: [], turns: 0 });
    assert.equal(await ids(store, "b"), "");
    assert.deepEqual((await append(store, "a", [user("three")])).ids, ["m3"]);
    await isSound(store);
  },
  "a session that was deleted and made again is told as changed": async ({ store, reopen }) => {
    await begin(store, "a", 3);
    const { version } = await stateOf(store, "a");
    const other = await reopen();
    await other.delete("a");
    for (const messages of [[], [user("four")]]) {
      if (messages.length === 0) await begin(other, "a", 3);
      else await append(other, "a", messages);
      const changes = await store.changes("a", version);
      assert.equal(changes.type, "changed");
      if (changes.type === "changed") assert.deepEqual(changes.state, await stateOf(other, "a"));
    }
    const again = await stateOf(store, "a");
    assert.notEqual(again.version.incarnation, version.incarnation);
    assert.deepEqual(await store.changes("a", again.version), { type: "none" });
  },
  "messages come back in order, as the very same JSON, after a restart too": async ({ store, reopen }) => {
    await store.create({ id: "a", format: "anthropic-messages", base: BASE });
    const odd: readonly JsonValue[] = [
      { role: "user", content: 'quotes " and \\ and $& and `' },
      {
        content: [{ z: 1, a: { y: [1.5, -0, 1e21, null, true], b: "" }, type: "text", text: "order of keys" }],
        role: "assistant",
      },
      { role: "user", content: "NUL \u0000, half a pair \ud83d, a whole one 😀, line\u2028separator, \u007f" },
      { role: "user", content: [], unknown: { "": 0, " ": "space", "10": "ten", b: 2 } },
      "a bare string",
    ];
    const messages = odd.map((body) => ({ role: "user" as const, body, attachments: [] }));
    const appended = await append(store, "a", messages);
    assert.equal(appended.ids.length, odd.length);
    for (const each of [store, await reopen()]) {
      const { view } = await stateOf(each, "a");
      assert.equal(JSON.stringify(bodies(view)), JSON.stringify(odd));
      assert.deepEqual(
        view.map(({ id }) => id),
        appended.ids,
      );
    }
  },
  "what is appended is numbered without gaps and stamped": async ({ store }) => {
    await begin(store, "a", 3);
    const { ids: more, version } = await append(store, "a", [user("four"), assistant("five")]);
    const { view, version: seen } = await stateOf(store, "a");
    assert.deepEqual(
      view.map(({ sequence, order }) => [sequence, order]),
      [1, 2, 3, 4, 5].map((number) => [number, number]),
    );
    assert.deepEqual(
      view.slice(3).map(({ id }) => id),
      more,
    );
    assert.deepEqual(version, { incarnation: seen.incarnation, head: null, sequence: 5, revision: 0 });
    for (const { createdAt } of view) assert.equal(new Date(createdAt).toISOString(), createdAt);
  },
  "appending nothing changes nothing": async ({ store }) => {
    await begin(store, "a", 2);
    const { ids: none, version } = await append(store, "a", []);
    assert.deepEqual([none, version.sequence], [[], 2]);
  },
  "sessions do not see each other": async ({ store }) => {
    await begin(store, "a", 2);
    await begin(store, "A", 4);
    await begin(store, "a ", 3);
    assert.deepEqual(
      [await ids(store, "a"), await ids(store, "A"), await ids(store, "a ")],
      ["m1 m2", "m1 m2 m3 m4", "m1 m2 m3"],
    );
  },
  "usage is counted, and is stale once more is appended": async ({ store }) => {
    await begin(store, "a", 1);
    await append(store, "a", [assistant("answer")], { inputTokens: 1_000, outputTokens: 20 });
    const { counters } = await stateOf(store, "a");
    assert.deepEqual(
      [counters.totalTokens, counters.inputTokens, counters.outputTokens, counters.isTotalStale],
      [1_020, 1_000, 20, false],
    );
    await append(store, "a", [user("more")]);
    const after = (await stateOf(store, "a")).counters;
    assert.deepEqual([after.isTotalStale, after.turnCount, after.messageCount], [true, 2, 3]);
  },
  "others' appends and changes are told": async ({ store, reopen }) => {
    await begin(store, "a", 2);
    const { version } = await stateOf(store, "a");
    assert.deepEqual(await store.changes("a", version), { type: "none" });
    const other = await reopen();
    await append(other, "a", [user("from elsewhere")]);
    const appended = await store.changes("a", version);
    assert.equal(appended.type, "appended");
    if (appended.type === "appended") {
      assert.deepEqual(bodies(appended.messages), [{ role: "user", content: "from elsewhere" }]);
      assert.equal(appended.record.version.sequence, 3);
    }
    await compact(other, "a", { archive: [0, 1], summary: "s" });
    const changed = await store.changes("a", version);
    assert.equal(changed.type, "changed");
    if (changed.type === "changed") assert.deepEqual(changed.state, await stateOf(store, "a"));
  },
  "the base can be changed": async ({ store, reopen }) => {
    await begin(store, "a", 1);
    const version = await store.update("a", { type: "base", base: { system: "Be brief.", model: "other" } });
    assert.equal(version.revision, 1);
    const { base } = await stateOf(await reopen(), "a");
    assert.equal(JSON.stringify(base), '{"system":"Be brief.","model":"other"}');
  },
  "the metadata can be changed, and outlives compactions": async ({ store, reopen }) => {
    await begin(store, "a", 6);
    const version = await store.update("a", {
      type: "metadata",
      metadata: { windows: { m: { stated: 24_000 } }, note: "数据库" },
    });
    assert.equal(version.revision, 1);
    const check = async (expected: string): Promise<void> => {
      for (const each of [store, await reopen()])
        assert.equal(JSON.stringify((await stateOf(each, "a")).metadata), expected);
    };
    await check('{"windows":{"m":{"stated":24000}},"note":"数据库"}');
    await compact(store, "a", { archive: [0], summary: "s" });
    await check('{"windows":{"m":{"stated":24000}},"note":"数据库"}');
    await store.rollback("a", {});
    await store.update("a", { type: "metadata", metadata: {} });
    await compact(store, "a", { archive: [0], summary: "s" });
    await check("{}");
    await refuses("session-missing", () => store.update("nobody", { type: "metadata", metadata: {} }));
    await isSound(store);
  },
  "a flush of memory is recorded for the compactions so far": async ({ store, reopen }) => {
    await begin(store, "a", 4);
    assert.equal((await stateOf(store, "a")).counters.memoryFlushCompactionCount, null);
    assert.equal((await store.update("a", { type: "memory-flush" })).revision, 1);
    await compact(store, "a", { archive: [0], summary: "s" });
    for (const expected of [0, 1]) {
      for (const each of [store, await reopen()]) {
        const { counters } = await stateOf(each, "a");
        assert.deepEqual([counters.compactionCount, counters.memoryFlushCompactionCount], [1, expected]);
      }
      await store.update("a", { type: "memory-flush" });
    }
    await refuses("session-missing", () => store.update("nobody", { type: "memory-flush" }));
    await isSound(store);
  },
  "a flush that a rollback takes back is no longer recorded": async ({ store, reopen }) => {
    await begin(store, "a", 8);
    const check = async (expected: readonly (number | null)[]) => {
      for (const each of [store, await reopen()]) {
        const { compactionCount, memoryFlushCompactionCount } = (await stateOf(each, "a")).counters;
        assert.deepEqual([compactionCount, memoryFlushCompactionCount], expected);
      }
    };
    await compact(store, "a", { archive: [0], summary: "one" });
    await store.update("a", { type: "memory-flush" });
    await compact(store, "a", { archive: [1], summary: "two" });
    await store.rollback("a", {});
    await check([1, 1]);
    await compact(store, "a", { archive: [1], summary: "two" });
    await store.update("a", { type: "memory-flush" });
    await check([2, 2]);
    await store.rollback("a", {});
    await check([1, null]);
    await compact(store, "a", { archive: [1], summary: "two" });
    await check([2, null]);
    await store.update("a", { type: "memory-flush" });
    const first = (await listOf(store.events("a"))).find(({ number }) => number === 1)?.id ?? "";
    await store.rollback("a", { to: first, cascade: true });
    await check([0, null]);
    await isSound(store);
  },
  "pins are kept": async ({ store, reopen }) => {
    await begin(store, "a", 3);
    await store.update("a", { type: "pin", messageIds: ["m2", "m3"], isPinned: true });
    await store.update("a", { type: "pin", messageIds: ["m3"], isPinned: false });
    const { view } = await stateOf(await reopen(), "a");
    assert.deepEqual(
      view.map(({ isPinned }) => isPinned),
      [false, true, false],
    );
    await refuses("message-missing", () =>
      store.update("a", { type: "pin", messageIds: ["m1", "m9"], isPinned: true }),
    );
    assert.equal((await stateOf(store, "a")).view[0]?.isPinned, false);
  },
  "sessions are listed, newest first": async ({ store }) => {
    await begin(store, "a", 2);
    await begin(store, "b", 5);
    await compact(store, "b", { archive: [0, 1, 2], summary: "s", totalTokens: 70 });
    const listed = await listOf(store.sessions());
    const counts = listed.map(({ id, messageCount, viewCount, compactionCount, totalTokens, isTotalStale }) => [
      id,
      messageCount,
      viewCount,
      compactionCount,
      totalTokens,
      isTotalStale,
    ]);
    assert.deepEqual(
      counts.toSorted(([a], [b]) => String(a).localeCompare(String(b))),
      [
        ["a", 2, 2, 0, 0, true],
        ["b", 5, 3, 1, 70, false],
      ],
    );
  },
  "a listed session tells its model and its metadata": async ({ store }) => {
    const metadata = { client: "a tool/1.0" };
    const told = [
      ["named", { model: "claude-opus-5-5", tools: [] }, "claude-opus-5-5"],
      ["odd", { model: { name: "x" } }, null],
      ["none", { note: "half a character: \ud83d, and \u0000" }, null],
    ] as const;
    for (const [id, base] of told) await store.create({ id, format: "gemini", base, metadata });
    await store.append("named", {
      messages: [],
      turns: 2,
      usage: { inputTokens: 7, outputTokens: 2, contextTokens: 90 },
    });
    const listed = new Map((await listOf(store.sessions())).map((session) => [session.id, session]));
    for (const [id, , model] of told) {
      assert.equal(listed.get(id)?.model, model);
      assert.deepEqual(listed.get(id)?.metadata, metadata);
    }
    const { turnCount, totalTokens, contextTokens } = listed.get("named") ?? {};
    assert.deepEqual([turnCount, totalTokens, contextTokens], [2, 9, 90]);
  },
  "a deleted session is gone, and its id is free": async ({ store, reopen }) => {
    await begin(store, "a", 4);
    await compact(store, "a", { archive: [0, 1], summary: "s" });
    await begin(store, "b", 1);
    await store.delete("a");
    const again = await reopen();
    assert.equal(await again.open("a"), undefined);
    assert.equal(await ids(again, "b"), "m1");
    await begin(again, "a", 1);
    assert.deepEqual(await listOf(again.events("a")), []);
    assert.deepEqual(await listOf(again.archive("a")), []);
  },
  "hostile ids are only data": async ({ store, reopen }) => {
    const hostile = [
      "../../etc/passwd",
      "a/b\\c",
      `'; DROP TABLE sessions; --"`,
      "%00 \n\t",
      "CON",
      ".",
      "..",
      "naïve 会話 😀",
      "x".repeat(1_024),
      "a:b|c?*<>",
    ];
    for (const id of hostile) await begin(store, id, 2);
    const again = await reopen();
    for (const id of hostile) assert.equal(await ids(again, id), "m1 m2", id);
    for (const id of ["", "nul \0 inside", "half \ud83d", "x".repeat(10_000)]) {
      await refuses("invalid-settings", () => store.create({ id, format: "gemini", base: BASE }));
    }
    assert.equal((await listOf(again.sessions())).length, hostile.length);
  },
};
