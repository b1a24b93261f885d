import { describe, expect, test } from "vitest";
import { type Compacted, type CompactorOptions, createCompactor } from "../src/compactor.ts";
import type { JsonObject } from "../src/core/json.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { openaiChat } from "../src/formats/openai-chat.ts";
import { type ProfileName, profileNames } from "../src/profiles/profiles.ts";

/** X06: what a tool returned and the model has not read yet is neither removed nor summarised. */

const words = (count: number, tag: string): string =>
  Array.from({ length: count }, (_, index) => `${tag}${index % 97} build`).join(" ");

const call = (id: string, input: JsonObject = { path: `src/${id}.ts` }): JsonObject => ({
  role: "assistant",
  content: [
    { type: "text", text: `Reading ${id}.` },
    { type: "tool_use", id, name: "read_file", input },
  ],
});
const result = (id: string, text: string): JsonObject => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content: text }],
});

interface Shape {
  readonly rounds: number;
  readonly words: number;
  /** Words of the newest result. */
  readonly newest: number;
}

/** Old rounds, a finished turn, a new request, and a call whose result has just come. */
function conversation(shape: Shape): { readonly messages: readonly JsonObject[] } {
  const old = Array.from({ length: shape.rounds }, (_, index) => [
    call(`old${index}`),
    result(`old${index}`, words(shape.words, `o${index}_`)),
  ]).flat();
  return {
    messages: [
      { role: "user", content: "Fix the build of the billing service." },
      ...old,
      { role: "assistant", content: "Done." },
      { role: "user", content: "Now update docs/billing.md." },
      call("NEW"),
      result("NEW", `FIRST ${words(shape.newest, "n")} LAST`),
    ],
  };
}

async function fitted(
  shape: Shape,
  options: Partial<CompactorOptions> = {},
): Promise<Compacted<{ messages: readonly JsonObject[] }>> {
  const done = await createCompactor({ ...SMALL, ...options }).fit(conversation(shape));
  expect(anthropicMessages.validate(done.request)).toEqual([]);
  return done;
}

/** The newest result as the model will see it; undefined when it is gone. */
function newestResult({ request }: Compacted<{ messages: readonly JsonObject[] }>): string | undefined {
  const [part] = anthropicMessages.decode(request).messages.at(-1)?.parts ?? [];
  if (part?.type !== "tool-result" || part.callId !== "NEW") return undefined;
  return part.content.map((inner) => (inner.type === "text" ? inner.text : "")).join("");
}

const OLD = { rounds: 30, words: 500 } as const;
const SMALL = { format: anthropicMessages, telemetry: false, windowTokens: 60_000 } as const;

test("a result that fits stays whole, however little of the tail does", async () => {
  const done = await fitted({ ...OLD, newest: 5_000 });
  expect(done.report).toMatchObject({ compacted: true, fits: true, steps: { summarize: 1 } });
  expect(newestResult(done) === `FIRST ${words(5_000, "n")} LAST`, "it was changed").toBe(true);
});

test("what is cut out of a result is known to the summary by its names", async () => {
  const body = conversation({ ...OLD, newest: 0 });
  const long = `${words(7_000, "n")} sluice_gate_count ${words(7_000, "n")}`;
  const messages = [...body.messages.slice(0, -1), result("NEW", long)];
  const done = await createCompactor(SMALL).fit({ messages });
  expect(done.report).toMatchObject({ compacted: true, fits: true, steps: { trim: 1, summarize: 1 } });
  expect(newestResult(done)).not.toContain("sluice_gate_count");
  expect(done.report.result?.summary).toContain("sluice_gate_count");
});

test("a result that is too big for the target is cut to what there is room for, and the report says so", async () => {
  const done = await fitted({ ...OLD, newest: 14_000 });
  expect(done.report).toMatchObject({ compacted: true, fits: true, steps: { trim: 1, summarize: 1 } });
  const seen = newestResult(done) ?? "";
  expect(seen.startsWith("FIRST ")).toBe(true);
  expect(seen.endsWith(" LAST")).toBe(true);
  expect(seen).toMatch(/--- trimmed \(kept \d+ head \+ \d+ tail of \d+ chars\) ---/);
  // Most of the target is used, not thrown away.
  expect(done.report.tokensAfter).toBeGreaterThan((done.report.targetTokens ?? 0) * 0.7);
});

