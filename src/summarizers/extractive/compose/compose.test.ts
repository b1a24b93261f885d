import { describe, expect, test } from "vitest";
import { type Checkpoint, EMPTY_CHECKPOINT, renderCheckpoint } from "../../../core/checkpoint/checkpoint.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { cutAtWord } from "../text/sentences.ts";
import { compose, type Draft } from "./compose.ts";

const counter = estimateTokens();
const REQUEST = "Rebuild the harbour index so that every berth can be found by its number and by its name again.";

const DRAFT: Draft = {
  ...EMPTY_CHECKPOINT,
  goal: [REQUEST],
  facts: Array.from({ length: 4_000 }, (_, index) => ({
    text: `berth_${index}_keeper`,
    isTold: false,
    kind: "code" as const,
    likelihood: 0.9 / (1 + index / 40),
  })),
  isTalk: false,
  quote: cutAtWord,
  argumentNames: { toolOf: () => undefined },
  log: () => [],
  context: () => () => [],
  resultContext: () => () => [],
};

function composed(draft: Partial<Draft>, budgetTokens: number, kept: readonly string[] = []): Checkpoint {
  const { checkpoint, text } = compose({ ...DRAFT, ...draft }, { budgetTokens, counter, language: "en", kept });
  expect(counter.countText(text)).toBeLessThanOrEqual(budgetTokens);
  return checkpoint;
}

const listTokens = ({ identifiers }: Checkpoint): number =>
  counter.countText(renderCheckpoint({ ...EMPTY_CHECKPOINT, identifiers }));

describe("the list of identifiers", () => {
  test.each([
    [100, 0.45],
    [200, 0.75],
    [1_000, 0.86],
    [4_000, 0.65],
    [10_000, 0.5],
  ])("of %d tokens takes at most %d, though nothing else wants the rest", (budgetTokens, share) => {
    expect(listTokens(composed({}, budgetTokens))).toBeLessThanOrEqual(budgetTokens * share);
  });

  test("in a small budget has only what is likely to be needed", () => {
    const unlikely = DRAFT.facts.map((fact) => ({ ...fact, likelihood: 0.02 }));
    const lines = Array.from({ length: 90 }, (_, index) => `Bash: row to berth ${index} → nobody was at home there`);
    const identifiers = composed({ facts: unlikely, log: () => lines }, 700).identifiers;
    expect(identifiers.length).toBeLessThan(4);
    expect(composed({ facts: unlikely, log: () => lines }, 4_000).identifiers.length).toBeGreaterThan(100);
  });

  test("room that nothing wants stays empty rather than full of what nobody needs", () => {
    const junk = DRAFT.facts.map((fact) => ({ ...fact, likelihood: 0.001 }));
    expect(composed({ facts: junk }, 2_000).identifiers).toEqual([]);
  });
});

describe("the goal", () => {
  test.each([14, 16, 18, 20, 22, 24, 26, 28, 32, 40])("is there in %d tokens", (budgetTokens) => {
    expect(composed({}, budgetTokens).goal.length).toBe(1);
  });

  test("where it stays in the view, a line says something else", () => {
    const done = ["Sorted all berths by their numbers."];
    const inView = composed({ done, nextSteps: [REQUEST] }, 30, [`Hello. ${REQUEST}`]);
    expect(inView).toMatchObject({ goal: [], nextSteps: [], done });
    expect(composed({ done }, 30).goal.length).toBe(1);
  });

  test("unless there is nothing else", () => {
    expect(composed({ facts: [] }, 40, [REQUEST]).goal).toEqual([REQUEST]);
  });

  test("a summary with room tells it anyway", () => {
    expect(composed({}, 300, [REQUEST]).goal).toEqual([REQUEST]);
  });
});
