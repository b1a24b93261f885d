import { getEventListeners } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { untilAborted } from "./waiting.ts";

const never = new Promise<never>(() => {});

test("settles as the answer does, and leaves no listener", async () => {
  const { signal } = new AbortController();
  expect(await untilAborted(Promise.resolve(1), signal)).toBe(1);
  await expect(untilAborted(Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test.each(["before", "after"])("does not wait for what never settles (aborted %s)", async (when) => {
  const controller = new AbortController();
  if (when === "before") controller.abort("enough");
  const waiting = untilAborted(never, controller.signal);
  if (when === "after") controller.abort("enough");
  await expect(waiting).rejects.toBe("enough");
});

test("what fails after the caller gave up is nobody's failure", async () => {
  const unheard: unknown[] = [];
  const hear = (error: unknown) => unheard.push(error);
  process.on("unhandledRejection", hear);
  onTestFinished(() => void process.off("unhandledRejection", hear));
  const answer = Promise.withResolvers<never>();
  const waiting = untilAborted(answer.promise, AbortSignal.abort("enough"));
  answer.reject(new Error("late"));
  await expect(waiting).rejects.toBe("enough");
  await new Promise((resolve) => setImmediate(resolve));
  expect(unheard).toEqual([]);
});
