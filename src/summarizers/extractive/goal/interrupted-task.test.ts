import { expect, test } from "vitest";
import { type Message, type Part, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";

let next = 0;
const message = (role: Message["role"], ...parts: Part[]): Message => ({ id: `m${next++}`, role, parts });
const user = (words: string): Message => message("user", text(words));
const assistant = (words: string): Message => message("assistant", text(words));

function ran(command: string, output = "ok", words?: string, name = "bash"): readonly Message[] {
  const callId = `c${next++}`;
  const call: Part = { type: "tool-call", callId, name, input: { command } };
  return [
    message("assistant", ...(words === undefined ? [] : [text(words)]), call),
    message("user", { type: "tool-result", callId, content: [text(output)], isError: false }),
  ];
}

const TASK = "Draw a chart of the northern harbour, then open it with the plot command.";
const BACK = `then back to: ${TASK}`;
const CRASH = "hm, i opened the tide table while you were working and got a crash, that should never happen.";
/** Enough closed turns that nothing of the beginning frames what follows. */
const before = ["Paint the gate.", "Clean the tower.", "Add a lamp to the quay.", "Mend the bell of the mill."].flatMap(
  (asked) => [user(asked), ...ran("work"), assistant("There it is.")],
);

async function check(messages: readonly Message[], isBack: boolean): Promise<void> {
  const { checkpoint } = await extractive().summarize(
    { messages: [...before, ...messages], turnPrefix: [], kept: [], budgetTokens: 2_000, counter: estimateTokens() },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  expect(checkpoint?.nextSteps.includes(BACK)).toBe(isBack);
  if (isBack)
    expect(checkpoint?.goal.slice(-2)).toEqual([TASK, messages.findLast(isAsked)?.parts.map(textIn).join("")]);
}

const textIn = (part: Part): string => (part.type === "text" ? part.text : "");
const isAsked = ({ role, parts }: Message): boolean => role === "user" && parts.some(({ type }) => type === "text");

const begun = [user(TASK), ...ran("ls charts"), ...ran("cp old.svg north.svg")];

test("a task that a report of a failure broke into is gone back to", () =>
  check([...begun, user(CRASH), ...ran("cat tides.ts")], true));

test("not where its turn had come to an end, or it was done since", async () => {
  await check([...begun, assistant("The chart is open."), user(CRASH), ...ran("cat tides.ts")], false);
  const done = ran("plot north.svg", "ok", "I've drawn the chart of the northern harbour and opened it with plot.");
  await check([...begun, user(CRASH), ...ran("cat tides.ts"), ...done], false);
});

test("not where turns end with a call that hands the work over", () => {
  const handedOver = ran("The chart of the harbour", "ok", undefined, "attempt_completion");
  return check([...begun, ...handedOver, user(CRASH), ...ran("cat tides.ts")], false);
});

test("not where the report has been dealt with: whoever answered it knew of the task", () =>
  check([...begun, user(CRASH), ...ran("cat tides.ts"), assistant("It opens again.")], false));

test("not where the user wants something else, or calls it off", async () => {
  for (const words of [
    "Remove the chart north.svg, and write the error messages of the tide table in red.",
    "The tide table just crashed. Forget about the chart and mend that table for good.",
  ])
    await check([...begun, user(words), ...ran("cat tides.ts")], false);
});

test.each([
  [
    "Bitte zeichne eine Karte des Hafens.",
    "Der Editor ist gerade abgestürzt, bitte repariere das.",
    "danach zurück zu: ",
  ],
  [
    "Por favor, dibuja un mapa del puerto.",
    "El editor se cerró de golpe, por favor arregla eso.",
    "después volver a: ",
  ],
])("in its own language: %s", async (task, report, label) => {
  const messages = [user(task), ...ran("ls"), user(report), ...ran("cat tides.ts")];
  const { checkpoint } = await extractive().summarize(
    { messages, turnPrefix: [], kept: [], budgetTokens: 2_000, counter: estimateTokens() },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  expect(checkpoint?.nextSteps.at(-1)).toBe(label + task);
});
