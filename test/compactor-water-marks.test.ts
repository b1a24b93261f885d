import { expect, test } from "vitest";
import { type CompactorOptions, createCompactor } from "../src/compactor.ts";
import { textsOf } from "../src/core/message.ts";
import { removedBy } from "../src/core/plan/apply-plan.ts";
import { messageCounter } from "../src/core/tokens/tokens.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";

/** Results are pruned in batches: above the high mark down to the low one, and in between every request begins with the one before. */

type WireMessage = { readonly role: string; readonly content: unknown };

const user = (text: string): WireMessage => ({ role: "user", content: text });
const round = (id: number, chars: number): readonly WireMessage[] => [
  { role: "assistant", content: [{ type: "tool_use", id: `call-${id}`, name: "read", input: {} }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: `call-${id}`, content: `${id}`.padEnd(chars, "x") }] },
];
const rounds = (number: number, chars: number): readonly WireMessage[] =>
  Array.from({ length: number }, (_, id) => round(id, chars)).flat();

/** With ids that no other round has. */
const renamed = (message: WireMessage): WireMessage =>
  JSON.parse(JSON.stringify(message).replaceAll("call-", "later-")) as WireMessage;

const WINDOW = 100_000;
const HIGH = 70_000;
const LOW = 40_000;

const compactorWith = (options: Partial<CompactorOptions> = {}) =>
  createCompactor({
    format: anthropicMessages,
    windowTokens: WINDOW,
    counter: messageCounter({ name: "characters", countText: (text) => text.length }),
    ...options,
    // The marks alone, whatever the prompt cache costs.
    prune: { softTrim: false, clearAfter: 2, mustPay: false, ...options.prune },
    protect: { tailTokens: 1, tailMessages: 2, ...options.protect },
  });

const totalOf = (messages: readonly WireMessage[]): number => compactorWith().plan({ messages }).tokensBefore;

/** The messages, with as much more of the first one as makes them count so many tokens. */
function sizedTo(tokens: number, messages: readonly WireMessage[]): readonly WireMessage[] {
  const missing = tokens - totalOf([user("Read them all."), ...messages]);
  const sized = [user(`Read them all.${" ".repeat(missing - 1)}.`), ...messages];
  expect(totalOf(sized)).toBe(tokens);
  return sized;
}

test("at the high mark nothing is done, one token above it results go until the low mark is met", async () => {
  const at = { messages: sizedTo(HIGH, rounds(30, 2_000)) };
  expect((await compactorWith().fit(at)).request).toBe(at);

  const above = { messages: sizedTo(HIGH + 1, rounds(30, 2_000)) };
  const { plan, report } = await compactorWith().fit(above);
  const freed = plan.steps.map((step) => ("freesTokens" in step ? step.freesTokens : 0));
  const allFreed = freed.reduce((sum, tokens) => sum + tokens, 0);
  expect(HIGH + 1 - allFreed).toBeLessThanOrEqual(LOW);
  expect(HIGH + 1 - allFreed + (freed.at(-1) ?? 0)).toBeGreaterThan(LOW);
  expect(report.tokensAfter).toBe(HIGH + 1 - allFreed);
  // The oldest, one after the other.
  const touched = plan.steps.map((step) => ("messageId" in step ? step.messageId : ""));
  const results = anthropicMessages.decode(above).messages.filter(({ parts }) => parts[0]?.type === "tool-result");
  expect(touched).toEqual(results.slice(0, touched.length).map(({ id }) => id));
});

test("the low mark is met when it is reached", async () => {
  const above = { messages: sizedTo(HIGH + 1, rounds(30, 2_000)) };
  const [first] = (await compactorWith().fit(above)).plan.steps;
  const each = first !== undefined && "freesTokens" in first ? first.freesTokens : 0;
  const lowWaterRatio = (HIGH + 1 - 10 * each) / WINDOW;
  const { report } = await compactorWith({ prune: { lowWaterRatio } }).fit(above);
  expect(report.steps).toEqual({ clear: 10 });
});

