import { expect, test } from "vitest";
import { type Checkpoint, EMPTY_CHECKPOINT } from "../../../core/checkpoint/checkpoint.ts";
import type { JsonObject } from "../../../core/json.ts";
import { type Message, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";
import { mergeFacts } from "./merge.ts";

let next = 0;
const user = (words: string): Message => ({ id: `m${next++}`, role: "user", parts: [text(words)] });
const assistant = (words: string): Message => ({ id: `m${next++}`, role: "assistant", parts: [text(words)] });
function called(name: string, input: JsonObject, output: string): readonly Message[] {
  const callId = `c${next++}`;
  return [
    { id: `m${next++}`, role: "assistant", parts: [{ type: "tool-call", callId, name, input }] },
    {
      id: `m${next++}`,
      role: "user",
      parts: [{ type: "tool-result", callId, content: [text(output)], isError: false }],
    },
  ];
}

/** What an earlier checkpoint becomes when these messages are added to it. */
async function check(
  earlier: Partial<Checkpoint>,
  messages: readonly Message[],
  expected: Partial<Checkpoint>,
): Promise<void> {
  const previous = { text: "", checkpoint: { ...EMPTY_CHECKPOINT, ...earlier } };
  const input = { messages, turnPrefix: [], kept: [], previous, budgetTokens: 2_000, counter: estimateTokens() };
  const context = { signal: new AbortController().signal, progress: () => undefined };
  const { checkpoint } = await extractive().summarize(input, context);
  expect(checkpoint).toMatchObject(expected);
}

const READ = called("read_file", { path: "lib/tide.ts" }, "export {}");

test("a new task joins the one that frames the work and replaces the last", () =>
  check(
    { goal: ["Port the tide parser.", "Now port the printer."] },
    [user("Now write the tests for the tide parser."), ...READ],
    { goal: ["Port the tide parser.", "Now write the tests for the tide parser."] },
  ));

test("without a new task the goal stays", () =>
  check({ goal: ["Port the tide parser.", "Now port the printer."] }, [user("yes, continue"), ...READ], {
    goal: ["Port the tide parser.", "Now port the printer."],
  }));

test("a next step that only repeated the goal follows the goal", () =>
  check(
    { goal: ["Port the tide parser."], nextSteps: ["Port the tide parser.", "Publish the package"] },
    [user("Now write the tests for the tide parser."), ...READ],
    { nextSteps: ["go on from: read_file: lib/tide.ts", "Publish the package"] },
  ));

test("a step that was told from how things stood is told anew", () =>
  check(
    {
      goal: ["Port the tide parser."],
      nextSteps: ["go on from: bash: ls", "weiter nach: bash: ls", "changed, still to be checked: lib/tide.ts"],
      done: ["I've ported the rows."],
    },
    [...READ, assistant("I've changed lib/tide.ts, checked it and pushed it."), ...READ],
    {
      nextSteps: ["go on from: read_file: lib/tide.ts"],
      done: ["I've ported the rows.", "I've changed lib/tide.ts, checked it and pushed it."],
    },
  ));

test("what is left of a turn that goes on stands before where it is", () =>
  check({ goal: ["Port the tide parser."], nextSteps: ["Publish the package"] }, READ, {
    nextSteps: ["Publish the package", "go on from: read_file: lib/tide.ts"],
  }));

test("what is finished moves from open to done", () =>
  check(
    { goal: ["Port the tide parser."], nextSteps: ["Publish the package"], done: ["I've ported the rows."] },
    [...READ, assistant("I've published the package to the registry.")],
    {
      done: ["I've ported the rows.", "Publish the package", "I've published the package to the registry."],
      nextSteps: ["The newest request was answered. Nothing is left open: wait for the user."],
    },
  ));

test("a newer decision about the same thing replaces the older", () =>
  check(
    {
      goal: ["Port the tide parser."],
      decisions: [{ decision: "We decided to store tide rows in CSV files" }, { decision: "We chose tabs" }],
    },
    [...READ, assistant("We decided to store tide rows in SQLite files instead.")],
    {
      decisions: [
        { decision: "We chose tabs" },
        { decision: "We decided to store tide rows in SQLite files instead." },
      ],
    },
  ));

test("a failed call blocks no longer when work goes on, and is still known to have failed", () =>
  check(
    {
      goal: ["Port the tide parser."],
      blocked: ["bash: npm publish → 403 forbidden", "Waiting for the owner's approval."],
    },
    READ,
    {
      blocked: ["Waiting for the owner's approval."],
      toolFailures: [{ toolName: "bash", summary: "npm publish → 403 forbidden" }],
    },
  ));

const listing = (folder: number): readonly Message[] =>
  called(
    "bash",
    { command: `ls -la depot${folder}` },
    Array.from({ length: 200 }, (_, at) => `-rw-r--r-- 1 crew crew ${folder * 7 * at} crate${at}.bin`).join("\n"),
  );

test("what the user corrected and what had a reason outlive a later flood of names", () => {
  const kept = ["We copy it with rsync because the line drops.", "User: Sorry, it listens on 7544, not on 7433."];
  return check(
    {
      goal: ["Move the ledger to the new harbour server. It listens on 7433."],
      criticalContext: [...kept, "The server answers.", "bash: nc -z harbour 7544 → ok"],
      identifiers: Array.from({ length: 300 }, (_, at) => String(1_000 + at)),
    },
    [...[2, 3, 4, 5].flatMap(listing), assistant("The crates are counted.")],
    { criticalContext: expect.arrayContaining(kept) },
  );
});

test("facts that are raised stand where their likelihood puts them, of equal ones what stood first before", () => {
  const fact = (words: string, likelihood: number) => ({
    text: words,
    kind: "code" as const,
    likelihood,
    isTold: false,
  });
  const facts = [fact("first", 0.9), fact("early", 0.12), fact("read.ts", 0), fact("late", 0)];
  const earlier = { checkpoint: undefined, lines: [], text: "" };
  const files = { filesRead: ["read.ts", "new.ts"], filesModified: ["src/changed.ts"] };
  const merged = mergeFacts(facts, earlier, files);
  expect(merged.map((item) => item.text)).toEqual(["first", "src/changed.ts", "early", "read.ts", "new.ts", "late"]);
});
