/** Opening reads the view alone, and finds what reading everything finds. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { append, assistant, begin, compact, stateOf, user } from "../../testing/store/world.ts";
import { jsonlStore } from "../jsonl.ts";
import { stateOf as stateOfLog } from "../log/session-log.ts";
import { readSession } from "./read.ts";

function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-checkpoint-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

function checkSame(file: string): boolean {
  const [view, whole] = [readSession(file, "view", undefined), readSession(file, "whole", undefined)];
  if (view === undefined || whole === undefined) throw new Error("the session is there");
  expect(stateOfLog(view.file.log)).toEqual(stateOfLog(whole.file.log));
  expect(JSON.stringify(view.file.log.view.map(({ body }) => body))).toBe(
    JSON.stringify(whole.file.log.view.map(({ body }) => body)),
  );
  expect([view.file.end, view.file.lastEntryId]).toEqual([whole.file.end, whole.file.lastEntryId]);
  return !view.file.log.isWhole;
}

const step = fc.oneof(
  fc.record({ type: fc.constant("append" as const), count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ type: fc.constant("compact" as const), from: fc.nat(3), count: fc.nat(3), edit: fc.option(fc.nat(5)) }),
  fc.record({ type: fc.constant("pin" as const), at: fc.nat(5), isPinned: fc.boolean() }),
  fc.record({ type: fc.constant("base" as const), value: fc.nat() }),
  fc.record({ type: fc.constant("rollback" as const) }),
);

test("whatever happened before", async () => {
  const directory = temporary();
  let [run, shortcuts] = [0, 0];
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const id = `s${run++}`;
      const file = join(directory, `${id}.jsonl`);
      const store = jsonlStore({ directory, sync: "never" });
      await begin(store, id, 3);
      for (const each of steps) {
        const { view, version } = await stateOf(store, id);
        if (each.type === "append") {
          const messages = Array.from({ length: each.count }, (_, index) =>
            index % 2 === 0 ? user(`${index} \ud83d ${version.sequence}`) : assistant("answer"),
          );
          await append(store, id, messages, { inputTokens: 5, outputTokens: 1 });
        } else if (each.type === "compact") {
          const free = view.flatMap(({ isPinned, isSummary }, index) => (isPinned && !isSummary ? [] : [index]));
          const archive = free.slice(each.from, each.from + each.count);
          const isKept = each.edit !== null && each.edit < view.length && !archive.includes(each.edit);
          const edits = isKept
            ? [[each.edit ?? 0, { role: "user", content: `edited ${version.revision}` }] as const]
            : [];
          await compact(store, id, { archive, edits, ...(archive.length > 0 && { summary: "s" }), totalTokens: 9 });
        } else if (each.type === "pin") {
          const pinned = view[each.at];
          if (pinned !== undefined)
            await store.update(id, { type: "pin", messageIds: [pinned.id], isPinned: each.isPinned });
        } else if (each.type === "base") await store.update(id, { type: "base", base: { model: `m${each.value}` } });
        else if (version.head !== null) await store.rollback(id, {});
        if (checkSame(file)) shortcuts++;
        expect(await stateOf(store, id)).toEqual(await stateOf(jsonlStore({ directory }), id));
      }
    }),
    { numRuns: 40 },
  );
  expect(shortcuts).toBeGreaterThan(40);
});

test("the newest of several edits", async () => {
  const directory = temporary();
  const store = jsonlStore({ directory, sync: "never" });
  await begin(store, "a", 2);
  for (const content of ["short", "shorter"]) {
    await compact(store, "a", { archive: [], edits: [[1, { role: "assistant", content }]] });
    expect(checkSame(join(directory, "a.jsonl"))).toBe(true);
  }
  const { view } = await stateOf(jsonlStore({ directory }), "a");
  expect(view[1]?.body).toEqual({ role: "assistant", content: "shorter" });
});

test("places that no longer hold what they should are seen through", async () => {
  const directory = temporary();
  const store = jsonlStore({ directory, sync: "never" });
  await begin(store, "a", 4);
  await compact(store, "a", { archive: [0], summary: "s" });
  const file = join(directory, "a.jsonl");
  expect(checkSame(file)).toBe(true);
  // Somebody put a line in between: everything behind it has moved.
  const [header, ...rest] = readFileSync(file, "utf8").split("\n");
  writeFileSync(file, [header, '{"type":"label","id":"l","parentId":null,"timestamp":"t"}', ...rest].join("\n"));
  expect(checkSame(file)).toBe(false);
  expect((await stateOf(jsonlStore({ directory }), "a")).view.map(({ id }) => id)).toEqual(["m5", "m2", "m3", "m4"]);
});

test("a key of that name in a message is no checkpoint", async () => {
  const directory = temporary();
  const store = jsonlStore({ directory, sync: "never" });
  await begin(store, "a", 2);
  await compact(store, "a", { archive: [0], summary: "s" });
  const body = { role: "user", content: [{ type: "text", text: '"checkpoint":{' }], checkpoint: { view: [] } };
  await append(store, "a", [{ role: "user", body, attachments: [] }]);
  expect(checkSame(join(directory, "a.jsonl"))).toBe(true);
});
