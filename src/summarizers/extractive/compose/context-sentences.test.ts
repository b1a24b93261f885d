import { expect, test } from "vitest";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { createProse } from "../reading/prose.ts";
import { createContext } from "./context-sentences.ts";

/** Lines by their speaker: `U ` before what the user said. */
function chosen(...said: readonly string[]): string {
  const prose = said.map((line, message) => {
    const isUser = line.startsWith("U ");
    return createProse({
      message,
      isUser,
      isRequest: isUser,
      isFinal: true,
      speaker: "",
      text: isUser ? line.slice(2) : line,
    });
  });
  const options = { counter: estimateTokens(), language: "en", earlier: [], focus: new Set<string>() } as const;
  return createContext(prose, options)(2_000, []).join("\n");
}

const LATER = Array.from({ length: 8 }, (_, index) => `The pump number ${index} is made of brass and copper.`);

test("items that are no sentences are left out, sentences in a list are not", () => {
  const told = chosen(
    "We have:\n- All lamps of the tower side by side\n- The northern lamp needs a new wick every week.",
  );
  expect(told).toBe("The northern lamp needs a new wick every week.");
});

test("what names nothing and says little is left out", () => {
  expect(chosen("Good, I have the full picture. This is a substantial task.")).toBe("");
  expect(chosen("The pump is a `P-3`, as it was. The keeper painted both lower gates.")).toBe(
    "The pump is a `P-3`, as it was. The keeper painted both lower gates.",
  );
});

test("of messages that say the very same the newest counts, of others of their length each", () => {
  const [east, west] = ["The keeper painted the east gate.", "The keeper repaired the west lamp."];
  expect(chosen(east, west, "The bell is made of brass.", east)).toBe(`${west}\nThe bell is made of brass.\n${east}`);
  expect(chosen(east, "The keeper repainted a west gate.")).toBe(`${east}\nThe keeper repainted a west gate.`);
});

test("what was only being done is left out, what came of it is not", () => {
  for (const underway of [
    "Looking at the state of the northern pump first.",
    "Okay, now checking the logbook of the lower gate again.",
    "Running the lamp test with the new wick.",
  ])
    expect(chosen(underway), underway).toBe("");
  for (const fact of [
    "Looking at the northern pump, the valve is open.",
    "Running the lamp test takes two hours at night.",
    "Checking the logbook showed two missing pages.",
    "Running water reaches the lower gate at low tide.",
  ])
    expect(chosen(fact), fact).toBe(fact);
});

test("what leans on a sentence that is not there is left out", () => {
  const first = "The northern pump was delivered with a brass valve.";
  const leaning = "It needs grease every second week of the season.";
  expect(chosen(`${first} ${leaning}`)).toBe(`${first} ${leaning}`);
  expect(chosen(`Good, I have the full picture. ${leaning}`)).toBe("");
  expect(chosen(first, leaning)).toBe(first);
  expect(chosen(first, `U ${leaning}`)).toContain(leaning);
  const lines = Array.from({ length: 8 }, (_, index) => `harbour directory ${index}`).join("\n");
  expect(chosen(`U ${lines}\n${leaning}\n${first}`)).toBe(`User: ${first}`);
});

test("what corrects itself half-way is left out", () => {
  expect(chosen("The rope of the northern lamp is red... wait, that is the old chain.")).toBe("");
  expect(chosen("The wall has 8 steps (the lower... no, the upper wall has them).")).toBe("");
  expect(chosen("The wall of the northern tower has 8 steps (7 at low tide, no, 6 of them stay dry).")).toBe("");
  for (const fact of [
    "The lamp of the northern tower takes one of three values (yes, no, unknown).",
    "The northern tower has a lamp (a wick of cotton, no chain, two hooks).",
  ])
    expect(chosen(fact)).toBe(fact);
  const plain = "The northern lamp is lit at dusk - no keeper is needed.";
  expect(chosen("The northern lamp waits... for the keeper and his new wick.")).not.toBe("");
  expect(chosen(plain)).toBe(plain);
});

