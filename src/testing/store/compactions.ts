/** Contract of a store: compactions, leases and rollback. */

import { strict as assert } from "node:assert";
import type { Cases } from "../store-contract.ts";
import {
  append,
  begin,
  bodies,
  commitOf,
  compact,
  ids,
  isSound,
  listOf,
  refuses,
  stateOf,
  takeLease,
  user,
  viewText,
} from "./world.ts";

export const COMPACTION_CASES: Cases = {
  "a compaction hides, edits and inserts, and deletes nothing": async ({ store, reopen }) => {
    await begin(store, "a", 8);
    const { eventId, insertedIds, version } = await compact(store, "a", {
      archive: [1, 2, 3],
      summary: "what happened",
      edits: [[5, { role: "assistant", content: "short" }]],
      totalTokens: 79_000,
    });
    const { incarnation } = (await stateOf(store, "a")).version;
    assert.deepEqual([insertedIds, version], [["m9"], { incarnation, head: eventId, sequence: 9, revision: 1 }]);
    for (const each of [store, await reopen()]) {
      const { view, counters, passes } = await stateOf(each, "a");
      assert.equal(view.map(({ id }) => id).join(" "), "m1 m9 m5 m6 m7 m8");
      assert.deepEqual(view[1]?.body, { role: "user", content: "[summary] what happened" });
      assert.deepEqual([view[1]?.isSummary, view[1]?.madeBy, view[3]?.isEdited], [true, eventId, true]);
      assert.deepEqual(view[3]?.body, { role: "assistant", content: "short" });
      assert.deepEqual([counters.totalTokens, counters.compactionCount, counters.inputTokens], [79_000, 1, 0]);
      assert.deepEqual(passes, { weak: 0, tokensAfter: 79_000 });
      const archived = await listOf(each.archive("a"));
      assert.deepEqual(
        archived.map(({ id, archivedBy }) => [id, archivedBy]),
        ["m2", "m3", "m4"].map((id) => [id, eventId]),
      );
      assert.deepEqual(bodies(archived)[1], { role: "user", content: "question 3" });
      const log = await listOf(each.log("a"));
      assert.deepEqual(log.length, 9);
      assert.deepEqual(bodies(log.filter(({ id }) => id === "m6")), [
        { content: [{ text: "answer 6", type: "text" }], role: "assistant" },
      ]);
    }
    await isSound(store);
  },
  "the event keeps everything it was given": async ({ store, reopen }) => {
    await begin(store, "a", 4);
    const commit = await commitOf(store, "a", {
      archive: [0, 1],
      summary: "s",
      event: { instructions: "focus on $&" },
    });
    const { eventId } = await store.commit("a", commit);
    const [event, ...others] = await listOf((await reopen()).events("a"));
    assert.equal(others.length, 0);
    const { id, sessionId, number, previousId, createdAt, undoneAt, purgedAt, ...rest } =
      event ?? assert.fail("an event");
    assert.deepEqual([id, sessionId, number, previousId, undoneAt, purgedAt], [eventId, "a", 1, null, null, null]);
    assert.equal(new Date(createdAt).toISOString(), createdAt);
    assert.deepEqual(rest, commit.event);
  },
  "what is appended during a compaction stands behind it": async ({ store }) => {
    await begin(store, "a", 4);
    const commit = await commitOf(store, "a", { archive: [0, 1, 2, 3], summary: "all of it" });
    await append(store, "a", [user("meanwhile")]);
    await store.commit("a", commit);
    assert.equal(await ids(store, "a"), "m6 m5");
  },
  "the total of a compaction is stale when more was appended meanwhile": async ({ store, reopen }) => {
    await begin(store, "a", 6);
    await compact(store, "a", { archive: [0], summary: "one", totalTokens: 500 });
    assert.equal((await stateOf(store, "a")).counters.isTotalStale, false);
    const commit = await commitOf(store, "a", { archive: [1], summary: "two", totalTokens: 400 });
    await append(store, "a", [user("meanwhile")], { inputTokens: 900, outputTokens: 1 });
    await store.commit("a", commit);
    for (const each of [store, await reopen()]) {
      const { totalTokens, isTotalStale, compactionCount } = (await stateOf(each, "a")).counters;
      assert.deepEqual([totalTokens, isTotalStale, compactionCount], [400, true, 2]);
    }
  },
  "rows are counted as view and archive list them": async ({ store, reopen }) => {
    await refuses("session-missing", () => store.counts("a"));
    await begin(store, "a", 6);
    const counted = async (): Promise<readonly number[]> => {
      const { view, archived } = await (await reopen()).counts("a");
      assert.deepEqual(await store.counts("a"), { view, archived });
      assert.equal(view, (await stateOf(store, "a")).view.length);
      assert.equal(archived, (await listOf(store.archive("a"))).length);
      return [view, archived];
    };
    assert.deepEqual(await counted(), [6, 0]);
    await compact(store, "a", { archive: [0, 1], summary: "one" });
    assert.deepEqual(await counted(), [5, 2]);
    await compact(store, "a", { archive: [0, 1], summary: "two" });
    assert.deepEqual(await counted(), [4, 4]);
    await store.rollback("a", {});
    assert.deepEqual(await counted(), [5, 2]);
    await store.purge("a", new Date(Date.now() + 3_600_000));
    assert.deepEqual(await counted(), [5, 0]);
  },
  "a compaction of what has changed is refused": async ({ store }) => {
    await begin(store, "a", 6);
    const lease = await takeLease(store, "a");
    const early = await commitOf(store, "a", { archive: [0, 1], summary: "early", lease });
    await store.update("a", { type: "pin", messageIds: ["m1"], isPinned: true });
    const before = await viewText(store, "a");
    await refuses("store-conflict", () => store.commit("a", early));
    const pinned = await commitOf(store, "a", { archive: [0, 1], summary: "pinned", lease });
    await refuses("store-conflict", () => store.commit("a", pinned));
    const missing = await commitOf(store, "a", { archive: [1, 17], summary: "missing", lease });
    await refuses("store-conflict", () => store.commit("a", missing));
    const twice = await commitOf(store, "a", { archive: [2, 3], summary: "twice", lease });
    await store.commit("a", twice);
    await refuses("store-conflict", () => store.commit("a", { ...twice, revision: twice.revision + 1 }));
    await store.rollback("a", {});
    assert.equal(await viewText(store, "a"), before);
    await isSound(store);
  },
  "a lease is held by one, and a later one fences": async ({ store, reopen }) => {
    await begin(store, "a", 4);
    await begin(store, "b", 2);
    const other = await reopen();
    const first = await takeLease(store, "a", "one");
    assert.equal(await other.lease("a", "two", 1_000), undefined);
    assert.notEqual(await other.lease("b", "two", 1_000), undefined);
    const renewed = await store.renew(first, 60_000);
    assert(renewed !== undefined && renewed.token === first.token);
    await store.release(renewed);
    const second = await takeLease(other, "a", "two");
    assert(second.token > first.token);
    assert.equal(await store.renew(first, 1_000), undefined);
    const late = await commitOf(store, "a", { archive: [0], summary: "late", lease: first });
    await refuses("lease-lost", () => store.commit("a", late));
    await store.release(first);
    assert.equal(await store.lease("a", "three", 1_000), undefined, "releasing an old lease frees nothing");
  },
  "an expired lease commits nothing, even when nobody took it": async ({ store }) => {
    await begin(store, "a", 4);
    const lease = await store.lease("a", "slow", 30);
    assert(lease !== undefined);
    const commit = await commitOf(store, "a", { archive: [0, 1], summary: "late", lease });
    await new Promise((resolve) => setTimeout(resolve, 60));
    await refuses("lease-lost", () => store.commit("a", commit));
    assert.equal(await store.renew(lease, 1_000), undefined);
    const next = await takeLease(store, "a", "next");
    assert(next.token > lease.token);
    assert.equal(await ids(store, "a"), "m1 m2 m3 m4");
  },
  "the end of a view leaves by an event that is no compaction, and a rollback puts it before what came since": async ({
    store,
    reopen,
  }) => {
    await begin(store, "a", 6);
    const before = (await stateOf(store, "a")).view;
    const event = { strategy: "rewind", isCompaction: false };
    const { eventId, insertedIds } = await compact(store, "a", { archive: [4, 5], event });
    assert.deepEqual(insertedIds, []);
    assert.equal((await append(store, "a", [user("otherwise")])).ids.join(), "m7");
    const other = await reopen();
    assert.equal(await ids(other, "a"), "m1 m2 m3 m4 m7");
    assert.equal((await stateOf(other, "a")).counters.compactionCount, 0);
    const archived = await listOf(other.archive("a", { eventId }));
    assert.deepEqual(bodies(archived), bodies(before.slice(4)));
    await isSound(other);
    await other.rollback("a", { to: eventId });
    assert.equal(await ids(store, "a"), "m1 m2 m3 m4 m5 m6 m7");
    assert.equal(JSON.stringify((await stateOf(store, "a")).view.slice(0, 6)), JSON.stringify(before));
    await isSound(store);
  },
  "a rollback restores the exact view, and keeps what came since": async ({ store, reopen }) => {
    await begin(store, "a", 6);
    await store.update("a", { type: "pin", messageIds: ["m6"], isPinned: true });
    const before = await stateOf(store, "a");
    const { eventId } = await compact(store, "a", {
      archive: [1, 2, 3],
      summary: "s",
      edits: [[0, { role: "user", content: "trimmed" }]],
      system: { before: "You are a build agent.", after: [{ type: "text", text: "and a summary" }] },
    });
    assert.notEqual((await stateOf(store, "a")).system, null);
    await append(store, "a", [user("since")], { inputTokens: 700, outputTokens: 9 });
    const { undoneIds, version } = await store.rollback("a", {});
    assert.deepEqual([undoneIds, version.head], [[eventId], null]);
    const after = await stateOf(await reopen(), "a");
    assert.equal(JSON.stringify(after.view.slice(0, 6)), JSON.stringify(before.view));
    assert.deepEqual(bodies(after.view.slice(6)), [{ role: "user", content: "since" }]);
    assert.deepEqual([after.system, after.counters.compactionCount, after.counters.isTotalStale], [null, 0, true]);
    assert.deepEqual([after.counters.inputTokens, after.counters.outputTokens], [0, 0]);
    assert.deepEqual(await listOf(store.archive("a")), []);
    const [event] = await listOf(store.events("a"));
    assert.notEqual(event?.undoneAt, null);
    await refuses("event-missing", () => store.rollback("a", { to: eventId }));
    await refuses("event-missing", () => store.rollback("a", {}));
    await isSound(store);
  },
  "compactions rest on each other, and are undone in order": async ({ store, reopen }) => {
    await begin(store, "a", 8);
    const views = [await viewText(store, "a")];
    const events: string[] = [];
    for (const summary of ["one", "two", "three"]) {
      events.push((await compact(store, "a", { archive: [0, 1, 2], summary })).eventId);
      views.push(await viewText(store, "a"));
    }
    assert.equal(await ids(store, "a"), "m11 m8");
    const [first = "", second = "", third = ""] = events;
    await refuses("needs-cascade", () => store.rollback("a", { to: first }));
    assert.equal(await viewText(store, "a"), views[3]);
    const other = await reopen();
    assert.deepEqual((await other.rollback("a", { to: second, cascade: true })).undoneIds, [third, second]);
    assert.equal(await viewText(other, "a"), views[1]);
    await compact(other, "a", { archive: [0, 1], summary: "two, again" });
    await other.rollback("a", {});
    assert.equal(await viewText(other, "a"), views[1]);
    assert.deepEqual((await other.rollback("a", {})).undoneIds, [first]);
    assert.equal(await viewText(other, "a"), views[0]);
    await isSound(other);
  },
  "edits are laid over each other and taken off again": async ({ store }) => {
    await begin(store, "a", 3);
    const views = [await viewText(store, "a")];
    for (const content of ["trimmed", "stub", "cleared"]) {
      await compact(store, "a", {
        archive: [],
        edits: [[1, { role: "assistant", content }]],
        event: { isCompaction: false },
      });
      views.push(await viewText(store, "a"));
    }
    assert.equal((await stateOf(store, "a")).counters.compactionCount, 0);
    for (const expected of views.slice(0, -1).toReversed()) {
      await store.rollback("a", {});
      assert.equal(await viewText(store, "a"), expected);
    }
  },
  "a message that an event edited and a later one archived comes back edited": async ({ store }) => {
    await begin(store, "a", 4);
    await compact(store, "a", { archive: [], edits: [[0, { role: "user", content: "trimmed" }]] });
    const before = await viewText(store, "a");
    await compact(store, "a", { archive: [0, 1], summary: "s" });
    const [archived] = await listOf(store.archive("a"));
    assert.deepEqual(archived?.body, { role: "user", content: "question 1" });
    await store.rollback("a", {});
    assert.equal(await viewText(store, "a"), before);
  },
};
