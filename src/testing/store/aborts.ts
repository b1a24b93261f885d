/** Contract of a store: whoever gave up before the work began has changed nothing. */

import { strict as assert } from "node:assert";
import type { Waiting } from "../../core/store/store.ts";
import type { FullStore } from "../../core/store/store-upkeep.ts";
import type { Cases } from "../store-contract.ts";
import { append, BASE, begin, commitOf, compact, listOf, refuses, stateOf, user } from "./world.ts";

export const ABORT_CASES: Cases = {
  "a change that was given up before it began does not happen": async ({ store }) => {
    await begin(store, "a", 8);
    await begin(store, "free", 1);
    await compact(store, "a", { archive: [0, 1], summary: "first" });
    const commit = await commitOf(store, "a", { archive: [0] });
    const whole = async (): Promise<string> =>
      JSON.stringify([await stateOf(store, "a"), await listOf(store.log("a")), await listOf(store.events("a"))]);
    const before = await whole();
    for (const change of changesWith(store, commit)) await refuses("aborted", () => change(ABORTED));
    assert.equal(await whole(), before);
    assert.deepEqual([await store.open("new"), await store.open("copy")], [undefined, undefined]);
    assert(await store.lease("free", "worker", 60_000), "the lease is still free");
    // A signal that is not aborted changes nothing.
    await store.update(
      "a",
      { type: "pin", messageIds: ["m4"], isPinned: true },
      { signal: new AbortController().signal },
    );
    assert.equal((await append(store, "a", [user("next")])).ids.join(), "m10");
  },
};

const ABORTED: Waiting = { signal: AbortSignal.abort() };

function changesWith(
  store: FullStore,
  commit: Parameters<FullStore["commit"]>[1],
): readonly ((waiting: Waiting) => Promise<unknown>)[] {
  const first = { messages: [user("never")], turns: 1 };
  return [
    (waiting) => store.create({ id: "new", format: "anthropic-messages", base: BASE }, first, waiting),
    (waiting) => store.append("a", first, waiting),
    (waiting) => store.lease("free", "another", 60_000, waiting),
    (waiting) => store.commit("a", commit, waiting),
    (waiting) => store.rollback("a", {}, waiting),
    (waiting) => store.update("a", { type: "pin", messageIds: ["m5"], isPinned: true }, waiting),
    (waiting) => store.update("a", { type: "base", base: {} }, waiting),
    (waiting) => store.update("a", { type: "metadata", metadata: {} }, waiting),
    (waiting) => store.purge("a", new Date(Date.now() + 60_000), waiting),
    (waiting) => store.fork("a", "copy", waiting),
    (waiting) => store.delete("a", waiting),
  ];
}
