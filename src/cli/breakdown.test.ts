import fc from "fast-check";
import { expect, test } from "vitest";
import type { Conversation, Message, Part } from "../core/message.ts";
import { structureOf } from "../core/structure/structure.ts";
import { autoCompactTokens, microAgentTokens, nousTokens, openclawTokens } from "../core/tokens/chars-per-token.ts";
import { countConversation, estimateTokens, messageCounter } from "../core/tokens/tokens.ts";
import { formatNamed, formatNames } from "../formats.ts";
import { generateBody } from "../testing/wire-bodies.ts";
import { type Breakdown, breakdownOf, KINDS } from "./breakdown.ts";

/** One token per character, whatever the overhead around messages, calls and results is. */
const LENGTHS = messageCounter({ name: "length", countText: (text) => text.length });
const AROUND = LENGTHS.count({ id: "", role: "user", parts: [] });

const said = (text: string): Part => ({ type: "text", text });
const call = (callId: string, name: string): Part => ({ type: "tool-call", callId, name, input: "" });
const result = (callId: string, text: string): Part => ({
  type: "tool-result",
  callId,
  content: [said(text)],
  isError: false,
});

function check(messages: readonly Pick<Message, "role" | "parts">[], expected: Partial<Breakdown>): void {
  const conversation: Conversation = {
    format: "anthropic-messages",
    system: [said("12345")],
    tools: undefined,
    messages: messages.map((message, index) => ({ id: String(index), ...message })),
  };
  const { pairing } = structureOf(conversation.messages);
  expect(breakdownOf(conversation, LENGTHS, pairing)).toMatchObject(expected);
}

const tokensOf = (part: Part): number => LENGTHS.countParts([part]);

test("each part under its kind, what is around them under the first part's", () => {
  const thought: Part = { type: "reasoning", text: "hmm" };
  const [bash, listing] = [call("1", "bash"), result("1", "listing")];
  const assistant = AROUND + 3 + 2 + tokensOf(bash);
  const answer = AROUND + tokensOf(listing) + 3;
  check(
    [
      { role: "user", parts: [said("go")] },
      { role: "assistant", parts: [thought, said("ok"), bash] },
      { role: "user", parts: [listing, said("and")] },
    ],
    {
      totalTokens: 5 + AROUND + 2 + assistant + answer,
      byKind: {
        system: 5,
        tools: 0,
        user: AROUND + 2 + 3,
        assistant: 2,
        reasoning: AROUND + 3,
        toolCalls: tokensOf(bash),
        toolResults: AROUND + tokensOf(listing),
      },
      byMessage: [AROUND + 2, assistant, answer],
    },
  );
});

test("results by the tool that was called, largest first", () => {
  const results = [result("3", "xx"), result("2", "x".repeat(50)), result("1", "x"), result("9", "x")] as const;
  const [second, read, first, orphan] = results;
  check(
    [
      { role: "assistant", parts: [call("1", "bash"), call("2", "read"), call("3", "bash")] },
      { role: "user", parts: results },
    ],
    {
      byTool: [
        { name: "read", tokens: tokensOf(read), results: 1 },
        { name: "bash", tokens: tokensOf(second) + tokensOf(first), results: 2 },
        { name: "(unknown tool)", tokens: tokensOf(orphan), results: 1 },
      ],
    },
  );
});

test("the kinds add up to the counter's own total, whatever the conversation", () => {
  const counters = [estimateTokens, microAgentTokens, nousTokens, openclawTokens, autoCompactTokens];
  const seeds = fc.record({
    format: fc.constantFrom(...formatNames),
    seed: fc.nat(10_000),
    broken: fc.boolean(),
    counterOf: fc.constantFrom(...counters),
  });
  fc.assert(
    fc.property(seeds, ({ format, counterOf, ...options }) => {
      const conversation = formatNamed(format).decode(generateBody(format, options));
      const counter = counterOf({ format });
      const breakdown = breakdownOf(conversation, counter, structureOf(conversation.messages).pairing);
      const sum = KINDS.reduce((total, kind) => total + breakdown.byKind[kind], 0);
      expect(sum).toBe(countConversation(conversation, counter).totalTokens);
      expect(breakdown.totalTokens).toBe(sum);
    }),
    { numRuns: 100 },
  );
});
