import { describe, expect, test } from "vitest";
import { checkpointText, contextOf, inputOf, said } from "../../test/summarizer-script.ts";
import type { SummaryInput } from "../core/checkpoint/summary.ts";
import type { JsonObject } from "../core/json.ts";
import { type Message, text as textPart } from "../core/message.ts";
import { messageCounter } from "../core/tokens/tokens.ts";
import { createRandom } from "../testing/random.ts";
import { guarded, guardSummary } from "./guard.ts";
import { createGuardContext, findProblems, type RankFacts } from "./guard-findings.ts";
import { CHECKPOINT_SECTIONS } from "./prompts.ts";

const MESSAGES = said(
  "user: Please move the billing job to the new queue and keep invoice_total as it is.",
  "assistant: I changed src/jobs/billing.ts and src/queue/client.ts; build 7f3c9d21 passes.",
  "user: Also update docs/billing.md before you go on, please.",
);

async function guard(draft: string, rest: Partial<SummaryInput> = {}, sections: readonly string[] = []) {
  const input = inputOf(MESSAGES, rest);
  const result = await guardSummary(draft, createGuardContext(input, { sections }));
  expect(input.counter.countText(result.text)).toBeLessThanOrEqual(input.budgetTokens);
  return result;
}

test("the newest request is quoted; a short one brings the one it leans on", async () => {
  const { text } = await guard("The billing job was moved.");
  expect(text).toContain("## Latest Request\n> Please move the billing job");
  expect(text).toContain("\n\n> Also update docs/billing.md before you go on, please.");
});

test("the request of the kept messages is newer", async () => {
  const kept = said(`user: ${"Now leave billing alone and look at the login page instead. ".repeat(3).trim()}`);
  const { text } = await guard("The billing job was moved.", { kept });
  expect(text).toContain("> Now leave billing alone");
  expect(text).not.toContain("> Please move the billing job");
});

test("a carried request is replaced, and carried on when there is no newer one", async () => {
  const stale = "The billing job was moved.\n\n## Latest Request\n> Never move the billing job.";
  expect((await guard(stale)).text).not.toContain("> Never move");
  const previous = { text: "Older.\n\n## Latest Request\n> Move it all." };
  const { text } = await guard("It was moved.", { messages: said("assistant: done"), previous });
  expect(text).toContain("## Latest Request\n> Move it all.");
});

test("a section that the pack asks for stays as it was written, also under a heading of ours", async () => {
  for (const heading of ["## Latest Request", "## Files Modified", "## Failed Tool Calls", "## Exact Identifiers"]) {
    const draft = `## Overview\nThe job was moved.\n\n${heading}\n- the billing job, by hand`;
    const { text } = await guard(draft, {}, ["## Overview", heading]);
    expect(text).toContain(`${heading}\n- the billing job, by hand`);
    expect(text).not.toContain("(none)");
  }
});

test("missing identifiers are appended verbatim, those in the kept messages are not", async () => {
  const { text, notes } = await guard("The job was moved.", { kept: said("assistant: see src/queue/client.ts") });
  const listed = text.split("## Exact Identifiers\n")[1] ?? "";
  expect(listed).toContain("src/jobs/billing.ts");
  expect(listed).toContain("7f3c9d21");
  expect(listed).not.toContain("src/queue/client.ts");
  expect(notes.join()).toMatch(/\d identifiers that the summary lacked were appended/);
});

test("an invented list item goes, an invented value in prose is marked", async () => {
  const { text, notes } = await guard(
    "The job at 10.9.9.9 was moved.\n- see src/jobs/billing.ts\n- see src/jobs/payments.ts",
  );
  expect(text).toContain("- see src/jobs/billing.ts");
  expect(text).not.toContain("payments.ts");
  expect(text).toContain("## Unverified\nNot found in the conversation: 10.9.9.9");
  expect(notes.join("\n")).toContain("does not hold src/jobs/payments.ts");
});

