import { expect, test } from "vitest";
import type { JsonObject } from "../../../core/json.ts";
import { type Message, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";

const CAUSE = "the berth fee does not add up, the whole is 4875, but paid was 1625";
const REQUEST =
  "Please book the berth for the ferry that comes in on Monday with forty cars, and pay it from the harbour account.";

interface Call {
  readonly name: string;
  readonly input: JsonObject;
}

/** The next steps and what is stuck, in so many tokens, where a call failed. */
async function told({ name, input }: Call, budgetTokens: number) {
  const messages: readonly Message[] = [
    { id: "u", role: "user", parts: [text(REQUEST)] },
    { id: "c", role: "assistant", parts: [{ type: "tool-call", callId: "a", name, input }] },
    {
      id: "r",
      role: "user",
      parts: [{ type: "tool-result", callId: "a", content: [text(`Error: ${CAUSE}`)], isError: true }],
    },
  ];
  const { checkpoint } = await extractive().summarize(
    { messages, turnPrefix: [], kept: [], budgetTokens, counter: estimateTokens() },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  return { nextSteps: checkpoint?.nextSteps, blocked: checkpoint?.blocked };
}

const BOOKING: Call = { name: "book_berth", input: { owner: "anna_of_the_northern_harbour_9265" } };
const COMMAND: Call = { name: "bash", input: { command: "harbour apply" } };

test("where both fit, the cause stands where the failure is told", async () => {
  expect(await told(BOOKING, 600)).toEqual({
    nextSteps: ["overcome the failure of: book_berth: anna_of_the_northern_harbour_9265"],
    blocked: [`book_berth: anna_of_the_northern_harbour_9265 → Error: ${CAUSE}`],
  });
});

test("in little room the next step tells it, rather than what the call was given", async () => {
  expect(await told(BOOKING, 90)).toEqual({
    nextSteps: [`overcome the failure of: book_berth → ${CAUSE}`],
    blocked: [],
  });
});

test("but a command is nothing without its words", async () => {
  expect(await told(COMMAND, 90)).toEqual({
    nextSteps: [`overcome the failure of: bash: harbour apply → ${CAUSE}`],
    blocked: [],
  });
});

test("of a long path the end tells most", async () => {
  const command = "harbour load /srv/harbour/of/the/north/with/all/its/piers/and/berths/tables/fees.csv";
  const { nextSteps } = await told({ name: "bash", input: { command } }, 90);
  expect(nextSteps?.join()).toContain("bash: harbour load …/tables/fees.csv → the berth fee does not add up");
});