test("the second fit does nothing, with or without a memory", async () => {
  const compactor = createCompactor(SMALL);
  const body = conversation({ ...OLD, newest: 14_000 });
  const { request } = await compactor.fit(body);
  const again = await compactor.fit(structuredClone(body));
  expect(again.report.compacted).toBe(false);
  expect(JSON.stringify(again.request)).toBe(JSON.stringify(request));
  const fresh = await createCompactor(SMALL).fit(request);
  expect(fresh.report.compacted).toBe(false);
  expect(fresh.request).toBe(request);
});

const PROFILES: readonly ProfileName[] = profileNames.filter((name) => !name.startsWith("agentpg-"));

const chatRound = (id: string, text: string): readonly JsonObject[] => [
  {
    role: "assistant",
    content: `Reading ${id}.`,
    tool_calls: [{ id, type: "function", function: { name: "read_file", arguments: `{"path":"${id}"}` } }],
  },
  { role: "tool", tool_call_id: id, content: text },
];

describe.each(PROFILES)("%s", (profile) => {
  test("keeps the call and its result, even where the tail begins behind them", async () => {
    const protect = { tailTokens: 1, tailMessages: 0 };
    const compactor = createCompactor({ format: openaiChat, telemetry: false, profile, protect });
    const newest = [...chatRound("NEW", words(1_000, "n")), { role: "user", content: "And mind the tests." }];
    const old = Array.from({ length: 40 }, (_, index) => chatRound(`old${index}`, words(300, `o${index}_`))).flat();
    const { request, report } = await compactor.compact({
      messages: [{ role: "user", content: "Fix it." }, ...old, { role: "user", content: "Go on." }, ...newest],
    });
    expect(report.compacted).toBe(true);
    expect(JSON.stringify(request.messages.slice(-3)) === JSON.stringify(newest), "it was changed").toBe(true);
  });
});

test("all results of a parallel round stay, and the largest gives first", async () => {
  const calls = ["A", "B", "C"].map((id) => ({
    id,
    type: "function",
    function: { name: "read_file", arguments: `{"path":"${id}"}` },
  }));
  const messages = [
    { role: "user", content: "go" },
    ...Array.from({ length: 40 }, (_, index) => [
      { role: "user", content: words(200, `q${index}_`) },
      { role: "assistant", content: words(200, `a${index}_`) },
    ]).flat(),
    { role: "assistant", content: null, tool_calls: calls },
    { role: "tool", tool_call_id: "A", content: words(300, "small") },
    { role: "tool", tool_call_id: "B", content: words(12_000, "large") },
    { role: "tool", tool_call_id: "C", content: words(300, "little") },
  ];
  const { request, report } = await createCompactor({ format: openaiChat, telemetry: false, windowTokens: 60_000 }).fit(
    {
      messages,
    },
  );
  expect(report).toMatchObject({ fits: true, steps: { trim: 1, summarize: 1 } });
  expect(request.messages.slice(-3).map((message) => "tool_call_id" in message && message.tool_call_id)).toEqual([
    "A",
    "B",
    "C",
  ]);
  expect(request.messages.at(-1)).toEqual(messages.at(-1));
  expect(request.messages.at(-3)).toEqual(messages.at(-3));
});

test("nous does not shorten what was not read yet, not even the third newest result", async () => {
  const long = words(2_000, "w");
  const content = ["A", "B", "C"].map((id) => ({ id, type: "function", function: { name: "read", arguments: "{}" } }));
  const messages = [
    { role: "user", content: "go" },
    { role: "assistant", content: null, tool_calls: content },
    ...["A", "B", "C"].map((id) => ({ role: "tool", tool_call_id: id, content: long })),
  ];
  const { request } = await createCompactor({ format: openaiChat, profile: "nous", telemetry: false }).fit({
    messages,
  });
  expect(request.messages).toEqual(messages);
});

