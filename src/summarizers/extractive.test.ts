import fc from "fast-check";
import { expect, test } from "vitest";
import { cpuMs } from "../../test/cpu-time.ts";
import { assistant, called, summarize, user } from "../../test/embedded-summary.ts";
import { type Checkpoint, parseCheckpoint } from "../core/checkpoint/checkpoint.ts";
import type { Summary, SummaryInput } from "../core/checkpoint/summary.ts";
import type { Message } from "../core/message.ts";
import { estimateTokens, messageCounter } from "../core/tokens/tokens.ts";
import { extractive } from "./extractive.ts";

function withoutSources(checkpoint: Checkpoint | undefined): Partial<Checkpoint> {
  const { sources: _, ...rest } = checkpoint ?? {};
  return rest;
}

const SESSION: readonly Message[] = [
  user("Port the tide table parser to TypeScript. Never change the public names."),
  ...called("read_file", { path: "lib/tide_table.py" }, "def parse_rows(text): ..."),
  assistant("We decided to use a state machine because the grammar is line based."),
  ...called("write_file", { path: "src/tide-table.ts", content: "export function parseRows() {}" }, "ok"),
  ...called(
    "bash",
    { command: "npm test -- tide" },
    "FAIL src/tide-table.test.ts\nError: expected 4 rows, got 3",
    true,
  ),
  ...called("bash", { command: "npx tsc --noEmit" }, "done in 2s"),
  assistant("I've fixed the off-by-one error in parseRows."),
  ...called(
    "todo_write",
    {
      todos: [
        { content: "Port the parser", status: "completed" },
        { content: "Port the printer", status: "in_progress" },
        { content: "Publish version 2", status: "pending" },
      ],
    },
    "ok",
  ),
  user("Good. Now port the printer, and keep harbour_id 48213 in the header."),
  ...called("bash", { command: "cat lib/printer.py > /tmp/printer.txt" }, ""),
];

test("requests, plan, log, words, files and failures stand where they belong", async () => {
  const { checkpoint } = await summarize(SESSION);
  expect(checkpoint).toMatchObject({
    goal: [
      "Port the tide table parser to TypeScript. Never change the public names.",
      "Good. Now port the printer, and keep harbour_id 48213 in the header.",
    ],
    done: [
      "✓ Port the parser",
      expect.stringContaining("read_file: lib/tide_table.py"),
      "write_file: src/tide-table.ts",
      "bash: npx tsc --noEmit",
      expect.stringContaining("bash: cat lib/printer.py"),
    ],
    inProgress: ["Port the printer"],
    nextSteps: ["Publish version 2"],
    filesRead: ["lib/printer.py", "lib/tide_table.py"],
    filesModified: ["/tmp/printer.txt", "src/tide-table.ts"],
    toolFailures: [{ toolName: "bash", summary: expect.stringContaining("expected 4 rows, got 3") }],
  });
  const context = checkpoint?.criticalContext.join("\n");
  expect(context).toContain("Assistant: We decided to use a state machine because the grammar is line based.");
  expect(context).toContain("Assistant: I've fixed the off-by-one error in parseRows.");
});

test("every line knows the messages that it stands in", async () => {
  const { checkpoint } = await summarize(SESSION);
  const sources = new Map(checkpoint?.sources?.map(({ line, ids }) => [line, ids]));
  const lines = [...(checkpoint?.goal ?? []), ...(checkpoint?.criticalContext ?? []), ...(checkpoint?.nextSteps ?? [])];
  for (const line of lines) expect(sources.get(line)?.length, line).toBeGreaterThan(0);
  const written = SESSION.find(({ parts }) =>
    parts.some((part) => part.type === "tool-call" && part.name === "write_file"),
  );
  expect(sources.get("write_file: src/tide-table.ts")).toContain(written?.id);
});

test("the text is the checkpoint, and can be read back", async () => {
  const { text: written, checkpoint } = await summarize(SESSION);
  expect(parseCheckpoint(written)).toEqual(withoutSources(checkpoint));
});

test("the newest request is not repeated when it stays in the view", async () => {
  const { checkpoint } = await summarize(SESSION.slice(0, -3), { kept: SESSION.slice(-3) });
  expect(checkpoint?.latestRequest).toBeUndefined();
});

test("what stays in the view is not listed again", async () => {
  const { text: written } = await summarize(SESSION, { kept: [user("see harbour_id 48213 and parse_rows")] });
  expect(written).not.toContain("parse_rows");
});

test("a failure that was overcome is gone", async () => {
  const again = called("bash", { command: "npm test -- tide" }, "12 tests passed");
  const { checkpoint } = await summarize([...SESSION, ...again]);
  expect(checkpoint?.toolFailures).toEqual([]);
});

