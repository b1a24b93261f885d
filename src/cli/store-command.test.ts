/** A store is closed whatever happens, and Ctrl-C gives the work time to end. */

import { expect, test } from "vitest";
import { CompactionError } from "../core/errors.ts";

import { type ExitCode, type Io, parseWords } from "./command.ts";
import { overStore, type StoreTask } from "./store-command.ts";

/** Ctrl-C is pressed when `press` is called. */
async function run(work: (task: StoreTask, press: () => void) => Promise<ExitCode>) {
  let [stderr, press] = ["", () => {}];
  const io: Io = {
    stdin: (async function* () {})(),
    stdout: { write: () => {} },
    stderr: { write: (text) => (stderr += text) },
    environment: {},
    onInterrupt: (listener) => {
      press = listener;
      return () => {};
    },
  };
  const given = parseWords("show", ["--store", "memory:"], { store: { type: "string", about: "" } });
  const code = await overStore({ io, given }, (task) => work(task, () => press()));
  return { code, stderr };
}

test("the work ends before the command does", async () => {
  let isEnded = false;
  const outcome = await run(async ({ signal }, press) => {
    try {
      press();
      await new Promise((resolve) => setTimeout(resolve, 50));
      signal.throwIfAborted();
      return 0;
    } finally {
      isEnded = true;
    }
  });
  expect([outcome, isEnded]).toEqual([{ code: 130, stderr: "palimpsest: interrupted\n" }, true]);
});

test("a second Ctrl-C ends the waiting for work that does not end", async () => {
  const { code } = await run((_, press) => {
    press();
    press();
    return new Promise<ExitCode>(() => {});
  });
  expect(code).toBe(130);
});

test("what was done all the same is told as done", async () => {
  const outcome = await run(async (_, press) => {
    press();
    return 0;
  });
  expect(outcome).toEqual({ code: 0, stderr: "palimpsest: the interrupt came too late; it was done already\n" });
});

test("an error of the work is its own", async () => {
  const failing = run(async () => {
    throw new CompactionError("storage", "the disk is full");
  });
  await expect(failing).rejects.toThrow("the disk is full");
});

test("a key that was pressed during the last write, and heard after it, is spoken of", async () => {
  const outcome = await run(async (_, press) => {
    setImmediate(press);
    return 0;
  });
  expect(outcome).toEqual({
    code: 0,
    stderr: "palimpsest: the interrupt came too late; it was done already\n",
  });
});
