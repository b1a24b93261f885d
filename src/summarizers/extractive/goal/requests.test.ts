import { expect, test } from "vitest";
import type { Checkpoint } from "../../../core/checkpoint/checkpoint.ts";
import { type Message, type Part, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";

let next = 0;
const message = (role: Message["role"], ...parts: Part[]): Message => ({ id: `q${next++}`, role, parts });
const user = (words: string): Message => message("user", text(words));
const assistant = (words: string): Message => message("assistant", text(words));

function looked(): readonly Message[] {
  const callId = `l${next++}`;
  return [
    message("assistant", { type: "tool-call", callId, name: "look", input: { at: "quay" } }),
    message("user", { type: "tool-result", callId, content: [text("wet")], isError: false }),
  ];
}

async function summary(messages: readonly Message[], budgetTokens = 600): Promise<Checkpoint | undefined> {
  const input = { messages, turnPrefix: [], kept: [], budgetTokens, counter: estimateTokens() };
  const context = { signal: new AbortController().signal, progress: () => undefined };
  return (await extractive().summarize(input, context)).checkpoint;
}

test("of one long request a small summary has one quote, a large one the rest too", async () => {
  const details = Array.from({ length: 30 }, (_, at) => `Lamp ${at} flickers whenever tide ${at + 3} comes in.`);
  const messages = [user(`Please find out why the lamps flicker. ${details.join(" ")}`), ...looked()];
  const small = await summary(messages, 600);
  expect(small?.goal.join("\n")).toContain("Please find out why the lamps flicker.");
  expect(small?.latestRequest).toBeUndefined();
  expect(small?.nextSteps.join("\n")).not.toContain("Lamp");
  expect((await summary(messages, 3_000))?.latestRequest).toContain("Lamp 20 flickers");
});

const OFFER = "The lamp burns. Should I choose another colour for the lamp, or do you want to?";
const NEED = "hmm, the lamp needs to go out before the gate opens, or else the boats are blinded by it";

test("what is said after a command answers no question from before it", async () => {
  const asked = [user("please add a lamp to the quay"), ...looked(), assistant(OFFER)];
  const goal = async (...rest: readonly Message[]): Promise<string | undefined> =>
    (await summary([...asked, ...rest, ...looked()]))?.goal.at(-1);
  expect(await goal(user("/lamp"), user(NEED))).toBe(NEED);
  expect(await goal(user(NEED))).toBe("please add a lamp to the quay");
});

test("of requests that were answered those stay that name something", async () => {
  const course = [
    user("please add a lamp to the quay"),
    ...looked(),
    assistant("The lamp burns."),
    user("please say hello to me"),
    assistant("Hello."),
    user("i love the smell of tar on the quay"),
    assistant("So do many."),
    user("the green of the gate is #b5bd68"),
    assistant("Noted."),
    user("look whether the rope is wet"),
    ...looked(),
    user("Now please repair the lantern of the gate."),
    ...looked(),
  ];
  const context = (await summary(course, 2_000))?.criticalContext.join("\n");
  expect(context).not.toContain("say hello");
  expect(context).toContain("smell of tar");
  expect(context).toContain("#b5bd68");
  expect(context).toContain("whether the rope is wet");
});

test("where every message has the user's role, a labelled output tells that an agent is at work", async () => {
  const task = user("Please find out how deep the water at the quay is.");
  expect((await summary([task, user("Observation:\nThe quay is wet.")]))?.goal).toEqual([
    "Please find out how deep the water at the quay is.",
  ]);
  expect((await summary([task, user("The quay is wet, says the pilot.")]))?.goal).toEqual([]);
});

test("what was asked for without a question is answered too; what is asked once no more is awaited is new", async () => {
  const goal = async (asked: string, said: string): Promise<readonly string[] | undefined> =>
    (
      await summary([
        user("Please sell my boat to the harbour."),
        ...looked(),
        assistant(asked),
        user(said),
        ...looked(),
      ])
    )?.goal;
  const sale = "Please sell my boat to the harbour.";
  const awaited = "I can sell her. Please provide the number of the boat and the way of payment so that I can go on.";
  const told = "The boat has number B74, and as for the payment, the harbour should send it to my brother in Brest.";
  expect(await goal(awaited, told)).toEqual([sale]);
  expect(await goal("She is sold. Is there anything else I can do for you?", told)).toEqual([sale, told]);
  const short = "Add a lamp to the quay.";
  expect(await goal("She is sold. Is there anything else I can do for you?", short)).toEqual([sale, short]);
  expect(await goal("I can sell her. What should the harbour do for you?", short)).toEqual([sale]);
  // Who asks back has not answered.
  const back = "Before I tell you the number: should the boat not bring more at the fair, if I wait until then?";
  expect(await goal(awaited, `${back} My brother says so.`)).toEqual([sale, `${back} My brother says so.`]);
});
