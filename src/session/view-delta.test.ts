import { expect, test } from "vitest";
import { type Message, text } from "../core/message.ts";
import type { Plan } from "../core/plan/plan.ts";
import type { StoredMessage } from "../core/store/store.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { entriesOf } from "./session-view.ts";
import { viewDelta } from "./view-delta.ts";

const PLAN: Plan = {
  reason: "manual",
  steps: [{ type: "stub", messageId: "m2", part: 0, text: "", freesTokens: 1 }],
  tokensBefore: 2,
  tokensAfter: 1,
  targetTokens: undefined,
  fits: true,
  inTheWay: [],
};

/**
 * The view before (`m1 m2*`, `*` pinned), the view after the pass (`m1 new m3! m3`, `!` with another text), and the
 * delta: archived, edited with kind, inserted with order.
 */
function check(before: string, after: string, expected: string): void {
  const entries = entriesOf(anthropicMessages, before.split(" ").map(storedOf));
  const known = new Map(entries.map(({ message }) => [message.id, message]));
  const messages = after.split(" ").map((word): Message => {
    const id = word.replace("!", "");
    const own = known.get(id);
    return own !== undefined && id === word ? own : { id, role: "user", parts: [text(`new ${id}`)] };
  });
  const { archivedIds, edits, inserted } = viewDelta({
    format: anthropicMessages,
    before: entries,
    after: messages,
    plan: PLAN,
  });
  const written = [
    ...archivedIds.map((id) => `-${id}`),
    ...edits.map(({ messageId, kind }) => `${messageId}:${kind}`),
    ...inserted.map(({ order }) => `+${order}`),
  ];
  expect(written.join(" ")).toBe(expected);
}

function storedOf(word: string): StoredMessage {
  const id = word.replace("*", "");
  const sequence = Number(id.slice(1));
  const flags = { isSummary: false, isEdited: false, madeBy: null, archivedBy: null, createdAt: "" };
  const body = { role: "user", content: `text of ${id}` };
  return { id, sequence, order: sequence, role: "user", body, isPinned: id !== word, ...flags };
}

test("nothing done, nothing written", () => check("m1 m2 m3", "m1 m2 m3", ""));
test("what left is archived", () => check("m1 m2 m3", "m1 m3", "-m2"));
test("a summary stands between its neighbours", () => check("m1 m2 m3 m4", "m1 summary m4", "-m2 -m3 +2.5"));
test("a summary and its acknowledgement", () =>
  check("m1 m2 m3 m4", "summary ok m4", "-m1 -m2 -m3 +1.3333333333333333 +2.6666666666666665"));
test("everything summarised", () => check("m1 m2", "summary", "-m1 -m2 +0.5"));
test("an edit by a step has its name", () => check("m1 m2 m3", "m1 m2! m3", "m2:stub"));
test("any other change reshapes", () => check("m1 m2 m3", "m1! m2 m3", "m1:reshape"));
test("what was moved leaves, and a copy comes", () => check("m1 m2 m3", "m1 m3 m2", "-m2 +3.5"));
test("a pinned message keeps its row, others move around it", () => check("m1 m2* m3", "m3 m1 m2", "-m3 +0.5"));
test("a pinned message that a repair left out stays", () => check("m1 m2* m3", "m1 m3", ""));
test("no copy stands where a pinned message was left", () => check("m1 m3* m5", "m1 new m5", "+2"));

test("a pinned row that was joined with others is written nowhere else", () => {
  const entries = entriesOf(anthropicMessages, ["m1", "m2*", "m3"].map(storedOf));
  const messages = entries.map(({ message }) => message);
  const write = (after: readonly Message[]) =>
    viewDelta({ format: anthropicMessages, before: entries, after, plan: PLAN });
  const parts = messages.flatMap((message) => message.parts);
  const [first] = messages;
  if (first === undefined) throw new Error("three messages");
  const joined = write([{ ...first, parts }]);
  expect(joined.archivedIds).toEqual(["m3"]);
  expect(joined.edits).toEqual([]);
  expect(joined.inserted.map(({ body }) => JSON.stringify(body))).toEqual([expect.stringContaining("m3")]);
  const behindSummary = write([{ id: "summary", role: "user", parts: [text("Summary."), ...parts.slice(1, 2)] }]);
  expect(behindSummary.archivedIds).toEqual(["m1", "m3"]);
  expect(JSON.stringify(behindSummary.inserted)).not.toContain("m2");
});
