import { expect, test } from "vitest";
import type { Checkpoint } from "../core/checkpoint/checkpoint.ts";
import { type Message, type Part, text } from "../core/message.ts";
import { quoteResult } from "../core/repair/pass.ts";
import { MISSING_START_TEXT } from "../core/repair/roles.ts";
import { INTERRUPTED_TEXT } from "../core/repair/rounds.ts";
import { estimateTokens } from "../core/tokens/tokens.ts";
import { CUES } from "./extractive/cues/cues.ts";
import { decisionIn } from "./extractive/statements/decisions.ts";
import { extractive } from "./extractive.ts";

let next = 0;
const message = (role: Message["role"], ...parts: Part[]): Message => ({ id: `s${next++}`, role, parts });
const user = (words: string): Message => message("user", text(words));
const assistant = (words: string): Message => message("assistant", text(words));
/** A message with the state of a shell behind it, as some agents send tasks and outputs alike. */
const shell = (words: string): Message => user(`${words}\n(Open file: n/a)\n(Current directory: /harbour)\nbash-$`);
const quoted = (output: string): Message =>
  message("user", ...quoteResult({ type: "tool-result", content: [text(output)], isError: false }));

interface Summarized {
  readonly checkpoint: Partial<Checkpoint>;
  readonly written: string;
}

async function summarize(messages: readonly Message[], kept: readonly Message[] = []): Promise<Summarized> {
  const input = {
    messages,
    turnPrefix: [],
    kept,
    keptAfter: kept.map(() => messages.length),
    budgetTokens: 1_500,
    counter: estimateTokens(),
  };
  const context = { signal: new AbortController().signal, progress: () => undefined };
  const { checkpoint, text: written } = await extractive().summarize(input, context);
  return { checkpoint: checkpoint ?? {}, written };
}

async function check(messages: readonly Message[], expected: Partial<Checkpoint>, kept: readonly Message[] = []) {
  const { checkpoint, written } = await summarize(messages, kept);
  expect(checkpoint).toMatchObject(expected);
  return written;
}

const TASK = "We solve this issue: the tide table loses its last row when a file ends without a line break.";

test("an agent that talks to its tools through user messages was given its task at the beginning", async () => {
  const work = [
    shell(TASK),
    assistant("Let me list the files."),
    shell("parser.py\nprinter.py"),
    assistant("Let me open the parser."),
    shell("[File: parser.py]\n1:import re\n2:x\n3:y"),
    assistant("Let me run it."),
    shell("WARNING: Running as root. Use the --root-user-action option if you know what you do. Please fix the lock."),
  ];
  const written = await check(work, { goal: [TASK], constraints: [] });
  await check(work.slice(0, -1), { goal: [TASK] }, work.slice(-1));
  expect(written).not.toContain("User: ");
  expect(written).not.toContain("bash-$");
});

test("labelled outputs are no requests either, however short the task", () =>
  check([user("tide rows"), assistant("I look."), user("OBSERVATION:\nPlease update the lock file of harbour.")], {
    goal: ["tide rows"],
  }));

test("what repair writes is nobody's request, goal or next step", async () => {
  const repaired = [user(MISSING_START_TEXT), assistant("Reading."), quoted("Please fix all 3 rows of the table.")];
  const { checkpoint } = await summarize([...repaired, assistant("Going on."), user(INTERRUPTED_TEXT)]);
  expect(checkpoint).toMatchObject({ goal: [], nextSteps: [] });
  expect(checkpoint.latestRequest).toBeUndefined();
  await check([user(TASK), ...repaired.slice(1)], { goal: [TASK] });
});

test.each([
  "This session is being continued from a previous conversation.",
  "Another language model started to solve this problem.",
])("the goal of another tool's summary outlives a question in passing: %s", async (opening) => {
  const foreign = user(
    `${opening}\n\n1. Primary Request and Intent:\n   Port the tide parser to Rust.\n\n2. Files:\n   - a.rs`,
  );
  const goal = ["Port the tide parser to Rust."];
  const nextSteps = ["The newest request was answered. Wait for the user."];
  await check([foreign, assistant("Going on."), user("did you push?"), assistant("Yes.")], { goal, nextSteps });
  await check([assistant("Going on."), user("did you push?"), assistant("Yes.")], { goal, nextSteps }, [
    foreign,
    assistant("Yes."),
  ]);
});

