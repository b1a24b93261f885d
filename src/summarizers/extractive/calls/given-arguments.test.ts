import { expect, test } from "vitest";
import type { JsonObject } from "../../../core/json.ts";
import { type Message, text } from "../../../core/message.ts";
import { messageCounter } from "../../../core/tokens/tokens.ts";
import { standingChanges } from "../outdated/superseded.ts";
import { changesMade } from "../reading/evidence.ts";
import { readKept } from "../reading/kept-view.ts";
import { readMessages } from "../reading/reading.ts";

const counter = messageCounter({ name: "quarters", countText: (words) => Math.ceil(words.length / 4) });

interface Call {
  readonly name: string;
  readonly input: JsonObject;
  readonly output?: string;
}

function messagesOf(calls: readonly Call[]): readonly Message[] {
  return calls.flatMap(({ name, input, output = "ok" }, at): readonly Message[] => [
    { id: `c${at}`, role: "assistant", parts: [{ type: "tool-call", callId: `${at}`, name, input }] },
    {
      id: `r${at}`,
      role: "tool",
      parts: [{ type: "tool-result", callId: `${at}`, content: [text(output)], isError: false }],
    },
  ]);
}

/** What is told of the calls that leave, newest first, beside those that stay and what was said. */
function told(
  leaving: readonly Call[],
  staying: readonly Call[] = [],
  said: readonly string[] = [],
): readonly string[] {
  const messages = messagesOf(leaving);
  const kept = readKept({
    messages,
    turnPrefix: [],
    kept: messagesOf(staying),
    keptAfter: messagesOf(staying).map(() => messages.length),
    budgetTokens: 100,
    counter,
  });
  return changesMade(standingChanges(readMessages(messages), kept), said);
}

const update = (input: JsonObject, output = "ok"): Call => ({
  name: "update_order",
  input: { order: "48213", ...input },
  output,
});
const CREW = update({ crew: "two", wrapped: true });
const GATE = update({ crew: "two", gate: "north" });

test("two changes of one thing are told by what differs", () =>
  expect(told([CREW, GATE])).toEqual(["update_order: 48213 (gate: north)", "update_order: 48213 (wrapped: true)"]));

test("so are lists, and what has no number", () => {
  const tag = (...tags: readonly string[]): Call => ({ name: "update_boat", input: { boat: "wanderer", tags } });
  expect(told([tag("red"), tag("red", "old")])).toEqual([
    "update_boat: wanderer (tags: red old)",
    "update_boat: wanderer (tags: red)",
  ]);
});

test("one that failed takes nothing from one with other arguments", () =>
  expect(told([CREW, update({ gate: "north" }, "Error: the gate is closed")])).toEqual([
    "update_order: 48213 (crew: two, wrapped: true)",
  ]));

test("nor does one that stays in the view", () =>
  expect(told([CREW], [GATE])).toEqual(["update_order: 48213 (crew: two, wrapped: true)"]));

test("a sentence about one of them does not tell the other", () =>
  expect(told([CREW, GATE], [], ["Order 48213 now goes to the north gate."])).toEqual([
    "update_order: 48213 (wrapped: true)",
  ]));

test("the same once more stands once, and what was set to something else since is gone", () => {
  expect(told([GATE, GATE])).toEqual(["update_order: 48213 (crew: two, gate: north)"]);
  expect(told([GATE], [GATE])).toEqual([]);
  expect(told([GATE, update({ gate: "south" }), update({ flag: "red" })])).toEqual([
    "update_order: 48213 (flag: red)",
    "update_order: 48213 (gate: south)",
  ]);
});

test("a command or a path says which one it is", () => {
  const deploy = (force: string): Call => ({ name: "deploy_site", input: { path: "sites/harbour", force } });
  expect(told([deploy("yes"), deploy("no")])).toEqual(["deploy_site: sites/harbour"]);
});
