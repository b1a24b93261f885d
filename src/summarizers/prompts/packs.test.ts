import { expect, test } from "vitest";
import { headingOf, SECTIONS } from "../../core/checkpoint/checkpoint.ts";
import { CHECKPOINT_LAYOUT, CHECKPOINT_SECTIONS } from "./checkpoint.ts";
import { firstPrompt, mergePrompt, promptPack, updatePrompt } from "./packs.ts";

const context = { maxTokens: 1_000, language: "German", focus: "the open questions" };
const taskOf = (name: "narrative" | "checkpoint" | "safeguard" | "minimal"): string => promptPack(name).task;

function check(text: string, ...words: readonly RegExp[]): void {
  for (const word of words) expect(text).toMatch(word);
}

test("narrative keeps what R123 lists and forbids raw output", () =>
  check(
    taskOf("narrative"),
    /asked for/,
    /criterion/,
    /decision.*why/s,
    /URLs/,
    /paths/,
    /identifiers/,
    /scores and rankings/,
    /where things stand/,
    /steps come next/,
    /Do not reproduce tool output/,
    /concise narrative/,
  ));

test("checkpoint demands the exact layout of R127, with blocked", () => {
  expect(CHECKPOINT_LAYOUT.match(/^#{2,3} .*$/gm)).toEqual(CHECKPOINT_SECTIONS);
  expect(CHECKPOINT_SECTIONS).toEqual(SECTIONS.slice(0, 9).map((section) => headingOf(section, "en")));
  check(
    taskOf("checkpoint"),
    /One or two sentences/,
    /- \[x\]/,
    /- \[ \]/,
    /- \*\*the decision\*\*/,
    /^1\. /m,
    /exact paths, error texts, names, endpoints/,
    /Do not continue the conversation/,
  );
});

test("safeguard and merge keep decisions, what is to be done, open questions, constraints", () => {
  const merge = mergePrompt(promptPack("minimal"), ["a", "b"], context).prompt;
  for (const text of [taskOf("safeguard"), merge])
    check(text, /decisions/i, /to be done/, /open questions/, /constraints/);
  check(merge, /single cohesive summary/, /## Part 1 of 2/, /## Part 2 of 2/);
});

test("minimal keeps key facts and decisions", () => check(taskOf("minimal"), /concisely/, /key facts/, /decisions/));

test("update has the six rules and both headings", () => {
  const { prompt } = updatePrompt(promptPack("checkpoint"), { previous: "OLD", transcript: "NEW" }, context);
  expect(prompt.match(/^[1-6]\. [A-Z].*$/gm)?.length).toBeGreaterThanOrEqual(6);
  check(
    prompt,
    /unless something newer supersedes/,
    /new progress, new decisions and new context/,
    /Move what has been finished/,
    /Rewrite the next steps/,
    /exact file paths, function names and error texts/,
    /Keep the layout/,
    /updated summary only/,
  );
  expect(prompt.indexOf("## Existing Summary")).toBeLessThan(prompt.indexOf("OLD"));
  expect(prompt.indexOf("OLD")).toBeLessThan(prompt.indexOf("## New Conversation"));
  expect(prompt.indexOf("## New Conversation")).toBeLessThan(prompt.indexOf("NEW"));
});

test("language, length and focus are asked for; the focus is data", () => {
  const { prompt, system } = firstPrompt(promptPack("narrative"), "text", context);
  check(prompt, /Write in German/, /at most 600 words/, /kind="focus">\nthe open questions\n<\/data-/);
  expect(system).not.toContain("the open questions");
  const { prompt: plain } = firstPrompt(promptPack("narrative"), "text", { maxTokens: 10 });
  check(plain, /the language that the user writes/);
  expect(plain).not.toContain("focus");
});

test("a custom pack brings its task and its headings", () => {
  const mine = promptPack({ name: "mine", version: "7", task: "List the $& risks.", sections: ["## Risks"] });
  expect(firstPrompt(mine, "text", context).prompt.startsWith("List the $& risks.")).toBe(true);
  expect(mine.sections).toEqual(["## Risks"]);
});

test("every pack has a version", () => {
  for (const name of ["narrative", "checkpoint", "safeguard", "minimal"] as const) {
    expect(promptPack(name).version).toMatch(/^\d+\/\d+\.\d+\.\d+$/);
  }
});