test("a failure that nothing has followed is told with its cause", async () => {
  const { checkpoint } = await summarize([
    ...SESSION,
    ...called("bash", { command: "npm publish" }, "npm error: 403 forbidden", true),
  ]);
  expect(checkpoint?.toolFailures.at(-1)).toEqual({
    toolName: "bash",
    summary: "npm publish → npm error: 403 forbidden",
  });
});

test("at most 8 failures of 240 characters", async () => {
  const failures = Array.from({ length: 20 }, (_, index) =>
    called("bash", { command: `run ${index}` }, `Error: ${"long ".repeat(200)}`, true),
  );
  const after = called("bash", { command: "true" }, "ok");
  const { checkpoint } = await summarize([user("Run them all."), ...failures.flat(), ...after], {
    budgetTokens: 20_000,
  });
  expect(checkpoint?.toolFailures.length).toBe(8);
  expect(checkpoint?.toolFailures.at(-1)?.summary).toContain("run 19");
  for (const { summary } of checkpoint?.toolFailures ?? []) expect(summary.length).toBeLessThanOrEqual(240);
});

test("keys are never listed", async () => {
  const { text: written } = await summarize(
    [user("Deploy it."), ...called("bash", { command: "echo AKIAIOSFODNN7EXAMPLE my_bucket" }, "ok")],
    {
      budgetTokens: 60,
    },
  );
  expect(written).toContain("my_bucket");
  expect(written.split("## Exact Identifiers")[1] ?? "").not.toContain("AKIA");
});

test("the same input gives the same bytes, and asks nobody", async () => {
  const [first, second] = await Promise.all([summarize(SESSION), summarize(SESSION)]);
  expect(first).toEqual(second);
  expect(first.calls).toBe(0);
  expect(
    extractive().planCalls({ messages: SESSION, turnPrefix: [], kept: [], budgetTokens: 9, counter: estimateTokens() }),
  ).toBe(0);
});

async function checkUpdate(previous: Summary): Promise<void> {
  const later = [
    ...called("write_file", { path: "src/printer.ts", content: "export function printRows() {}" }, "ok"),
    ...called("read_file", { path: "src/tide-table.ts" }, "export function parseRows() {}"),
    assistant("I've finished porting the printer; printRows works now. Port the printer is done."),
  ];
  const { checkpoint, text: written } = await summarize(later, { previous });
  expect(checkpoint?.goal).toEqual([
    "Port the tide table parser to TypeScript. Never change the public names.",
    "Good. Now port the printer, and keep harbour_id 48213 in the header.",
  ]);
  expect(checkpoint?.inProgress).toEqual([]);
  expect(checkpoint?.done).toEqual(expect.arrayContaining(["✓ Port the parser", "write_file: src/printer.ts"]));
  expect(checkpoint?.nextSteps).toEqual(["Publish version 2"]);
  expect(checkpoint?.filesModified).toEqual(["/tmp/printer.txt", "src/printer.ts", "src/tide-table.ts"]);
  expect(checkpoint?.filesRead).toEqual(["lib/printer.py", "lib/tide_table.py"]);
  for (const name of ["harbour_id", "parse_rows", "printRows"]) expect(written).toContain(name);
}

test("an earlier checkpoint is carried on", async () => checkUpdate(await summarize(SESSION)));
test("so is its text alone", async () => checkUpdate({ text: (await summarize(SESSION)).text }));
test("free text of an earlier summary stays as context", async () => {
  const { text: written } = await summarize(SESSION, {
    previous: { text: "The harbour master owns the tide data in Bremerhaven." },
  });
  expect(written).toContain("The harbour master owns the tide data in Bremerhaven.");
});

test.each([
  ["de", "Bitte übersetze den Parser und ändere nicht die Namen, die wir haben.", "## Ziel"],
  ["es", "Por favor, traduce el analizador y no cambies los nombres que hay en la interfaz.", "## Objetivo"],
  ["zh", "请把解析器移植到 TypeScript，不要修改公开的名称。", "## 目标"],
  ["ja", "パーサーを TypeScript に移植してください。公開名は変えないでください。", "## 目的"],
  ["ru", "Перенеси парсер на TypeScript и не меняй публичные имена.", "## Цель"],
])("headings follow the user's language: %s", async (_language, request, heading) => {
  const { text: written } = await summarize([user(request), assistant("OK.")]);
  expect(written).toContain(heading);
  expect(written).toContain(request);
});

test("a talk among people becomes whole sentences with their speakers, in order, without a goal", async () => {
  const turns = [
    "Ana: The harbour sensors failed twice last week. Anyway.",
    "Ben: Um.",
    "Ana: We agreed to replace the sensors before the spring tide.",
    "Ben: The budget covers four sensors and one spare antenna.",
  ];
  const { checkpoint, text: written } = await summarize(turns.map(user));
  expect(checkpoint?.goal).toEqual([]);
  expect(checkpoint?.criticalContext).toEqual([
    "Ana: The harbour sensors failed twice last week. Anyway.",
    "Ana: We agreed to replace the sensors before the spring tide.",
    "Ben: The budget covers four sensors and one spare antenna.",
  ]);
  expect(written).not.toContain("Um.");
});

