import { expect, test } from "vitest";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { gemini } from "../formats/gemini.ts";
import { openSession } from "../session.ts";

/** Results of one answer that are appended one by one, as a loop does that must not lose any. */

const RESULT = "a line of the file that was read ".repeat(100);

const text = (role: string, said: string): object => ({ role, content: said });
const calls = (...ids: readonly string[]): object => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "tool_use", id, name: "read", input: { path: id } })),
});
const result = (id: string): object => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content: `${id}: ${RESULT}` }],
});

async function open(settings: object = {}) {
  return openSession("s", {
    store: "memory:",
    compactor: { format: anthropicMessages, windowTokens: 200_000, ...settings },
    body: { model: "claude-opus-4-8", max_tokens: 100 },
  });
}

test.each(["a b", "b a"])("answered in the order %s", async (order) => {
  const session = await open();
  await session.append(text("user", "Go on."));
  for (let round = 0; round < 20; round++) {
    await session.append(calls(`a${round}`, `b${round}`));
    for (const name of order.split(" ")) await session.append(result(`${name}${round}`));
    const { request, report } = await session.fit();
    expect(report.repairs).toEqual([]);
    expect(anthropicMessages.validate(request, { sending: true })).toEqual([]);
  }
  // The rows stay what they are.
  expect(await session.view()).toHaveLength(61);
  await session.close();
});

test("shortened for requests only, each stands in the request once", async () => {
  const session = await open({
    windowTokens: 20_000,
    prune: { enabled: true, scope: "request", mustPay: false },
    profile: "openclaw",
  });
  await session.append(text("user", "Go on."));
  let length = 0;
  for (let round = 0; round < 20; round++) {
    await session.append(calls(`a${round}`, `b${round}`));
    for (const name of ["a", "b"]) await session.append(result(`${name}${round}`));
    const request = JSON.stringify(await session.request());
    length = request.length;
    for (const id of request.match(/"tool_use_id":"\w+"/g) ?? []) expect(request.split(id)).toHaveLength(2);
    for (let each = 0; each <= round; each++)
      for (const name of ["a", "b"]) expect(request.split(`"${name}${each}: `).length).toBeLessThanOrEqual(2);
  }
  // Whole, they alone would be longer than that.
  expect(length).toBeLessThan(20 * 2 * RESULT.length);
  await session.close();
});

test("a request between two of them holds what is there", async () => {
  const session = await open();
  await session.append([text("user", "Go on."), calls("a", "b"), result("a")]);
  const early = await session.request();
  await session.append(result("b"));
  const { request, report } = await session.fit();
  expect(report.repairs).toEqual([]);
  expect(JSON.stringify(request)).toContain(`b: ${RESULT.slice(0, 20)}`);
  expect(JSON.stringify(early)).not.toContain(`b: ${RESULT.slice(0, 20)}`);
  await session.close();
});

test("a compaction takes them together, and a rollback brings the rows back", async () => {
  const session = await open({ protect: { tailTokens: 3_000 } });
  await session.append(text("user", "Go on."));
  for (let round = 0; round < 20; round++) {
    await session.append(calls(`a${round}`, `b${round}`));
    for (const name of ["a", "b"]) await session.append(result(`${name}${round}`));
    await session.request();
  }
  await session.append(text("user", "And now?"));
  const before = await session.view();
  const { report } = await session.compact({ target: { tokens: 6_000 } });
  expect(report.compacted).toBe(true);
  expect(anthropicMessages.validate(await session.request(), { sending: true })).toEqual([]);
  await session.rollback();
  expect(await session.view()).toEqual(before);
  await session.close();
});

test("where two messages of one role are refused, they are sent as one", async () => {
  const session = await openSession("s", { store: "memory:", compactor: { format: gemini, windowTokens: 200_000 } });
  await session.append({ role: "user", parts: [{ text: "Go on." }] });
  const call = (path: string, signature?: string): object => ({
    functionCall: { name: "read", args: { path } },
    ...(signature !== undefined && { thoughtSignature: signature }),
  });
  const answer = (path: string): object => ({
    role: "user",
    parts: [{ functionResponse: { name: "read", response: { output: path } } }],
  });
  await session.append({ role: "model", parts: [call("a", "c2ln"), call("b")] });
  for (const path of ["a", "b"]) await session.append(answer(path));
  const { request, report } = await session.fit();
  expect(report.repairs).toMatchObject([{ rule: "alternation" }]);
  expect(request).toMatchObject({ contents: [{}, {}, { parts: [{}, {}] }] });
  expect(gemini.validate(request, { sending: true })).toEqual([]);
  await session.close();
});
