import { describe, expect, test } from "vitest";
import {
  checkpointText,
  contextOf,
  inputOf,
  type Reply,
  said,
  scripted,
  statusError,
} from "../../test/summarizer-script.ts";
import type { SummaryInput, SummaryResult } from "../core/checkpoint/summary.ts";
import { type Message, text } from "../core/message.ts";
import { llm } from "./llm.ts";
import type { LlmOptions } from "./llm-options.ts";

const CONVERSATION = said(
  "user: Please migrate the accounts table to the new schema and never drop the column legacy_id.",
  "assistant: I will look at db/migrations/0042_accounts.sql and at the service first.",
  "user: The staging host is db-staging.example.net and the owner is maria@example.net.",
  "assistant: Both are noted. The migration takes 340 ms on a copy of 1,250,000 rows.",
);
const GOOD = checkpointText(
  "Migrate the accounts table to the new schema.",
  "db/migrations/0042_accounts.sql is the migration; it took 340 ms on 1,250,000 rows",
  "legacy_id must stay; staging is db-staging.example.net, owner maria@example.net",
);

interface Outcome {
  readonly result?: SummaryResult;
  readonly code?: string;
  readonly reason?: string | undefined;
  readonly calls: number;
}

async function run(
  replies: readonly Reply[],
  options: Partial<LlmOptions> = {},
  input: Partial<SummaryInput> = {},
): Promise<Outcome> {
  const model = scripted(...replies);
  const summarizer = llm({
    complete: model.complete,
    windowTokens: 200_000,
    ...options,
    retry: { sleep: async () => {}, ...options.retry },
  });
  const whole = inputOf(CONVERSATION, input);
  try {
    const result = await summarizer.summarize(whole, contextOf());
    expect(result.calls).toBe(model.requests.length);
    expect(model.requests.length).toBeLessThanOrEqual(summarizer.planCalls(whole));
    expect(whole.counter.countText(result.text)).toBeLessThanOrEqual(whole.budgetTokens);
    expect(result.text.isWellFormed()).toBe(true);
    return { result, calls: model.requests.length };
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    const { code, reason } = error as Error & { code: string; reason?: string };
    expect(model.requests.length).toBeLessThanOrEqual(summarizer.planCalls(whole));
    return { code, reason, calls: model.requests.length };
  }
}

/** The outcome of these replies is a failure with this reason, after so many calls. */
async function checkFailure(
  replies: readonly Reply[],
  reason: string,
  calls: number,
  options: Partial<LlmOptions> = {},
) {
  expect(await run(replies, options)).toMatchObject({ code: "summary-failed", reason, calls });
}

const hang: Reply = () => new Promise(() => {});
const LONG = `${GOOD}\n${"- one more thing that was said at some point\n".repeat(4_000)}`;
const GERMAN = checkpointText(
  "Die Tabelle der Konten soll in das neue Schema überführt werden.",
  "Die Spalte legacy_id darf nicht gelöscht werden, weil sie noch gebraucht wird",
  "Der Dienst läuft auf db-staging.example.net und wird von maria@example.net betreut",
  "Wir haben die Datei db/migrations/0042_accounts.sql gelesen und nicht verändert",
);

test("an answer without sections, even after the repair, is no summary", async () => {
  expect(await run(["All went well so far."])).toMatchObject({ reason: "missing-sections", calls: 2 });
});

describe("every failure of a model has a defined outcome", () => {
  test("an error that no retry can help", () => checkFailure([statusError(400)], "error", 1));
  test("a rate limit, five attempts", () => checkFailure([statusError(429)], "error", 5));
  test("an overflow is never retried", () => checkFailure([statusError(400, "prompt is too long")], "overflow", 1));
  test("a timeout, each attempt with a deadline of its own", () =>
    checkFailure([hang], "timeout", 5, { timeoutMs: 5 }));
  test("a hang that ignores its signal", () =>
    checkFailure([hang], "timeout", 1, { timeoutMs: 5, retry: { maxAttempts: 1 } }));
  test("empty", () => checkFailure([""], "empty", 1));
  test("white space", () => checkFailure([" \n\t "], "empty", 1));
  test("cut off", () => checkFailure([{ text: GOOD, stopReason: "length" }], "truncated", 1));
  test("refused by the provider", () => checkFailure([{ text: GOOD, stopReason: "refusal" }], "refusal", 1));
  test("refused in words", () => checkFailure(["I'm sorry, but I can't help with that."], "refusal", 1));
  test("refused in words of another language: by what is missing", () =>
    checkFailure(["抱歉，我无法处理这个请求。"], "wrong-language", 2));
  test("an error text", () => checkFailure(["Error: 529 overloaded_error"], "error-text", 1));
  test("an error as JSON", () => checkFailure(['{"error": {"message": "no credit"}}'], "error-text", 1));
  test("ten times too long", () => checkFailure([LONG], "too-long", 1));
  test("the wrong language, and again after the repair", () => checkFailure([GERMAN], "wrong-language", 2));
  test("the prompt again", () => checkFailure([async ({ prompt }) => ({ text: prompt.slice(0, 3_000) })], "echo", 1));
  test("a fence of ours in the answer", () =>
    checkFailure([async ({ prompt }) => ({ text: `${GOOD}\n${/<data-\w+/.exec(prompt)?.[0]}` })], "echo", 1));
  test("the transcript again", () => {
    const line = (index: number): string =>
      `user: Step ${index}: please look at module_${index} and tell me what it does`;
    const messages = said(...Array.from({ length: 20 }, (_unused, index) => line(index)));
    const echo: Reply = async ({ prompt }) => ({
      text: prompt.slice(prompt.indexOf("[User]"), prompt.indexOf("</data")),
    });
    return expect(run([echo], { pack: "minimal" }, { messages })).resolves.toMatchObject({ reason: "echo", calls: 1 });
  });
});

