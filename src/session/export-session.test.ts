import { expect, test } from "vitest";
import { listOf, open, question, talk } from "../../test/session-world.ts";
import type { FullStore } from "../core/store/store-upkeep.ts";
import { memoryStore } from "../stores/memory.ts";
import { sqliteStore } from "../stores/sqlite.ts";
import type { Exported } from "./export-session.ts";

/** The store, in which another worker acts right before `reading` is read, as often as `times` says. */
function disturbed(
  store: FullStore,
  reading: "log" | "events" | "edits",
  times: number,
  act: () => Promise<unknown>,
): FullStore {
  let left = times;
  const read = store[reading];
  return {
    ...store,
    [reading]: async function* (id: string) {
      if (left-- > 0) await act();
      yield* read(id);
    },
  };
}

/** View, log, events and edits are of the same moment. */
function checkOneMoment({ request, log = [], events = [], edits = [] }: Exported): void {
  const inForce = new Set(events.filter(({ undoneAt }) => undoneAt === null).map(({ id }) => id));
  const inView = log.filter(({ archivedBy }) => archivedBy === null);
  expect(inView).toHaveLength(listOf(request).length);
  for (const { archivedBy } of log) if (archivedBy !== null) expect(inForce).toContain(archivedBy);
  for (const event of inForce) expect(log.map(({ madeBy }) => madeBy)).toContain(event);
  const known = new Set(events.map(({ id }) => id));
  for (const { eventId } of edits) expect(known).toContain(eventId);
}

for (const reading of ["log", "events", "edits"] as const) {
  test(`what is compacted before the ${reading} are read is exported whole or not at all`, async () => {
    const store = memoryStore();
    const worker = await open({ store });
    await talk(worker, 8);
    const reader = await open({ store: disturbed(store, reading, 1, () => worker.compact()) });
    const exported = await reader.export({ all: true });
    checkOneMoment(exported);
    expect(exported.events).toHaveLength(1);
  });

  test(`what is appended before the ${reading} are read is left for the next export`, async () => {
    const store = memoryStore();
    const worker = await open({ store });
    await talk(worker, 2);
    const reader = await open({
      store: disturbed(store, reading, Number.POSITIVE_INFINITY, () => worker.append(question(9))),
    });
    const exported = await reader.export({ all: true });
    checkOneMoment(exported);
    expect(exported.log).toHaveLength(4);
  });
}

test("a session that is changed all the time is not exported, and that may be tried again", async () => {
  const store = memoryStore();
  const worker = await open({ store });
  await talk(worker, 2);
  let changes = 0;
  const change = (): Promise<unknown> => worker.setBody({ model: `m${++changes}`, max_tokens: 10 });
  const reader = await open({ store: disturbed(store, "log", 20, change) });
  await expect(reader.export({ all: true })).rejects.toMatchObject({ code: "store-conflict", retryable: true });
  expect(changes).toBeLessThan(20);
});

test("what is done to an exported session does not reach the session", async () => {
  const session = await open({
    store: sqliteStore({ file: ":memory:" }),
    body: { model: "m", system: [{ text: "s" }] },
  });
  await talk(session, 2);
  const request = JSON.stringify(await session.request());
  const { base = {} } = await session.export({ all: true });
  // Readonly by type, but not at run time.
  Object.assign(base, { model: "changed" });
  Object.assign(Object.values(base.system ?? {})[0] ?? {}, { text: "changed" });
  expect(JSON.stringify(await session.request())).toBe(request);
  await session.store.close();
});
