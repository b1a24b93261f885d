import { expect, test } from "vitest";
import type { Decision } from "../../../core/checkpoint/checkpoint.ts";
import { type Message, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";
import { denies, isRefusal, overrules } from "./stale.ts";

test.each(["No, that's not it.", "ok. uh. no.", "hm no", "Okay, wait, no!", "Ja, nein.", "ну нет"])(
  "%j refuses",
  (reply) => expect(isRefusal(reply)).toBe(true),
);

test.each(["ok. now open it.", "No problem, go on.", "no need to hurry", "Notes are in the tower.", "ok"])(
  "%j does not",
  (reply) => expect(isRefusal(reply)).toBe(false),
);

test.each([
  "No, the pump stops first.",
  "no it does not",
  "ok. uh. no. look at the pump",
  "Нет, это насос.",
  "不是，是水泵。",
])("%j denies what was found", (reply) => expect(denies(reply, "The issue is that the gate opens first.")).toBe(true));

test.each(["No lamps in the tower!", "No, that's all. Thank you!", "Nein, danke.", "Yes, it does."])(
  "%j does not deny it",
  (reply) => expect(denies(reply, "The issue is that the gate opens first.")).toBe(false),
);

const PROPOSAL = "I'll go with option 2 because the wheel is old.";

test.each([
  "No, option 1.",
  "no, use the chain",
  "ok. uh. no.",
  "Nein, nimm die Kette.",
  "no, the first one",
  "Non, 1.",
])("%j overrules a proposal", (reply) => expect(overrules(reply, PROPOSAL)).toBe(true));

test("what denies a fact, or answers what was asked in the end, does not", () => {
  expect(overrules("No, the test still fails.", PROPOSAL)).toBe(false);
  expect(overrules("No.", `${PROPOSAL} Shall I push it as well?`)).toBe(false);
  expect(overrules("Yes, option 1.", PROPOSAL)).toBe(false);
});

let next = 0;
const said = (role: Message["role"], words: string): Message => ({ id: `m${next++}`, role, parts: [text(words)] });
const looks: readonly Message[] = [
  {
    id: "call",
    role: "assistant",
    parts: [{ type: "tool-call", callId: "c", name: "bash", input: { command: "date" } }],
  },
  {
    id: "result",
    role: "user",
    parts: [{ type: "tool-result", callId: "c", content: [text("noon")], isError: false }],
  },
];

const TASK = said("user", "Please mend the sluice gate of the harbour.");
const FOUND = "The issue is that the gate opens before the pump has stopped.";

test("what was found and denied is told nowhere", async () => {
  const isTold = async (found: string, reply: string): Promise<boolean> => {
    const { text: summary } = await extractive().summarize(
      {
        messages: [TASK, ...looks, said("assistant", found), said("user", reply), ...looks],
        turnPrefix: [],
        kept: [],
        budgetTokens: 1_000,
        counter: estimateTokens(),
      },
      { signal: new AbortController().signal, progress: () => undefined },
    );
    return summary.includes(FOUND);
  };
  expect(await isTold(FOUND, "Good. Look at the pump then.")).toBe(true);
  expect(await isTold(FOUND, "ok. uh. no. the pump stops first, by my watch.")).toBe(false);
  expect(await isTold(`${FOUND} Shall I write that to the keeper?`, "No, look at the pump first.")).toBe(true);
});

async function decisionsAfter(reply: string, isKept: boolean): Promise<readonly Decision[]> {
  const all = [
    TASK,
    ...looks,
    said("assistant", "We decided to keep the lamps because they are bright."),
    said("user", "Fine. How do you turn the gate?"),
    said("assistant", "I'll turn the gate by its wheel because the chain is old."),
    said("user", reply),
    ...looks,
  ];
  const end = isKept ? all.length - looks.length - 1 : all.length;
  const { checkpoint } = await extractive().summarize(
    {
      messages: all.slice(0, end),
      turnPrefix: [],
      kept: all.slice(end),
      budgetTokens: 1_000,
      counter: estimateTokens(),
    },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  return checkpoint?.decisions ?? [];
}

test("a way that the user did not want was not decided", async () => {
  const isTold = async (reply: string, isKept = false): Promise<readonly boolean[]> => {
    const decisions = (await decisionsAfter(reply, isKept)).map(({ decision }) => decision);
    return ["wheel", "lamps"].map((word) => decisions.some((decision) => decision.includes(word)));
  };
  expect(await isTold("Good. Begin in the morning, before the tide.")).toEqual([true, true]);
  expect(await isTold("No, the gate still leaks at night.")).toEqual([true, true]);
  expect(await isTold("no, use the chain")).toEqual([false, true]);
  expect(await isTold("ok. uh. no.")).toEqual([false, true]);
  expect(await isTold("ok. uh. no.", true)).toEqual([false, true]);
  expect(await isTold("Good. Begin in the morning.", true)).toEqual([true, true]);
});
