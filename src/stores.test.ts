import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openStore } from "./stores.ts";
import { begin } from "./testing/store/world.ts";

async function refuses(address: string, message: string | RegExp): Promise<void> {
  await expect(openStore(address)).rejects.toMatchObject({
    code: "invalid-settings",
    message: expect.stringMatching(message),
  });
}

test.each(["sqlite", "jsonl"])(
  "%s: two slashes and no third are refused, because nobody means the root",
  async (scheme) => {
    const clear = new RegExp(`^Two slashes .*: write ${scheme}:(FILE|DIR) or ${scheme}:///ABSOLUTE/(FILE|DIR)\\.$`);
    for (const rest of ["//sessions.db", "//", "//./x", "//:memory:"]) await refuses(`${scheme}:${rest}`, clear);
    expect(existsSync("//sessions.db")).toBe(false);
  },
);

test.each(["sqlite", "jsonl"])("%s: an absolute path may have an empty host before it", async (scheme) => {
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-address-"));
  const place = join(directory, "sessions");
  const store = await openStore(`${scheme}://${place}`);
  await begin(store, "a", 1);
  await store.close();
  expect(existsSync(place)).toBe(true);
  rmSync(directory, { recursive: true });
});

test("what is missing or unknown is said, and no address is repeated", async () => {
  await refuses("sqlite:", /^A path is missing: write sqlite:FILE\.$/);
  await refuses("mysql://user:secret@host/db", /^This is not the address of a store(?!.*secret)/);
  await refuses("postgres://user:secret@:bad/db", /^This is not an address of Postgres(?!.*secret)/);
});
