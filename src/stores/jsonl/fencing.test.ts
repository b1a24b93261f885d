/** Locks whose holders were wrongly taken for dead: whoever was told that a message is there finds it there, once. */

import { type ChildProcessByStdio, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { FullStore } from "../../core/store/store-upkeep.ts";
import { append, begin, ids, listOf, stateOf, user } from "../../testing/store/world.ts";
import { jsonlStore } from "../jsonl.ts";

const MODULE = pathToFileURL(join(import.meta.dirname, "../jsonl.ts")).href;

function setUp() {
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-fencing-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "a.jsonl");
  return { directory, file, lock: `${file}.lock`, store: jsonlStore({ directory, sync: "never" }) };
}

/** A process that runs a script with `open(options)` and `say(text)`. */
function spawnScript(directory: string, script: string, command: readonly string[] = []) {
  const source = `import { jsonlStore } from ${JSON.stringify(MODULE)};
    const open = (options) => jsonlStore({ directory: ${JSON.stringify(directory)}, ...options });
    const say = (text) => ({ role: "user", body: { role: "user", content: text }, attachments: [] });
    ${script}`;
  const [program = process.execPath, ...rest] = [...command, process.execPath];
  const child = spawn(program, [...rest, "--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function linesOf(child: ChildProcessByStdio<null, Readable, null>): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) lines.push(line);
  return lines;
}

/** What everybody was told, by id, against what is there. */
async function checkTold(store: FullStore, told: readonly (readonly [id: string, text: string])[]): Promise<void> {
  const { view } = await stateOf(store, "a");
  const there = new Map(view.map(({ id, body }) => [id, (body as { content: string }).content]));
  for (const [id, text] of told) expect([id, there.get(id)]).toEqual([id, text]);
  const texts = [...there.values()].filter((text) => told.some(([, said]) => said === text));
  expect(texts.length, "each of them once").toBe(told.length);
}

/**
 * Stops itself before a call to the file system: in turn, before each that an append makes. While it is stopped its lock grows old,
 * another writes, and it goes on.
 */
const STOPPED = `
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
let calls = 0;
let stopAt = 0;
for (const name of ["openSync", "closeSync", "fstatSync", "statSync", "readSync", "writeSync", "fsyncSync", "ftruncateSync", "readFileSync", "rmSync"]) {
  const call = fs[name];
  fs[name] = (...given) => {
    if (++calls === stopAt) process.kill(process.pid, "SIGSTOP");
    return call(...given);
  };
}
syncBuiltinESMExports();
const store = open({ sync: "always" });
for (let round = 1; ; round++) {
  await store.open("a");
  [calls, stopAt] = [0, round];
  const texts = ["stopped " + round, "and " + round];
  const { ids } = await store.append("a", { messages: texts.map(say), turns: 1 });
  const isOver = calls < stopAt;
  stopAt = 0;
  console.log(JSON.stringify(ids.map((id, index) => [id, texts[index]])));
  if (isOver) break;
}`;

const isLinux = process.platform === "linux";

async function isStopped(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 5_000; tries++) {
    const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "utf8") : ") Z";
    const state = stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3);
    if (state === "T") return true;
    if (state === "Z") return false;
    await sleep(1);
  }
  throw new Error("the process neither stops nor ends");
}

test.runIf(isLinux).each([
  ["", ""],
  ["behind a line that was torn", '{"type":"message","id":"m900","par'],
])(
  "a holder that is stopped anywhere in a write and wakes up when its lock is another's %s",
  async (_, torn) => {
    const { directory, file, lock, store } = setUp();
    await begin(store, "a", 2);
    const child = spawnScript(directory, STOPPED);
    const lines = linesOf(child);
    const told: [string, string][] = [];
    let rounds = 0;
    while (await isStopped(child.pid ?? 0)) {
      rounds++;
      if (existsSync(lock)) utimesSync(lock, new Date(0), new Date(0));
      for (const text of [`other ${rounds}`, `more ${rounds}`]) {
        const { ids: made } = await append(store, "a", [user(text)]);
        told.push([made[0] ?? "", text]);
      }
      // As if a third one had been killed.
      if (torn !== "") writeFileSync(file, torn, { flag: "a" });
      child.kill("SIGCONT");
      await sleep(2);
    }
    for (const line of await lines) told.push(...(JSON.parse(line) as [string, string][]));
    expect(rounds).toBeGreaterThan(12);
    for (const each of [store, jsonlStore({ directory })]) await checkTold(each, told);
    // What came to stand right behind torn bytes is no line any more.
    const rules = new Set((await listOf(jsonlStore({ directory }).examine("a"))).map(({ rule }) => rule));
    expect([...rules]).toEqual(torn === "" || rules.size === 0 ? [] : ["bad-line"]);
  },
  60_000,
);

