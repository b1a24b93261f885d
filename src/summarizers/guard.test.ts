import { describe, expect, test } from "vitest";
import { checkpointText, contextOf, inputOf, said } from "../../test/summarizer-script.ts";
import type { SummaryInput } from "../core/checkpoint/summary.ts";
import type { JsonObject } from "../core/json.ts";
import { type Message, text as textPart } from "../core/message.ts";
import { estimateTokens, messageCounter } from "../core/tokens/tokens.ts";
import { createRandom } from "../testing/random.ts";
import { guarded, guardSummary } from "./guard.ts";
import { createGuardContext, findProblems, type RankFacts } from "./guard-findings.ts";
import { CHECKPOINT_SECTIONS } from "./prompts.ts";

const MESSAGES = said(
  "user: Please move the billing job to the new queue and keep invoice_total as it is.",
  "assistant: I changed src/jobs/billing.ts and src/queue/client.ts; build 7f3c9d21 passes.",
  "user: Also update docs/billing.md before you go on, please.",
);

const call = (callId: string, name: string, input: JsonObject): Message => ({
  id: `c${callId}`,
  role: "assistant",
  parts: [{ type: "tool-call", callId, name, input }],
});
const result = (callId: string, output: string, isError = false): Message => ({
  id: `r${callId}`,
  role: "user",
  parts: [{ type: "tool-result", callId, content: [textPart(output)], isError }],
});

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

