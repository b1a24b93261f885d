import { expect, test } from "vitest";
import { arrayLogger } from "../../test/watched-pass.ts";
import type { CompactorOptions } from "../compactor.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { openSession } from "../session.ts";

/** Messages that leave without a trigger or a demand: neither counted nor told as a compaction. */
test.each<readonly [string, Partial<CompactorOptions>]>([
  ["old tool turns (R097)", { profile: "auto-compact", prune: { enabled: true } }],
  ["messages over micro-agent's limit (R146)", { profile: "micro-agent" }],
  ["messages over Nous's limit, while compaction is off (R044, R045)", { profile: "nous" }],
])("%s", async (_, options) => {
  const called: string[] = [];
  const logger = arrayLogger();
  const session = await openSession("a", {
    store: "memory:",
    compactor: {
      format: anthropicMessages,
      logger,
      hooks: {
        onBeforeCompaction: () => void called.push("onBeforeCompaction"),
        onAfterCompaction: () => called.push("onAfterCompaction"),
        before_compaction: () => called.push("before_compaction"),
        after_compaction: () => called.push("after_compaction"),
        conversation_compacting: () => called.push("conversation_compacting"),
        session_before_compact: () => void called.push("session_before_compact"),
      },
      ...options,
    },
  });
  await session.append("Look around.");
  for (let index = 0; index < 30; index++) {
    await session.append([
      { role: "assistant", content: [{ type: "tool_use", id: `t${index}`, name: "read", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: `t${index}`, content: "a line" }] },
    ]);
  }
  const { report } = await session.fit();
  expect(report.messagesAfter).toBeLessThan(report.messagesBefore);
  expect(called).toEqual([]);
  expect((await session.stats()).compactionCount).toBe(0);
  const history = await session.history();
  expect(history.every(({ strategy, isCompaction }) => strategy === "prune" && !isCompaction)).toBe(true);
  // Nous leaves messages out of requests only.
  expect(history).toHaveLength(session.compactor.settings.prune.scope === "stored" ? 1 : 0);
  const said = logger.lines.filter(([level]) => level !== "debug").map(([, message]) => message);
  expect(said).toEqual([expect.stringMatching(/^Compaction: prune, /)]);
  if (history.length > 0) await session.rollback();
  expect(await session.view()).toHaveLength(61);
});
