import { expect, test } from "vitest";
import type { Checkpoint } from "../core/checkpoint/checkpoint.ts";
import type { JsonObject } from "../core/json.ts";
import { type Message, type Part, text } from "../core/message.ts";
import { estimateTokens } from "../core/tokens/tokens.ts";
import { extractive } from "./extractive.ts";

let next = 0;
const message = (role: Message["role"], ...parts: Part[]): Message => ({ id: `c${next++}`, role, parts });
const user = (words: string): Message => message("user", text(words));
const assistant = (words: string): Message => message("assistant", text(words));
/** What the assistant says while it calls a tool, the call, and what came of it; "!" before the output marks a failure. */
function works(words: string, name: string, input: JsonObject, output: string): readonly Message[] {
  const callId = `k${next++}`;
  const said = words === "" ? [] : [text(words)];
  const isError = output.startsWith("!");
  return [
    message("assistant", ...said, { type: "tool-call", callId, name, input }),
    message("user", { type: "tool-result", callId, content: [text(output.replace(/^!/, ""))], isError }),
  ];
}

type Expected = Partial<Pick<Checkpoint, "goal" | "constraints" | "done" | "inProgress" | "blocked" | "nextSteps">> & {
  readonly decisions?: readonly string[];
};

/** Every named section must hold exactly what is expected. */
async function check(
  messages: readonly Message[],
  expected: Expected,
  kept: readonly Message[] = [],
  keptAfter: readonly number[] = kept.map(() => messages.length),
): Promise<string> {
  const counter = estimateTokens();
  const input = { messages, turnPrefix: [], kept, keptAfter, budgetTokens: 3_000, counter };
  const context = { signal: new AbortController().signal, progress: () => undefined };
  const { checkpoint, text: written } = await extractive().summarize(input, context);
  const decisions = checkpoint?.decisions.map(({ decision, reason }) =>
    reason === undefined ? decision : `${decision} | ${reason}`,
  );
  expect({ ...checkpoint, decisions }).toMatchObject(expected);
  return written;
}

const UNANSWERED = ["The newest request is still unanswered: take it up."];

test("coding: what failed or was only intended is not done, and a nudge is no goal", async () => {
  const written = await check(
    [
      user("Add a --json flag to the tide command. Never print colours when it is set."),
      ...works("Let me look at the command first.", "read_file", { path: "src/tide.ts" }, "export function tide() {}"),
      ...works(
        "I've added the `--json` flag to the option parser. The tests should pass now.",
        "edit_file",
        { path: "src/tide.ts", old_text: "a", new_text: "b" },
        "ok",
      ),
      ...works("", "bash", { command: "npm test 2>&1 | tail -3" }, "!3 passed, 2 failed"),
      user("<system-reminder>The plan is empty.</system-reminder>"),
      user("continue"),
      ...works("Now let me fix the colour test:", "read_file", { path: "test/tide.test.ts" }, "test()"),
    ],
    {
      goal: ["Add a --json flag to the tide command. Never print colours when it is set."],
      constraints: ["Never print colours when it is set."],
      done: ["I've added the `--json` flag to the option parser."],
      inProgress: ["Fix the colour test."],
      blocked: [],
    },
  );
  // Names of arguments stand in the form of a call, labelled, and make no section by themselves.
  expect(written.replace(/^- Calls: .*$/m, "")).not.toMatch(/old_text|new_text/);
});

test("operations: commits and passing checks prove what is done, a missing approval blocks", async () => {
  await check(
    [
      user("The nightly backup of the harbour database fails. Find out why and repair it."),
      ...works("", "bash", { command: "journalctl -u backup | tail" }, "No space left on device"),
      ...works(
        "The root cause is a full disk on /var/backups. We'll keep seven days instead of thirty because the disk cannot grow.",
        "bash",
        { command: "git commit -am 'Keep backups for seven days'" },
        "[main 1a2b3c4] Keep backups for seven days",
      ),
      ...works("", "bash", { command: "make check" }, "12 tests, 0 failures"),
      assistant("I cannot deploy it: the production account needs your approval."),
    ],
    {
      goal: ["The nightly backup of the harbour database fails. Find out why and repair it."],
      decisions: ["We'll keep seven days instead of thirty | because the disk cannot grow."],
      done: ["make check → 12 tests, 0 failures", "Keep backups for seven days"],
      blocked: ["I cannot deploy it: the production account needs your approval."],
      nextSteps: ["The newest request was answered. Wait for the user."],
    },
  );
});

