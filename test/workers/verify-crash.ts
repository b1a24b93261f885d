/** What must hold after a worker was killed, whenever that was. Throws, and says what does not. */

import { strict as assert } from "node:assert";
import { createHash } from "node:crypto";
import type { JsonObject } from "../../src/core/json.ts";
import type { FullStore } from "../../src/core/store/store-upkeep.ts";
import type { Said } from "./run-worker.ts";

interface ViewMark {
  readonly count: number;
  readonly hash: string;
}

/** Kept over all the kills of one session. */
export interface Expectations {
  /** Texts that were acknowledged. */
  readonly acknowledged: Set<string>;
  /** What the view was before each event. */
  readonly before: Map<string, ViewMark>;
}

export async function verifyCrash(
  store: FullStore,
  id: string,
  { said, known }: { said: readonly Said[]; known: Expectations },
): Promise<void> {
  const state = await store.open(id);
  // Killed before the session was made: then nothing was acknowledged either.
  const opened = said.some(({ type }) => type === "opened");
  if (state === undefined) {
    assert(!opened && known.acknowledged.size === 0, "an opened session is there");
    return;
  }
  learn(said, known);
  await verifyMessages(store, id, said, known);
  await verifyEvents(store, id, said, known);
  const findings = [];
  for await (const finding of store.examine(id)) findings.push(finding);
  assert.deepEqual(findings, []);
}

function learn(said: readonly Said[], { acknowledged, before }: Expectations): void {
  let mark: ViewMark | undefined;
  for (const line of said) {
    if (line.type === "appended") for (const text of line.texts as readonly string[]) acknowledged.add(text);
    if (line.type === "compacting") mark = line.before as ViewMark;
    if (line.type === "compacted" && mark !== undefined) before.set(String(line.eventId), mark);
  }
}

async function verifyMessages(
  store: FullStore,
  id: string,
  said: readonly Said[],
  { acknowledged }: Expectations,
): Promise<void> {
  const texts: string[] = [];
  const sequences: number[] = [];
  for await (const { body, isSummary, sequence } of store.log(id)) {
    sequences.push(sequence);
    if (!isSummary) texts.push(String((body as JsonObject).content));
  }
  const there = new Set(texts);
  assert.equal(there.size, texts.length, "nothing stands twice");
  for (const text of acknowledged) assert(there.has(text), `acknowledged, and lost: ${text.slice(0, 40)}`);
  assert.deepEqual(
    sequences,
    sequences.map((_, index) => index + 1),
    "numbers without gaps",
  );
  // The last batch may have been stored without being acknowledged, but only as a whole.
  const last = said.findLast(({ type }) => type === "appending")?.texts as readonly string[] | undefined;
  const stored = (last ?? []).filter((text) => there.has(text)).length;
  assert(stored === 0 || stored === last?.length, "a batch is stored whole or not at all");
  for (const text of last ?? []) if (there.has(text)) acknowledged.add(text);
}

/** Every compaction in force is taken back, one after the other, on a copy. */
async function verifyEvents(
  store: FullStore,
  id: string,
  said: readonly Said[],
  { before }: Expectations,
): Promise<void> {
  const events = [];
  for await (const event of store.events(id)) events.push(event);
  const newest = events.findLast(({ undoneAt }) => undoneAt === null);
  const unsaid = said.findLast(({ type }) => type === "compacting");
  // Stored, but killed before it could be said.
  if (newest !== undefined && !before.has(newest.id) && unsaid !== undefined)
    before.set(newest.id, unsaid.before as ViewMark);
  if (newest === undefined) return;
  const copy = `${id} (copy)`;
  await store.fork(id, copy);
  const inForce = events.filter(({ undoneAt }) => undoneAt === null).toReversed();
  for (const { id: eventId, number } of inForce) {
    await store.rollback(copy, {});
    const expected = before.get(eventId);
    assert(expected !== undefined, `event ${number} was announced`);
    const view = (await store.open(copy))?.view ?? [];
    const bodies = view.slice(0, expected.count).map(({ body }) => body);
    const hash = createHash("sha256").update(JSON.stringify(bodies)).digest("hex");
    assert.equal(hash, expected.hash, `the view before event ${number} is back`);
  }
  await store.delete(copy);
}