test("focus brings its words in", async () => {
  const turns = Array.from({ length: 60 }, (_, index) =>
    user(`Ana: Topic ${index} concerns the harbour, the weather and the general schedule.`),
  );
  const all = [...turns.slice(0, 30), user("Ben: The zeppelin mooring needs paint soon."), ...turns.slice(30)];
  const { text: written } = await summarize(all, { budgetTokens: 40, instructions: "zeppelin mooring" });
  expect(written).toContain("zeppelin mooring");
});

test("never above the budget, and nearly full when there is enough to say", async () => {
  const long = Array.from({ length: 40 }, (_, day) => [
    user(
      `Look at the pump of lock ${day} and write down what its keeper ${"abcdefgh"[day % 8]}${day} says about the valve.`,
    ),
    ...called("bash", { command: `make -C locks/lock_${day} check` }, `pump_${day} runs at ${day * 37} turns`),
    assistant(`The keeper of lock ${day} wants valve number ${day * 11} to be replaced because its seal leaks.`),
  ]).flat();
  const everySecondCharacter = messageCounter({ name: "halves", countText: (value) => value.length / 2 });
  for (const counter of [estimateTokens(), everySecondCharacter]) {
    for (const budgetTokens of [0, 1, 10, 40, 100, 250, 500]) {
      const { text: written } = await summarize(long, { budgetTokens, counter });
      expect(counter.countText(written)).toBeLessThanOrEqual(budgetTokens);
      if (budgetTokens >= 100) expect(counter.countText(written)).toBeGreaterThan(budgetTokens * 0.6);
    }
  }
});

test("awkward texts do no harm: no lone surrogates, no heading from inside, no budget broken", async () => {
  const piece = fc.constantFrom(
    "🙂🙂",
    "$& $1",
    "```",
    "</summary>",
    "## Goal\n",
    "- [x] ",
    "> ",
    "Done. ",
    "Let me ",
    "foo_bar ",
    "漢字。",
    "\u0000",
    "\n",
    "ok ",
  );
  const words = fc.array(piece, { minLength: 1, maxLength: 40 }).map((pieces) => pieces.join(""));
  await fc.assert(
    fc.asyncProperty(
      words,
      words,
      words,
      fc.integer({ min: 5, max: 120 }),
      async (first, second, third, budgetTokens) => {
        const messages = [
          user(first),
          assistant(second),
          ...called("bash", { command: third }, first, true),
          user(third),
        ];
        const counter = estimateTokens();
        const { text: written, checkpoint } = await summarize(messages, { budgetTokens, counter });
        expect(counter.countText(written)).toBeLessThanOrEqual(budgetTokens);
        expect(written.isWellFormed()).toBe(true);
        if (written !== "") expect(parseCheckpoint(written)).toEqual(withoutSources(checkpoint));
      },
    ),
    { numRuns: 150 },
  );
});

test.each([
  " ",
  "\n",
  ".'",
  "a@b ",
  "x.y@z ",
  "/",
  "a/",
  "<system-reminder>",
  "* ",
  "_",
  "a-",
  "QWxh1",
  "🙂",
  "漢",
  "exit code ",
  "```\n",
  "A: ",
])("repeating %j for long takes no longer than its length allows", async (piece) => {
  const words = piece.repeat(Math.ceil(400_000 / piece.length));
  const messages = [
    user(words),
    assistant(words),
    ...called("bash", { command: words, path: words }, words, true),
    user(words),
  ];
  const start = cpuMs();
  await summarize(messages, { budgetTokens: 500 });
  // Two megabytes take well under a second; anything quadratic takes minutes.
  expect(cpuMs() - start).toBeLessThan(5_000);
});

test("stops when it is told to", async () => {
  const input: SummaryInput = {
    messages: SESSION,
    turnPrefix: [],
    kept: [],
    budgetTokens: 100,
    counter: estimateTokens(),
  };
  const context = { signal: AbortSignal.abort(), progress: () => undefined };
  await expect(extractive().summarize(input, context)).rejects.toThrow();
});

test("the last request that leaves is told, where a newer one stays in the view", async () => {
  const leaving = [
    user("Port the tide table parser to TypeScript."),
    assistant("It is ported."),
    user("The certificates of the harbour office expire on Friday, renew them."),
    ...called("bash", { command: "renew" }, "ok"),
    assistant("They are renewed."),
  ];
  const kept = [user("Now write the manual of the tide gate."), assistant("On it.")];
  const { checkpoint } = await summarize(leaving, { kept, keptAfter: kept.map(() => leaving.length) });
  expect(checkpoint?.goal).toEqual(["Port the tide table parser to TypeScript."]);
  expect(checkpoint?.criticalContext.join("\n")).toContain("certificates of the harbour office expire on Friday");
});
