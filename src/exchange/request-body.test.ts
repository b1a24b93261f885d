/** Which texts are worth parsing. */

import { describe, expect, test } from "vitest";
import { longBody } from "../../test/fetch-agents.ts";
import { createExchange } from "../exchange.ts";
import { hasTooManyValues } from "./request-body.ts";

const MANY = 600_000;

describe("more values than a conversation has", () => {
  test.each([0, [], {}, { a: 1 }, "", [[0]]])("a list of as many %j", (value) => {
    expect(hasTooManyValues(JSON.stringify({ messages: Array(MANY).fill(value) }))).toBe(true);
    expect(hasTooManyValues(JSON.stringify({ messages: Array(MANY / 10).fill(value) }))).toBe(false);
  });

  test("lists within lists", () => expect(hasTooManyValues("[".repeat(2 * MANY))).toBe(true));

  test.each(["[{,", '",', '\\",[', "\\\\,", "\\"])("what stands in a text is none: %j", (text) => {
    expect(hasTooManyValues(JSON.stringify({ text: text.repeat(MANY), more: [1, 2] }))).toBe(false);
  });

  test("a text without an end", () => expect(hasTooManyValues(`["${"[,".repeat(MANY)}`)).toBe(false));
});

test("such a body goes on as it came, and one beside it is compacted", async () => {
  const compacted: string[] = [];
  const exchange = createExchange({ windowTokens: 32_000, onCompaction: ({ format }) => void compacted.push(format) });
  const changes: unknown[] = [];
  const post = async (more: object): Promise<void> => {
    const call = { method: "POST", url: "https://api.openai.com/v1/chat/completions", headers: new Headers() };
    const body = JSON.stringify({ ...longBody(60), ...more });
    const send = async (change?: unknown): Promise<Response> => {
      changes.push(change);
      return Response.json({ choices: [{ index: 0, message: { role: "assistant", content: "Done." } }] });
    };
    await (await exchange.exchange({ ...call, body, signal: undefined, send })).text();
  };
  await post({ metadata: Array(MANY).fill(0) });
  expect([compacted, changes]).toEqual([[], [undefined]]);
  await post({ metadata: [0] });
  expect(compacted).toEqual(["openai-chat"]);
});
