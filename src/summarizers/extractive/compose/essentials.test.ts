import { describe, expect, test } from "vitest";
import { type Checkpoint, EMPTY_CHECKPOINT } from "../../../core/checkpoint/checkpoint.ts";
import { messageCounter } from "../../../core/tokens/tokens.ts";
import { type Essentials, essentials, HEADING_TOKENS, ITEM_TOKENS } from "./essentials.ts";

/** A token is a word. */
const counter = messageCounter({ name: "words", countText: (text) => text.split(/\s+/).filter(Boolean).length });
const quote = (text: string, charsMax: number): string => text.slice(0, charsMax);
const words = (name: string, count: number): string => Array.from({ length: count }, () => name).join(" ");

const DRAFT: Checkpoint = {
  ...EMPTY_CHECKPOINT,
  goal: ["Mend the lighthouse lamp."],
  inProgress: ["Fit the new lens."],
  nextSteps: ["Polish the mirror."],
  blocked: ["The glazier is ill."],
  decisions: [{ decision: "Use brass" }, { decision: "Keep the wick" }],
  done: ["Cleaned the stairs.", "Oiled the hinge."],
  constraints: [words("never", 20)],
};

function told(draft: Partial<Checkpoint>, budgetTokens: number, moreTokens?: number): Essentials["checkpoint"] {
  const first = essentials({ ...DRAFT, ...draft }, budgetTokens, { counter, quote });
  const last = moreTokens === undefined ? first : first.withMore(moreTokens);
  expect(last.usedTokens).toBeLessThanOrEqual(moreTokens === undefined ? budgetTokens : first.usedTokens + moreTokens);
  return last.checkpoint;
}

describe("the first item of every section comes before the second of any", () => {
  test("however short the budget is of what all items cost", () => {
    expect(told({ inProgress: ["Fit the new lens.", ...DRAFT.done, ...DRAFT.blocked] }, 66)).toMatchObject({
      goal: DRAFT.goal,
      inProgress: ["Fit the new lens."],
      nextSteps: DRAFT.nextSteps,
      blocked: DRAFT.blocked,
      decisions: [{ decision: "Use brass" }],
      done: ["Cleaned the stairs."],
    });
  });

  test("of decisions any that fits, however long the newest are", () => {
    const alone = { inProgress: [], nextSteps: [], blocked: [], done: [], constraints: [] };
    const long = Array.from({ length: 5 }, (_, at) => ({ decision: `${words("why", 60)} ${at}` }));
    const short = { decision: "Keep the wick" };
    const seen = [words("seen", 14)];
    expect(told({ ...alone, decisions: [...long, short], criticalContext: seen }, 34)).toMatchObject({
      decisions: [short],
      criticalContext: [],
    });
    // Of other sections one of the first few: what is old there says less than what else was seen.
    const done = Array.from({ length: 5 }, (_, at) => `${words("done", 60)} ${at}`);
    expect(
      told({ ...alone, decisions: [], done: [...done, "Oiled the hinge."], criticalContext: seen }, 34),
    ).toMatchObject({ done: [], criticalContext: seen });
  });

  test("before a long request of the user's is quoted at length", () => {
    const { latestRequest, ...rest } = told({ latestRequest: words("again", 60) }, 90);
    expect(counter.countText(latestRequest ?? "")).toBeGreaterThan(8);
    for (const section of ["inProgress", "nextSteps", "blocked", "decisions", "done"] as const)
      expect(rest[section].length, section).toBe(1);
  });

  test("also beyond the budget, where tokens are given for what would be missing", () => {
    const options = { counter, quote };
    const { checkpoint } = essentials(DRAFT, 40, options);
    expect(checkpoint.done).toEqual([]);
    const more = essentials(DRAFT, 40, { ...options, firstTokens: 40 });
    expect(more.checkpoint).toMatchObject({ decisions: [{ decision: "Use brass" }], done: ["Cleaned the stairs."] });
    expect(more.usedTokens).toBeLessThanOrEqual(80);
  });

  test("a request that the goal quotes already is not quoted again", () => {
    const asked = "Mend the lighthouse lamp. Then oil the hinge of the upper gallery door, and sweep the long stairs.";
    expect(told({ latestRequest: "Mend the lighthouse lamp.…" }, 90).latestRequest).toBeUndefined();
    expect(told({ latestRequest: asked }, 90).latestRequest).toContain("oil the hinge");
  });

  test("a first item that would take nearly everything gives way to a shorter one behind it", () => {
    const { inProgress, nextSteps } = told({ inProgress: [words("long", 50), "Fit the new lens."] }, 80);
    expect(inProgress).toEqual(["Fit the new lens."]);
    expect(nextSteps).toEqual(DRAFT.nextSteps);
  });

  test("a section that is empty costs nothing", () => {
    const only = { ...EMPTY_CHECKPOINT, done: DRAFT.done };
    const costs = HEADING_TOKENS + 2 * (3 + ITEM_TOKENS);
    expect(essentials(only, 60, { counter, quote }).usedTokens).toBe(costs);
  });
});

describe("what one section leaves goes to the others", () => {
  const many = Array.from({ length: 9 }, (_, index) => `Painted wall ${index}.`);
  const lonely = { inProgress: [], nextSteps: [], blocked: [], decisions: [], constraints: [], done: many };

  test("a section alone is not bound to its share", () => {
    expect(told(lonely, 100).done.length).toBe(9);
  });

  test("oldest first, whenever they were taken", () => {
    expect(told(lonely, 100).done).toEqual(many.toReversed());
  });

  test("what was skipped gets another chance with more tokens", () => {
    expect(told({}, 80).constraints).toEqual([]);
    expect(told({}, 80, 40).constraints).toEqual(DRAFT.constraints);
    expect(told({}, 80, 40).done).toEqual(["Oiled the hinge.", "Cleaned the stairs."]);
  });
});

