import { expect, test } from "vitest";
import { type Checkpoint, EMPTY_CHECKPOINT } from "../core/checkpoint/checkpoint.ts";
import type { JsonObject } from "../core/json.ts";
import { type Message, type Part, text } from "../core/message.ts";
import { estimateTokens } from "../core/tokens/tokens.ts";
import { extractive } from "./extractive.ts";

let next = 0;
const message = (role: Message["role"], ...parts: Part[]): Message => ({ id: `t${next++}`, role, parts });
const user = (words: string): Message => message("user", text(words));
const assistant = (words: string): Message => message("assistant", text(words));
/** What is said with a call, the call, and its result. */
function called(words: string, name: string, input: JsonObject, output: string): readonly Message[] {
  const callId = `c${next++}`;
  const call: Part = { type: "tool-call", callId, name, input };
  const said = words === "" ? [] : [text(words)];
  const result: Part = { type: "tool-result", callId, content: [text(output)], isError: false };
  return [message("assistant", ...said, call), message("user", result)];
}
const bash = (words: string, command: string, output: string) => called(words, "bash", { command }, output);
const edit = (words: string) => called(words, "edit_file", { file_path: "src/gate.ts", new_string: "x" }, "ok");

type Messages = readonly (Message | readonly Message[])[];

const summarize = (...messages: Messages): Promise<Checkpoint> => summarizeKeeping([], ...messages);

async function summarizeKeeping(kept: readonly Message[], ...messages: Messages): Promise<Checkpoint> {
  const given = { messages: messages.flat(), turnPrefix: [], kept, budgetTokens: 1_500, counter: estimateTokens() };
  const input = { ...given, userTools: ["AskUser*"] };
  const context = { signal: new AbortController().signal, progress: () => undefined };
  const { checkpoint = EMPTY_CHECKPOINT } = await extractive().summarize(input, context);
  return checkpoint;
}

const TASK = user("Port the tide gate to TypeScript.");
const PUMP = "I've ported the pump to the new harbour module.";
const GATE = "I've rewritten the tide gate as a state machine.";

test("what the user takes back was not done", async () => {
  const before = [TASK, assistant(PUMP), user("Now rewrite the tide gate."), assistant(GATE)];
  expect((await summarize(before, user("Now write the manual."), edit("On it."))).done).toEqual([PUMP, GATE]);
  const after = await summarize(before, user("i undid your changes, try again"), user("continue"), edit("On it."));
  expect(after.done).toEqual([PUMP]);
});

test("what the user takes back, or answers with a way of their own, is no decision", async () => {
  const rope = { decision: "I'll use a rope", reason: "because the chain rusts." };
  const before = [TASK, ...edit("I'll use a rope because the chain rusts."), assistant("The gate hangs now.")];
  expect((await summarize(before, user("Now write the manual."), edit("On it."))).decisions).toEqual([rope]);
  expect((await summarize(before, user("i undid your changes, try again"), edit("On it."))).decisions).toEqual([]);
  const proposed = [TASK, assistant("I'll use a rope because the chain rusts.")];
  expect((await summarize(proposed, user("ok, I think it looks good"), edit("On it."))).decisions).toEqual([rope]);
  const other = "well, I think it should be a belt";
  expect((await summarize(proposed, user(other), edit("On it."))).decisions).toEqual([{ decision: other }]);
  const turn = [
    TASK,
    ...edit("I'll use a bell because it is loud."),
    ...edit("I'll use a rope because the chain rusts."),
  ];
  const bell = { decision: "I'll use a bell", reason: "because it is loud." };
  const after = await summarize(turn, assistant("The gate hangs now."), user(other), edit("On it."));
  expect(after.decisions).toEqual([bell, { decision: other }]);
});

const WRONG = "The issue is that the gate opens before the pump has stopped.";

test("a finding stands until an edit and a check have followed", async () => {
  const found = [TASK, ...bash(WRONG, "cat gate.log", "open")];
  const stands = async (...rest: readonly (readonly Message[])[]): Promise<boolean> =>
    JSON.stringify(await summarize(found, ...rest)).includes(WRONG);
  expect(await stands(edit("Mending it."))).toBe(true);
  expect(await stands(bash("", "npm test", "12 tests passed"))).toBe(true);
  expect(await stands(edit("Mending it."), bash("", "npm test", "3 failed, 9 tests passed"))).toBe(true);
  expect(await stands(edit("Mending it."), bash("", "npm test", "12 tests passed"))).toBe(false);
});

test("only the newest message tells what is going on", async () => {
  const announced = bash("Let me rewrite the gate's manual first.", "cat manual.md", "Gate, 1st edition");
  expect((await summarize(TASK, announced)).inProgress).toEqual(["Rewrite the gate's manual first."]);
  expect((await summarize(TASK, announced, edit("The manual names two gates."))).inProgress).toEqual([]);
});