test("a call that is too big itself stays, and is named", async () => {
  const written = call("NEW", { path: "big.md", text: words(14_000, "n") });
  const messages = [...conversation({ ...OLD, newest: 1 }).messages.slice(0, -2), written, result("NEW", "ok")];
  const { request, report } = await createCompactor(SMALL).fit({ messages });
  expect(request.messages.slice(-2)).toEqual([written, result("NEW", "ok")]);
  expect(report.fits).toBe(false);
  expect(report.inTheWay[0]).toMatchObject({ why: "open-round" });
});

test("once the model has answered, it is a round like any other", async () => {
  const { messages } = conversation({ ...OLD, newest: 14_000 });
  const answered = [...messages, { role: "assistant", content: "I see." }, { role: "user", content: "Go on." }];
  const { request, report } = await createCompactor(SMALL).fit({
    messages: answered,
  });
  expect(report.fits).toBe(true);
  expect(JSON.stringify(request)).not.toContain('"tool_use_id":"NEW"');
});

describe("under a target that somebody named", () => {
  /** Words of the newest result, the target, and what is left of the result. */
  const compacted = async (newest: number, tokens: number): Promise<"whole" | "cut" | "summarised"> => {
    const done = await createCompactor(SMALL).compact(conversation({ ...OLD, newest }), { target: { tokens } });
    expect(done.report.fits).toBe(true);
    const seen = newestResult(done);
    if (seen === undefined) return "summarised";
    return seen === `FIRST ${words(newest, "n")} LAST` ? "whole" : "cut";
  };

  test("a result that leaves room for the summary stays whole", async () =>
    expect(await compacted(300, 6_000)).toBe("whole"));
  test("a larger one is cut to a share of the target", async () => expect(await compacted(5_000, 14_000)).toBe("cut"));
  test("where the share is not worth reading, it is summarised with the rest", async () =>
    expect(await compacted(5_000, 3_000)).toBe("summarised"));
  test("without a summary there is nothing to share with", async () => {
    const compactor = createCompactor({ ...SMALL, compact: { strategy: "truncate" } });
    const done = await compactor.compact(conversation({ ...OLD, newest: 5_000 }), { target: { tokens: 3_000 } });
    expect(done.report).toMatchObject({ fits: true, steps: { trim: 1, drop: 1 } });
    expect(newestResult(done)).toContain("--- trimmed (kept ");
  });
});

describe("where what stays takes the target's room by itself", () => {
  const tools = [{ name: "read_file", description: words(12_000, "t"), input_schema: { type: "object" } }];
  const rest = conversation({ ...OLD, newest: 1_500 }).messages.slice(1);
  const big = { role: "user", content: `SPEC ${words(9_000, "s")}` };
  const newest = `FIRST ${words(1_500, "n")} LAST`;

  test.each([
    ["tool definitions", { tools, messages: [{ role: "user", content: "Go." }, ...rest] }, {}],
    ["a pin", { messages: [{ role: "user", content: words(12_000, "p") }, ...rest] }, { pinned: [0] }],
    ["the first request", { messages: [big, ...rest] }, {}],
  ])("%s: a result that was not read stays whole, and the view below the trigger", async (_, body, call) => {
    const compactor = createCompactor(SMALL);
    const done = await compactor.compact(body, call);
    expect(done.report).toMatchObject({ compacted: true, steps: { summarize: 1 } });
    expect(newestResult(done) === newest, "it was changed").toBe(true);
    // Nothing that was read already stays while the target is missed.
    if (!done.report.fits) expect(JSON.stringify(done.request)).not.toContain('"tool_use_id":"old');
    const again = await compactor.fit(done.request, call);
    expect(again.report).toMatchObject({ compacted: false, reason: "not-triggered" });
  });

  test("a named target: the first request goes, and takes nothing from the result", async () => {
    const done = await createCompactor(SMALL).compact({ messages: [big, ...rest] }, { target: { tokens: 24_000 } });
    expect(done.report).toMatchObject({ fits: true, steps: { summarize: 1 } });
    expect(newestResult(done) === newest, "it was changed").toBe(true);
  });

  test("a pin that leaves no room below the trigger either has the result cut to what the window has", async () => {
    const body = { messages: [{ role: "user", content: words(18_000, "p") }, ...rest] };
    const done = await createCompactor(SMALL).compact(body, { pinned: [0] });
    expect(newestResult(done)?.length ?? 0).toBeGreaterThan(5_000);
    expect(done.report.tokensAfter).toBeLessThanOrEqual(60_000);
  });
});

