import { expect, test } from "vitest";
import { assistant, called, message, summarize, user } from "../../test/embedded-summary.ts";
import type { Summary } from "../core/checkpoint/summary.ts";
import type { JsonObject } from "../core/json.ts";
import { type Message, text } from "../core/message.ts";
import { eventsOf } from "./extractive/events.ts";
import { isTelling } from "./extractive/identifiers.ts";
import { passagesOf } from "./extractive/text.ts";

/** What a reader sees: each line tells something, whatever tools and writers it came from. */

/** The Done lines of one call among others. */
async function told(name: string, input: JsonObject, output: JsonObject): Promise<readonly string[]> {
  const { checkpoint } = await summarize([
    user("Do it."),
    ...called(name, input, JSON.stringify(output)),
    user("Go on."),
  ]);
  return checkpoint?.done ?? [];
}

test.each([
  [
    "a query language behind one member",
    {
      request: { collection: "bookings", operation: "updateMany", args: { update: { $set: { state: "cancelled" } } } },
    },
    { status: "success", result: { matchedCount: 60, modifiedCount: 58 } },
    "updateMany: collection bookings, state cancelled → matchedCount 60, modifiedCount 58",
  ],
  [
    "operators below a field",
    { request: { collection: "bookings", operation: "deleteMany", args: { filter: { state: { $ne: "paid" } } } } },
    { deletedCount: 2 },
    "deleteMany: collection bookings, state $ne paid → deletedCount 2",
  ],
  [
    "stringified arguments",
    { name: "assign_issue", arguments: JSON.stringify({ key: "HARBOR-431", assignee: "mara" }) },
    { content: [{ type: "text", text: JSON.stringify({ id: 90_240, state: "open" }) }] },
    "assign_issue: key HARBOR-431, assignee mara → id 90240, state open",
  ],
  [
    "several values under one name",
    { action: "MOVE", params: { page_ids: ["pg_1", "pg_2"], to: "pg_9" } },
    { ok: true, data: { moved: 2 } },
    "MOVE: page_ids pg_1, pg_2, to pg_9 → moved 2",
  ],
  [
    "a result that says one thing twice",
    { action: "MOVE", params: { to: "pg_9" } },
    { message: "Moved 2 pages", data: { message: "Moved 2 pages" } },
    'MOVE: to pg_9 → message "Moved 2 pages"',
  ],
  [
    "a list of records",
    { action: "MOVE", params: { to: "pg_9" } },
    {
      ok: true,
      data: {
        results: [
          { id: 4, title: "Keys" },
          { id: 5, title: "Badge" },
        ],
      },
    },
    "MOVE: to pg_9 → results: 2 items: Keys, Badge",
  ],
  [
    "one statement of SQL",
    { sql: "grant select on berths to app_rw" },
    { rows: [], rowCount: null },
    "execute: grant select on berths to app_rw",
  ],
])("work through generic tools is told with object and outcome: %s", async (_kind, input, output, line) => {
  expect(await told("execute", input, output)).toContain(line);
});

test("names of a result's fields are not listed, their values are", async () => {
  const record = JSON.stringify({ creator_user_id: "keeper_of_lock", harvest_source: "berth_7_sensor" });
  const { checkpoint } = await summarize([user("Read it."), ...called("fetch", { q: "locks" }, record.slice(0, -1))], {
    budgetTokens: 70,
  });
  const names = [...(checkpoint?.identifiers ?? []), ...(checkpoint?.criticalContext ?? [])].join(" ");
  expect(names).toContain("keeper_of_lock");
  expect(checkpoint?.identifiers).not.toContain("creator_user_id");
});

const WORK = called("write_file", { path: "src/gate.ts", content: "export const gate = 1;" }, "ok");

async function contextOf(...messages: readonly Message[]): Promise<string> {
  const { checkpoint } = await summarize([user("Build the lock gate."), ...messages, ...WORK, user("Go on."), ...WORK]);
  return [
    ...(checkpoint?.criticalContext ?? []),
    ...(checkpoint?.toolFailures ?? []).map(({ summary }) => summary),
  ].join("\n");
}

