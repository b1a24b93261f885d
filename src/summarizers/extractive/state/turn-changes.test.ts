import { expect, test } from "vitest";
import { type Message, text } from "../../../core/message.ts";
import { messageCounter } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";

const counter = messageCounter({ name: "quarters", countText: (words) => Math.ceil(words.length / 4) });
const FIRST =
  "Hello, I am on the island for another week and my plans have changed, so I need some help with the berths that I have booked for my two boats, please.";
const NEWEST =
  "Please cancel the berth of the small boat, which I have sold, and tell me what the other one costs for the rest of the week.";

/** A call that ended so. */
function called(id: string, name: string, input: Readonly<Record<string, string>>, output: string): readonly Message[] {
  return [
    { id: `${id}c`, role: "assistant", parts: [{ type: "tool-call", callId: id, name, input }] },
    {
      id: `${id}r`,
      role: "tool",
      parts: [{ type: "tool-result", callId: id, content: [text(output)], isError: false }],
    },
  ];
}

const said = (id: string, role: "user" | "assistant", words: string): Message => ({ id, role, parts: [text(words)] });

/** The lines of what was done in a summary of so many tokens, which has a goal whatever else it has. */
async function doneIn(messages: readonly Message[], budgetTokens: number): Promise<readonly string[]> {
  const { checkpoint } = await extractive().summarize(
    { messages, turnPrefix: [], kept: [], budgetTokens, counter },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  expect(checkpoint?.goal.length).toBeGreaterThan(0);
  return checkpoint?.done ?? [];
}

const BEGUN: readonly Message[] = [
  said("1", "user", FIRST),
  said("2", "assistant", "I have printed the list of your berths. Which one is it about?"),
  said("3", "user", NEWEST),
];
const CANCELLED = called("a", "cancel_berth", { berth: "K1NW8N" }, "{}");
const LOOKED_UP = called("b", "get_price", { berth: "QT7712", boat: "Wanderer", jetty: "north" }, "{}");

test.each([60, 70, 95, 100, 200])("what was changed since the newest request is told in %i tokens", async (tokens) =>
  expect(await doneIn([...BEGUN, ...CANCELLED, ...LOOKED_UP], tokens)).toContain("cancel_berth: K1NW8N"),
);

test("before what the next step names anyway", async () => {
  const other = called("c", "cancel_berth", { berth: "M4XX90" }, "{}");
  expect(await doneIn([...BEGUN, ...CANCELLED, ...other], 60)).toEqual(["cancel_berth: K1NW8N"]);
});

test("what was changed before that request takes no room from others, nor does what only looked", async () => {
  const lookedUp = called("b", "get_price", { berth: "QT7712" }, "{}");
  const earlier = [...BEGUN.slice(0, 1), ...CANCELLED, ...BEGUN.slice(1), ...lookedUp];
  expect(await doneIn(earlier, 60)).toEqual([]);
  expect(await doneIn(earlier, 70)).toEqual(["I have printed the list of your berths."]);
  expect(await doneIn([...BEGUN, ...LOOKED_UP], 60)).toEqual([]);
});

test("a word of thanks takes nothing from what was changed before it", async () => {
  const thanks = said("9", "user", "Thank you so much for your help, that is all for now.");
  const told = said("8", "assistant", "The small boat has left the list.");
  expect(await doneIn([...BEGUN, ...CANCELLED, told, thanks], 60)).toEqual(["cancel_berth: K1NW8N"]);
  const wish = said("9", "user", "Please tell me now what the other berth costs for a week.");
  expect(await doneIn([...BEGUN, ...CANCELLED, told, wish, ...LOOKED_UP], 60)).toEqual([]);
});

test("what was changed is known by a number in its result, too", async () => {
  const moved = called("m", "move_berth", { berth: "K1NW8N" }, '{"jetty": "JT-402"}');
  const told = said(
    "8",
    "assistant",
    "I've moved your small boat to JT-402. I've printed the list of all berths on the island.",
  );
  const moving = "I've moved your small boat to JT-402.";
  expect(await doneIn([...BEGUN, ...moved, told], 75)).toEqual([moving]);
  expect(await doneIn([...BEGUN, ...LOOKED_UP, told], 75)).not.toContain(moving);
});
