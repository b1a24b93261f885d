import { describe, expect, test } from "vitest";
import { formatRules } from "../src/core/format-rules.ts";
import { type Message, text } from "../src/core/message.ts";
import type { Store } from "../src/core/store/store.ts";
import { formatNamed, formatNames } from "../src/formats.ts";
import { recallTool } from "../src/recall-tool.ts";
import { encodeMessages } from "../src/session/wire-input.ts";
import { openSession } from "../src/session.ts";
import { memoryStore } from "../src/stores/memory.ts";

/** What stands in a pruned result's place says how to read it again. */

describe.each(formatNames)("%s", (name) => {
  const format = formatNamed(name);
  const prune = {
    highWaterRatio: 0,
    lowWaterRatio: 0,
    keepLast: 1,
    softTrim: false,
    stub: { afterResults: 1, minChars: 100 },
  } as const;

  /** A session with some rounds, and what each request of it says. */
  async function prunedIn(store: Store, offersRecall: boolean, scope: "stored" | "request") {
    const compactor = { format, protect: { tailTokens: 10, tailMessages: 1 }, prune: { ...prune, scope } };
    const session = await openSession("a", { store, compactor });
    if (offersRecall) await session.setBody({ tools: [recallTool(session).definition] });
    await session.append("Read the pages.");
    const sent: string[] = [];
    for (let index = 0; index < 4; index++) {
      const call = { type: "tool-call", callId: `c${index}`, name: "read", input: { index } } as const;
      const content = [text(`Page ${index}.\n${"A line. ".repeat(100)}\nzebra-${index}`)];
      const result = { type: "tool-result", callId: `c${index}`, name: "read", content, isError: false } as const;
      const messages: readonly Message[] = [
        { id: "call", role: "assistant", parts: [call] },
        { id: "result", role: formatRules(name).resultRole, parts: [result] },
      ];
      await session.append(encodeMessages(format, messages) as object[]);
      sent.push(JSON.stringify(await session.request()));
    }
    return { session, sent };
  }

  const idsIn = (request: string): readonly string[] =>
    [...request.matchAll(/`recall` \(message_id (m\d+)\)/g)].map(([, id = ""]) => id);

  test.each(["stored", "request"] as const)("names the message where recall is offered, scope %s", async (scope) => {
    const { session, sent } = await prunedIn(memoryStore(), true, scope);
    const ids = idsIn(sent.at(-1) ?? "");
    expect(ids).toHaveLength(3);
    for (const [index, id] of ids.entries())
      expect(await recallTool(session).run({ message_id: id })).toContain(`zebra-${index}`);
    // An earlier stub is the same text in each later request.
    expect(idsIn(sent[2] ?? "")).toEqual(ids.slice(0, idsIn(sent[2] ?? "").length));
    expect(idsIn(JSON.stringify(await session.request()))).toEqual(ids);
  });

  test("does not where it is not", async () => {
    const { sent } = await prunedIn(memoryStore(), false, "stored");
    expect([sent.at(-1)?.includes("removed:"), idsIn(sent.at(-1) ?? "")]).toEqual([true, []]);
  });
});
