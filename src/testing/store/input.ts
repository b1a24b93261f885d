/** Contract of a store: what it is given and cannot keep is refused, and what it keeps nobody can change from outside. */

import { strict as assert } from "node:assert";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Batch } from "../../core/store/store.ts";
import type { FullStore } from "../../core/store/store-upkeep.ts";
import type { Cases } from "../store-contract.ts";
import { append, BASE, begin, commitOf, compact, listOf, refuses, stateOf, user, viewText } from "./world.ts";

export const INPUT_CASES: Cases = {
  "what is no JSON is refused, and nothing of it is stored": async ({ store, reopen }) => {
    await begin(store, "a", 2);
    const before = await stateOf(store, "a");
    const commit = await commitOf(store, "a", { archive: [0], summary: "s" });
    for (const [name, body] of Object.entries(notJson())) {
      const batch = { messages: [user("good"), { ...user(""), body }], turns: 1 };
      const edits = [{ messageId: "m2", kind: "trim" as const, body, attachments: [] }];
      const session = { id: "b", format: "gemini" as const, base: BASE };
      const attempts: readonly (() => Promise<unknown>)[] = [
        () => store.append("a", batch),
        () => store.create(session, batch),
        () => store.create({ ...session, base: { body } }),
        () => store.create({ ...session, metadata: { body } }),
        () => store.update("a", { type: "base", base: { body } }),
        () => store.commit("a", { ...commit, edits }),
        () => store.commit("a", { ...commit, event: { ...commit.event, details: body } }),
      ];
      for (const attempt of attempts) await refuses("invalid-request", attempt);
      const again = await reopen();
      assert.equal(await again.open("b"), undefined, name);
      assert.deepEqual(await stateOf(again, "a"), before, name);
    }
    // What a caller without types may give, too.
    const nothing = undefined as unknown as JsonValue;
    await refuses("invalid-request", () => append(store, "a", [{ ...user(""), body: nothing }]));
    assert.deepEqual((await append(store, "a", [user("goes on")])).ids, ["m3"]);
  },
  "what nests as deep as is allowed comes back": async ({ store, reopen }) => {
    await store.create({ id: "a", format: "openai-chat", base: { deep: nested(DEPTH_ALLOWED - 1) } });
    const body = { role: "user", content: nested(DEPTH_ALLOWED - 1) };
    const call = { id: "c", type: "function", function: { name: "f", arguments: JSON.stringify(nested(601)) } };
    const calling = { role: "assistant", content: null, tool_calls: [call] };
    await append(store, "a", [
      { ...user(""), body },
      { role: "assistant", body: calling, attachments: [] },
    ]);
    await compact(store, "a", { archive: [], edits: [[0, body]], event: { details: nested(DEPTH_ALLOWED - 1) } });
    const { view, base } = await stateOf(await reopen(), "a");
    assert.equal(JSON.stringify(base), JSON.stringify({ deep: nested(DEPTH_ALLOWED - 1) }));
    assert.equal(JSON.stringify(view.map((message) => message.body)), JSON.stringify([body, calling]));
  },
  "names that not every store can hold are refused": async ({ store }) => {
    for (const name of ["nul \0 inside", "half \ud83d"]) {
      for (const names of [{ agentId: name }, { parentId: name }]) {
        await refuses("invalid-settings", () => store.create({ id: "a", format: "gemini", base: BASE, ...names }));
      }
    }
    assert.equal(await store.open("a"), undefined);
    await store.create({ id: "a", format: "gemini", base: BASE, agentId: "naïve 会話 😀" });
    assert.equal((await stateOf(store, "a")).agentId, "naïve 会話 😀");
  },
  "a purge needs a time, however far": async ({ store }) => {
    await begin(store, "a", 4);
    await compact(store, "a", { archive: [0, 1], summary: "s" });
    await refuses("invalid-settings", () => store.purge("a", new Date(Number.NaN)));
    assert.equal(await store.purge("a", new Date(-8.64e15)), 0);
    assert.equal(await store.purge("a", new Date(8.64e15)), 2);
  },
  "usage is counted in whole tokens": async ({ store, reopen }) => {
    await begin(store, "a", 1);
    const usage = { inputTokens: 10.5, outputTokens: 2.4, contextTokens: 199_999.6 };
    await store.append("a", { messages: [user("one")], turns: 1, usage });
    const { counters } = await stateOf(await reopen(), "a");
    const { inputTokens, outputTokens, totalTokens, contextTokens } = counters;
    assert.deepEqual([inputTokens, outputTokens, totalTokens, contextTokens], [11, 2, 13, 200_000]);
    for (const tokens of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const batch = { messages: [user("two")], turns: 1, usage: { inputTokens: tokens, outputTokens: 1 } };
      await refuses("invalid-request", () => store.append("a", batch));
    }
    assert.equal((await stateOf(store, "a")).version.sequence, 2);
  },
  "what was given can be changed without changing what is kept": async ({ store }) => {
    const given = {
      base: { model: "one", tools: [{ name: "t" }] },
      body: { role: "user", content: [{ type: "text", text: "as it was" }] },
      edit: { role: "user", content: [{ type: "text", text: "edited" }] },
      details: { files: ["a.ts"] },
    };
    await store.create({ id: "a", format: "anthropic-messages", base: given.base }, batchOf(given.body));
    await store.append("a", batchOf(given.body));
    await compact(store, "a", { archive: [], edits: [[0, given.edit]], event: { details: given.details } });
    const before = await everything(store);
    spoil(given);
    assert.equal(await everything(store), before);
  },
  "what was handed out can be changed without changing what is kept": async ({ store, reopen }) => {
    await begin(store, "a", 4);
    const { version } = await stateOf(store, "a");
    const system = { before: "a", after: [{ type: "text", text: "b" }] };
    await compact(store, "a", { archive: [0, 1], summary: "s", edits: [[2, { content: ["short"] }]], system });
    const before = await everything(store);
    spoil(await store.open("a"));
    spoil(await store.changes("a", version));
    spoil(await store.messages("a", ["m1", "m3"]));
    for (const list of [store.archive("a"), store.log("a"), store.events("a"), store.sessions()]) {
      spoil(await listOf<unknown>(list));
    }
    assert.equal(await everything(store), before);
    assert.equal(await viewText(await reopen(), "a"), await viewText(store, "a"));
  },
};

/** Levels of lists and objects that every store keeps. */
const DEPTH_ALLOWED = 480;

function nested(levels: number): JsonValue {
  let value: JsonValue = "innermost";
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? { level: value } : [value];
  return value;
}

/** What a caller without types may give. */
function notJson(): Readonly<Record<string, JsonValue>> {
  const cycle: Record<string, unknown> = { role: "user" };
  cycle.content = [cycle];
  const values = {
    bigint: { role: "user", content: 10n },
    cycle,
    "too deep": nested(DEPTH_ALLOWED + 1),
    "much too deep": nested(200_000),
  };
  // None of them is JSON, which is what the case is about.
  return values as unknown as Readonly<Record<string, JsonValue>>;
}

function batchOf(body: JsonObject): Batch {
  return { messages: [{ ...user(""), body }], turns: 1 };
}

async function everything(store: FullStore): Promise<string> {
  const lists = [listOf(store.events("a")), listOf(store.archive("a")), listOf(store.log("a"))];
  return JSON.stringify([await stateOf(store, "a"), ...(await Promise.all(lists))]);
}

/** Changes all that can be changed, all the way down; what is frozen stays. */
function spoil(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    spoil(inner);
    Reflect.set(value, key, "spoiled");
  }
  Reflect.set(value, "added", "spoiled");
}
