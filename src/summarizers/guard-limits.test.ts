import { describe, expect, test } from "vitest";
import { inputOf, said } from "../../test/summarizer-script.ts";
import type { SummaryInput } from "../core/checkpoint/summary.ts";
import { messageCounter } from "../core/tokens/tokens.ts";
import { guardSummary } from "./guard.ts";
import { createGuardContext, type RankFacts } from "./guard-findings.ts";

/** When a summary is worth a second call, that there is never a third, and what is appended then, within the budget. */

const FACTS = Array.from({ length: 12 }, (_, index) => `src/facts/fact-${index}.ts`);
const MESSAGES = said(
  "user: Please look at the facts.",
  `assistant: I looked at ${FACTS.join(" and ")} and at 10.0.0.1, 10.0.0.2, 10.0.0.3.`,
);
const rankFacts: RankFacts = () => FACTS.map((text) => ({ text }));
/** One character is one token. */
const counter = messageCounter({ name: "characters", countText: (text) => text.length });

async function guard(draft: string, answers: readonly string[] = [], rest: Partial<SummaryInput> = {}) {
  const input = inputOf(MESSAGES, { counter, budgetTokens: 2_000, ...rest });
  let asked = 0;
  const repair = () => Promise.resolve(answers[asked++] ?? { failed: "no answer" });
  const { text, notes } = await guardSummary(draft, createGuardContext(input, { sections: [], rankFacts }), { repair });
  expect(text.length).toBeLessThanOrEqual(input.budgetTokens);
  return { text, notes, asked };
}

const naming = (count: number): string => `The facts were looked at: ${FACTS.slice(0, count).join(", ")}.`;

describe("a repair is asked for", () => {
  test("when more than half of the twelve likeliest facts are missing", async () => {
    expect((await guard(naming(6))).asked).toBe(0);
    expect((await guard(naming(5))).asked).toBe(1);
    expect((await guard(naming(0))).asked).toBe(1);
  });
  test("when more than two things are invented", async () => {
    expect((await guard(`${naming(12)} See 10.9.9.1 and 10.9.9.2.`)).asked).toBe(0);
    expect((await guard(`${naming(12)} See 10.9.9.1, 10.9.9.2 and 10.9.9.3.`)).asked).toBe(1);
  });
  test("when it is half as long again as the budget", async () => {
    const long = (chars: number): string => `${naming(12)} `.padEnd(chars, "and so on, ");
    expect((await guard(long(3_000))).asked).toBe(0);
    expect((await guard(long(3_001))).asked).toBe(1);
  });
});

describe("it is asked for once", () => {
  test("and used where it is no worse, whatever is still wrong with it", async () => {
    const { text, notes, asked } = await guard("Nothing is said.", ["Hardly more is said.", naming(12)]);
    expect([asked, notes[0]]).toEqual([1, "The summary was repaired once."]);
    expect(text).toContain("Hardly more is said.");
    expect(FACTS.filter((fact) => !text.includes(fact))).toEqual([]);
  });
  test("and left where it is worse, or there is none", async () => {
    const worse = await guard(naming(3), ["Nothing is said."]);
    expect([worse.asked, worse.notes[0]]).toEqual([1, "A repair of the summary made it worse and was not used."]);
    expect(worse.text).toContain(naming(3));
    const none = await guard(naming(3));
    expect([none.asked, none.notes[0]]).toEqual([1, "A repair of the summary was asked for and failed: no answer"]);
    expect(FACTS.filter((fact) => !none.text.includes(fact))).toEqual([]);
  });
});

describe("what is missing is appended", () => {
  test("verbatim, likeliest first, as much as the budget holds", async () => {
    const { text } = await guard("Nothing is said.", [], { budgetTokens: 260 });
    const listed = (text.split("## Exact Identifiers\n")[1] ?? "").split(" ");
    expect(listed.length).toBeGreaterThan(2);
    expect(listed.length).toBeLessThan(FACTS.length);
    expect(listed).toEqual(FACTS.slice(0, listed.length));
    // One more would not have fitted.
    expect(`${text} ${FACTS[listed.length]}`.length).toBeGreaterThan(260);
  });
  test("also beside a text that takes the whole budget: a fifth is theirs", async () => {
    const list = Array.from({ length: 80 }, (_, index) => `- something was done, for the time number ${index}`);
    const { text } = await guard(`## Done\n${list.join("\n")}`, [], { budgetTokens: 1_500 });
    const listed = text.split("## Exact Identifiers\n")[1] ?? "";
    expect(listed.length).toBeGreaterThan(1_500 * 0.15);
    expect(text).toContain("- something was done");
  });
  test("a quoted request takes a fifth at most", async () => {
    const messages = said(`user: ${"Please look at the facts. ".repeat(200)}`, "assistant: I looked.");
    const draft = "Please look at the facts: the facts were looked at.";
    const { text } = await guard(draft, [], { messages, budgetTokens: 1_000 });
    const quoted = /## Latest Request\n((?:>.*\n?)+)/.exec(text)?.[0] ?? "";
    expect(quoted.length).toBeGreaterThan(50);
    expect(quoted.length).toBeLessThanOrEqual(200);
  });
  test("from the summary before too, though no message says it any more", async () => {
    const previous = { text: "The build that passed was 7f3c9d21." };
    const input = inputOf(MESSAGES, { previous });
    const { text } = await guardSummary("Nothing is said.", createGuardContext(input, { sections: [] }));
    expect(text).toContain("7f3c9d21");
  });
});

test("where nothing fits there is no summary, rather than an empty one", async () => {
  await expect(guard("Nothing is said.", [], { budgetTokens: 0 })).rejects.toMatchObject({
    code: "summary-failed",
    reason: "no-room",
  });
});