test("a log among the user's words is told by its cause", async () => {
  const log = [
    "10:11:12 INFO gauge[7]: connecting",
    "10:11:14 ERROR gauge[7]: reconnect failed: EHOSTUNREACH",
    "    at Socket.connect (net.js:812:11)",
    "    at Gauge.reconnect (gauge.js:77:5)",
  ];
  const context = await contextOf(user(`The gauge at the quay fell silent:\n${log.join("\n")}\nPlease find out why.`));
  expect(context).toContain("The gauge at the quay fell silent:");
  expect(context).toContain("Please find out why.");
  expect(context).toContain("[Tool output: 10:11:14 ERROR gauge[7]: reconnect failed: EHOSTUNREACH]");
  expect(context).not.toContain("at Socket.connect");
});

test("words that go on in the next line are one sentence", () => {
  const wrapped = "The valve of chamber two leaks because its seal is worn, so it can\nonly be closed by hand.";
  const listed =
    "- Chamber one holds its level since the keeper changed the\n  seal\n- Chamber three holds its level too.";
  expect(passagesOf(`${wrapped}\n\n${listed}`).map(({ text: said }) => said)).toEqual([
    wrapped.replace("\n", " "),
    listed.replace(/\n +/, " ").replace("\n", " "),
  ]);
});

test("an item of a long list keeps what stands below it", () => {
  const flights = Array.from({ length: 9 }, (_, index) => [
    `${index + 1}. **Flight HAT${200 + index}**`,
    "   - leaves Denver at ten in the evening and needs two hours and a half",
    "   - reaches Houston",
  ]);
  expect(passagesOf(flights.flat().join("\n"))[4]?.text).toBe(
    "Flight HAT204 - leaves Denver at ten in the evening and needs two hours and a half - reaches Houston",
  );
});

test("headings and words between calls that tell nothing are left out, bold words stay without their marks", async () => {
  const context = await contextOf(
    assistant("**Step 4: Check the seals**\n\n**Chamber two** leaks at valve 17. The cause is a worn seal."),
    user("And now?"),
    message("assistant", text("I have the full picture now."), {
      type: "tool-call",
      callId: "look",
      name: "read_file",
      input: { path: "lib/seal.py" },
    }),
    message("user", { type: "tool-result", callId: "look", content: [text("worn")], isError: false }),
  );
  expect(context).toContain("Chamber two leaks at valve 17. The cause is a worn seal.");
  expect(context).not.toMatch(/Step 4|full picture/);
});

test("what must hold in the description of a task is no rule, what the user asks to be kept is one", async () => {
  const task = [
    "Write the page of the lock keeper.",
    "A keeper that is unknown must return status 404.",
    "The list shows only gates that are open.",
    "Never delete a gate.",
    "The page has a table.",
  ].join("\n");
  const { checkpoint } = await summarize([
    user("Build the lock gate."),
    ...WORK,
    user(task),
    ...WORK,
    user("From now on write metres, never feet."),
    ...WORK,
    user("What paints the gate? It should be darker, don't touch the palette, look into the paint."),
    ...WORK,
    user("Go on."),
  ]);
  expect(checkpoint?.constraints).toEqual(["Never delete a gate.", "From now on write metres, never feet."]);
  expect(checkpoint?.criticalContext.join("\n")).toContain("must return status 404");
});

test.each([
  ['cat > /tmp/fix.sed <<\'EOF\'\n# lines with "0," and then ");"\ns/a/b/\nEOF', "bash: cat > /tmp/fix.sed"],
  ["source lib/trace.sh && \\\nspotter_hex 16 && \\\nmake seal", "bash: spotter_hex 16 && make seal"],
  ["grep -n 'a -> b' src/gate.ts | sort", "bash: grep -n 'a -> b' src/gate.ts"],
  ["cd state && echo closed > gate.txt && ls", "bash: echo closed > gate.txt"],
])("a command is told by what it does: %j", async (command, line) => {
  const { checkpoint } = await summarize([user("Do it."), ...called("bash", { command }, ""), user("Go on.")]);
  expect(checkpoint?.done.join("\n")).toContain(line);
});