test("what breaks off before a list is left out", () => {
  for (const [broken, whole] of [
    [
      "The northern lamp is a lamp like any other, but.",
      "The northern lamp is a lamp one cannot find fault with but for its rebut.",
    ],
    ["Die nördliche Lampe brennt die ganze Nacht, aber.", "Die nördliche Lampe brennt die ganze Nacht auf dem Turm."],
    ["La lampe du nord brûle toute la nuit, mais.", "La lampe du nord est une lampe de cuivre et d'or."],
    ["A lâmpada do norte arde a noite inteira, mas.", "A lâmpada nova do norte custa muito mais."],
    ["Северная лампа горит всю ночь на башне, но.", "Северная лампа горит всю ночь, но не на башне."],
  ] as const) {
    expect(chosen(broken), broken).toBe("");
    expect(chosen(whole), whole).toBe(whole);
  }
});

test("what goes on and what is needed for it is left out, what came of it is not", () => {
  expect(
    chosen("Continuing with lamp-6 — I need to add a wick for each of the three hooks, oil them and close the hatch."),
  ).toBe("");
  for (const fact of [
    "Continuing with lamp-6 — the hatch of the northern tower is open.",
    "The hatch was closed this morning — I need to add a wick for each hook.",
  ])
    expect(chosen(fact)).toBe(fact);
});

test.each([
  "Should the keeper oil the hinges of the northern gate?",
  "Please confirm if you would like me to oil the hinges of the gate.",
  "Bitte bestätige, dass die Scharniere am Tor geölt werden sollen.",
  "请确认是否要给北门的铰链上油，然后再关上灯塔的门。",
])("what was asked goes once the user has spoken, unless their answer stands beside it: %s", (asking) => {
  const fact = "The northern gate has a spring of steel.";
  const oil = "U The hinges stay dry until the end of the week.";
  expect(chosen(`${fact} ${asking}`)).toContain(asking);
  expect(chosen(`${fact} ${asking}`, "U ok")).toBe(fact);
  expect(chosen(`${fact} ${asking}`, oil)).toContain(asking);
  expect(chosen(fact, `U ${asking}`, "U ok")).toContain(asking);
});

test("what the assistant asks and answers itself stays", () => {
  const both = "Why does the northern gate stand open at night? The spring of its hinge is made of soft iron.";
  expect(chosen(both, "U ok")).toBe(both);
  const other = "The spring of its hinge is made of soft iron.";
  expect(chosen(`Would you like the keeper to oil the northern gate? ${other}`, "U ok")).not.toContain("keeper");
});

test("of output that a user pasted, only sentences stay", () => {
  const output = Array.from({ length: 8 }, (_, index) => `Preparing the harbour directory ${index}`).join("\n");
  expect(chosen(`U ${output}\nThe ferry dock was flooded again last night.`)).toBe(
    "User: The ferry dock was flooded again last night.",
  );
  expect(chosen("U the ferry dock was flooded again last night")).toContain("ferry dock");
});

test("how things stood goes once much has come after it", () => {
  const state = "I have uncommitted changes from the lamp house.";
  expect(chosen(state)).toContain(state);
  expect(chosen(state, ...LATER)).not.toContain(state);
  expect(chosen("The lamp house has two wooden doors and a bell.", ...LATER)).toContain("two wooden doors");
});

test("a guess that the user denies goes, a fact beside it stays", () => {
  const guess = "I bet the old keeper left the gate open. The northern gate has a spring of steel.";
  expect(chosen(guess, "U no, that's not it")).not.toContain("I bet");
  expect(chosen(guess, "U no, that's not it")).toContain("spring of steel");
  expect(chosen(guess, "U nothing else is known about the gate so far")).toContain("I bet");
});