const NEW_PROCESSES = ["unshare", "--pid", "--fork", "--kill-child"];

/** So that none has the number of another. */
function behind(processes: number): readonly string[] {
  const script = `for each in ${Array.from({ length: processes }, (_, index) => index).join(" ")}; do /bin/true; done; "$0" "$@"`;
  return [...NEW_PROCESSES, "sh", "-c", script];
}

function canCountAnew(): boolean {
  try {
    const [program = "", ...given] = NEW_PROCESSES;
    execFileSync(program, [...given, "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const APPENDS = 200;

test.runIf(isLinux && canCountAnew())(
  "processes that count processes differently, as containers of one host name do",
  async () => {
    const { directory, store } = setUp();
    await begin(store, "a", 1);
    const writers = ["one", "two"].map((name, index) =>
      spawnScript(
        directory,
        `const store = open({ sync: "never" });
         for (let index = 0; index < ${APPENDS}; index++) {
           const text = ${JSON.stringify(name)} + " " + index;
           const { ids } = await store.append("a", { messages: [say(text)], turns: 1 });
           console.log(JSON.stringify([ids[0], text]));
         }`,
        behind(5 + 20 * index),
      ),
    );
    const told = (await Promise.all(writers.map(linesOf))).flat().map((line) => JSON.parse(line) as [string, string]);
    expect(told).toHaveLength(2 * APPENDS);
    await checkTold(jsonlStore({ directory }), told);
    expect(await listOf(store.examine("a"))).toEqual([]);
  },
);

test("the lock of a process that is gone is broken at once", async () => {
  const { directory, lock, store } = setUp();
  await begin(store, "a", 1);
  // The clock is asked while the lock is held.
  const script = `const store = open({ now: () => process.kill(process.pid, "SIGKILL") });
    await store.append("a", { messages: [say("never")], turns: 1 });`;
  await linesOf(spawnScript(directory, script));
  expect(existsSync(lock)).toBe(true);
  // Nobody waits for such a lock: an append that does is refused after a while.
  await append(store, "a", [user("two")]);
  expect([await ids(store, "a"), existsSync(lock)]).toEqual(["m1 m2", false]);
});

test("an id that another process has by now is not the holder", async () => {
  const { directory, lock, store } = setUp();
  await begin(store, "a", 1);
  const script = `const store = open({ now: () => process.kill(process.pid, "SIGKILL") });
    await store.append("a", { messages: [say("never")], turns: 1 });`;
  await linesOf(spawnScript(directory, script));
  const holder = JSON.parse(readFileSync(lock, "utf8")) as { began?: string };
  writeFileSync(lock, JSON.stringify({ ...holder, pid: process.pid }));
  // Where nobody says when a process began, it is taken for the same.
  if (holder.began === undefined) return;
  await append(store, "a", [user("two")]);
  expect(await ids(store, "a")).toBe("m1 m2");
});

test("a late line that nobody could make blank does not count, and is told", async () => {
  const { directory, file, store } = setUp();
  await begin(store, "a", 1);
  const before = readFileSync(file, "utf8");
  await append(store, "a", [user("late"), user("and later")]);
  const late = readFileSync(file, "utf8").slice(before.length);
  writeFileSync(file, before);
  await append(store, "a", [user("two")]);
  writeFileSync(file, late, { flag: "a" });
  await append(store, "a", [user("three")]);
  for (const each of [store, jsonlStore({ directory })]) {
    expect((await stateOf(each, "a")).view.map(({ body }) => (body as { content: string }).content)).toEqual([
      "question 1",
      "two",
      "three",
    ]);
  }
  const rules = (await listOf(store.examine("a"))).map(({ rule }) => rule);
  expect(rules).toEqual(["late-line", "late-line"]);
});
