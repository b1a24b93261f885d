import { describe, expect, test } from "vitest";
import { type CompactorOptions, createCompactor } from "../src/compactor.ts";
import type { JsonObject } from "../src/core/json.ts";
import type { Format } from "../src/core/ports.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { formatNamed, formatNames } from "../src/formats.ts";
import { openSession } from "../src/session.ts";
import { generateBody } from "../src/testing/wire-bodies.ts";
import { sampleOf, seed } from "./sample.ts";
import { listOf } from "./session-world.ts";

/** What is handed out can be sent: it ends as its provider wants it, and begins its turn as it has to. */

const text = (value: string): JsonObject => ({ type: "text", text: value });
const work = (index: number): string => `Looked at src/module-${index}.ts and found handler_${index}. `.repeat(20);

function rulesOf(format: Format, request: unknown): readonly string[] {
  return format.validate(request, { sending: true }).map(({ rule }) => rule);
}

describe("an acknowledgement is never the last word", () => {
  /** A turn of nothing but calls: where the target leaves no room for a round, the summary stands for all of them. */
  const messages = Array.from({ length: 12 }, (_, index) => [
    { role: "assistant", content: [{ type: "tool_use", id: `t${index}`, name: "read", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `t${index}`, content: work(index) }] },
  ]).flat();
  const body = {
    model: "claude-opus-4-8",
    max_tokens: 100,
    messages: [{ role: "user", content: "Begin." }, ...messages],
  };
  const target = { target: { ratio: 0.1 } };
  const always = { acknowledgement: { when: "always" } } as const;

  test.each([
    { profile: "nous" },
    { render: always },
    { render: { ...always, renderer: "merge-first-user" } },
  ] as const)("%j: the summary ends the request", async (options) => {
    const { request, report } = await createCompactor({ format: anthropicMessages, ...options }).compact(body, target);
    expect(report).toMatchObject({ compacted: true, steps: { summarize: 1 }, notes: [] });
    expect(request.messages.at(-1)).toMatchObject({ role: "user" });
    expect(rulesOf(anthropicMessages, request)).toEqual([]);
  });

  test("a session: what comes next stands behind the summary", async () => {
    const compactor = { format: anthropicMessages, profile: "nous" } as const;
    const session = await openSession("s", { store: "memory:", compactor, body });
    const { request } = await session.compact(target);
    expect(rulesOf(anthropicMessages, request)).toEqual([]);
    expect(listOf(request).at(-1)).toMatchObject({ role: "user" });
    await session.append({ role: "assistant", content: "Done." });
    await session.append("Go on.");
    expect(rulesOf(anthropicMessages, await session.request())).toEqual([]);
    await session.close();
  });
});

test("a list that ends with an answer says so in the report, because nobody else can mend it", async () => {
  const compactor = createCompactor({ format: anthropicMessages });
  const messages = [
    { role: "user", content: "Go." },
    { role: "assistant", content: "Gone." },
  ] as const;
  const { request, report } = await compactor.fit({ model: "claude-opus-4-8", messages });
  expect(request.messages).toEqual(messages);
  expect(report.notes).toEqual(["The provider may refuse this: ends-with-assistant at messages.1."]);
  const older = await compactor.fit({ model: "claude-sonnet-4-5", messages });
  expect(older.report.notes).toEqual([]);
});

