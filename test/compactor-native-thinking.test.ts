import { expect, test } from "vitest";
import { type CompactorOptions, createCompactor } from "../src/compactor.ts";
import type { JsonObject } from "../src/core/json.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { anthropicBody, NATIVE } from "./native-bodies.ts";

/** Thinking that is signed with its prefix stays behind the provider's own block only where the block stands for that very prefix. */

const BLOCK = { type: "compaction", content: "What was done.", signature: "c2lnbmVk" };

async function keepsThinking(body: JsonObject, options: Partial<CompactorOptions> = {}): Promise<boolean> {
  const compactor = createCompactor({
    format: anthropicMessages,
    native: {
      kind: "anthropic-compact",
      compact: () => Promise.resolve({ content: [BLOCK], stop_reason: "compaction" }),
    },
    ...NATIVE,
    ...options,
  });
  const { request, report } = await compactor.compact(body);
  expect(report).toMatchObject({ compacted: true, steps: { native: 1 } });
  expect(anthropicMessages.validate(request)).toEqual([]);
  const sent = JSON.stringify(request);
  expect(sent).toContain(BLOCK.content);
  return sent.includes('"thinking"');
}

test("where the speaker changes at the cut, it stays", async () => {
  expect(await keepsThinking(anthropicBody(6))).toBe(true);
});

test("where the same one speaks on both sides of it, it goes", async () => {
  const body = anthropicBody(6);
  const messages = body.messages.toSpliced(-4, 0, { role: "user", content: "Wait." });
  expect(await keepsThinking({ ...body, messages })).toBe(false);
});

test("where this pass shortened something on its way, it goes", async () =>
  expect(await keepsThinking(anthropicBody(6), { prune: { capOnArrivalChars: 200 } })).toBe(false));

test("where the model signs no prefix, it stays whatever was done", async () =>
  expect(
    await keepsThinking({ ...anthropicBody(6), model: "claude-opus-4-8" }, { prune: { capOnArrivalChars: 200 } }),
  ).toBe(true));