test("a search that found nothing did not fail, and a client's mark around an error is taken off", async () => {
  const { checkpoint } = await summarize([
    user("Do it."),
    ...called("bash", { command: "grep -rn seal src" }, "Command exited with code 1", true),
    ...called(
      "edit_file",
      { path: "src/gate.ts" },
      "<tool_use_error>File has not been read yet.</tool_use_error>",
      true,
    ),
    user("Go on."),
  ]);
  expect(checkpoint?.toolFailures).toEqual([
    { toolName: "edit_file", summary: "src/gate.ts → File has not been read yet." },
  ]);
});

test("what was only looked at is told in short, and a record's name once", async () => {
  const places = Array.from({ length: 20 }, (_, index) => `lib/lock/chamber_${index}.py`).join(" ");
  const rows = JSON.stringify([
    { name: "gate_north", keeper_id: "keeper_4711" },
    { name: "gate_south", keeper_id: "keeper_4712" },
  ]);
  const { checkpoint } = await summarize([
    user("Do it."),
    ...called("bash", { command: `grep -n seal ${places}` }, ""),
    ...called("list_gates", { lock: "quay" }, rows),
    ...WORK,
    user("Go on."),
  ]);
  for (const line of checkpoint?.done ?? []) expect(line.length).toBeLessThan(120);
  expect(checkpoint?.criticalContext.join("\n")).toContain("gate_north: keeper_id keeper_4711");
});

test("what the newest request answers is told whole", async () => {
  const offer = [
    "I can move your berths to the north quay:",
    "- Berths: B12, B14, B19",
    "- From: the first of May",
    "",
    "Please confirm that I shall do so.",
  ].join("\n");
  const talk = Array.from({ length: 30 }, (_, index) => [
    ...called("get_berth", { berth: `B${index}` }, JSON.stringify({ berth: `B${index}`, keeper: `keeper_${index}` })),
    assistant(`Berth B${index} belongs to keeper_${index}, whose boat needs ${index + 3} metres.`),
  ]).flat();
  const leaving = [user("Find my berths."), ...talk, assistant(offer)];
  const { checkpoint } = await summarize(leaving, { kept: [user("Yes, please.")], budgetTokens: 200 });
  expect(checkpoint?.criticalContext.join("\n")).toContain(
    "I can move your berths to the north quay: - Berths: B12, B14, B19 - From: the first of May Please confirm that I shall do so.",
  );
});

test("an error that lies in the packaging of a result is a failure", async () => {
  const output = JSON.stringify({ type: "tool", content: { status: "error", message: "The berth is taken." }, id: 4 });
  const { checkpoint } = await summarize([
    user("Do it."),
    ...called("book_berth", { berth: "B12" }, output),
    user("Go on."),
  ]);
  expect(checkpoint?.done).toEqual([]);
  expect(checkpoint?.toolFailures).toEqual([{ toolName: "book_berth", summary: "berth B12 → The berth is taken." }]);
});

test("a result that only repeats its call is not told", async () => {
  const { checkpoint } = await summarize([
    user("Do it."),
    ...called("edit_file", { path: "src/gate.ts" }, "Replaced 1 occurrence in src/gate.ts."),
    ...called("bash", { command: "make locks/quay" }, "locks/quay holds 17 gates"),
    user("Go on."),
  ]);
  expect(checkpoint?.done).toEqual(["edit_file: src/gate.ts", "bash: make locks/quay → locks/quay holds 17 gates"]);
  expect(checkpoint?.criticalContext.join("\n")).not.toContain("Replaced");
});

