import { expect, test } from "vitest";
import { compactMessages } from "../../test/native-server.ts";
import { arrayLogger, conversation, listening, SUMMARY } from "../../test/watched-pass.ts";
import type { HookEvent } from "../core/hooks/hook-events.ts";
import type { JsonObject } from "../core/json.ts";
import type { NativeAnswer } from "./native.ts";

/** Listeners are told of the provider's own compaction as of any summary. */
async function heard(compact: (request: JsonObject) => unknown) {
  const logger = arrayLogger();
  const { events, compactor } = listening({
    compact: { auto: true, strategy: "native" },
    // The request is JSON, and the answer is any value.
    native: { kind: "anthropic-compact", compact: async (request) => compact(request as JsonObject) as NativeAnswer },
    logger,
  });
  const { report } = await compactor.fit(conversation(12, 28_200));
  const told = events.filter(({ type }) => type.startsWith("summary-") || type === "conversation-compacted");
  return { told, report, warnings: logger.lines.flatMap(([level, message]) => (level === "warn" ? [message] : [])) };
}

const typesOf = (events: readonly HookEvent[]): readonly string[] => events.map(({ type }) => type);

test("asked, made, compacted", async () => {
  const { told, report, warnings } = await heard(compactMessages);
  expect(report).toMatchObject({ compacted: true, steps: { native: 1 } });
  expect(typesOf(told)).toEqual(["summary-started", "summary-made", "conversation-compacted"]);
  const summarizer = "native anthropic-compact";
  expect(told[0]).toEqual({ type: "summary-started", summarizer, messageCount: 18, callsMax: 1 });
  expect(told[1]).toMatchObject({ summarizer, summary: "Then 19 messages.", calls: 1, usage: { outputTokens: 300 } });
  expect(told[2]).toMatchObject({ strategy: "native", summarizer, messagesRemoved: 18, steps: { native: 1 } });
  expect(warnings).toEqual([]);
});

test("asked, failed, summarised", async () => {
  const { told, report, warnings } = await heard(() => ({ content: [], stop_reason: "refusal" }));
  expect(report).toMatchObject({ compacted: true, calls: 2 });
  expect(typesOf(told)).toEqual([
    "summary-started",
    "summary-failed",
    "summary-started",
    "summary-made",
    "conversation-compacted",
  ]);
  expect(told[1]).toMatchObject({ fallback: "summarize", because: expect.stringContaining("stop reason refusal") });
  expect(told[4]).toMatchObject({ strategy: "summarize", summary: SUMMARY });
  expect(warnings[0]).toMatch(/stop reason refusal\). Falling back to a summary of our own/);
});
