/** Several processes on one file: every append is there once, numbers are not shared, locks of the dead are broken. */

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { append, begin, bodies, compact, ids, isSound, stateOf, user } from "../../testing/store/world.ts";
import { jsonlStore } from "../jsonl.ts";

function setUp() {
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-writers-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return { directory, store: jsonlStore({ directory, sync: "never" }), lock: join(directory, "a.jsonl.lock") };
}

const MODULE = pathToFileURL(join(import.meta.dirname, "../jsonl.ts")).href;

/** A process that runs a script which has `store`. */
function spawnScript(directory: string, script: string, command: readonly string[] = []) {
  const source = `import { jsonlStore } from ${JSON.stringify(MODULE)};
    const store = jsonlStore({ directory: ${JSON.stringify(directory)}, sync: "never" });
    const say = (text) => ({ role: "user", body: { role: "user", content: text }, attachments: [] });
    ${script}`;
  const [program = process.execPath, ...rest] = [...command, process.execPath];
  return spawn(program, [...rest, "--input-type=module", "-e", source], { stdio: ["ignore", "pipe", "inherit"] });
}

/** What such a process said. */
async function run(...given: Parameters<typeof spawnScript>): Promise<string> {
  const child = spawnScript(...given);
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += String(chunk);
  });
  return new Promise((resolve) => child.on("close", () => resolve(output.trim())));
}

test("appends of several processes", async () => {
  const { directory, store } = setUp();
  await begin(store, "a", 1);
  const counts = { processes: 3, appends: 40 };
  const workers = Array.from({ length: counts.processes }, (_, worker) =>
    run(
      directory,
      `for (let index = 0; index < ${counts.appends}; index++) {
        await store.append("a", { messages: [say("worker ${worker} " + index)], turns: 1 });
      }`,
    ),
  );
  // Compactions go on meanwhile.
  await compact(store, "a", { archive: [0], summary: "s" });
  await Promise.all(workers);
  const { view, counters } = await stateOf(store, "a");
  const said = bodies(view).map((body) => JSON.stringify(body));
  expect(new Set(said).size).toBe(counts.processes * counts.appends + 1);
  expect(counters.messageCount).toBe(counts.processes * counts.appends + 1);
  for (let worker = 0; worker < counts.processes; worker++) {
    const own = said.filter((text) => text.includes(`worker ${worker} `));
    expect(own.map((text) => Number(/ (\d+)"/.exec(text)?.[1]))).toEqual(own.map((_, index) => index));
  }
  expect(await stateOf(jsonlStore({ directory }), "a")).toEqual(await stateOf(store, "a"));
  await isSound(store);
  expect(readdirSync(directory).filter((name) => name.includes("lock") || name.includes("tmp"))).toEqual([]);
});

test("a disk that is full: a clear error, nothing changed, and it goes on once there is room", async () => {
  const { directory, store } = setUp();
  await begin(store, "a", 2);
  const before = readFileSync(join(directory, "a.jsonl"), "utf8");
  // The shell's limit on the size of files stands for the disk's; writes stop in the middle, as they do there.
  const script = `
    const big = say("x".repeat(100_000));
    const error = await store.append("a", { messages: [say("small"), big], turns: 1 }).catch((error) => error);
    console.log(error.code, (await store.open("a")).view.length);
    const made = await store.create({ id: "b", format: "gemini", base: { system: "y".repeat(100_000) } }).catch((error) => error);
    console.log(made.code, await store.open("b"));
    await store.append("a", { messages: [say("small")], turns: 1 });
    console.log((await store.open("a")).view.length);`;
  const limited = ["/bin/bash", "-c", `trap "" XFSZ; ulimit -f 16; exec "$0" "$@"`];
  expect((await run(directory, script, limited)).split("\n")).toEqual(["storage 2", "storage undefined", "3"]);
  expect(readFileSync(join(directory, "a.jsonl"), "utf8").startsWith(before)).toBe(true);
  expect(await ids(store, "a")).toBe("m1 m2 m3");
  await isSound(store);
  expect(readdirSync(directory)).toEqual(["a.jsonl"]);
});

test("a process that is killed loses nothing that it was told is there", async () => {
  const { directory, store, lock } = setUp();
  await begin(store, "a", 1);
  const child = spawnScript(
    directory,
    `for (;;) {
      const { ids } = await store.append("a", { messages: [say("more"), say("and more")], turns: 1 });
      console.log(ids.at(-1));
    }`,
  );
  let told = "";
  await new Promise((resolve) => {
    child.stdout.on("data", (chunk) => {
      told += String(chunk);
      if (told.split("\n").length > 20) child.kill("SIGKILL");
    });
    child.on("close", resolve);
  });
  const last = told.trim().split("\n").at(-1) ?? "?";
  expect((await ids(store, "a")).split(" ")).toContain(last);
  await append(store, "a", [user("goes on")]);
  expect(existsSync(lock)).toBe(false);
  await isSound(store);
});

test("the lock of another machine is broken when it is old", async () => {
  const { store, lock } = setUp();
  await begin(store, "a", 1);
  writeFileSync(lock, JSON.stringify({ pid: 1, host: "elsewhere", token: "old" }));
  utimesSync(lock, new Date(0), new Date(0));
  await append(store, "a", [user("two")]);
  expect(await ids(store, "a")).toBe("m1 m2");
});

test("a lock that is held is waited for", async () => {
  const { store, lock } = setUp();
  await begin(store, "a", 1);
  writeFileSync(lock, JSON.stringify({ pid: process.pid, host: hostname(), token: "held" }));
  let isDone = false;
  const appending = append(store, "a", [user("two")]).then(() => {
    isDone = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect([isDone, await ids(store, "a")]).toEqual([false, "m1"]);
  const given = new AbortController();
  const giving = store.append("a", { messages: [user("never")], turns: 1 }, { signal: given.signal });
  given.abort();
  await expect(giving).rejects.toMatchObject({ code: "aborted" });
  rmSync(lock);
  await appending;
  expect(await ids(store, "a")).toBe("m1 m2");
});

test("a store in a place where nothing can be made says so", async () => {
  const { directory } = setUp();
  writeFileSync(join(directory, "file"), "");
  const store = jsonlStore({ directory: join(directory, "file", "sessions") });
  await expect(begin(store, "a", 1)).rejects.toMatchObject({ code: "storage" });
});

test("a session that another store deleted can be made again, and forked to", async () => {
  const { directory, store: one } = setUp();
  const other = jsonlStore({ directory, sync: "never" });
  await begin(one, "a", 1);
  await other.delete("a");
  await begin(one, "a", 2);
  expect(await ids(one, "a")).toBe("m1 m2");
  await begin(one, "b", 3);
  await other.delete("b");
  await one.fork("a", "b");
  expect(await ids(one, "b")).toBe("m1 m2");
});