test("research: the newest task is the goal, the question in passing is not", async () => {
  await check(
    [
      user("Collect sources about tidal power in Brittany and rate how reliable they are."),
      ...works("", "web_search", { query: "tidal power Brittany" }, "Twelve results."),
      assistant(
        "I've rated the twelve sources by publisher and year.\n\n## Next steps\n1. Read the report of 1966 in full\n2. Ask the operator for newer numbers",
      ),
      user("How old is the plant by the way?"),
      assistant("It opened in 1966."),
      user("Now compare the sources about tidal power with those about wind power."),
      ...works("I'll start with the cost figures.", "web_search", { query: "wind power cost" }, "Nine results."),
    ],
    {
      goal: [
        "Collect sources about tidal power in Brittany and rate how reliable they are.",
        "Now compare the sources about tidal power with those about wind power.",
      ],
      done: ["I've rated the twelve sources by publisher and year."],
      inProgress: ["Start with the cost figures."],
      nextSteps: ["go on from: web_search: wind power cost"],
    },
  );
});

test("writing: headings, tables and list debris stay out; whole rules stay in", async () => {
  await check(
    [
      user("Draft a two-page article about harbour pilots. Please avoid nautical jargon. At most 900 words."),
      assistant(
        "# Draft\n\n| part | words |\n|---|---|\n| Intro, should be short | 120 |\n\nI've drafted the introduction and the first interview.\n\n- **must**\n- and the (unfinished\n\nWe agreed to open with the storm of 1987, because it shows the risk.",
      ),
      user("Good. Shorten the interview to 200 words."),
    ],
    {
      goal: [
        "Draft a two-page article about harbour pilots. Please avoid nautical jargon. At most 900 words.",
        "Good. Shorten the interview to 200 words.",
      ],
      constraints: ["Please avoid nautical jargon.", "At most 900 words."],
      decisions: ["We agreed to open with the storm of 1987 | because it shows the risk."],
      done: ["I've drafted the introduction and the first interview."],
      nextSteps: UNANSWERED,
    },
  );
});

test("chat without tools: the topic of the moment, not the greeting", async () => {
  const written = await check(
    [
      user("Hello, my name is Mara. Nice to meet you."),
      assistant("Hello Mara, nice to meet you too."),
      user("Which apples are best for a cake?"),
      assistant("Boskoop and Elstar keep their taste and do not fall apart."),
      user("Thanks!"),
      assistant("You're welcome."),
      user("And what wine goes with a cheese fondue?"),
      assistant("A dry white wine such as Fendant is the classic choice."),
    ],
    { goal: ["And what wine goes with a cheese fondue?"], constraints: [], done: [], blocked: [] },
  );
  expect(written).toContain("Boskoop and Elstar");
});

test("German: headings, goal, rule, decision, done and next in the conversation's language", async () => {
  const written = await check(
    [
      user("Bitte stelle die Gezeitenseite auf die neue Schnittstelle um. Die alten Adressen dürfen nicht brechen."),
      ...works("Zuerst sehe ich mir den Code an.", "read_file", { path: "src/seite.ts" }, "export const seite = 1"),
      ...works(
        "Wir haben uns für Weiterleitungen entschieden, weil die alten Adressen in Büchern stehen.",
        "write_file",
        { path: "src/weiterleitung.ts", content: "export {}" },
        "ok",
      ),
      assistant(
        "Ich habe die Weiterleitungen eingebaut.\n\nNächste Schritte:\n- Die Seite der Häfen umstellen\n- Die Prüfungen ergänzen",
      ),
    ],
    {
      goal: ["Bitte stelle die Gezeitenseite auf die neue Schnittstelle um. Die alten Adressen dürfen nicht brechen."],
      constraints: ["Die alten Adressen dürfen nicht brechen."],
      decisions: ["Wir haben uns für Weiterleitungen entschieden | weil die alten Adressen in Büchern stehen."],
      done: ["Ich habe die Weiterleitungen eingebaut."],
      nextSteps: ["Die Seite der Häfen umstellen", "Die Prüfungen ergänzen"],
    },
  );
  for (const heading of ["## Ziel", "### Erledigt", "## Entscheidungen", "## Nächste Schritte"])
    expect(written).toContain(heading);
});

test("a user who writes Japanese to an assistant that answers in English", async () => {
  const written = await check(
    [
      user("潮汐表のページを新しい API に移行してください。古い URL は絶対に壊さないでください。"),
      ...works("I've moved the tide page to the new API.", "write_file", { path: "src/page.ts", content: "x" }, "ok"),
      ...works("Now let me check the old addresses:", "bash", { command: "npm run links" }, "ok"),
    ],
    {
      constraints: ["古い URL は絶対に壊さないでください。"],
      done: ["I've moved the tide page to the new API."],
      inProgress: [],
    },
  );
  expect(written).toContain("## 目的");
});