describe("an edit that the provider would refuse is undone, and the report says why", () => {
  /** Refuses what holds a summary, as a rule that nobody here knows yet would. */
  const strict: Format = {
    ...anthropicMessages,
    validate: (body, options) => {
      const found = anthropicMessages.validate(body, options);
      const isSummed = JSON.stringify(body).includes("[Summary of the earlier conversation");
      return isSummed ? [...found, { rule: "new-rule", path: "messages.0", messageIndex: 0, message: "no" }] : found;
    },
  };
  const messages = Array.from({ length: 12 }, (_, index) => [
    { role: "assistant", content: work(index) },
    { role: "user", content: `Go on with part ${index}.` },
  ]).flat();
  const body = { model: "claude-opus-4-8", messages: [{ role: "user", content: "Begin." }, ...messages] };
  const options = { format: strict, prune: { enabled: false }, protect: { tailTokens: 100, tailMessages: 2 } } as const;

  test("a compactor gives back what it was given", async () => {
    const { request, report, plan } = await createCompactor(options).compact(body, { target: { ratio: 0.3 } });
    expect(JSON.stringify(request)).toBe(JSON.stringify(body));
    expect(plan).toMatchObject({ steps: [], because: "would-be-refused" });
    expect(report).toMatchObject({ ok: false, compacted: false, reason: "would-be-refused" });
    expect(report.tokensAfter).toBe(report.tokensBefore);
    expect(report.notes).toEqual([
      "The compaction was undone, because the provider would refuse what came of it: new-rule at messages.0.",
    ]);
  });

  test("a session stores nothing of it", async () => {
    const session = await openSession("s", { store: "memory:", compactor: options, body });
    await expect(session.compact({ target: { ratio: 0.3 } })).rejects.toMatchObject({ code: "nothing-to-compact" });
    expect(JSON.stringify(await session.request())).toBe(JSON.stringify(body));
    expect(await session.history()).toEqual([]);
    await session.close();
  });
});