test("a good answer passes as it is, with what the guard must add", async () => {
  const { result, calls } = await run([GOOD]);
  expect(calls).toBe(1);
  expect(result?.text.startsWith(GOOD.split("## Critical")[0]?.trim() ?? "?")).toBe(true);
  expect(result?.checkpoint?.goal).toEqual(["Migrate the accounts table to the new schema."]);
  expect(result?.checkpoint?.decisions).toEqual([
    { decision: "Keep the old table", reason: "other services still read it" },
  ]);
});

test("an inverted request cannot win: the user's own words stand beside it", async () => {
  const inverted = GOOD.replace("Migrate the accounts table", "Never migrate the accounts table");
  const messages = CONVERSATION.slice(0, 2);
  const { result } = await run([inverted], {}, { messages });
  expect(result?.text).toContain(
    "## Latest Request\n> Please migrate the accounts table to the new schema and never drop the column legacy_id.",
  );
  expect(result?.checkpoint?.latestRequest).toContain("Please migrate the accounts table");
});

test("invented entities go, the true ones come back", async () => {
  const wrong = GOOD.replace("maria@example.net", "mario@example.net").replace("340 ms", "430 ms");
  const { result } = await run([wrong]);
  expect(result?.text).not.toMatch(/mario@|430 ms/);
  expect(result?.text).toContain("maria@example.net");
  expect(result?.notes.join("\n")).toContain("mario@example.net");
});

test("lone surrogates are made well-formed", async () => {
  const { result } = await run(
    [GOOD.replace("must stay", "must stay \ud83d")],
    {},
    {
      messages: [...CONVERSATION, ...said("user: broken \udc00 text").map((message) => ({ ...message, id: "m9" }))],
    },
  );
  expect(result?.text).toContain("must stay \ufffd");
});

test("a retry that helps is a success", async () => {
  const { result, calls } = await run([statusError(503), statusError(429), GOOD]);
  expect(calls).toBe(3);
  expect(result?.calls).toBe(3);
});

test("a repair that helps is used, one that does not is not", async () => {
  const without = GOOD.replace(/## Next Steps\n.*\n\n/, "");
  expect((await run([without, GOOD])).result?.notes).toContain("The summary was repaired once.");
  const worse = await run([without, "## Goal\nMigrate the accounts table."]);
  expect(worse).toMatchObject({ reason: "missing-sections", calls: 2 });
  const failed = await run([without, statusError(400)]);
  expect(failed.calls).toBe(2);
  expect(failed.result?.text).toContain("## Next Steps\n- (none)");
});

test("waits as the retry policy says: 10 s, then twice as long each time", async () => {
  const waits: number[] = [];
  const sleep = async (ms: number): Promise<void> => void waits.push(ms);
  await run([statusError(429)], { retry: { sleep } });
  expect(waits).toEqual([10_000, 20_000, 40_000, 80_000]);
});

test("what is asked: temperature 0, 4,096 tokens, the transcript fenced, the update prompt when there is a summary", async () => {
  const model = scripted(GOOD);
  const summarizer = llm({ complete: model.complete, windowTokens: 200_000 });
  await summarizer.summarize(inputOf(CONVERSATION, { instructions: "the schema </data>" }), contextOf());
  const [request] = model.requests;
  expect(request).toMatchObject({ temperature: 0, maxOutputTokens: 4_096 });
  expect(request?.prompt).toContain("Write in English");
  expect(request?.prompt).not.toContain("## Existing Summary");
  await summarizer.summarize(inputOf(CONVERSATION, { previous: { text: GOOD } }), contextOf());
  expect(model.requests.at(-1)?.prompt).toMatch(
    /## Existing Summary\n\n<data-(\w+) kind="summary">[\s\S]+## New Conversation\n\n<data-\1 /,
  );
});

test("what is cut out of results that stay is shown, under their tool's name, and may be told", async () => {
  const model = scripted(GOOD.replace("340 ms", "355 ms"));
  const summarizer = llm({ complete: model.complete, windowTokens: 200_000 });
  const call: Message = {
    id: "k1",
    role: "assistant",
    parts: [{ type: "tool-call", callId: "1", name: "time", input: {} }],
  };
  const answered = (said: string): Message => ({
    id: "k2",
    role: "user",
    parts: [{ type: "tool-result", callId: "1", content: [text(said)], isError: false }],
  });
  const kept = [call, answered("It took […]")];
  const input = inputOf(CONVERSATION, { kept, cut: [answered("It took 355 ms")] });
  const result = await summarizer.summarize(input, contextOf());
  expect(model.requests[0]?.prompt).toMatch(
    /without the middle of their results\]\n\n\[Result of time\]: It took 355 ms\n<\/data/,
  );
  expect(result.text).toContain("355 ms");
});

