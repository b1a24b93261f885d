import { expect, test } from "vitest";
import type { CompactorOptions } from "../compactor.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { openSession } from "../session.ts";

/** Rounds with large results between two requests; hooks and store must report the same compactions. */
async function countedOver(options: Partial<CompactorOptions>, times: number) {
  const told: (number | undefined)[] = [];
  const calledFor: boolean[] = [];
  const removed: number[] = [];
  const notify: NonNullable<CompactorOptions["hooks"]>["notify"] = (event) => {
    if (event.type !== "conversation-compacted") return;
    told.push(event.compactionNumber);
    removed.push(event.messagesRemoved);
  };
  const gate: NonNullable<CompactorOptions["hooks"]>["gate"] = ({ isCalledFor }) => {
    calledFor.push(isCalledFor);
  };
  const compactor = { format: anthropicMessages, telemetry: false, hooks: { notify, gate }, ...options };
  const session = await openSession("a", { store: "memory:", compactor });
  for (let time = 0; time < times; time++) {
    await session.append("Look around.");
    for (let index = 0; index < 12; index++) {
      const id = `t${time}-${index}`;
      await session.append([
        { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: {} }] },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: id, content: "result line of text ".repeat(600) }],
        },
      ]);
    }
    await session.append([{ role: "assistant", content: [{ type: "text", text: "Done." }] }]);
    await session.append("And now?");
    await session.fit();
  }
  const events = (await session.history()).map(({ strategy, isCompaction }) => [strategy, isCompaction]);
  return { told, calledFor, removed, events, compactionCount: (await session.stats()).compactionCount };
}

test("hybrid's first phase is a compaction, also where it is enough (R010, R154)", async () => {
  const counted = await countedOver({ profile: "agentpg", windowTokens: 40_000 }, 3);
  expect(counted.removed).toEqual([0, expect.any(Number)]);
  expect(counted.told).toEqual([1, 2]);
  expect(counted.events).toEqual([
    ["hybrid", true],
    ["hybrid", true],
  ]);
  expect(counted.compactionCount).toBe(2);
});

test("Nous's first layer is none, also where the second found nothing to do (R013)", async () => {
  // The trigger fires, and a single turn longer than the tail cannot be cut.
  const compact = { auto: true, triggers: [{ type: "budgetSum", tokens: 30_000 }] } as const;
  const counted = await countedOver({ profile: "nous", compact, prune: { scope: "stored" } }, 1);
  expect(counted.told).toEqual([undefined]);
  // A gate is asked before that is known.
  expect(counted.calledFor).toEqual([true]);
  expect(counted.events).toEqual([["prune", false]]);
  expect(counted.compactionCount).toBe(0);
});