test("a request that stays in the view is not repeated, the one that it leans on is", async () => {
  const long = said(`user: ${"Now leave billing alone and look at the login page instead. ".repeat(3).trim()}`);
  expect((await guard("The billing job was moved.", { kept: long })).text).not.toContain("## Latest Request");
  const { text } = await guard("The billing job was moved.", { kept: said("user: Yes, do.") });
  expect(text).toMatch(/## Latest Request\n> Please move the billing job[\s\S]*> Also update docs\/billing.md/);
  expect(text).not.toContain("Yes, do.");
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

test("missing identifiers are appended with their role, those in the kept messages are not", async () => {
  const kept = said("assistant: see src/queue/client.ts");
  const { text, notes } = await guard("The job was moved.", { kept, budgetTokens: 4_000 });
  const listed = text.split("## Exact Identifiers\n")[1] ?? "";
  expect(listed).toContain('- src/jobs/billing.ts (assistant: "I changed src/jobs/billing.ts and');
  expect(listed).toContain("- 7f3c9d21 (");
  expect(listed).not.toContain("- src/queue/client.ts");
  expect(notes.join()).toMatch(/\d identifiers that the summary lacked were appended/);
});

test("an identifier that only a tool told is not appended, one that a call used is, with the argument's name", async () => {
  const messages: readonly Message[] = [
    ...MESSAGES,
    call("1", "open", { page: "pg_71b2" }),
    result("1", "archive_url https://x.example.net/9f2c pg_71b2"),
    call("2", "execute", { tool_name: "show", params: { block: "bk_90c4" } }),
    // The names in a text that the agent wrote are no values of later calls.
    call("3", "write", { content: `const pg_55aa = 1;${" and so on".repeat(20)}` }),
  ];
  const { text } = await guard("The job was moved.", { messages, budgetTokens: 4_000 });
  expect(text).toContain("- pg_71b2 (page of open)");
  expect(text).toContain("- bk_90c4 (block of execute)");
  expect(text).not.toMatch(/archive_url|9f2c|pg_55aa/);
});

test("what tools tell, however much and often, changes nothing in the list of what was used", async () => {
  const rows = Array.from({ length: 300 }, (_, id) => `row_${id}_7c and pg_${id % 7}_4b`).join("\n");
  const used = Array.from({ length: 60 }, (_, id) => said(`assistant: The page pg_${id}_4b was read.`)).flat();
  const after = (output: string) => [
    call("x", "list", {}),
    result("x", output),
    call("y", "list", {}),
    result("y", output),
  ];
  const listed = async (output: string) => {
    const messages = [...MESSAGES, ...used, ...after(output)];
    const { text } = await guard("src/jobs/billing.ts was moved.", { messages, budgetTokens: 40_000 });
    return text.split("## Exact Identifiers\n")[1]?.split("\n");
  };
  const lines = await listed("nothing");
  expect(lines?.length).toBeGreaterThan(50);
  expect(await listed(rows)).toEqual(lines);
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
  const messages = [
    ...MESSAGES,
    call("1", "edit_file", { path: "src/jobs/billing.ts", old: "a", new: "b" }),
    result("1", "done"),
    call("2", "deploy", { target: "staging" }),
    result("2", "permission denied\nAsk an owner.", true),
    call("3", "edit_file", { path: "src/jobs/locked.ts", old: "a", new: "b" }),
    result("3", "File is locked.", true),
    call("4", "execute", { tool_name: "merge_page", params: { page: "p1" } }),
    result("4", '{"error":{"message":"page is gone"}}'),
  ];
  const previous = { text: "Older.\n\n## Files Modified\n- src/old.ts\n- src/other.ts" };
  const draft = "The job was moved.\n\n## Files Modified\n- src/wrong.ts";
  const { text } = await guard(draft, { messages, previous });
  expect(text).toContain("## Files Modified\n- src/jobs/billing.ts\n- src/old.ts\n- src/other.ts");
  expect(text).not.toContain("wrong.ts");
  // Newest first. What a failed call printed is quoted, by the line that names the cause; a wrapper is named by what it passed on.
  const failures = [
    '- merge_page: page p1 → "page is gone"',
    '- edit_file: src/jobs/locked.ts → "File is locked."',
    '- deploy: target staging → "permission denied"',
  ];
  expect(text).toContain(`## Failed Tool Calls\n${failures.join("\n")}`);
});

test("where room is short the guard's lines go before the model's, and what the user asked stays", async () => {
  const edits = Array.from({ length: 12 }, (_, index) =>
    call(`${index}`, "edit_file", { path: `src/jobs/part-${index}.ts`, old: "a" }),
  );
  const failed = [call("x", "deploy", { target: "staging" }), result("x", "permission denied", true)];
  const messages = [...MESSAGES, ...edits, ...failed];
  const draft = Array.from({ length: 40 }, (_, index) => `- part ${index} of the job was moved`).join("\n");
  const count = estimateTokens().countText;
  const at = async (budgetTokens: number): Promise<string> => (await guard(draft, { messages, budgetTokens })).text;
  const roomy = await at(count(draft) + 400);
  expect(roomy).toMatch(/## Files Modified[\s\S]*## Failed Tool Calls/);
  const withoutFiles = roomy.replace(/\n\n## Files Modified\n(?:- .*\n)+/, "\n").replace(/\n\n## Exact[\s\S]*/, "");
  const tight = await at(count(withoutFiles) + 4);
  expect(tight).toBe(withoutFiles);
  const tightest = await at(count(draft));
  expect(tightest).toContain("> Please move the billing job");
  expect(tightest).not.toContain("## Failed Tool Calls");
});

test("what the model wrote about a file stands in the list of files, and the guard's lines are counted before it writes", async () => {
  const messages = [...MESSAGES, ...["a", "b"].map((name) => call(name, "edit_file", { path: `src/jobs/${name}.ts` }))];
  const draft = "The job was moved.\n\n## Files Modified\n- `src/jobs/a.ts`: takes the new queue\n- src/jobs/none.ts";
  const { text } = await guard(draft, { messages });
  expect(text).toContain("## Files Modified\n- `src/jobs/a.ts`: takes the new queue\n- src/jobs/b.ts");
  const answerTokens = (list: readonly Message[]): number =>
    createGuardContext(inputOf(list), { sections: [] }).answerTokens;
  const listed = estimateTokens().countText("## Files Modified\n- src/jobs/a.ts\n- src/jobs/b.ts");
  expect(answerTokens(MESSAGES) - answerTokens(messages)).toBeGreaterThan(listed - 3);
  expect(answerTokens(MESSAGES)).toBeLessThanOrEqual(
    2_000 * 0.95 - estimateTokens().countText("Please move the billing job"),
  );
});

test("a failure that was overcome is not listed, whether this summary or the one before told it", async () => {
  const failing = [
    call("1", "bash", { command: "npm test 2>&1 | tail -5" }),
    result("1", "2 failed\nExit code 1"),
    call("2", "wiki", { page: "p1", body: "x".repeat(500) }),
    result("2", JSON.stringify([{ type: "text", text: '{"error":{"message":"page is locked"}}' }])),
  ];
  const first = await guard("It was moved.", { messages: [...MESSAGES, ...failing] });
  expect(first.text).toContain('- wiki: page p1 → "page is locked"\n- bash: npm test → "2 failed"');
  const later = [call("3", "bash", { command: "npm test" }), result("3", "all passed")];
  const same = await guard("It was moved.", { messages: [...MESSAGES, ...failing, ...later] });
  const next = await guard("It was moved.", { messages: [...MESSAGES, ...later], previous: { text: first.text } });
  const kept = await guard("It was moved.", { messages: [...MESSAGES, ...failing], kept: later });
  for (const { text } of [same, next, kept]) {
    expect(text).toContain("page is locked");
    expect(text).not.toContain("bash");
  }
});

test("a path that joins from parts that are there is no invention, nor a file that a next step would create", async () => {
  const messages = [
    ...MESSAGES,
    call("1", "bash", { command: "cd services/billing && ls src" }),
    result("1", JSON.stringify({ stdout: "jobs:\nrunner.ts\nretry.ts" })),
  ];
  const draft = checkpointText("Move the billing job.", "services/billing/src/jobs/retry.ts holds the retry").replace(
    "1. Run the tests",
    "1. Create src/jobs/billing-queue.test.ts",
  );
  const { text, notes } = await guard(draft, { messages }, CHECKPOINT_SECTIONS);
  expect(text).toContain("- services/billing/src/jobs/retry.ts holds the retry");
  expect(text).toContain("1. Create src/jobs/billing-queue.test.ts");
  expect(notes.join()).not.toMatch(/removed|marked so/);
  const invented = await guard(
    checkpointText("Move it.", "see src/jobs/payments.ts"),
    { messages },
    CHECKPOINT_SECTIONS,
  );
  expect(invented.text).not.toContain("payments.ts");
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

  const INVENTED = "See 10.9.9.1, 10.9.9.2 and 10.9.9.3.";

  describe("a repair is asked for", () => {
    test("when more than two things are invented", async () => {
      expect((await guard(`${naming(12)} See 10.9.9.1 and 10.9.9.2.`)).asked).toBe(0);
      expect((await guard(`${naming(12)} ${INVENTED}`)).asked).toBe(1);
    });
    test("when it is half as long again as the budget", async () => {
      const long = (chars: number): string => `${naming(12)} `.padEnd(chars, "and so on, ");
      expect((await guard(long(3_000))).asked).toBe(0);
      expect((await guard(long(3_001))).asked).toBe(1);
    });
    test("but not for missing facts alone", async () => {
      expect((await guard(naming(0))).asked).toBe(0);
    });
  });

  describe("it is asked for once", () => {
    test("and used where it is no worse, whatever is still wrong with it", async () => {
      const draft = `Nothing is said. ${INVENTED}`;
      const { text, notes, asked } = await guard(draft, [`Hardly more is said. ${INVENTED}`, naming(12)]);
      expect([asked, notes[0]]).toEqual([1, "The summary was repaired once."]);
      expect(text).toContain("Hardly more is said.");
    });
    test("and left where it is worse, or there is none", async () => {
      const draft = `${naming(3)} ${INVENTED}`;
      const worse = await guard(draft, [`${INVENTED} And 10.9.9.4.`]);
      expect([worse.asked, worse.notes[0]]).toEqual([1, "A repair of the summary made it worse and was not used."]);
      expect(worse.text).toContain(naming(3));
      const none = await guard(draft);
      expect([none.asked, none.notes[0]]).toEqual([1, "A repair of the summary was asked for and failed: no answer"]);
    });
  });

  describe("what is missing is appended", () => {
    const valuesIn = (text: string): readonly string[] =>
      [...(text.split("## Exact Identifiers\n")[1] ?? "").matchAll(/^- (\S+) \(/gm)].map(([, value = ""]) => value);

    test("likeliest first, with its role, in a twentieth of the budget", async () => {
      const { text } = await guard("Nothing is said.", [], { budgetTokens: 8_000 });
      const listed = valuesIn(text);
      expect(listed.length).toBeGreaterThan(2);
      expect(listed).toEqual(FACTS.slice(0, listed.length));
      const block = `\n\n## Exact Identifiers\n${text.split("## Exact Identifiers\n")[1]}`;
      expect(block.length).toBeLessThanOrEqual(400);
    });
    test("but nothing beside a text that takes the whole budget: its lines go last", async () => {
      const list = Array.from({ length: 80 }, (_, index) => `- something was done, for the time number ${index}`);
      const draft = `## Done\n${list.join("\n")}`;
      const { text } = await guard(draft, [], { budgetTokens: draft.length + 60 });
      expect(text).toBe(`${draft}\n\n## Latest Request\n> Please look at the facts.`);
      const over = await guard(draft, [], { budgetTokens: draft.length });
      expect(over.text).not.toContain("Identifiers");
      expect(over.text).toContain("> Please look at the facts.");
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
      const previous = {
        text: "The build that passed was 7f3c9d21.\n\n## Exact Identifiers\n- 4b825dc642 (commit of git_show)",
      };
      const input = inputOf(MESSAGES.slice(0, 1), { previous });
      const { text } = await guardSummary("Nothing is said.", createGuardContext(input, { sections: [] }));
      expect(text).toContain('- 7f3c9d21 (earlier summary: "build that passed was 7f3c9d21.")');
      expect(text).toContain("- 4b825dc642 (commit of git_show)");
    });
  });

  test("where nothing fits there is no summary, rather than an empty one", async () => {
    await expect(guard("Nothing is said.", [], { budgetTokens: 0 })).rejects.toMatchObject({
      code: "summary-failed",
      reason: "no-room",
    });
  });
});
