import { expect, test } from "vitest";
import { goalOf, type Request } from "./goal.ts";

/** `?` before a request marks it as an answer to a question of the assistant. */
function check(requests: readonly string[], expected: readonly string[]): void {
  const input = requests.map(
    (said): Request => ({ text: said.replace(/^\?/, ""), isKept: false, isReply: said.startsWith("?") }),
  );
  const rest = { earlier: [], recent: [], language: "en", isTalk: false, isObserved: false } as const;
  expect(goalOf({ requests: input, ...rest }).goal).toEqual(expected);
}

const ASKED = "Please move my boat to another berth.";

test("an answer serves the task it was asked about", () =>
  check(
    [ASKED, "?It is the Gull, she lies at berth four, and the reason is that I need to repaint her hull soon."],
    [ASKED],
  ));

test("unless it asks for something else outright", () =>
  check([ASKED, "?No. Please sell the boat instead."], [ASKED, "No. Please sell the boat instead."]));

test("an offer that is taken asks for nothing else", () => {
  check([ASKED, "?Yes, please go ahead with that berth."], [ASKED]);
  check([ASKED, "Yes, please proceed with that berth. Thank you!"], [ASKED]);
  check([ASKED, "ok, create a new harbour map for me"], [ASKED, "ok, create a new harbour map for me"]);
  check(
    [
      ASKED,
      "?Yes, and then please paint the whole hull of the Gull in red, since she looks so very old and grey by now, and dry the quay.",
    ],
    [
      ASKED,
      "Yes, and then please paint the whole hull of the Gull in red, since she looks so very old and grey by now, and dry the quay.",
    ],
  );
});

test("where nothing but answers ask, the newest counts", () =>
  check(
    ["hello", "?We should repaint the hull of the Gull before winter."],
    ["We should repaint the hull of the Gull before winter."],
  ));

test("the quoted requests are known whole", () => {
  const long = `${"The quay is wet. ".repeat(60)}Can you dry it?`;
  const request = { text: long, isKept: false, isReply: false };
  const { goal, wholes } = goalOf({
    requests: [request],
    earlier: [],
    recent: [],
    language: "en",
    isTalk: false,
    isObserved: false,
  });
  expect(goal[0]).toContain("Can you dry it?");
  expect(wholes.get(goal[0] ?? "")).toBe(long);
});

test("the first task goes once it is done and others have followed", () => {
  const later = ["Add a lamp.", "Update the pump.", "Clean the tower.", "Now repair the lantern of the gate."];
  const requests = ["Port the tide gate parser.", ...later].map((said) => ({
    text: said,
    isKept: false,
    isReply: false,
  }));
  const rest = { earlier: [], recent: ["tide gate parser"], language: "en", isTalk: false, isObserved: false } as const;
  const goal = (done: readonly string[]): readonly string[] => goalOf({ requests, ...rest, done }).goal;
  expect(goal([])).toEqual(["Port the tide gate parser.", "Now repair the lantern of the gate."]);
  expect(goal(["Ported the tide gate parser and its tests."])).toEqual(["Now repair the lantern of the gate."]);
});

test("whoever takes leave asks for nothing more, whatever they will do", () => {
  check([ASKED, "Okay, I'll try to find the key and ask the harbour office. Thanks for your help!"], [ASKED]);
  check([ASKED, "No, that's alright. I'll just stick with the berth I have. Thanks for trying to help."], [ASKED]);
});

test("what the work began with goes once it is done", () => {
  const requests = [ASKED, "Add a lamp to the quay."].map((text) => ({ text, isKept: false, isReply: false }));
  const rest = { earlier: [], recent: [], language: "en", isTalk: false, isObserved: false } as const;
  expect(goalOf({ requests, done: ["Moved your boat to another berth."], ...rest }).goal).toEqual([
    "Add a lamp to the quay.",
  ]);
});
