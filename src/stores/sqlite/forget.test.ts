import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { append, begin, compact, user } from "../../testing/store/world.ts";
import { sqliteStore } from "../sqlite.ts";

/** Some on one page with others, some over many pages; long enough that no index holds them. */
const secret = (index: number) => `secret ${index} ${`zq${index}x `.repeat(index % 2 === 0 ? 20 : 4_000)}`;
const PICTURE = "iVBORw0KGgo".padEnd(40_000, "Ab9+");

async function filled() {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-forget-"));
  const store = sqliteStore({ file: join(folder, "s.db"), durability: "normal" });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  await begin(store, "a", 2);
  await begin(store, "b", 2);
  for (let index = 0; index < 10; index++) await append(store, "a", [user(secret(index))]);
  const body = { role: "user", content: [{ data: PICTURE }] };
  const attachments = [{ path: ["content", 0, "data"], prefix: "", data: PICTURE }];
  await append(store, "a", [{ role: "user", body, attachments }]);
  await store.search("a", "secret", 3);
  await compact(store, "a", { archive: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], summary: "they told secrets" });
  /** How many of them stand in any file, whole enough to be read, the store being open. */
  const onDisk = (): number => {
    const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1"));
    const marks = Array.from({ length: 10 }, (_, index) => secret(index).slice(0, 40));
    const picture = Buffer.from(PICTURE, "base64").toString("latin1").slice(200, 400);
    return [...marks, picture].filter((mark) => bytes.some((text) => text.includes(mark))).length;
  };
  expect(onDisk()).toBe(11);
  return { store, onDisk };
}

test("what was purged is in no file any more", async () => {
  const { store, onDisk } = await filled();
  expect(await store.purge("a", new Date(Date.now() + 60_000))).toBe(11);
  expect(onDisk()).toBe(0);
});

test("nor what belonged to a session that was deleted", async () => {
  const { store, onDisk } = await filled();
  await store.delete("a");
  expect(onDisk()).toBe(0);
  expect((await store.open("b"))?.view).toHaveLength(2);
});