test("what was announced is open until its calls have done it", async () => {
  const openAfter = async (...messages: readonly (Message | readonly Message[])[]): Promise<readonly string[]> =>
    (await summarize(TASK, ...messages)).inProgress;
  const widen = "Let me widen the northern gate.";
  const widened = ["Widen the northern gate."];
  expect(await openAfter(edit(widen))).toEqual([]);
  expect(await openAfter(edit(widen), bash("", "npm run gate", "ok"))).toEqual(widened);
  expect(await openAfter(called(widen, "read_file", { path: "gate.ts" }, "gate"))).toEqual(widened);
  expect(await openAfter(bash(widen, "npm run widen", "Error: the gate is stuck"))).toEqual(widened);
  for (const way of ["Let me try the other range.", "Let me use the northern wheel instead."]) {
    expect(await openAfter(bash(way, "npm run widen", "Error: the gate is stuck"))).toEqual([]);
    expect(await openAfter(bash(way, "npm run widen", "ok").slice(0, 1))).toHaveLength(1);
    expect(await openAfter(bash(way, "npm run widen", "[Request interrupted by user]"))).toHaveLength(1);
  }
  expect(await openAfter(edit(widen).slice(0, 1))).toEqual(widened);
  expect(await openAfter(called("Let me read the gate's plan.", "read_file", { path: "gate.ts" }, "gate"))).toEqual([]);
});

test("an agent that acts by what it writes is told by what its tools answer how it went", async () => {
  const acts = assistant("Let's widen the northern gate.\n```\nedit 4:5\nwide\nend_of_edit\n```");
  const state = "(Open file: /gate.py)\n(Current directory: /)\nbash-$ ";
  const went = await summarize(TASK, acts, user(`[File: /gate.py]\n4:wide\n${state}`));
  expect(went).toMatchObject({ inProgress: [], toolFailures: [], blocked: [] });
  const failed = await summarize(TASK, acts, user(`Your proposed edit has introduced new syntax error(s).\n${state}`));
  expect(failed.inProgress).toEqual(["Widen the northern gate."]);
  expect(failed.blocked).toEqual(["edit: 4:5 → Your proposed edit has introduced new syntax error(s)."]);
});

test("what succeeds later was overcome, however its output was shortened and its commit called", async () => {
  const failed = (command: string) => bash("", command, "Error: the gate is stuck");
  const failures = async (...messages: readonly (readonly Message[])[]): Promise<readonly string[]> =>
    (await summarize(TASK, ...messages, bash("", "npm run other", "ok"))).toolFailures.map(({ summary }) => summary);
  expect(await failures(failed("npm run gate | tail -20"))).toEqual([
    "npm run gate | tail -20 → Error: the gate is stuck",
  ]);
  expect(await failures(failed("npm run gate 2>&1 | tail -20"), bash("", "npm run gate | tail -5", "ok"))).toEqual([]);
  const commit = failed('git add . && git commit -m "Widen the gate"');
  expect(await failures(commit, bash("", 'git commit -m "Widen the northern gate"', "[main 1a2b3c4]"))).toEqual([]);
  expect((await failures(commit, bash("", "git push", "ok"))).length).toBe(1);
});

test("a newer decision about the same thing replaces the older", async () => {
  const { decisions } = await summarize(
    TASK,
    edit("I'll keep the tide colours in the old palette because it is small."),
    edit("I'll keep the tide colours in five tokens because the palette is too small."),
  );
  expect(decisions.map(({ decision }) => decision)).toEqual(["I'll keep the tide colours in five tokens"]);
});

test("what users answer through a tool that speaks for them is decided, in its place among what was said", async () => {
  const asked = called("", "AskUserQuestion", {}, 'User has answered: "Which gate comes first?"="The northern one".');
  const chosen = assistant("We decided to use two pumps because one may fail.");
  expect((await summarize(TASK, asked, chosen, edit("On it."))).decisions).toEqual([
    { decision: "User: The northern one", reason: "Which gate comes first?" },
    { decision: "We decided to use two pumps", reason: "because one may fail." },
  ]);
});

const FOREIGN = user(
  "This session is being continued from a previous conversation.\n## Goal\nPort the tide gate.\n\n## Constraints\n- Never push to main\n\n" +
    "## Completed Work\n- Ported the pump\n\n## Key Decisions\n- One gate stays open at night\n\n" +
    "## Pending Tasks\n- tide-6: test the gate\n- tide-60: open the gate by hand\n- tide-7: paint it\n- tide-8: oil it",
);

