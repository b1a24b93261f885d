import { describe, expect, test } from "vitest";
import { type Reply, scripted, statusError } from "../../test/summarizer-script.ts";
import { DEFAULT_RETRY, delayBefore, isOverflowError, isTransient } from "../retry.ts";
import { ask, createCallBudget } from "./ask.ts";

const request = { system: "s", prompt: "p", maxOutputTokens: 10, temperature: 0, signal: new AbortController().signal };

async function run(
  replies: readonly Reply[],
  maxCalls: number,
  { signal = request.signal, sleep = async () => {}, timeoutMs = 20 } = {},
) {
  const model = scripted(...replies);
  const settings = { complete: model.complete, timeoutMs, retry: { ...DEFAULT_RETRY, sleep } };
  const budget = createCallBudget(1, maxCalls);
  const outcome = await ask({ ...request, signal }, settings, budget).catch((error: unknown) => error);
  return { outcome, made: budget.made, requests: model.requests };
}

const hang: Reply = () => new Promise(() => {});

test("retries never use up what the budget does not hold", async () => {
  expect((await run([statusError(429)], 3)).made).toBe(3);
  expect((await run([statusError(429)], 1)).made).toBe(1);
  const budget = createCallBudget(3, 4);
  budget.start();
  expect([budget.retry(), budget.retry()]).toEqual([true, false]);
});

test("each attempt has a deadline of its own, and its signal is aborted at it", async () => {
  const late: Reply = (req) =>
    new Promise((resolve) => {
      setTimeout(() => resolve({ text: req.signal.aborted ? "aborted" : "in time" }), 15);
    });
  const { outcome, requests } = await run([hang, hang, late], 9);
  expect(outcome).toEqual({ text: "in time" });
  expect(requests.map(({ signal }) => signal.aborted)).toEqual([true, true, false]);
});

test("a deadline beyond what a timer takes is not over at once", async () => {
  const slow: Reply = () => new Promise((resolve) => setTimeout(() => resolve({ text: "in time" }), 15));
  expect((await run([slow], 1, { timeoutMs: 2 ** 31 })).outcome).toEqual({ text: "in time" });
});

test("an abort ends a wait that would never end", async () => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 5);
  const { outcome, made } = await run([statusError(503)], 9, {
    signal: controller.signal,
    sleep: () => new Promise(() => {}),
  });
  expect(outcome).toMatchObject({ code: "aborted" });
  expect(made).toBe(1);
});

test("an abort reaches the call that is under way", async () => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error("enough")), 5);
  const { requests } = await run([hang], 9, { signal: controller.signal });
  expect(requests[0]?.signal.reason).toEqual(new Error("enough"));
});

test("what is thrown at once is caught", async () => {
  const thrower: Reply = () => {
    throw statusError(401);
  };
  expect((await run([thrower], 9)).outcome).toMatchObject({ reason: "error", cause: { status: 401 } });
});

test("the policy of the source", () => {
  expect(DEFAULT_RETRY.maxAttempts).toBe(5);
  expect([2, 3, 4, 5].map((attempt) => delayBefore(attempt, DEFAULT_RETRY))).toEqual([10_000, 20_000, 40_000, 80_000]);
});

describe("a wait that the provider states", () => {
  const nowMs = Date.parse("Mon, 16 Nov 2026 10:00:00 GMT");
  const retry = { ...DEFAULT_RETRY, now: () => nowMs };
  const limited = (fields: object): Error => Object.assign(statusError(429), fields);
  const stating = (value: string): Error => limited({ headers: new Headers({ "Retry-After": value }) });
  test.each([
    ["seconds", stating("3"), 3_000],
    ["a fraction of one", stating("0.25"), 250],
    ["a date", stating("Mon, 16 Nov 2026 10:00:12 GMT"), 12_000],
    ["milliseconds before seconds", limited({ headers: { "retry-after": "9", "retry-after-ms": "1500" } }), 1_500],
    ["headers by another name", limited({ responseHeaders: { "RETRY-AFTER": "4" } }), 4_000],
    ["the response on the error", limited({ response: { headers: { "retry-after": 5 } } }), 5_000],
    ["on a cause", new Error("failed", { cause: stating("6") }), 6_000],
    ["the longest", stating("60"), 60_000],
  ])("%s", (_name, error, expected) => expect(delayBefore(2, retry, error)).toBe(expected));
  test.each([
    ["longer than the bound", stating("61")],
    ["nothing to wait", stating("0")],
    ["a date that has passed", stating("Mon, 16 Nov 2026 09:59:00 GMT")],
    ["no time at all", stating("soon")],
    ["below nothing", stating("-5")],
    ["no headers", statusError(429)],
    ["no error", undefined],
  ])("%s leaves it to the policy", (_name, error) => expect(delayBefore(3, retry, error)).toBe(20_000));
  test("never, where the bound is 0", () =>
    expect(delayBefore(2, { ...retry, maxStatedDelayMs: 0 }, stating("1"))).toBe(10_000));
  test("is kept before the next attempt", async () => {
    const waits: number[] = [];
    const sleep = async (ms?: number): Promise<void> => void waits.push(ms ?? -1);
    await run([stating("3"), statusError(503), { text: "done" }], 9, { sleep });
    expect(waits).toEqual([3_000, 20_000]);
  });
});

describe("worth another attempt", () => {
  const named = (name: string): Error => Object.assign(new Error("x"), { name });
  test.each([
    [statusError(429), true],
    [statusError(529), true],
    [statusError(500), true],
    [statusError(408), true],
    [statusError(400), false],
    [statusError(401), false],
    [new Error("fetch failed", { cause: Object.assign(new Error("x"), { code: "ECONNRESET" }) }), true],
    [named("APIConnectionTimeoutError"), true],
    // As the SDKs of Anthropic and OpenAI throw it: no status, no cause, and the name of its base.
    [new (class APIConnectionTimeoutError extends Error {})("Request timed out."), true],
    [new (class APIUserAbortError extends Error {})("Request was aborted."), false],
    [Object.assign(new Error("Overloaded"), { status: undefined, type: "overloaded_error" }), true],
    [Object.assign(new Error("Bad"), { status: undefined, type: "invalid_request_error" }), false],
    [Object.assign(new Error("Bad"), { status: 400, type: "api_error" }), false],
    [new TypeError("undefined is not a function"), false],
    ["text", false],
    [undefined, false],
  ])("%s: %s", (error, expected) => expect(isTransient(error)).toBe(expected));
  test.each([
    [statusError(400, "prompt is too long: 250000 tokens > 200000 maximum"), true],
    [statusError(400, "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000"), true],
    [statusError(413), true],
    [Object.assign(new Error("bad"), { code: "context_length_exceeded" }), true],
    [statusError(429, "too many tokens per minute"), false],
    [statusError(400, "invalid model"), false],
  ])("overflow %s: %s", (error, expected) => expect(isOverflowError(error)).toBe(expected));
});