test("words in a message of their own before a call count as words between calls", async () => {
  const steps = Array.from({ length: 20 }, (_, at) => [
    assistant(`Opening gate ${at}.`),
    ...called("open_gate", { gate: at }, "ok"),
  ]);
  const { checkpoint } = await summarize([
    user("Open all gates."),
    ...steps.flat(),
    assistant("All 20 gates are open."),
    user("Go on."),
  ]);
  expect(checkpoint?.criticalContext).toContain("Assistant: All 20 gates are open.");
  expect(checkpoint?.criticalContext.length).toBeLessThan(4);
});

test("what was told once outlasts what was only looked at since, over many passes", async () => {
  let previous: Summary | undefined;
  const port = (pass: number): string => `service-${pass} listens on port ${20_000 + 37 * pass}`;
  for (let pass = 1; pass <= 8; pass++) {
    const reads = Array.from({ length: 30 }, (_, at) =>
      called("read_file", { path: `src/module-${30 * pass + at}.ts` }, `export const gate = ${at};`),
    );
    const messages = [user("Read every module."), ...reads.flat(), assistant(`Noted: ${port(pass)}.`), ...WORK];
    const { text, checkpoint } = await summarize(messages, {
      ...(previous !== undefined && { previous }),
      budgetTokens: 600,
    });
    previous = { text, ...(checkpoint !== undefined && { checkpoint }) };
  }
  for (let pass = 1; pass <= 8; pass++) expect(previous?.text).toContain(port(pass));
  expect(previous?.text).toMatch(/read_file: src\/module-/);
});

test.each([
  ["refused", "Your proposed edit has introduced new syntax error(s). Read them.\nERRORS:\n- E999 unexpected indent"],
  ["not applied", "The change was not applied: the file is locked."],
  ["a record that says nothing else", JSON.stringify({ isError: false, message: "Gate 'north' does not exist" })],
  ["an error that ends in a list", JSON.stringify({ isError: false, error: "Gate 'north' not found. Gates: []" })],
])("a change that was not made is a failure: %s", async (_name, output) => {
  const { checkpoint } = await summarize([
    user("Do it."),
    ...called("edit_gate", { gate: "north" }, output),
    user("Go on."),
  ]);
  expect(checkpoint?.done).toEqual([]);
  expect(checkpoint?.toolFailures).toHaveLength(1);
});

test("a result that begins by saying success is none, unless its flag says so", async () => {
  const output = "The file lock.sh has been updated. Its lines:\n  4  echo 'locked'\n  5  exit 1";
  const made = (isError: boolean) =>
    summarize([user("Do it."), ...called("edit", { path: "lock.sh" }, output, isError), user("Go on.")]);
  expect((await made(false)).checkpoint?.toolFailures).toEqual([]);
  expect((await made(true)).checkpoint?.toolFailures).toHaveLength(1);
});

test("of a trace the line that names what was thrown is told", async () => {
  const trace = [
    "Traceback (most recent call last):",
    '  File "gate.py", line 4, in open',
    "    raise last_exception",
    "LockError: berth B12 is taken",
  ].join("\n");
  const { checkpoint } = await summarize([user("Do it."), ...called("run_gate", {}, trace), user("Go on.")]);
  expect(checkpoint?.toolFailures[0]?.summary).toContain("LockError: berth B12 is taken");
});

test("outputs that follow each other carry no messages on from one to the next", () => {
  const outputs = Array.from({ length: 40 }, (_, index) => user(`OBSERVATION: gate ${index}`));
  const events = eventsOf([user("Do it."), assistant("Look.\n```\nls\n```"), ...outputs], {
    userTools: undefined,
    kept: new Set(),
    cut: new Set(),
  });
  const ids = events.filter(({ type }) => type === "call").map((event) => event.ids.length);
  expect(ids).toEqual([2, ...Array.from({ length: 39 }, () => 1)]);
});

