/** Ctrl-C right before something is written: it is heard, and nothing is. Ctrl-C afterwards: what was done is told as done. */

import { existsSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { temporaryFolder } from "../../test/run-cli.ts";
import { sqliteAt } from "../../test/run-in-process.ts";
import type { FullStore } from "../core/store/store-upkeep.ts";
import { memoryStore } from "../stores/memory.ts";
import { begin, commitOf, listOf } from "../testing/store/world.ts";
import { parseArguments } from "./command.ts";
import { command, compactStored, readCompactOptions } from "./compact.ts";
import { runPalimpsest } from "./dispatch.ts";
import { heardStore } from "./interrupt.ts";

const folder = temporaryFolder();
afterAll(folder.remove);

const SILENT = { isShown: false, say: () => {}, show: () => {}, clear: () => {} };
const WORDS = "The build broke in the parser again, and the reason was the same as last week. ".repeat(40);

/** The key is pressed while the store carries out `method`, and is only heard when the program listens. */
function pressedAt(store: FullStore, method: "lease" | "commit", press: () => void): FullStore {
  const at = (called: string): void => void (called === method && setImmediate(press));
  return {
    ...store,
    lease: async (...values) => {
      at("lease");
      return store.lease(...values);
    },
    commit: async (...values) => {
      at("commit");
      return store.commit(...values);
    },
  };
}

async function compactInterruptedAt(method: "lease" | "commit") {
  const store = memoryStore();
  const messages = Array.from({ length: 40 }, (_, index) => {
    const role = index % 2 === 0 ? ("user" as const) : ("assistant" as const);
    return { role, body: { role, content: `${index} ${WORDS}` }, attachments: [] };
  });
  await store.create({ id: "s", format: "openai-chat", base: {} }, { messages, turns: 20 });
  const controller = new AbortController();
  const written = { stdout: "", stderr: "" };
  const io = {
    stdin: (async function* () {})(),
    stdout: { write: (text: string) => (written.stdout += text) },
    stderr: { write: (text: string) => (written.stderr += text) },
    environment: {},
    onInterrupt: () => () => {},
  };
  const options = readCompactOptions(
    parseArguments("compact", ["s", "--store", "memory:", "--target", "30%"], command.options),
  );
  const pressed = pressedAt(store, method, () => controller.abort());
  const running = compactStored({ store: pressed, signal: controller.signal, options, io, progress: SILENT });
  const code = await running.catch((error: unknown) => (error instanceof Error ? "stopped" : "?"));
  return { code, events: (await listOf(store.events("s"))).length, stdout: written.stdout };
}

test("a key pressed before the commit leaves the session as it was", async () => {
  expect(await compactInterruptedAt("lease")).toEqual({ code: "stopped", events: 0, stdout: "" });
});

test("a key that was pressed and not heard yet is heard before the commit itself", async () => {
  const store = memoryStore();
  await begin(store, "s", 4);
  const commit = await commitOf(store, "s", { archive: [0, 1], summary: "never" });
  const controller = new AbortController();
  setImmediate(() => controller.abort());
  await expect(heardStore(store, controller.signal).commit("s", commit)).rejects.toThrow(/abort/);
  expect(await listOf(store.events("s"))).toEqual([]);
});

test("a key pressed during the commit comes too late", async () => {
  const { code, events, stdout } = await compactInterruptedAt("commit");
  expect([code, events]).toEqual([0, 1]);
  expect(stdout).toContain("stored as compaction 1");
});

test("an interrupted import leaves no session behind", async () => {
  const bodies = Array.from({ length: 20 }, (_, index) => ({
    custom_id: `line-${index}`,
    method: "POST",
    url: "/v1/chat/completions",
    body: { model: "gpt-5", messages: [{ role: "user", content: `question ${index}` }] },
  }));
  const file = folder.file("batch.jsonl", bodies.map((body) => JSON.stringify(body)).join("\n"));
  const { url, cli, file: database } = sqliteAt(folder.path, "interrupted.db");
  let stderr = "";
  const code = await runPalimpsest(["import", file, "--each", "--store", url], {
    stdin: (async function* () {})(),
    stdout: { write: () => {} },
    stderr: { write: (text) => (stderr += text) },
    environment: {},
    onInterrupt: (listener) => {
      // A few of the twenty are stored by then: each listens for one turn of the loop.
      let turns = 8;
      const wait = (): void => {
        if (existsSync(database)) turns--;
        if (turns > 0) setImmediate(wait);
        else listener();
      };
      wait();
      return () => {};
    },
  });
  expect([code, stderr]).toEqual([130, "palimpsest: interrupted\n"]);
  const { sessions } = JSON.parse((await cli("sessions", "--json")).stdout);
  expect(sessions).toEqual([]);
  expect((await cli("import", file, "--each")).code).toBe(0);
});