describe("a profile without a target", () => {
  /** An answered round of some size, then one that was not read yet and is larger than the window. */
  const overflowing = (windowTokens: number): readonly JsonObject[] => [
    { role: "user", content: "Fix it." },
    ...Array.from({ length: 100 }, (_, index) =>
      chatRound(
        `old${index}`,
        `src/lib${index}/x.ts:${index} error TS${2_000 + index} ${words(windowTokens / 400, "w")}`,
      ),
    ).flat(),
    ...chatRound("READ", words(windowTokens / 8, "r")),
    ...chatRound("NEW", words(windowTokens, "n")),
  ];

  test.each(
    (["openclaw", "nous", "micro-agent"] as const).flatMap((profile) =>
      [8_000, 32_000, 128_000].map((windowTokens) => [profile, windowTokens] as const),
    ),
  )("%s, window %d: one pass is below the trigger, and the next does nothing", async (profile, windowTokens) => {
    const compactor = createCompactor({
      format: openaiChat,
      telemetry: false,
      profile,
      windowTokens,
      compact: { auto: true },
    });
    const messages = overflowing(windowTokens);
    const done = await compactor.fit({ messages });
    expect(done.report).toMatchObject({ compacted: true, fits: true });
    const seen = JSON.stringify(done.request);
    expect(seen).toContain('"tool_call_id":"NEW"');
    const again = await compactor.fit({ messages });
    expect(again.report).toMatchObject({ compacted: false, reason: "not-triggered" });
    expect(JSON.stringify(again.request) === seen, "it was changed again").toBe(true);
    if (done.report.steps.trim === undefined) return;
    // What was read already went first, and a pass that is asked for finds nothing more.
    expect(seen).not.toContain('"tool_call_id":"READ"');
    expect((await compactor.compact(done.request)).report.compacted).toBe(false);
  });
});

test("a result that is cut again still says how long it was", async () => {
  const body = conversation({ ...OLD, newest: 30_000 });
  const first = await createCompactor(SMALL).fit(body);
  const second = await createCompactor({ ...SMALL, windowTokens: 30_000 }).fit(first.request);
  const length = `FIRST ${words(30_000, "n")} LAST`.length;
  const [before, after] = [newestResult(first) ?? "", newestResult(second) ?? ""];
  expect(after.length).toBeLessThan(before.length);
  for (const seen of [before, after]) {
    expect(seen.match(/--- trimmed .*/g)).toEqual([expect.stringContaining(` of ${length} chars) ---`)]);
    const [, head, tail] = /\(kept (\d+) head \+ (\d+) tail/.exec(seen) ?? [];
    expect(seen.startsWith(`FIRST ${words(30_000, "n")}`.slice(0, Number(head)))).toBe(true);
    expect(seen.endsWith(`${words(30_000, "n")} LAST`.slice(-Number(tail)))).toBe(true);
  }
});

test("beside an image, the text of a result is cut and the image stays", async () => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
  const content = [
    { type: "text", text: `FIRST ${words(10_000, "n")}` },
    image,
    { type: "text", text: words(9_000, "m") },
  ];
  const messages = [
    ...conversation({ ...OLD, newest: 1 }).messages.slice(0, -1),
    { role: "user", content: [{ type: "tool_result", tool_use_id: "NEW", content }] },
  ];
  const done = await createCompactor(SMALL).fit({ messages });
  expect(anthropicMessages.validate(done.request)).toEqual([]);
  expect(done.report).toMatchObject({ fits: true, steps: { trim: 1, summarize: 1 } });
  expect(newestResult(done)).toMatch(/^FIRST .*--- trimmed \(kept/s);
  expect(JSON.stringify(done.request.messages.at(-1))).toContain(JSON.stringify(image));
});