/** More than a small budget holds, about something else. */
const TIPS = Array.from({ length: 30 }, (_, index) => `Never close gate ${index} while a boat is in the lock.`).join(
  "\n",
);

test("of a request that is told in part its beginning is told first, and no line of code", async () => {
  const request = [
    "We look for the leak of the north lock. The lock keeper named it Wet Harbor. The report says:",
    "12: gate = open(chamber)",
    "gate = open_gate(north, slowly)",
    "Water stands in chamber B12.",
    TIPS,
  ].join("\n");
  const { checkpoint } = await summarize([user(request), ...WORK, ...WORK], { budgetTokens: 200 });
  const goal = checkpoint?.goal.join("\n") ?? "";
  expect(goal).toMatch(
    /^We look for the leak of the north lock. The lock keeper named it Wet Harbor. The report says:/,
  );
  expect(goal).not.toContain("open");
});

test("a demonstration that comes before the task is not the task", async () => {
  const shown = `Here is a demonstration of how to do such a task.\n${TIPS}`;
  const { checkpoint } = await summarize([user(shown), user("Find the leak of the north lock."), ...WORK]);
  expect(checkpoint?.goal).toEqual(["Find the leak of the north lock."]);
});

test("records without a title are told by what identifies them, with what they cost", async () => {
  const berths = [
    { berth_number: "B12", price: 40, metres: 9 },
    { berth_number: "B14", price: 55, metres: 12 },
  ];
  expect(await told("book_berths", { keeper: "keeper_7" }, { berths })).toEqual([
    "book_berths: keeper keeper_7 → berths: 2 items: B12 (price 40), B14 (price 55)",
  ]);
});

test("what the user chose is told as it was answered", async () => {
  const { checkpoint } = await summarize([
    user("Do it."),
    ...called(
      "AskUserQuestion",
      { questions: [{ question: "Which lock?" }] },
      'Answered: "Which lock?"="The north one"',
    ),
    user("Go on."),
  ]);
  expect(checkpoint?.done).toEqual(['AskUserQuestion → Answered: "Which lock?"="The north one"']);
});

test("that work on a request has begun is told where the request stays behind the summary", async () => {
  const asked = user("Now paint the gate.");
  const inProgress = async (leaving: readonly Message[], keptAfter: number) =>
    (await summarize(leaving, { kept: [asked], keptAfter: [keptAfter] })).checkpoint?.inProgress;
  const before = [user("Build the lock gate."), ...WORK, assistant("The lock gate is built now.")];
  expect(await inProgress([...before, ...WORK], before.length)).toEqual(['User: "Now paint the gate."']);
  expect(await inProgress(before, before.length)).toEqual([]);
  expect(await inProgress([...before, ...WORK, assistant("The gate is painted.")], before.length)).toEqual([]);
  expect(await inProgress(WORK, 0)).toEqual([]);
});

test("words that share a slash, measures and ranges tell nothing alone, unless a call was given them", () => {
  const names = [
    "Gates/Locks",
    "Gates/Locks/Barges",
    "locks/quay",
    "64-bit",
    "512x512",
    "P0-P4",
    "02718281",
    "/09/09/all",
  ];
  for (const name of names) {
    expect(isTelling(name, new Set())).toBe(false);
    expect(isTelling(name, new Set([name]))).toBe(true);
  }
  for (const name of ["lib/gates.ts", "/lib/gates", "lib/lock/gates", "gate_4711", "HARBOR-431", "4711"])
    expect(isTelling(name, new Set())).toBe(true);
});

test("lines of code are no sentences", () => {
  const code = [
    "12: gate.open()",
    "gate = open(north)",
    "export class Gate {",
    "const gate: Gate;",
    "import gates",
    "gate()",
  ];
  const prose = ["let me see the gate", "12:30 is too late", "from now on use metres", "the gate (north) is open"];
  expect(passagesOf([...code, ...prose].join("\n\n")).map(({ text }) => text)).toEqual(prose);
});
