import { describe, expect, test } from "vitest";
import type { Checkpoint } from "../core/checkpoint/checkpoint.ts";
import { type Message, type Part, text } from "../core/message.ts";
import { estimateTokens } from "../core/tokens/tokens.ts";
import { extractive } from "./extractive.ts";
import { latestRequests } from "./guard-lines.ts";

/** Clients that join messages of one role send what a user says while tools run in the message that brings their results. */

let next = 0;
const message = (role: Message["role"], ...parts: Part[]): Message => ({ id: `m${next++}`, role, parts });
const user = (words: string): Message => message("user", text(words));

/** A call and its result, with what stands beside that. */
function ran(command: string, output: string, ...beside: readonly string[]): readonly Message[] {
  const callId = `c${next++}`;
  return [
    message("assistant", { type: "tool-call", callId, name: "bash", input: { command } }),
    message("user", { type: "tool-result", callId, content: [text(output)], isError: false }, ...beside.map(text)),
  ];
}

const inputOf = (messages: readonly Message[], kept: readonly Message[] = [], userTools: readonly string[] = []) => ({
  messages,
  turnPrefix: [],
  kept,
  budgetTokens: 2_000,
  counter: estimateTokens(),
  userTools,
});

async function summaryOf(...given: Parameters<typeof inputOf>): Promise<Checkpoint> {
  const { checkpoint } = await extractive().summarize(inputOf(...given), {
    signal: new AbortController().signal,
    progress: () => undefined,
  });
  if (checkpoint === undefined) throw new Error("no checkpoint");
  return checkpoint;
}

const FIRST = "Paint the northern gate of the harbour in green.";
const NEWER = "Forget the gate. Write the tide table for the pilots to docs/tides.md.";
const STOPPED = "[Request interrupted by user for tool use]";

describe("what a user says beside results", () => {
  test("is the goal, as if it stood alone", async () => {
    const work = [...ran("ls docs", "pilots.md"), ...ran("cat docs/pilots.md", "Four pilots.")];
    const beside = await summaryOf([user(FIRST), ...ran("mix green", "stopped", STOPPED, NEWER), ...work]);
    const alone = await summaryOf([user(FIRST), ...ran("mix green", "stopped", STOPPED), user(NEWER), ...work]);
    expect(beside.goal.at(-1)).toBe(NEWER);
    expect(beside.goal).toEqual(alone.goal);
    expect(beside.nextSteps).toEqual(alone.nextSteps);
  });

  test("is no longer the goal once something newer was asked", async () => {
    const { goal } = await summaryOf([user(FIRST), ...ran("mix green", "ok", NEWER), user("Repair the old crane.")]);
    expect(goal.at(-1)).toBe("Repair the old crane.");
  });

  test("is asked in the view where it stays there", async () => {
    const kept = [...ran("mix green", "stopped", NEWER), ...ran("ls docs", "pilots.md")];
    const { goal } = await summaryOf([user(FIRST), ...ran("look", "ok")], kept);
    expect(goal).toEqual((await summaryOf([user(FIRST), ...ran("look", "ok")], [user(NEWER), ...kept.slice(2)])).goal);
  });

  test("is what a model's summary has to quote", () => {
    const messages = [user(FIRST), ...ran("mix green", "stopped", STOPPED, NEWER), ...ran("ls docs", "pilots.md")];
    expect(latestRequests(inputOf(messages)).at(-1)).toBe(NEWER);
    expect(latestRequests(inputOf([user(FIRST)], messages.slice(1))).at(-1)).toBe(NEWER);
  });

  test("is nobody's where a client adds it to every result", async () => {
    const notes = [9, 8, 7].flatMap((left) =>
      ran(`mix ${left}`, "ok", `Remember to write to docs. ${left} calls left.`),
    );
    expect((await summaryOf([user(FIRST), ...notes])).goal).toEqual([FIRST]);
    expect(latestRequests(inputOf([user(FIRST), ...notes]))).toEqual([FIRST]);
  });
});

test("that the user stopped the work is told, whichever message says so", async () => {
  const alone = await summaryOf([user(FIRST), ...ran("mix green", "half"), user(STOPPED)]);
  const beside = await summaryOf([user(FIRST), ...ran("mix green", "half", STOPPED)]);
  expect(alone.blocked).toEqual([STOPPED]);
  expect(beside.blocked).toEqual([STOPPED]);
});

describe("the result of a tool", () => {
  const refusal = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n";
  const words = "Use the blue paint of the tower for the gate instead.";
  const work = [...ran("ls docs", "pilots.md"), ...ran("cat docs/pilots.md", "Four pilots.")];

  test("is nobody's request, whatever it says of the user", async () => {
    const messages = [user(FIRST), ...ran("mix green", `${refusal}${words}`), ...work];
    expect((await summaryOf(messages)).goal).toEqual([FIRST]);
    expect(latestRequests(inputOf(messages))).toEqual([FIRST]);
  });

  test("is the newest request where the host declares the tool to be the user's voice, leaving or kept", async () => {
    const asked = ran("Which paint?", NEWER);
    const declared = ["bas*"];
    const leaving = await summaryOf([user(FIRST), ...asked, message("assistant", text("I will."))], [], declared);
    const alone = await summaryOf([user(FIRST), user(NEWER), message("assistant", text("I will."))]);
    expect(leaving.goal).toEqual(alone.goal);
    expect(leaving.goal.at(-1)).toBe(NEWER);
    expect(latestRequests(inputOf([user(FIRST), ...asked], [], declared)).at(-1)).toBe(NEWER);
    expect(latestRequests(inputOf([user(FIRST)], asked, declared)).at(-1)).toBe(NEWER);
    expect((await summaryOf([user(FIRST), ...asked], [], ["other"])).goal).toEqual([FIRST]);
  });
});

test("what a client passes on in a reminder is the user's word", () => {
  const queued = `<system-reminder>\nThe user sent the following message:\n${NEWER}\n\nPlease address this message.\n</system-reminder>`;
  const messages = [user(FIRST), ...ran("mix green", "ok", queued), ...ran("ls docs", "pilots.md")];
  expect(latestRequests(inputOf(messages)).at(-1)).toBe(NEWER);
});
