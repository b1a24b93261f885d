import { expect, test } from "vitest";
import { answer, open, question, talk } from "../../test/session-world.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { memoryStore } from "../stores/memory.ts";

const compactor = { format: anthropicMessages, telemetry: false, protect: { tailTokens: 1_000 } } as const;

function response(content: object, tokens: number): object {
  return {
    type: "message",
    role: "assistant",
    content: [content],
    usage: { input_tokens: tokens, output_tokens: 3 },
  };
}

const said = { type: "text", text: "Yes." };
const call = { type: "tool_use", id: "t1", name: "read", input: {} };
const result = {
  role: "user",
  content: [{ type: "tool_result", tool_use_id: "t1", content: "a line of the file. ".repeat(500) }],
};

test("after a rollback a session that is opened again does not count by what was reported of the shorter view", async () => {
  const store = memoryStore();
  const session = await open({ store, compactor });
  await talk(session, 40);
  await session.compact({ target: { ratio: 0.6 } });
  await session.append(question(41));
  await session.request();
  await session.append(response(said, (await session.stats()).currentTokens));
  await session.rollback();
  const { currentTokens } = await session.stats();
  const again = await open({ store, compactor: { ...compactor } });
  expect((await again.stats()).currentTokens).toBe(currentTokens);
});

test("a session that shortens its requests only does not compare what was reported with the whole view", async () => {
  const store = memoryStore();
  const shortening = { format: anthropicMessages, profile: "nous", maxMessages: 0, windowTokens: 200_000 } as const;
  const session = await open({ store, compactor: shortening });
  await talk(session, 120);
  for (let index = 0; index < 9; index++) {
    const read = { type: "tool_use", id: `t${index}`, name: "read", input: {} };
    const block = { type: "tool_result", tool_use_id: read.id, content: "a line of the file. ".repeat(400) };
    await session.append([
      { role: "assistant", content: [read] },
      { role: "user", content: [block] },
    ]);
  }
  const { report } = await session.fit();
  expect(report.tokensAfter / report.tokensBefore).toBeGreaterThan(0.5);
  await session.append(response(said, report.tokensAfter));
  const { tokensAfter } = (await session.fit()).report;
  const again = await open({ store, compactor: { ...shortening } });
  expect((await again.fit()).report.tokensAfter).toBe(tokensAfter);
});

/** Appends after the request, and which of them the last usage is about. */
const LATER = {
  "in one list": [[response(call, 0), result, response(said, 1)]],
  "one after the other": [response(call, 0), result, response(said, 1)],
  "behind an answer that reported nothing": [[{ role: "assistant", content: [call] }, result, response(said, 1)]],
} as const;

test.each(Object.entries(LATER))(
  "usage of a request that was never made here says nothing about the last: %s",
  async (_, given) => {
    const session = await open({ compactor });
    const twin = await open({ compactor: { ...compactor } });
    for (const each of [session, twin]) {
      await talk(each, 15);
      await each.append(question(16));
    }
    const before = (await session.stats()).currentTokens;
    await twin.append([{ role: "assistant", content: [call] }, result, { role: "assistant", content: [said] }]);
    const after = (await twin.stats()).currentTokens;
    await session.request();
    const real = JSON.parse(JSON.stringify(given), (key, value) =>
      key === "input_tokens" ? [before, after][value] : value,
    ) as object[];
    for (const each of real) await session.append(each);
    expect((await session.stats()).inputTokens).toBe(after);
    expect(Math.abs((await session.stats()).currentTokens - after) / after).toBeLessThan(0.02);
  },
);

test("what is queued between a request and its answer does not keep it from being heard", async () => {
  const session = await open({ compactor });
  await talk(session, 15);
  const before = (await session.stats()).currentTokens;
  await session.request();
  await session.append(question(16));
  await session.append(response(said, before * 2));
  expect((await session.stats()).currentTokens).toBeGreaterThan(before * 1.4);
  await session.append(answer(17));
});

test("usage in fractions is counted here as the store counts it", async () => {
  const store = memoryStore();
  const session = await open({ store, compactor });
  await session.append(response(said, 10.5));
  const again = await open({ store, compactor: { ...compactor } });
  const [{ inputTokens, totalTokens }, later] = [await session.stats(), await again.stats()];
  expect([inputTokens, totalTokens]).toEqual([later.inputTokens, later.totalTokens]);
});