describe("with a budget for thinking", () => {
  const thinking = { type: "enabled", budget_tokens: 2048 };
  const thought = (index: number): JsonObject => ({ type: "thinking", thinking: `plan ${index}`, signature: "c2ln" });
  const call = (index: number): JsonObject => ({ type: "tool_use", id: `t${index}`, name: "read", input: {} });
  const round = (index: number, ...before: readonly JsonObject[]): readonly JsonObject[] => [
    { role: "assistant", content: [...before, call(index)] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `t${index}`, content: work(index) }] },
  ];
  const earlier = Array.from({ length: 8 }, (_, index) => [
    { role: "user", content: `Go on with part ${index}.` },
    ...round(index, thought(index)),
    { role: "assistant", content: [text(work(index))] },
  ]).flat();

  /** A turn that is still at work: it thought once, as models do that do not think between calls. */
  const current = (rounds: number): readonly JsonObject[] => [
    { role: "user", content: "Now the last part." },
    ...Array.from({ length: rounds }, (_, at) => (at === 0 ? round(100, thought(100)) : round(100 + at))).flat(),
  ];
  const small = { prune: { enabled: false }, protect: { tailTokens: 300, tailMessages: 2 } } as const;

  function compactorFor(options: Partial<CompactorOptions> = {}) {
    return createCompactor({ format: anthropicMessages, ...small, ...options });
  }

  test.each(["claude-sonnet-4-5", "my-deployment"])(
    "%s: what is before the turn goes, its thinking stays",
    async (model) => {
      const body = { model, thinking, max_tokens: 4000, messages: [...earlier, ...current(3)] };
      for (const options of [{}, { profile: "nous" }, { compact: { strategy: "truncate" } }] as const) {
        const { request, report } = await compactorFor(options).compact(body, { target: { ratio: 0.4 } });
        expect(report).toMatchObject({ compacted: true });
        expect(report.notes.join()).not.toMatch(/refuse|Took out/);
        expect(rulesOf(anthropicMessages, request)).toEqual([]);
        expect(JSON.stringify(request.messages)).toContain('"plan 100"');
      }
    },
  );

  test("pruning a result before it leaves the thinking where it is", async () => {
    const body = { model: "my-deployment", thinking, max_tokens: 4000, messages: [...earlier, ...current(2)] };
    const compactor = createCompactor({
      format: anthropicMessages,
      windowTokens: 6_000,
      maxOutputTokens: 500,
      compact: { auto: false },
      prune: { softTrim: false, clearAfter: 2, highWaterRatio: 0.3, lowWaterRatio: 0.1 },
      protect: { tailTokens: 1, tailMessages: 2 },
    });
    const { request, report } = await compactor.fit(body);
    expect(report.compacted).toBe(true);
    expect(rulesOf(anthropicMessages, request)).toEqual([]);
    expect(JSON.stringify(request.messages.at(-4))).toContain('"plan 100"');
  });

  test("of a long turn the round stays that it thought in, and the summary stands before the turn", async () => {
    const fitting = { windowTokens: 6_000, maxOutputTokens: 500 };
    for (const options of [{}, { profile: "nous" }, { compact: { strategy: "truncate" } }] as const) {
      const compactor = compactorFor({ ...fitting, ...options });
      let messages = current(1);
      let compactions = 0;
      for (let at = 1; at < 60; at++) {
        messages = [...messages, ...round(100 + at)];
        const body = { model: "claude-sonnet-4-5", thinking, max_tokens: 500, messages };
        const { request, report } = await compactor.fit(body);
        expect(rulesOf(anthropicMessages, request), `round ${at}`).toEqual([]);
        expect(report.notes.join()).not.toMatch(/refuse/);
        expect(JSON.stringify(request.messages)).toContain('"plan 100"');
        if (report.compacted) compactions++;
        expect(report.tokensAfter, `round ${at}`).toBeLessThan(fitting.windowTokens);
      }
      expect(compactions).toBeGreaterThan(1);
    }
  });

  test("without a budget a turn is cut wherever its rounds end", async () => {
    const body = { model: "claude-sonnet-4-5", messages: current(12) };
    const { report } = await compactorFor().compact(body, { target: { ratio: 0.3 } });
    expect(report).toMatchObject({ compacted: true });
  });

  test("a model whose name says that it binds thinking: the edit waits for the end of the turn", async () => {
    const body = { model: "claude-opus-5-5", thinking, messages: [...earlier, ...current(2)] };
    const waiting = await compactorFor().compact(body, { target: { ratio: 0.4 } });
    expect(waiting.report).toMatchObject({ compacted: false, reason: "would-be-refused" });
    expect(waiting.request).toEqual(body);
    const ended = {
      ...body,
      messages: [...body.messages, { role: "assistant", content: "Done." }, { role: "user", content: "Thanks." }],
    };
    const { request, report } = await compactorFor().compact(ended, { target: { ratio: 0.4 } });
    expect(report).toMatchObject({ compacted: true });
    expect(JSON.stringify(request.messages)).not.toContain('"type":"thinking"');
  });

  test("a session goes on with its turn after a compaction", async () => {
    const body = { model: "my-deployment", thinking, max_tokens: 4000 };
    const compactor = { format: anthropicMessages, ...small, profile: "nous" } as const;
    const session = await openSession("s", { store: "memory:", compactor, body });
    await session.append([...earlier, ...current(2)]);
    const { request } = await session.compact({ target: { ratio: 0.4 } });
    expect(rulesOf(anthropicMessages, request)).toEqual([]);
    await session.append(round(300));
    const next = await session.request();
    expect(rulesOf(anthropicMessages, next)).toEqual([]);
    expect(JSON.stringify(next)).toContain('"plan 100"');
    await session.close();
  });

  test("what the list itself lacks is said, in the provider's words", () => {
    const messages = [{ role: "user", content: "Go." }, ...round(1, text("I look."))];
    expect(anthropicMessages.validate({ thinking, messages })).toEqual([]);
    expect(anthropicMessages.validate({ thinking, messages }, { sending: true })).toMatchObject([
      {
        rule: "thinking-missing",
        message: expect.stringContaining("Expected `thinking` or `redacted_thinking`, but found `text`."),
      },
    ]);
    expect(rulesOf(anthropicMessages, { messages })).toEqual([]);
    expect(
      rulesOf(anthropicMessages, { thinking, messages: [...messages, { role: "user", content: "Stop." }] }),
    ).toEqual([]);
  });
});

test.each(formatNames)("%s: no session hands out what its list did not ask for", async (name) => {
  const format = formatNamed(name);
  for (let offset = 0; offset < sampleOf(500, 8); offset++) {
    const body = generateBody(name, { seed: seed + offset, broken: offset % 2 === 1 });
    if (listOf(body).length === 0) continue;
    const compactor = { format, windowTokens: 4_000, protect: { tailTokens: 60, tailMessages: 2 } };
    const session = await openSession("s", { store: "memory:", compactor, body });
    const known = new Set(rulesOf(format, await session.request()));
    expect(format.validate(await session.request()), `seed ${seed + offset}`).toEqual([]);
    await session.compact({ target: { ratio: 0.5 } }).catch(() => undefined);
    const brought = rulesOf(format, await session.request()).filter((rule) => !known.has(rule));
    expect(brought, `seed ${seed + offset}`).toEqual([]);
    await session.close();
  }
});
