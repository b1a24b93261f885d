/** The reason of a failed model call appears wherever the failure does: in the report, in hooks and in the log; never in a summary. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, onTestFinished, test } from "vitest";
import { arrayLogger } from "../../test/watched-pass.ts";
import { type CompactorOptions, createCompactor } from "../compactor.ts";
import { errorText } from "../core/error-text.ts";
import type { HookEvent } from "../core/hooks/hook-events.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import type { Complete } from "../summarizers/ask.ts";
import { llm } from "../summarizers/llm.ts";

const LARGE = {
  messages: Array.from({ length: 41 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Step ${index} of the work reads src/part-${index}.ts. `.repeat(200),
  })),
};

/** The address of a server that gives every request this answer. */
async function answering(status: number, body: object): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function failing(complete: Complete, options: Partial<CompactorOptions> = {}) {
  const logger = arrayLogger();
  const events: HookEvent[] = [];
  const compactor = createCompactor({
    format: anthropicMessages,
    windowTokens: 100_000,
    telemetry: false,
    summarizer: llm({ complete, retry: { maxAttempts: 1 } }),
    logger,
    hooks: { notify: (event) => events.push(event) },
    ...options,
  });
  const result = await compactor.compact(LARGE).catch((error: unknown) => ({ error }));
  const heard = events.find(({ type }) => type === "summary-failed");
  const because = heard?.type === "summary-failed" ? heard.because : "";
  const lines = logger.lines.filter(([level]) => level === "warn" || level === "error").map(([, message]) => message);
  return { result, because, log: lines.join("\n") };
}

const SAID = "This organization has been disabled";

async function refusing(): Promise<Complete> {
  const error = { type: "invalid_request_error", message: SAID };
  const client = new Anthropic({
    apiKey: "none",
    baseURL: await answering(400, { type: "error", error }),
    maxRetries: 0,
  });
  return async ({ prompt, signal }) => {
    const messages = [{ role: "user" as const, content: prompt }];
    await client.messages.create({ model: "m", max_tokens: 10, messages }, { signal });
    return { text: "never" };
  };
}

describe("what the provider said", () => {
  test.each(["balanced", "micro-agent", "nous", "openclaw"] as const)("%s", async (profile) => {
    const { result, because, log } = await failing(await refusing(), { profile });
    const fallbacks = "report" in result ? result.report.fallbacks : [];
    expect(fallbacks.map((fallback) => fallback.because).join("\n")).toContain(SAID);
    expect(because).toContain(SAID);
    expect(log).toContain(SAID);
    expect(log.match(/was not changed/gi)).toBeNull();
    expect("request" in result ? JSON.stringify(result.request) : "").not.toContain(SAID);
  });

  test("where the pass throws", async () => {
    const { result, because, log } = await failing(await refusing(), { profile: "agentpg" });
    expect("error" in result ? errorText(result.error) : "").toContain(SAID);
    expect(because).toContain(SAID);
    expect(log).toContain(SAID);
    expect(log).not.toContain("\n\n");
  });

  test("a part of several: the report has the cause, the summary only that the part is missing", async () => {
    let calls = 0;
    const complete: Complete = async ({ prompt }) => {
      if (++calls === 1) throw new Error(SAID);
      return { text: `The parts were read: ${/src\/part-\d+\.ts/.exec(prompt)?.[0]}.` };
    };
    const staged = { parts: 3, minMessagesForSplit: 2, concurrency: 1 };
    const { result } = await failing(complete, { profile: "openclaw", summary: { staged } });
    if (!("report" in result)) throw new Error("It was not to fail.");
    expect(result.report.fallbacks).toMatchObject([{ step: "staged-partial", because: expect.stringContaining(SAID) }]);
    expect(result.report.result?.summary).toContain("could not be summarised");
    expect(result.report.result?.summary).not.toContain(SAID);
  });

  test("a connection that is refused", async () => {
    // A port that fetch does not refuse by itself, and that no system assigns.
    const complete: Complete = async () => ({ text: await (await fetch("http://127.0.0.1:2")).text() });
    expect((await failing(complete)).because).toMatch(/fetch failed: .*ECONNREFUSED/);
  });
});

describe("the text of an error", () => {
  const chain = (...texts: readonly string[]): Error | undefined =>
    texts.reduceRight<Error | undefined>((cause, text) => new Error(text, { cause }), undefined);

  test.each([
    [new Error("one"), "one"],
    [chain("one.", "two"), "one: two"],
    [chain("the call failed: two", "two"), "the call failed: two"],
    [chain("a", "b", "c", "d", "e", "f"), "a: b: c: d: e"],
    [new Error("many\n  lines"), "many lines"],
    [Object.assign(new AggregateError([]), { code: "ECONNREFUSED" }), "ECONNREFUSED"],
    [{ message: "no error at all" }, "no error at all"],
    ["thrown text", "thrown text"],
    [undefined, "undefined"],
    [Object.create(null), "Something was thrown that has no text."],
  ])("%o", (error, expected) => expect(errorText(error)).toBe(expected));

  test("is bounded, also where causes go round", () => {
    const error = new Error("x".repeat(100_000));
    error.cause = new Error("y".repeat(100_000), { cause: error });
    expect(errorText(error).length).toBeLessThan(2_500);
  });
});
