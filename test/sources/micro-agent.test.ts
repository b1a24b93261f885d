import { describe, expect, test } from "vitest";
import { createCompactor } from "../../src/compactor.ts";
import type { Summarizer, SummaryInput } from "../../src/core/checkpoint/summary.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { anthropicMessages } from "../../src/formats/anthropic-messages.ts";

/** Scenarios A and B (R228–R230) under the `micro-agent` profile, switched on as its configuration does. */

const say = (role: string, text: string): JsonObject => ({ role, content: [{ type: "text", text }] });
const search = (id: number): JsonObject => ({
  role: "assistant",
  content: [
    { type: "text", text: "I'll search now…" },
    { type: "tool_use", id: `t${id}`, name: "search", input: { page: id } },
  ],
});
const found = (id: number, chars: number): JsonObject => ({
  role: "user",
  content: [
    {
      type: "tool_result",
      tool_use_id: `t${id}`,
      content: `job ${id} https://jobs.example/${id} ${"d".repeat(chars)}`,
    },
  ],
});

/** A request, then rounds of one call and one result of the given size. */
function conversation(rounds: number, resultChars: number): JsonObject {
  const messages = [
    say("user", "Find jobs that fit criteria.md"),
    ...Array.from({ length: rounds }, (_, id) => [search(id), found(id, resultChars)]).flat(),
  ];
  return { messages };
}

const SUMMARY = "Criteria: remote, senior. Scores: job 3 scored 9. Status: 9 of 12 pages read. https://jobs.example/3";

function summarizer(inputs: SummaryInput[] = []): Summarizer {
  return {
    name: "scripted",
    version: "1",
    planCalls: () => 1,
    summarize: (input) => {
      inputs.push(input);
      return Promise.resolve({ text: SUMMARY, calls: 1, notes: [] });
    },
  };
}

const options = { format: anthropicMessages, profile: "micro-agent", compact: { auto: true } } as const;

describe("scenario A", () => {
  test("one search round, results of about 10K characters: no compaction", async () => {
    const body = conversation(4, 25_000);
    expect(body.messages).toHaveLength(9);
    const { request, report } = await createCompactor({ ...options, summarizer: summarizer() }).fit(body);
    expect(report).toMatchObject({ compacted: false, reason: "not-triggered" });
    expect(report.tokensBefore).toBeGreaterThan(24_000);
    expect(report.tokensBefore).toBeLessThan(31_000);
    expect(request).toBe(body);
  });
});

