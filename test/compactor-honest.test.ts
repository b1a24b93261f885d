import { expect, test } from "vitest";
import { createCompactor } from "../src/compactor.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";

/** What a report must not keep to itself: a pass that helped nobody, and what cannot be mended. */

const say = (role: string, content: string) => ({ role, content });

test("a pass whose result turns out no smaller is not handed out, and says so", async () => {
  const compactor = createCompactor({
    format: anthropicMessages,
    compact: { strategy: "truncate" },
    protect: { firstUser: false, latestRequest: false, tailTokens: 0, tailMessages: 1 },
  });
  const request = {
    messages: [
      say("user", "Hi."),
      ...[1, 2, 3].map((part) => say(part % 2 === 1 ? "assistant" : "user", "alpha beta ".repeat(200))),
    ],
  };
  // Only the greeting has to go; what the provider wants in its place is longer.
  const { tokensBefore } = compactor.plan(request);
  const { request: sent, plan, report } = await compactor.compact(request, { target: { tokens: tokensBefore - 1 } });
  expect(sent).toBe(request);
  expect(plan.steps).toEqual([]);
  expect(report).toMatchObject({ compacted: false, reason: "frees-nothing", tokensBefore, tokensAfter: tokensBefore });
});

test("what a repair cannot mend is said, whether or not anything was done", async () => {
  const marked = (text: string) => ({ type: "text", text, cache_control: { type: "ephemeral" } });
  const system = ["a", "b", "c", "d", "e"].map(marked);
  const compactor = createCompactor({ format: anthropicMessages });
  const { report } = await compactor.fit({ system, messages: [say("user", "Hi.")] });
  expect(report.notes).toEqual([expect.stringMatching(/^The provider may refuse this: too-many-cache-marks at /)]);
});
