/** Session files belong to their owner alone: nobody else on the machine can read what was said. */

import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openaiChat } from "../src/formats/openai-chat.ts";
import { openSession } from "../src/session.ts";
import { jsonlStore } from "../src/stores/jsonl.ts";
import { sqliteStore } from "../src/stores/sqlite.ts";

const isPosix = process.platform !== "win32";

let root = "";

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "palimpsest-modes-"));
});

afterEach(() => rmSync(root, { recursive: true }));

const compactor = { format: openaiChat, windowTokens: 32_000 };

/** Every file and folder below the root, with its mode in octal. */
function modesBelow(directory: string): Readonly<Record<string, string>> {
  const entries = readdirSync(directory, { recursive: true, encoding: "utf8" }).toSorted();
  return Object.fromEntries(entries.map((name) => [name, (statSync(join(directory, name)).mode & 0o777).toString(8)]));
}

describe.runIf(isPosix)("what a store makes", () => {
  test("JSONL files are their owner's, and so are the folders", async () => {
    const store = jsonlStore({ directory: join(root, "made", "sessions") });
    const session = await openSession("one", { store, compactor });
    await session.append({ role: "user", content: "hello" });
    const modes = modesBelow(root);
    await store.close();
    expect(modes.made).toBe("700");
    expect(modes["made/sessions"]).toBe("700");
    const files = Object.entries(modes).filter(([name]) => name.includes("."));
    expect(files.length).toBeGreaterThan(0);
    for (const [, mode] of files) expect(mode).toBe("600");
  });

  test("a SQLite database, with the files beside it", async () => {
    const store = sqliteStore({ file: join(root, "made", "sessions.db") });
    const session = await openSession("one", { store, compactor });
    await session.append({ role: "user", content: "hello" });
    const modes = modesBelow(root);
    await store.close();
    expect(modes).toEqual({
      made: "700",
      "made/sessions.db": "600",
      "made/sessions.db-shm": "600",
      "made/sessions.db-wal": "600",
    });
  });

  test("a JSONL file that is rewritten keeps the mode that somebody gave it", async () => {
    const store = jsonlStore({ directory: root });
    const session = await openSession("one", { store, compactor });
    for (let turn = 0; turn < 40; turn++) {
      await session.append({ role: "user", content: `Question ${turn}: ${"what next? ".repeat(200)}` });
      await session.append({ role: "assistant", content: `Answer ${turn}: ${"go on. ".repeat(200)}` });
    }
    await session.compact();
    const [file = ""] = readdirSync(root).filter((name) => name.endsWith(".jsonl"));
    chmodSync(join(root, file), 0o640);
    expect(await store.purge("one", new Date(Date.now() + 60_000))).toBeGreaterThan(0);
    await store.close();
    expect(modesBelow(root)[file]).toBe("640");
  });
});