describe("scenario B", () => {
  const inputs: SummaryInput[] = [];
  const body = conversation(12, 28_200);
  const messages = body.messages as JsonObject[];

  test("25 messages, about 85K tokens: messages 1–18 go, 0 and 19–24 stay", async () => {
    expect(messages).toHaveLength(25);
    const { request, report } = await createCompactor({ ...options, summarizer: summarizer(inputs) }).fit(body);
    expect(report.tokensBefore).toBeGreaterThan(84_000);
    expect(report.tokensBefore).toBeLessThan(86_000);
    expect(inputs[0]?.messages.map(({ id }) => id)).toEqual(Array.from({ length: 18 }, (_, index) => `m${index + 1}`));
    const [first, ...rest] = request.messages as JsonObject[];
    expect(first).toEqual(
      say("user", `Find jobs that fit criteria.md\n\n[CONTEXT SUMMARY]\n${SUMMARY}\n[END CONTEXT SUMMARY]`),
    );
    // The tail begins with an assistant message, so nothing is inserted (R135).
    expect(rest).toEqual(messages.slice(19));
    expect(report).toMatchObject({ compacted: true, reason: "absolute", messagesAfter: 7 });
  });

  test("criteria, scores, URLs and status survive; listings and filler are gone (R230)", async () => {
    const { request } = await createCompactor({ ...options, summarizer: summarizer() }).fit(body);
    const view = JSON.stringify((request.messages as JsonObject[]).slice(0, 1));
    for (const kept of ["criteria", "scored 9", "https://jobs.example/3", "Status"]) expect(view).toContain(kept);
    expect(view).not.toContain("I'll search now");
    expect(view).not.toContain("dddd");
  });

  test("the second pass updates the summary instead of piling up another (D02)", async () => {
    const once = await createCompactor({ ...options, summarizer: summarizer() }).fit(body);
    const grown = {
      messages: [...(once.request.messages as JsonObject[]), ...messages.slice(1).map((m) => structuredClone(m))],
    };
    const again: SummaryInput[] = [];
    const { request } = await createCompactor({ ...options, summarizer: summarizer(again) }).compact(grown);
    const text = JSON.stringify((request.messages as JsonObject[])[0]);
    expect(text.split("[CONTEXT SUMMARY]")).toHaveLength(2);
    expect(again[0]?.previous?.text).toBe(SUMMARY);
  });

  test("images in the first message stay (D05), and the tail that begins with a user gets its acknowledgement (R135)", async () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
    const first = { role: "user", content: [{ type: "text", text: "Look" }, image] };
    const more = [
      say("user", "q1"),
      say("assistant", "a1"),
      say("user", "q2"),
      say("assistant", "a2"),
      say("user", "q3"),
      say("assistant", "a3"),
    ];
    const { request } = await createCompactor({ ...options, summarizer: summarizer() }).compact({
      messages: [first, ...messages.slice(1), ...more],
    });
    const [head, acknowledgement, next] = request.messages as JsonObject[];
    expect(head).toMatchObject({ content: [{ type: "text", text: "Look" }, image, { type: "text" }] });
    expect(acknowledgement).toMatchObject({
      role: "assistant",
      content: "Understood. Continuing with the current task.",
    });
    expect(next).toEqual(say("user", "q1"));
  });

  test("the acknowledgement is inserted when the settings say so (C19)", async () => {
    const line = "Understood. Continuing with the current task.";
    const check = async (when: "needed" | "always" | "never", list: readonly JsonObject[], isThere: boolean) => {
      const render = { acknowledgement: { when } };
      const { request } = await createCompactor({ ...options, render, summarizer: summarizer() }).compact({
        messages: [...list],
      });
      const [, second] = request.messages as JsonObject[];
      expect(second?.content === line, when).toBe(isThere);
    };
    const talk = ["q1", "a1", "q2", "a2", "q3", "a3"].map((said, index) => say(index % 2 ? "assistant" : "user", said));
    const toUser = [...messages, ...talk];
    await check("needed", toUser, true);
    await check("always", toUser, true);
    await check("never", toUser, false);
    await check("needed", messages, false);
    await check("always", messages, true);
    await check("never", messages, false);
  });

  test("a failing summarizer leaves the list to the count limit, which honours pairs and the first message (R145, R146, D04)", async () => {
    const long = conversation(40, 8_300);
    const failing: Summarizer = { ...summarizer(), summarize: () => Promise.reject(new Error("no model")) };
    const { request, report } = await createCompactor({ ...options, summarizer: failing }).fit(long);
    const kept = request.messages as JsonObject[];
    expect(report.fallbacks).toEqual([{ step: "keep-and-trim", because: "no model" }]);
    expect(kept.length).toBeLessThanOrEqual(50);
    expect(kept[0]).toEqual((long.messages as JsonObject[])[0]);
    expect(anthropicMessages.validate(request)).toEqual([]);
  });
});

describe("the cap on results (R082)", () => {
  const LONG = "z".repeat(50_000);
  const ofServer: JsonObject = {
    role: "assistant",
    content: [
      { type: "mcp_tool_use", id: "m1", name: "fetch", server_name: "web", input: {} },
      { type: "mcp_tool_result", tool_use_id: "m1", is_error: false, content: [{ type: "text", text: LONG }] },
      { type: "text", text: "Read." },
    ],
  };
  const body = (...messages: readonly JsonObject[]): JsonObject => ({
    messages: [say("user", "Find jobs"), ...messages, say("user", "And now?")],
  });
  const called = body(search(0), found(0, 50_000), say("assistant", "Read."));

  async function check(given: JsonObject, settings: object, isCut: boolean): Promise<void> {
    const { request, report } = await createCompactor({ ...options, ...settings }).fit(given);
    expect(report.steps.cap ?? 0).toBe(isCut ? 1 : 0);
    expect(JSON.stringify(request).includes("Output cut at 40000 of")).toBe(isCut);
    if (!isCut) expect(request).toBe(given);
  }

  test("a result over it is cut", () => check(called, {}, true));
  test("what the provider's tools returned cannot be edited, and is not said to be", () =>
    check(body(ofServer), {}, false));
  test("not where outputs are kept in full", () => check(called, { protect: { toolOutputs: true } }, false));
  test("not of a tool that is kept verbatim", () => check(called, { protect: { toolsVerbatim: ["sea*"] } }, false));
  test("not of a tool that is never shortened", () => check(called, { prune: { tools: { search: "never" } } }, false));
});

