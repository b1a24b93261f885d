import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../core/json.ts";
import { type Message, type Part, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";

let next = 0;
const message = (role: Message["role"], ...parts: Part[]): Message => ({ id: `m${next++}`, role, parts });
const user = (words: string): Message => message("user", text(words));
const assistant = (words: string): Message => message("assistant", text(words));

function ran(command: string, output: string, isError = false): readonly Message[] {
  const callId = `c${next++}`;
  return [
    message("assistant", { type: "tool-call", callId, name: "bash", input: { command } }),
    message("user", { type: "tool-result", callId, content: [text(output)], isError }),
  ];
}

async function check(messages: readonly Message[], expected: readonly string[]): Promise<void> {
  const { checkpoint } = await extractive().summarize(
    { messages, turnPrefix: [], kept: [], budgetTokens: 2_000, counter: estimateTokens() },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  expect(checkpoint?.nextSteps).toEqual(expected);
}

const said = (words: string): Message =>
  message("assistant", text(words), { type: "tool-call", callId: "open", name: "look", input: {} });
const LIST =
  "Please renovate the ferry:\n1. Replace the rusty anchor chain\n2. Repaint the passenger deck\n3. Test the fog horn";

describe("parts of the request", () => {
  test("those behind the last that was done", () =>
    check(
      [user(LIST), ...ran("ls", "chain"), said("I've replaced the rusty anchor chain.")],
      ["Repaint the passenger deck", "Test the fog horn"],
    ));

  test("clauses joined by then", () =>
    check(
      [
        user("Please replace the rusty anchor chain, then repaint the passenger deck and finally test the fog horn."),
        ...ran("ls", "chain"),
        said("I've replaced the rusty anchor chain."),
      ],
      ["repaint the passenger deck", "test the fog horn."],
    ));

  test("no aspects that are looked at together", () =>
    check(
      [
        user("Please look at the ferry. Focus on:\n1. The rusty anchor chain\n2. The passenger deck\n3. The fog horn"),
        ...ran("ls", "chain"),
        said("I've replaced the rusty anchor chain."),
      ],
      ["go on from: look"],
    ));

  test("where nothing tells how far the work is, none", () =>
    check(
      [user("Please replace the rusty anchor chain, then repaint the passenger deck."), ...ran("ls", "chain")],
      ["go on from: bash: ls"],
    ));

  test.each([
    [
      "Bitte ersetze die rostige Ankerkette, dann streiche das Passagierdeck.",
      "Ich habe die rostige Ankerkette ersetzt.",
      "streiche das Passagierdeck.",
    ],
    [
      "Por favor, reemplaza la cadena oxidada del ancla, luego pinta la cubierta de pasajeros.",
      "He reemplazado la cadena oxidada del ancla.",
      "pinta la cubierta de pasajeros.",
    ],
    ["请更换生锈的锚链，然后重新粉刷乘客甲板。", "我已经更换了生锈的锚链，完成了。", "重新粉刷乘客甲板。"],
  ])("in its own language: %s", (request, done, expected) =>
    check([user(request), ...ran("ls", "chain"), said(done)], [expected]),
  );
});

describe("the plan of the assistant", () => {
  const plan = (items: string): Message => said(`The ferry needs work. I'll do it in this order:\n${items}`);
  const ITEMS = "1. Replace the rusty anchor chain\n2. Repaint the passenger deck\n3. **Test the fog horn**";
  const asked = user("Please get the ferry ready.");

  test("what it has not come to", () =>
    check(
      [asked, plan(ITEMS), ...ran("ls", "chain"), said("Now let me repaint the passenger deck.")],
      ["Test the fog horn"],
    ));
  test("under headings", () =>
    check(
      [
        asked,
        plan("### Part 1: The rusty anchor chain\nIt goes.\n### Part 2: The passenger deck\nIt is grey."),
        ...ran("ls", "chain"),
        said("I've replaced the rusty anchor chain."),
      ],
      ["The passenger deck"],
    ));
  test("is void once the user wants something else", () =>
    check(
      [asked, plan(ITEMS), ...ran("ls", "chain"), user("Please sell the ferry."), ...ran("cat deed", "x")],
      ["go on from: bash: cat deed"],
    ));
  test("is left behind once much else was done since", async () => {
    const reached = said("Now let me repaint the passenger deck.");
    const others = (count: number): readonly Message[] =>
      Array.from({ length: count }, (_, at) => said(`Now let me add lamp ${at} to the quay.`));
    await check([asked, plan(ITEMS), ...ran("ls", "x"), reached, ...others(4)], ["Test the fog horn"]);
    await check([asked, plan(ITEMS), ...ran("ls", "x"), reached, ...others(8)], ["go on from: look"]);
    const committed = [asked, plan(ITEMS), ...ran("ls", "x"), reached, said("All green. Commit it:")];
    await check([...committed, ...others(1)], ["go on from: look"]);
    await check([...committed, said("Now let me repaint the passenger deck again.")], ["Test the fog horn"]);
  });
  test("where nothing tells how far it is, the newest call is what to go on from", () =>
    check([asked, plan(ITEMS), ...ran("ls", "chain"), said("The weather is fine.")], ["go on from: look"]));
  test("a report is none, nor are ways to choose from", () => {
    const report = "I've done three steps:\n1. Replaced the rusty anchor chain\n2. Repainted the passenger deck";
    const ways = "Which of these three steps?\n1. Replace the rusty anchor chain\n2. Repaint the passenger deck";
    return Promise.all(
      [report, ways].map((words) => check([asked, ...ran("ls", "chain"), said(words)], ["go on from: look"])),
    );
  });
});

describe("the check that just failed", () => {
  const failing = [user("Please mend the ferry timetable."), ...ran("npm test -- timetable", "Error: 3 failed", true)];

  test("is what to fix, without its message, which stands elsewhere", () =>
    check(failing, ["fix: npm test -- timetable"]));
  test("is no step once something else worked", () =>
    check([...failing, ...ran("npm test -- timetable", "9 passed")], ["go on from: bash: npm test -- timetable"]));
  test("any other call that failed is to be overcome, a search that found nothing only to be gone on from", async () => {
    const asked = user("Please mend the ferry timetable.");
    await check(
      [asked, ...ran("curl harbour", "Error: no route", true)],
      ["overcome the failure of: bash: curl harbour"],
    );
    await check([asked, ...ran("grep -r fog .", "exit code 1", true)], ["go on from: bash: grep -r fog ."]);
  });
  test("is told in the language of the conversation", () =>
    check(
      [user("Bitte repariere den Fahrplan der Fähre."), ...ran("npm test", "Error: 3 failed", true)],
      ["beheben: npm test"],
    ));
});

describe("the newest call", () => {
  const asked = user("Please mend the ferry timetable.");
  const called = (name: string, input: JsonObject, output?: string): readonly Message[] => {
    const callId = `c${next++}`;
    const call = message("assistant", { type: "tool-call", callId, name, input });
    if (output === undefined) return [call];
    return [call, message("user", { type: "tool-result", callId, content: [text(output)], isError: false })];
  };
  const edit: JsonObject = { search: "sails at noon", replace: "sails at one", target_file: "tables/ferry.csv" };

  test("that changed a file names the file, not what was searched for", async () => {
    await check([asked, ...called("edit_file", edit, "ok")], ["changed, still to be checked: tables/ferry.csv"]);
    await check([asked, ...called("edit_file", edit)], ["go on from: edit_file: tables/ferry.csv"]);
  });
  test("is told with the end of a long path", async () => {
    const folders = "harbours/".repeat(14);
    await check(
      [asked, ...called("read_file", { path: `/${folders}tables/ferry.csv` }, "12 lines")],
      ["go on from: read_file: …/tables/ferry.csv"],
    );
    await check(
      [asked, ...called("read_file", { path: "/tables/ferry.csv" }, "12 lines")],
      ["go on from: read_file: /tables/ferry.csv"],
    );
  });
  test("of a tool that calls others names the other, and a failed one with the end of its path", async () => {
    const inner = {
      tool_name: "edit_table",
      params: { path: "/harbour/ferries/of/the/northern/line/tables/ferry.csv" },
    };
    await check(
      [asked, ...called("execute", inner)],
      ["go on from: execute: edit_table /harbour/ferries/of/the/northern/line/tables/ferry.csv"],
    );
    await check(
      [asked, ...called("execute", inner, "Error: the table is locked")],
      ["overcome the failure of: execute: edit_table …/tables/ferry.csv"],
    );
    await check([asked, ...called("execute", inner, "ok")], [`changed, still to be checked: ${inner.params.path}`]);
  });
  test("is one that says beside its arguments how far the work is", async () => {
    const progress = { path: "tables/ferry.csv", task_progress: "- [x] Find the table" };
    await check([asked, ...called("read_file", progress, "12 lines")], ["go on from: read_file: tables/ferry.csv"]);
  });
  test("is no to-do list and no thought", () =>
    check(
      [
        asked,
        ...ran("ls", "x"),
        ...called("think", { thought: "Two tables?" }, "ok"),
        ...called("todo_write", { todos: [{ content: "Find the table", status: "completed" }] }, "ok"),
      ],
      ["go on from: bash: ls"],
    ));
});

test("the goal is never said again: the work goes on from its newest call", () =>
  check([user("Please mend the ferry timetable."), ...ran("ls", "timetable.csv")], ["go on from: bash: ls"]));

const UNANSWERED = "The newest request is still unanswered: take it up.";
const ANSWERED = "The newest request was answered. Nothing is left open: wait for the user.";

test("a new request has no call to go on from", () =>
  check(
    [user("Please mend the ferry timetable."), ...ran("ls", "x"), user("Please mend the timetable of the ferry.")],
    [UNANSWERED],
  ));

test("a command in words is a call, until the user asks for something else", async () => {
  const written = [
    user("Please mend the ferry timetable."),
    assistant("The table is in that folder.\n\n```\nopen tables/ferry.csv\n```"),
    user("OBSERVATION:\n12 lines"),
  ];
  await check(written, ["go on from: open: tables/ferry.csv"]);
  await check([...written, user("Please mend the timetable of the ferry.")], [UNANSWERED]);
  // An example is no command where nothing ever answered one.
  await check(written.slice(0, 2), [ANSWERED]);
});

test("a call in markup is one, and its output no end of a turn", async () => {
  const asked = user("Please mend the ferry timetable.");
  const output = user("EXECUTION RESULT of [viewer]:\n12 lines");
  const markup =
    "<function=viewer>\n<parameter=command>view</parameter>\n<parameter=path>tables/ferry.csv</parameter>\n</function>";
  await check([asked, assistant(`I see the table.\n${markup}`), output], ["go on from: viewer: tables/ferry.csv"]);
  await check([asked, assistant("I see the table."), output], [UNANSWERED]);
});

test("a request that the goal does not say is to be taken up, until something was called for it", async () => {
  const asked = [user("Please mend the ferry timetable."), ...ran("ls", "x"), assistant("There are two. Both?")];
  await check([...asked, user("The old one is wrong.")], ["take up: The old one is wrong."]);
  await check([...asked, user("No, the old one."), ...ran("cat old", "x")], ["go on from: bash: cat old"]);
});

test("an assent is taken up with what it answers, or the work goes on where it was", async () => {
  const working = [user("Please mend the ferry timetable."), ...ran("draw table", "drawn")];
  const note = user("[Request interrupted by user for tool use]");
  await check([...working, user("continue")], ["go on from: bash: draw table"]);
  const asked = [...working, assistant("It is mended. Shall I print it as well?")];
  await check([...asked, user("yes")], ["take up: yes — Shall I print it as well?"]);
  await check([...asked, note, user("yes"), ...ran("print", "ok")], ["go on from: bash: print"]);
  await check([...working, assistant("It is mended."), user("ok")], [UNANSWERED]);
  await check([...working, user("Print the other one.")], ["take up: Print the other one."]);
});

test("where the user stopped the work, they are waited for until they say more", async () => {
  const working = [user("Please mend the ferry timetable."), ...ran("draw table", "drawn")];
  const stopped = "Wait for the user. The work was stopped by hand.";
  const goOn = "go on from: bash: draw table";
  const command = user("<local-command-stdout>Reconnected.</local-command-stdout>");
  for (const words of ["[Request interrupted by user]", "<turn_aborted>\nStopped by hand.\n</turn_aborted>"]) {
    const note = user(words);
    await check([...working, note], [stopped, goOn]);
    await check([...working, note, command], [stopped, goOn]);
    await check([...working, note, user("continue")], [goOn]);
    await check([...working, note, assistant("The timetable is mended.")], [ANSWERED]);
    await check([...working, note, ...ran("print", "ok")], ["go on from: bash: print"]);
    await check([...working, note, user("Print the other one.")], ["take up: Print the other one."]);
  }
  await check([...working, command], [goOn]);
});

test("a call that was not let run is nothing to overcome, whatever its result says of the user", async () => {
  const asked = user("Please mend the ferry timetable.");
  const refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
  const goOn = ["go on from: bash: draw table"];
  await check([asked, ...ran("draw table", refusal, true)], goOn);
  const failed = ran("draw table", "Error: the ink is dry", true);
  await check([asked, ...failed], ["overcome the failure of: bash: draw table"]);
  const because = `${refusal} The user gave this reason: the ink is dry.`;
  await check([asked, ...ran("draw table", because, true)], goOn);
  await check([asked, ...ran("draw table", refusal, true), ...ran("ls", "x")], ["go on from: bash: ls"]);
});

test("a longer reply that leans on an offer is taken up with it", async () => {
  const working = [user("Please mend the ferry timetable."), ...ran("draw table", "drawn")];
  const offer = "I can print the mended timetable on card for 40 crowns.";
  const asked = (question: string): readonly Message[] => [...working, assistant(`${offer} ${question}`)];
  const yes = "Yes, and have the first hundred of them sent to claire@harbour.example before Monday";
  await check([...asked("Is that okay?"), user(yes)], [`take up: ${yes} — ${offer}`]);
  const option = "Alright, let's go with the red card for this option please, the pilots see it better.";
  await check(
    [...asked("Would you like to proceed with this option?"), user(option)],
    [`take up: ${option} — ${offer}`],
  );
  // Something of its own, or nothing that was asked.
  const own = "Ok, now draw the map of the northern harbour in blue as well.";
  await check([...asked("Is that okay?"), user(own)], [`take up: ${own}`]);
  await check([...working, assistant(offer), user(option)], [UNANSWERED]);
});

test("what is going on has a call to go on from", () =>
  check([user("Please mend the ferry timetable."), said("Let me repaint the passenger deck.")], ["go on from: look"]));

test("who takes leave is waited for; all is done only where nothing is stuck", async () => {
  const asked = user("Please mend the ferry timetable.");
  const leave = user("Thanks, that was it!");
  await check(
    [asked, ...ran("ls", "x"), assistant("It is mended."), leave],
    ["Nothing is left open: wait for the user."],
  );
  const list = [{ content: "Wait for the port office", status: "blocked" }];
  const todo = message("assistant", { type: "tool-call", callId: "t", name: "todo_write", input: { todos: list } });
  await check([asked, todo, assistant("The port office sleeps."), leave], ["Wait for the user."]);
});

test("where nobody asked for anything, nothing is to come", () =>
  check([assistant("The harbour is calm."), assistant("The tide is low.")], []));
