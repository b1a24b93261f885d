/** `palimpsest ui` as its users start it: a process that serves until Ctrl-C. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli, temporaryFolder } from "../../test/run-cli.ts";
import { open, talk } from "../../test/session-world.ts";
import type { SessionsPage } from "../dashboard/wire.ts";
import { sqliteStore } from "../stores/sqlite.ts";

const folder = temporaryFolder();
const url = `sqlite:${join(folder.path, "sessions.db")}`;

beforeAll(async () => {
  const store = sqliteStore({ file: join(folder.path, "sessions.db") });
  await talk(await open({ store }, "one"), 2);
  await store.close();
});

afterAll(() => folder.remove());

async function start(...words: readonly string[]) {
  const main = join(import.meta.dirname, "main.ts");
  const child = spawn(process.execPath, [main, "ui", "--store", url, "--port", "0", ...words]);
  const [line] = await once(child.stdout, "data");
  return { child, line: String(line) };
}

async function end(child: ReturnType<typeof spawn>): Promise<number | null> {
  child.kill("SIGINT");
  const [code] = await once(child, "exit");
  return code;
}

test("serves a store until Ctrl-C, and only reads", async () => {
  const { child, line } = await start();
  expect(line).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/ {2}\(read-only; Ctrl-C ends it\)\n$/);
  const origin = line.split(/\/ /)[0];
  const page = (await (await fetch(`${origin}/dashboard/sessions`)).json()) as SessionsPage;
  expect(page.rows.map(({ id, turns }) => [id, turns])).toEqual([["one", 2]]);
  const answer = await fetch(`${origin}/dashboard/rollback`, { method: "POST", body: "{}" });
  expect(answer.status).toBe(403);
  expect((await fetch(`${origin}/v1/messages`)).status).toBe(404);
  expect(await end(child)).toBe(130);
});

test("says as JSON where it is; a port in use is one line", async () => {
  const { child, line } = await start("--json", "--allow-changes");
  const told = JSON.parse(line);
  expect(told).toEqual({ url: told.url, store: url, allowChanges: true });
  const { port } = new URL(told.url);
  const second = await runCli(["ui", "--store", url, "--port", port]);
  expect([second.code, second.stderr]).toEqual([2, expect.stringMatching(/^palimpsest: port \d+ is in use;.*\n$/)]);
  await end(child);
});

test.each(["x", "-1", "65536", "1.5"])("--port %s is refused", async (port) => {
  const { code, stderr } = await runCli(["ui", "--store", url, `--port=${port}`]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("--port must be a number")]);
});