describe("the limit on the number of messages, after a summary (R146, D04)", () => {
  const limited = { ...options, protect: { tailTokens: 50_000 }, maxMessages: 12 } as const;
  const body = conversation(40, 8_300);
  const messages = body.messages as JsonObject[];

  test("holds in the same pass; pairs, the first message and the last six stay, the summary stands for the rest", async () => {
    const inputs: SummaryInput[] = [];
    const { request, report } = await createCompactor({ ...limited, summarizer: summarizer(inputs) }).fit(body);
    const kept = request.messages as JsonObject[];
    expect(report).toMatchObject({ compacted: true, steps: { summarize: 1 } });
    expect(kept.length).toBeLessThanOrEqual(12);
    expect(kept.length).toBeGreaterThanOrEqual(7);
    expect(JSON.stringify(kept[0])).toContain("Find jobs that fit criteria.md");
    expect(kept.slice(-6)).toEqual(messages.slice(-6));
    expect(anthropicMessages.validate(request)).toEqual([]);
    const seen = inputs[0]?.messages.map(({ id }) => id) ?? [];
    expect(seen).toEqual(Array.from({ length: seen.length }, (_, index) => `m${index + 1}`));
    expect(seen.length + kept.length).toBe(messages.length);
    const again = await createCompactor({ ...limited, summarizer: summarizer() }).fit(request);
    expect(again.report.compacted).toBe(false);
  });

  test("pinned messages stay even above it", async () => {
    const pinned = Array.from({ length: 20 }, (_, index) => index * 2 + 1);
    const { request } = await createCompactor({ ...limited, summarizer: summarizer() }).compact(body, { pinned });
    for (const index of pinned) expect(request.messages).toContainEqual(messages[index]);
    expect(anthropicMessages.validate(request)).toEqual([]);
  });

  test("holds where nothing is summarised, whatever the tail counts in tokens", async () => {
    const small = conversation(40, 10);
    const { request, report } = await createCompactor({ ...limited, summarizer: summarizer() }).fit(small);
    expect(report).toMatchObject({ compacted: true, steps: { drop: 1 }, messagesAfter: 11 });
    expect((request.messages as JsonObject[])[0]).toEqual((small.messages as JsonObject[])[0]);
  });
});

test("a result over the cap is cut, however it ends (R082)", async () => {
  const compactor = createCompactor({ ...options, summarizer: summarizer() });
  const shown = async (ending: string): Promise<number> => {
    const result = found(0, 90_000);
    const [block] = result.content as JsonObject[];
    const long = { ...result, content: [{ ...block, content: `${block?.content}${ending}` }] };
    const { request } = await compactor.fit({ messages: [say("user", "go"), search(0), long] });
    return JSON.stringify((request.messages as JsonObject[])[2]).length;
  };
  for (const ending of ["", " The page has 90000 characters.]", "\n\n[Output cut at 400 of 90000 characters.]"])
    expect(await shown(ending)).toBeLessThan(40_500);
});

test("a result that was cut on arrival is told of, even where its message was to leave and the summary failed (R082, R145)", async () => {
  const failing: Summarizer = { ...summarizer(), summarize: () => Promise.reject(new Error("no model")) };
  const body = conversation(12, 60_000);
  const { request, report } = await createCompactor({ ...options, summarizer: failing }).fit(body);
  expect(report.fallbacks).toEqual([{ step: "keep-and-trim", because: "no model" }]);
  expect(report).toMatchObject({ compacted: true, steps: { cap: 12 }, messagesAfter: 25 });
  expect(report.tokensAfter).toBeLessThan(report.tokensBefore);
  expect(JSON.stringify(request).length).toBeLessThan(JSON.stringify(body).length);
});

describe("R082, the cap on arrival", () => {
  test.each([
    [40_000, false],
    [40_001, true],
    [40_003, true],
    [40_004, true],
    [90_000, true],
  ])("a result of %d characters is cut: %s", async (chars, isCut) => {
    const text = "d".repeat(chars);
    const content = [{ type: "tool_result", tool_use_id: "t0", content: text }];
    const body = { messages: [say("user", "Look"), search(0), { role: "user", content }] };
    for (const estimator of ["micro-agent", "fitted"] as const) {
      const { request } = await createCompactor({ ...options, estimator }).fit(body);
      const [, , result] = request.messages as unknown as readonly { readonly content: readonly JsonObject[] }[];
      const after = String(result?.content[0]?.content);
      expect(after.length).toBeLessThanOrEqual(40_000);
      expect(after.length).toBeGreaterThan(39_600);
      expect(after !== text).toBe(isCut);
      if (isCut) expect(after).toContain(`[Output cut at 40000 of ${chars} characters.]`);
    }
  });
});