test("an answer at the end settles what was asked, calls before it or not", async () => {
  const call: Part = { type: "tool-call", callId: "p", name: "bash", input: { command: "git status" } };
  const result: Part = { type: "tool-result", callId: "p", content: [text("clean")], isError: false };
  const tail = [
    user("did you push?"),
    message("assistant", call),
    message("user", result),
    assistant("Yes, it is there."),
  ];
  await check(
    [user(TASK), assistant("I fixed the parser.")],
    { nextSteps: ["The newest request was answered. Nothing is left open: wait for the user."] },
    tail,
  );
});

test.each(["Thank you for your help with the rows. That's all I needed. ###STOP###", "Thanks again, take care!"])(
  "a farewell asks for nothing: %s",
  async (words) => {
    await check(
      [user(TASK), assistant("I fixed the parser.")],
      { goal: [TASK], nextSteps: ["Nothing is left open: wait for the user."] },
      [user(words)],
    );
  },
);

test("outputs and markup do not decide the language", async () => {
  const page = '<html lang="es"><p>el la los las que y es en un una por con para</p></html>';
  const work = [shell(TASK), assistant("I fetch the page."), shell(page), assistant("I fetch it again."), shell(page)];
  expect(await check(work, { goal: [TASK] })).toContain("## Goal");
  expect(await check([user(`Fix this page.\n\`\`\`\n${page}\n\`\`\``), assistant("I fixed it.")], {})).toContain(
    "## Goal",
  );
});

test("items of a list that are no sentences are left out, without what stands above them", async () => {
  const list =
    "There are three ways:\n- Commit the generated files each time\n- Revert the choice of the bundler\n- The bundler drops comments.";
  const { written } = await summarize([user(TASK), assistant(list), user("Go on with the printer, please.")]);
  expect(written).toContain("The bundler drops comments.");
  expect(written).not.toMatch(/each time|choice of the bundler/);
});

test("deeds and open alternatives are no decisions, advice and small talk no constraints", async () => {
  const said = [
    "The printer now uses streams instead of buffers when rows are long.",
    "The best approach is to drop the cache or to improve the cache key.",
    "We decided to use a state machine.",
  ];
  const asked = `${TASK}\nnotice: always upgrade\nUse the --root-user-action option if you know what you do.\nNever rename a harbour.`;
  await check(
    [
      user(asked),
      assistant(said.join("\n")),
      user("ok, let me try the light theme real quick. should look much better then"),
      assistant("Good."),
    ],
    {
      decisions: [{ decision: "We decided to use a state machine." }],
      constraints: ["Never rename a harbour."],
    },
  );
});

test.each([
  ["Let's use the `find_file` command to locate the handler.", false],
  ["Now, I will use `curl` to upload this script to the server.", false],
  ["I will use `curl` to upload it instead of a browser.", true],
  ["Let's use SQLite for the sessions.", true],
])("what is used next is no decision, what is chosen is: %j", (sentence, expected) => {
  expect(decisionIn(sentence, CUES.en, { isUser: false, isAtWork: true }) !== undefined).toBe(expected);
});

test("calls between tags: whoever waits for a result has not answered", async () => {
  const asked = user("Close both gates of the upper lock and tell me the level.");
  const call = "<function=terminal>\n<parameter=command>ls locks</parameter>\n</function>";
  await check(
    [
      asked,
      assistant(`I'll look at the locks first.\n\n${call}`),
      user("EXECUTION RESULT of [terminal]:\nnorth.gate south.gate"),
    ],
    {
      goal: ["Close both gates of the upper lock and tell me the level."],
      nextSteps: ["go on from: terminal: ls locks"],
    },
  );
  await check([asked, assistant("Both gates are closed; the level is at 214 cm.")], {
    nextSteps: ["The newest request was answered. Nothing is left open: wait for the user."],
  });
});

test("an output that stays in the view shows that commands are written", async () => {
  const command = (line: string): Message => assistant(`The locks of the harbour.\n\`\`\`\n${line}\n\`\`\``);
  await check(
    [user("Close both gates of the upper lock."), command("ls locks")],
    { nextSteps: ["go on from: cat: locks/north.gate"] },
    [user("OBSERVATION:\nnorth.gate south.gate"), command("cat locks/north.gate")],
  );
});