test("another tool's summary is carried on, and what it left pending ends", async () => {
  const checkpoint = await summarize(
    FOREIGN,
    bash("tide-60 is committed.", "npm run log", "tide"),
    bash("", "tracker close tide-7", "closed"),
    edit("Oiling takes a while."),
  );
  expect(checkpoint).toMatchObject({
    constraints: ["Never push to main"],
    done: expect.arrayContaining(["tide-60 is committed.", "Ported the pump"]),
    decisions: [{ decision: "One gate stays open at night" }],
    nextSteps: ["tide-6: test the gate", "tide-8: oil it"],
  });
});

test("what was taken up of it is going on, wherever the call for it stands", async () => {
  const claim = bash("", "tracker update tide-7 --status in_progress", "ok");
  const painted = ["changed, still to be checked: src/gate.ts"];
  const rest = ["tide-6: test the gate", "tide-60: open the gate by hand", "tide-8: oil it"];
  const taken = await summarize(FOREIGN, claim, edit("It is green by now."));
  expect(taken).toMatchObject({ inProgress: ["tide-7: paint it"], nextSteps: [...painted, ...rest] });
  // To look at it takes nothing up, and what is closed is over.
  const shown = await summarize(FOREIGN, bash("", "tracker show tide-7", "ok"), edit("It is green by now."));
  expect(shown).toMatchObject({
    inProgress: [],
    nextSteps: [...rest.slice(0, 2), "tide-7: paint it", "tide-8: oil it"],
  });
  const closes = bash("", "tracker close tide-7", "closed");
  const closed = await summarize(FOREIGN, claim, closes, edit("It is green by now."));
  expect(closed).toMatchObject({ inProgress: [], nextSteps: rest });
  expect(await summarizeKeeping(closes, FOREIGN, claim)).toMatchObject({ inProgress: [], nextSteps: rest });
});

test("what a user pasted from a program is nobody's word", async () => {
  const tells = async (pasted: string): Promise<boolean> => {
    const rest = [user("Now write the manual of the gate."), ...edit("Seen.")];
    const checkpoint = await summarize(TASK, edit("On it."), user(pasted), edit("I see."), rest);
    return checkpoint.criticalContext.some((line) => line.includes("lanterns"));
  };
  expect(await tells("The harbour master keeps seven lanterns in the tower.")).toBe(true);
  expect(await tells("[Command finished]\nThe harbour master keeps seven lanterns in the tower.")).toBe(false);
});

test("what follows a question is a request of its own unless it answers in few words or in the question's", async () => {
  const goalAfter = async (said: string): Promise<string | undefined> =>
    (
      await summarize(
        user("Please port the tide gate to the new pump."),
        edit("On it."),
        assistant("The gate is ported. Is the colour of the pump right now?"),
        user(said),
        edit("I see."),
      )
    ).goal.at(-1);
  const own = "hmm, the keeper's list needs to send its update on the next tick";
  expect(await goalAfter(own)).toBe(own);
  expect(await goalAfter("The colour needs to be a little darker, I guess, as it was in the old harbour office.")).toBe(
    "Please port the tide gate to the new pump.",
  );
});

test("a request of nothing but rules is not told again", async () => {
  const checkpoint = await summarize(
    user("Please port the tide gate to the new pump."),
    edit("On it."),
    user("Never touch the northern gate. Always use brass for the lamps."),
    edit("Understood."),
    user("Now write the manual of the tide gate."),
    edit("I begin."),
  );
  expect(checkpoint.constraints).toEqual(["Never touch the northern gate.", "Always use brass for the lamps."]);
  expect(checkpoint.criticalContext.join("\n")).not.toContain("northern gate");
});

test("a rule that is said again and again leaves room for the others", async () => {
  const again = Array.from({ length: 80 }, (_, turn) => [
    user("Never open both gates at once. Go on with the next lock."),
    ...bash("", `inspect lock ${turn}`, "dry"),
  ]).flat();
  const before = [TASK, ...edit("On it."), user("Always use brass for the lamps."), ...edit("Understood.")];
  const { constraints } = await summarize(before, again);
  expect(constraints.toSorted()).toEqual(["Always use brass for the lamps.", "Never open both gates at once."]);
});

test("what the user decided in one message is told in the order in which it was said", async () => {
  const first = "Let's use brass for the hinges because iron rusts.";
  const second = "We'll keep the old lock instead of a new one.";
  const { decisions } = await summarize(TASK, edit("On it."), user(`${first} ${second}`), edit("On it."));
  expect(decisions.map(({ decision }) => decision)).toEqual([
    expect.stringContaining("brass"),
    expect.stringContaining("old lock"),
  ]);
});