test("an earlier list of identifiers is no text to carry on", async () => {
  const model = scripted(GOOD);
  const summarizer = llm({ complete: model.complete, windowTokens: 200_000 });
  const previous = {
    text: `${GOOD}\n\n## Exact Identifiers\n- archive_url (page of open)\n\n## Files Read\n- db/old.sql`,
  };
  const { text } = await summarizer.summarize(inputOf(CONVERSATION, { previous }), contextOf());
  expect(model.requests[0]?.prompt).toContain("- db/old.sql");
  expect(model.requests[0]?.prompt).not.toContain("archive_url");
  expect(text).toContain("## Files Read\n- db/old.sql");
});

test("single cuts at the characters that are asked for, from the middle, the newest request included, and says so", async () => {
  const long = said(`user: Begin ${"lorem ipsum dolor ".repeat(10_000)} please end`);
  const model = scripted("The user pasted lorem ipsum dolor. ".repeat(6).trim());
  const input = { maxChars: 100_000 };
  const summarizer = llm({ complete: model.complete, windowTokens: 200_000, mode: "single", pack: "minimal", input });
  const result = await summarizer.summarize(inputOf(long), contextOf());
  const prompt = model.requests[0]?.prompt ?? "";
  const data = [...prompt.matchAll(/<data-(\w+) kind="\w+">\n([\s\S]*?)\n<\/data-\1>/g)].map(([, , text = ""]) => text);
  expect(data.map((text) => text.length)).toEqual([84_000, 16_000]);
  expect(data[0]).toContain("[... middle of the conversation left out to fit ...]");
  expect(result.notes[0]).toContain("84000 characters");
  expect(summarizer.planCalls(inputOf(long))).toBe(10);
});

test("usage adds up over all calls, those that failed included", async () => {
  const usage = { inputTokens: 10, cacheReadTokens: 1, cacheWriteTokens: 2, outputTokens: 3, reasoningTokens: 0 };
  const without = GOOD.replace("## Goal", "## Purpose");
  const { result } = await run([
    { text: without, usage },
    { text: GOOD, usage },
  ]);
  expect(result?.usage).toEqual({
    inputTokens: 20,
    cacheReadTokens: 2,
    cacheWriteTokens: 4,
    outputTokens: 6,
    reasoningTokens: 0,
  });
});

test("nothing to read is a failure, not an invented summary", async () => {
  expect(await run([GOOD], {}, { messages: [] })).toMatchObject({ reason: "no-input", calls: 0 });
});

describe("abort", () => {
  async function abortedAfter(start: (abort: () => void) => Reply): Promise<unknown> {
    const controller = new AbortController();
    const model = scripted(start(() => controller.abort(new Error("enough"))));
    const sleep = (): Promise<void> => new Promise(() => {});
    const summarizer = llm({ complete: model.complete, windowTokens: 200_000, retry: { sleep } });
    return summarizer.summarize(inputOf(CONVERSATION), contextOf(controller.signal)).catch((error: unknown) => error);
  }
  test("during a call that ignores its signal", async () => {
    const outcome = await abortedAfter((abort) => () => {
      setTimeout(abort, 5);
      return new Promise(() => {});
    });
    expect(outcome).toMatchObject({ code: "aborted", cause: new Error("enough") });
  });
  test("before it starts, without a call", async () => {
    const model = scripted(GOOD);
    const summarizer = llm({ complete: model.complete, windowTokens: 200_000 });
    const run = summarizer.summarize(inputOf(CONVERSATION), contextOf(AbortSignal.abort()));
    await expect(run).rejects.toMatchObject({ code: "aborted" });
    expect(model.requests).toEqual([]);
  });
});

test.each([
  [{ windowTokens: 1_000 }, "windowTokens"],
  [{ maxCalls: 0 }, "maxCalls"],
  [{ timeoutMs: 0 }, "timeoutMs"],
  [{ pack: { name: "mine", version: "1", task: " " } }, "task"],
])("refuses %j", (options, word) => {
  expect(() => llm({ complete: scripted("").complete, windowTokens: 200_000, ...options })).toThrow(word);
});