describe("what comes next", () => {
  const counted = messageCounter({ name: "characters", countText: (text) => Math.ceil(text.length / 4) });
  const stepIn = (step: string, budgetTokens: number): readonly string[] => {
    const draft = { ...DRAFT, goal: [words("lamp", 60)], nextSteps: [step] };
    const { checkpoint, usedTokens } = essentials(draft, budgetTokens, { counter: counted, quote });
    expect(usedTokens).toBeLessThanOrEqual(budgetTokens);
    expect(checkpoint.goal.length).toBe(1);
    return checkpoint.nextSteps;
  };

  test("stands beside the goal in hardly any room", () => {
    expect(stepIn("Polish the mirror.", 40)).toEqual(["Polish the mirror."]);
  });

  test("is cut at a word, a path by its folders", () => {
    expect(stepIn(`Polish ${words("mirror", 60)}`, 60)[0]).toMatch(/^Polish (?:mirror )+mirror…$/);
    expect(stepIn(`changed: /${words("lamp/", 20).replaceAll(" ", "")}lens.ts`, 60)).toEqual(["changed: …/lens.ts"]);
  });

  test("is whole where there is room", () => {
    const step = `Polish ${words("mirror", 20)}`;
    expect(stepIn(step, 400)).toEqual([step]);
  });
});

describe("the goal", () => {
  test.each([11, 12, 16, 20, 24, 28])("is cut, not dropped, in %d tokens", (budgetTokens) => {
    const { goal } = told({ goal: [words("lamp", 60)] }, budgetTokens);
    expect(goal.length).toBe(1);
    expect(counter.countText(goal[0] ?? "")).toBeGreaterThanOrEqual(3);
  });
});

describe("a goal that would break off in what it asks", () => {
  const asked = words("ask", 60);
  const goalOf = (neededChars: number, firstTokens: number): { goal: string | undefined; usedTokens: number } => {
    const options = { counter, quote, firstTokens, charsNeeded: () => neededChars };
    const { checkpoint, usedTokens } = essentials({ ...DRAFT, goal: [words("ask", 200)] }, 100, options);
    return { goal: checkpoint.goal[0]?.trim(), usedTokens };
  };
  const short = goalOf(0, 40).goal ?? "";

  test("takes room beyond its share, and from what was meant for names", () => {
    expect(short.length).toBeLessThan(asked.length);
    const { goal = "", usedTokens } = goalOf(asked.length, 40);
    expect(goal.length).toBeGreaterThanOrEqual(asked.length);
    expect(usedTokens).toBeLessThanOrEqual(140);
  });

  test("stays as it was where it would break off all the same", () => {
    expect(goalOf(words("ask", 190).length, 40).goal).toBe(short);
    expect(goalOf(words("ask", 10).length, 40).goal).toBe(short);
  });
});

describe("a goal of several", () => {
  const asked = `${words("boat", 29)} berth`;
  const answer = `${words("yes", 29)} please`;
  const goalOf = (leading: readonly string[], firstTokens = 0): readonly string[] => {
    const options = { counter, quote, firstTokens, leading, charsNeeded: (text: string) => text.length };
    return essentials({ ...DRAFT, goal: [asked, answer] }, 50, options).checkpoint.goal;
  };

  test("tells the current one first", () => expect(goalOf([])).toEqual([expect.stringContaining("yes")]));

  test("unless that only goes on with another", () =>
    expect(goalOf([asked])).toEqual([expect.stringContaining("berth")]));

  test("ends rather than with a few words of the next", () => {
    const goals = [50, 52, 54, 56, 58, 60].map((budgetTokens) => {
      const options = { counter, quote, leading: [asked], charsNeeded: (text: string) => text.length };
      return essentials({ ...DRAFT, goal: [asked, answer] }, budgetTokens, options).checkpoint.goal;
    });
    for (const goal of goals) expect(counter.countText(goal[1] ?? answer)).toBeGreaterThanOrEqual(10);
  });

  test("takes both where names can wait", () => {
    const both = [expect.stringContaining("berth"), expect.stringContaining("please")];
    expect(goalOf([asked], 40)).toEqual(both);
    expect(goalOf([], 40)).toEqual(both);
  });
});

describe("what came of the newest request", () => {
  const turnDone = [words("lit", 10)];
  const only = { ...DRAFT, inProgress: [], decisions: [], constraints: [], done: turnDone };
  const owed = (blocked: number, firstTokens: number): Checkpoint =>
    essentials({ ...only, blocked: [words("ill", blocked)] }, 40, { counter, quote, turnDone, firstTokens }).checkpoint;

  test("leaves what it spares of the budget to a section that would stay empty", () => {
    expect(owed(18, 30)).toMatchObject({ done: turnDone, blocked: [words("ill", 18)] });
    expect(owed(24, 30)).toMatchObject({ done: turnDone, blocked: [] });
  });
  test("is told where the tokens beyond the budget pay for a part, but not at the cost of all else", () => {
    expect(owed(18, 8)).toMatchObject({ goal: DRAFT.goal, done: turnDone, nextSteps: DRAFT.nextSteps });
    expect(owed(8, 3)).toMatchObject({ goal: DRAFT.goal, done: [], blocked: [words("ill", 8)] });
  });
});