test("what stays in the view is known: the goal stands before, what is going on comes after", async () => {
  const first = user("Port the tide parser to TypeScript.");
  await check(
    [
      ...works("Let me read the old parser.", "read_file", { path: "tide.py" }, "def parse(): ..."),
      ...works("I've ported the row parser.", "write_file", { path: "tide.ts", content: "x" }, "ok"),
      ...works("Now let me run the tests:", "bash", { command: "npm test" }, "!Error: no test files"),
    ],
    {
      goal: ["Port the tide parser to TypeScript."],
      done: ["I've ported the row parser."],
      inProgress: ["Write the first test file."],
      blocked: [],
    },
    [first, ...works("Let me write the first test file.", "read_file", { path: "tide.sample.ts" }, "ok")],
  );
});

test("a request that is kept for its own sake does not void the work that it started", async () => {
  await check(
    [
      user("Port the tide parser to TypeScript."),
      ...works("I've ported the row parser.", "write_file", { path: "tide.ts", content: "x" }, "ok"),
      assistant("The row parser is ported."),
      ...works("Let me rewrite the printer module.", "read_file", { path: "print.py" }, "def show(): ..."),
    ],
    {
      goal: ["Port the tide parser to TypeScript.", "Now port the printer."],
      inProgress: ["Rewrite the printer module."],
      nextSteps: ["go on from: read_file: print.py"],
    },
    [user("Now port the printer.")],
    [4],
  );
});

test("a kept request is read where it stood: what answered it since still counts", async () => {
  const messages = [
    user("Plan the move of the harbour office."),
    assistant("The van is booked."),
    assistant("Still to do:\n1. Order the fibre line.\n2. Return the old keys."),
  ];
  const kept = [user("Good. What else is there to do?")];
  await check(messages, { nextSteps: ["Order the fibre line.", "Return the old keys."] }, kept, [2]);
  await check(messages, { nextSteps: UNANSWERED }, kept, [3]);
});

test("a new request makes what was announced before it void", async () => {
  await check(
    [
      user("Port the tide parser to TypeScript."),
      ...works("Let me look at the printer module.", "read_file", { path: "print.py" }, "def show(): ..."),
      user("Stop. Write the tests for the row parser first."),
    ],
    { inProgress: [], nextSteps: UNANSWERED },
  );
});

test("decisions: the assistant's with its reason, the user's with what was asked; deeds and tools are none", async () => {
  const written = await check(
    [
      user("Store the tide tables somewhere safe."),
      assistant(
        "There are two ways:\n\n1. A file beside the program\n2. A database on the pier\n\nWhich one should I take?",
      ),
      user("option 2"),
      ...works(
        "I'll use SQLite because the pier has no server. I'll use the shell tool to create it.",
        "bash",
        { command: "sqlite3 tide.db .schema" },
        "ok",
      ),
      ...works(
        "The reader now uses the new table instead of the file.",
        "bash",
        { command: "make check" },
        "4 tests, 0 failures",
      ),
      assistant("Should I also delete the old harbour files from the disk?"),
      user("no, keep them for a year"),
      assistant("Fine."),
      user("Now write the harbour master a note about the tables."),
      ...works("Let me look at the old notes:", "bash", { command: "ls notes" }, "a.md"),
    ],
    {
      decisions: [
        "A database on the pier | User: option 2",
        "I'll use SQLite | because the pier has no server.",
        "User: no, keep them for a year | Should I also delete the old harbour files from the disk?",
      ],
      nextSteps: ["go on from: bash: ls notes"],
    },
  );
  expect(written).toContain("- **A database on the pier** — User: option 2");
});

test("the goal is what a wrapped message asks, and a last message has done what it announced", async () => {
  const template = [
    "You are the clerk of a harbour.",
    "IMPORTANT: Always answer in full sentences.",
    ...Array.from({ length: 20 }, (_, at) => `2031-04-01 10:00:${10 + at} INFO gate ${at} closed`),
    "Please find out why the gates close at noon.",
  ].join("\n");
  await check(
    [
      user(template),
      ...works("Let me read the log.", "bash", { command: "tail gate.log" }, "gate 3 closed"),
      assistant(
        "I've found the clock that closes them. Let me summarize what happens:\n\nThe clock runs an hour late. You can now open the gates when you need to. If there's anything else, just let me know!",
      ),
    ],
    { goal: ["Please find out why the gates close at noon."], nextSteps: [expect.stringContaining("left open")] },
  );
});