test("missing sections are put in their place, empty", async () => {
  const draft = checkpointText("Move the billing job.").replace("### Blocked\n- (none)\n", "");
  const { text, checkpoint } = await guard(draft, {}, CHECKPOINT_SECTIONS);
  expect(text.match(/^#{2,3} .*$/gm)?.slice(0, 9)).toEqual(CHECKPOINT_SECTIONS);
  expect(checkpoint?.goal).toEqual(["Move the billing job."]);
  expect(checkpoint?.done).toEqual(["Read the files"]);
  expect(checkpoint?.latestRequest).toContain("Also update docs/billing.md");
  expect(checkpoint?.identifiers).toContain("src/jobs/billing.ts");
});

test("headings in other shapes and languages count", () => {
  const draft = checkpointText("x").replace("## Goal", "**Goal:**").replace("## Next Steps", "## Nächste Schritte");
  const context = createGuardContext(inputOf(MESSAGES), { sections: CHECKPOINT_SECTIONS });
  expect(findProblems(draft, context).missingSections).toEqual([]);
});

test("a second guard over its own result changes nothing", async () => {
  const first = await guard(checkpointText("Move the billing job."), {}, CHECKPOINT_SECTIONS);
  const second = await guard(first.text, {}, CHECKPOINT_SECTIONS);
  expect(second.text).toBe(first.text);
});

const superadditive = messageCounter({ name: "s", countText: (text) => text.length / 4 + (text.length / 60) ** 2 });

test("never over the budget, whatever it is", async () => {
  for (let seed = 0; seed < 150; seed++) {
    const random = createRandom(seed);
    const budgetTokens = 1 + random.below(random.pick([20, 200, 2_000]));
    const items = Array.from(
      { length: random.below(120) },
      (_unused, index) => `- step ${index} went on as it should\n  with a second line`,
    );
    const draft = random.chance(0.5)
      ? checkpointText("Move the job.", ...items.map((item) => item.slice(2)))
      : items.join("\n") || "x";
    const sections = random.chance(0.5) ? CHECKPOINT_SECTIONS : [];
    if (sections.length > 0 && !draft.includes("## Goal")) continue;
    try {
      await guard(draft, { budgetTokens, ...(random.chance(0.3) ? { counter: superadditive } : {}) }, sections);
    } catch (error) {
      expect(error).toMatchObject({ reason: "no-room" });
    }
  }
});

test("files and failures are tracked, not left to the model, and accumulate", async () => {
  const call = (callId: string, name: string, input: JsonObject): Message => ({
    id: callId,
    role: "assistant",
    parts: [{ type: "tool-call", callId, name, input }],
  });
  const result = (callId: string, output: string, isError: boolean): Message => ({
    id: `r${callId}`,
    role: "user",
    parts: [{ type: "tool-result", callId, content: [textPart(output)], isError }],
  });
  const messages = [
    ...MESSAGES,
    call("1", "edit_file", { path: "src/jobs/billing.ts", old: "a", new: "b" }),
    result("1", "done", false),
    call("2", "deploy", { target: "staging" }),
    result("2", "permission denied", true),
  ];
  const previous = { text: "Older.\n\n## Files Modified\n- src/old.ts\n- src/other.ts" };
  const draft = "The job was moved.\n\n## Files Modified\n- src/wrong.ts";
  const { text } = await guard(draft, { messages, previous });
  expect(text).toContain("## Files Modified\n- src/jobs/billing.ts\n- src/old.ts\n- src/other.ts");
  expect(text).toMatch(/## Failed Tool Calls\n- deploy: .*permission denied/);
  expect(text).not.toContain("wrong.ts");
});

test("any summarizer can be guarded", async () => {
  const plain = {
    name: "mine",
    version: "1",
    planCalls: () => 3,
    summarize: async () => ({ text: "Moved it; ask mario@example.net.", calls: 2, notes: ["made"] }),
  };
  const wrapped = guarded(plain);
  const result = await wrapped.summarize(inputOf(MESSAGES), contextOf());
  expect([wrapped.name, wrapped.planCalls(inputOf(MESSAGES)), result.calls]).toEqual(["mine", 3, 2]);
  expect(result.text).toContain("## Latest Request");
  expect(result.notes).toContain("made");
  const empty = guarded({ ...plain, summarize: async () => ({ text: " ", calls: 1, notes: [] }) });
  await expect(empty.summarize(inputOf(MESSAGES), contextOf())).rejects.toMatchObject({ reason: "empty" });
});

describe("guard limits", () => {
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
    const { text, notes } = await guardSummary(draft, createGuardContext(input, { sections: [], rankFacts }), {
      repair,
    });
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
});