test("in between, every request begins with the one before", async () => {
  const compactor = compactorWith();
  let messages: readonly WireMessage[] = [user("Read them all.")];
  let sent: readonly unknown[] = [];
  let batches = 0;
  for (let id = 0; id < 80; id++) {
    messages = [...messages, ...round(id, 2_000)];
    const { request, report } = await compactor.fit({ messages });
    const isSamePrefix = JSON.stringify(request.messages.slice(0, sent.length)) === JSON.stringify(sent);
    if (!isSamePrefix) batches++;
    expect(isSamePrefix || (report.tokensBefore > HIGH && report.tokensAfter <= LOW)).toBe(true);
    expect(report.tokensAfter).toBeLessThanOrEqual(HIGH);
    sent = request.messages;
  }
  // 160,000 tokens came, and a batch makes room for 30,000.
  expect(batches).toBeGreaterThan(1);
  expect(batches).toBeLessThan(6);
});

test("a batch that frees less than a pass has to is left for later; where results go at every request, none is too small", async () => {
  const talk = (chars: number) => [user("x".repeat(chars)), { role: "assistant", content: "Yes." }];
  const old = (chars: number) => ({
    messages: sizedTo(71_000, [...round(9, chars), ...talk(50_000), ...rounds(2, 10)]),
  });
  const small = old(6_000);
  expect((await compactorWith().fit(small)).request).toBe(small);
  expect((await compactorWith().fit(old(8_000))).report.steps.clear).toBe(1);
  const always = compactorWith({ prune: { highWaterRatio: 0, lowWaterRatio: 0 } });
  expect((await always.fit(small)).report.steps.clear).toBe(1);
});

test("a note that counts as much as what it would stand for is not put in its place", async () => {
  const note = "[Output of read removed: 00 characters. Call it again if you need it.]";
  const always = { prune: { highWaterRatio: 0, lowWaterRatio: 0 } };
  const clears = async (chars: number) => {
    const messages = [user("Read."), ...round(0, chars), ...rounds(2, 10).map(renamed), user("Thanks.")];
    return (await compactorWith(always).fit({ messages })).report.steps.clear ?? 0;
  };
  expect([await clears(note.length), await clears(note.length + 1)]).toEqual([0, 1]);
});

test("a pass stubs what its tiers leave, but nothing shorter than a stub may stand for; then it summarises", async () => {
  const stub = { afterResults: 100, minChars: 1_000 };
  const compactor = () => compactorWith({ prune: { clearAfter: 0, stub } });
  const kinds = async (chars: number) => {
    const { report } = await compactor().compact({ messages: sizedTo(60_000, rounds(40, chars)) });
    return Object.keys(report.steps);
  };
  expect(await kinds(1_000)).toEqual(["stub"]);
  expect(await kinds(999)).toEqual(["summarize"]);
});

test("switched off, or told to keep outputs, nothing is shortened above the mark", async () => {
  const above = { messages: sizedTo(HIGH + 1, rounds(30, 2_000)) };
  expect((await compactorWith({ prune: { enabled: false } }).fit(above)).request).toBe(above);
  expect((await compactorWith({ protect: { toolOutputs: true } }).fit(above)).request).toBe(above);
});

test("a summary is made of results as they came, not of what a batch would have left of them", async () => {
  const read: string[] = [];
  const compactor = compactorWith({
    compact: { strategy: "summarize" },
    summarizer: {
      name: "reader",
      version: "1",
      planCalls: () => 1,
      summarize: ({ messages, turnPrefix }) => {
        const results = [...messages, ...turnPrefix].flatMap(({ parts }) => parts);
        read.push(...results.flatMap((part) => (part.type === "tool-result" ? textsOf(part.content) : [])));
        return Promise.resolve({ text: "They were read.", calls: 1, notes: [] });
      },
    },
  });
  const { report } = await compactor.fit({ messages: sizedTo(90_000, rounds(40, 2_000)) });
  expect(report.steps).toEqual({ summarize: 1 });
  expect(read).toContain("0".padEnd(2_000, "x"));
});

test("what leaves is not shortened in the same plan", async () => {
  const compactor = compactorWith({ compact: { strategy: "truncate" }, prune: { capOnArrivalChars: 1_000 } });
  const { plan } = await compactor.compact(
    { messages: sizedTo(95_000, rounds(40, 2_000)) },
    { target: { tokens: 30_000 } },
  );
  const removed = removedBy(plan);
  const shortened = plan.steps.flatMap((step) => ("messageId" in step ? [step.messageId] : []));
  expect([removed.size > 0, shortened.length > 0]).toEqual([true, true]);
  expect(shortened.filter((id) => removed.has(id))).toEqual([]);
});
