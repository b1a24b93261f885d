import { expect, test } from "vitest";
import { type CallOptions, type CompactorOptions, createCompactor } from "../src/compactor.ts";
import type { JsonObject } from "../src/core/json.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";

/** How far a result is shortened: by its age among the messages with results (the newest is 1), its length, and whose it is. */

interface Result {
  readonly chars?: number;
  readonly tool?: string;
  /** Beside the text. */
  readonly image?: boolean;
}

const IMAGE: JsonObject = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };

function round({ chars = 10, tool = "read", image = false }: Result, id: number): readonly JsonObject[] {
  const texts: JsonObject[] = [{ type: "text", text: "x".repeat(chars) }];
  const content = image ? [...texts, IMAGE] : texts;
  return [
    { role: "assistant", content: [{ type: "tool_use", id: `call-${id}`, name: tool, input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `call-${id}`, content }] },
  ];
}

/** What becomes of the results, oldest first, where results are shortened at every request and the tail has only the last message. */
async function tiers(
  results: readonly Result[],
  options: Partial<CompactorOptions> = {},
  call: CallOptions = {},
): Promise<readonly string[]> {
  const compactor = createCompactor({
    format: anthropicMessages,
    ...options,
    prune: { highWaterRatio: 0, lowWaterRatio: 0, ...options.prune },
    protect: { tailTokens: 0, tailMessages: 1, ...options.protect },
  });
  const messages = [
    { role: "user", content: "Read." },
    ...results.flatMap(round),
    { role: "assistant", content: "Done." },
  ];
  const { plan } = await compactor.fit({ messages }, call);
  const ids = anthropicMessages
    .decode({ messages })
    .messages.flatMap(({ id, parts }) => (parts[0]?.type === "tool-result" ? [id] : []));
  return ids.map((id) => plan.steps.find((step) => "messageId" in step && step.messageId === id)?.type ?? "whole");
}

const repeated = (number: number, result: Result = {}): readonly Result[] =>
  Array.from({ length: number }, () => result);

test("cleared beyond the twelfth, a stub beyond the eighth, trimmed beyond the second", async () => {
  expect(await tiers(repeated(14, { chars: 4_001 }))).toEqual([
    ...["clear", "clear"],
    ...["stub", "stub", "stub", "stub"],
    ...["trim", "trim", "trim", "trim", "trim", "trim"],
    ...["whole", "whole"],
  ]);
});

test("the lengths from which on", async () => {
  const young = repeated(8);
  expect(await tiers([{ chars: 200 }, ...young])).toEqual(["stub", ...repeated(8).map(() => "whole")]);
  expect((await tiers([{ chars: 199 }, ...young]))[0]).toBe("whole");
  expect((await tiers([{ chars: 4_000 }, ...repeated(2)]))[0]).toBe("whole");
  expect((await tiers([{ chars: 4_001 }, ...repeated(2)]))[0]).toBe("trim");
});

test("the newest results stay whole, however many those are", async () => {
  const three = repeated(3, { chars: 5_000 });
  expect(await tiers(three, { prune: { keepLast: 0 } })).toEqual(["trim", "trim", "trim"]);
  expect(await tiers(three, { prune: { keepLast: 3 } })).toEqual(["whole", "whole", "whole"]);
});

test("a tier that is switched off is passed over", async () => {
  const old = repeated(14, { chars: 5_000 });
  expect((await tiers(old, { prune: { clearAfter: 0 } })).slice(0, 2)).toEqual(["stub", "stub"]);
  expect((await tiers(old, { prune: { clearAfter: 0, stub: false } })).slice(0, 2)).toEqual(["trim", "trim"]);
  expect((await tiers(old, { prune: { softTrim: false } })).slice(6)).toEqual(repeated(8).map(() => "whole"));
});

test("a rule for a tool is the furthest that its results go, never further than their age says", async () => {
  const old: Result = { chars: 5_000, tool: "mcp_grep" };
  const results = [old, ...repeated(12), old, ...repeated(2)];
  const outer = async (rule: "never" | "trim" | "stub" | "clear") => {
    const all = await tiers(results, { prune: { tools: { "mcp_*": rule } } });
    return [all[0], all[13]];
  };
  expect(await outer("clear")).toEqual(["clear", "trim"]);
  expect(await outer("stub")).toEqual(["stub", "trim"]);
  expect(await outer("trim")).toEqual(["trim", "trim"]);
  expect(await outer("never")).toEqual(["whole", "whole"]);
});

test("pinned messages, verbatim tools and results with pictures stay as they are", async () => {
  const results = [...repeated(2, { chars: 5_000 }), { chars: 5_000, image: true }, ...repeated(2)];
  expect(await tiers(results)).toEqual(["trim", "trim", "whole", "whole", "whole"]);
  // The message with the first result is the third of the list.
  expect((await tiers(results, {}, { pinned: [2] })).slice(0, 2)).toEqual(["whole", "trim"]);
  const unspared = { prune: { sparesTail: false } };
  expect((await tiers(results, unspared, { pinned: [2] })).slice(0, 2)).toEqual(["whole", "trim"]);
  const verbatim = { protect: { toolsVerbatim: ["read"] } };
  expect((await tiers(results, verbatim)).slice(0, 2)).toEqual(["whole", "whole"]);
  expect((await tiers(results, { ...verbatim, ...unspared })).slice(0, 2)).toEqual(["whole", "whole"]);
});

test("what was shortened before is not shortened again, and nothing is put in the place of less", async () => {
  const compactor = createCompactor({
    format: anthropicMessages,
    prune: { highWaterRatio: 0, lowWaterRatio: 0, keepLast: 0, clearAfter: 1, softTrim: false },
    protect: { tailTokens: 0, tailMessages: 1 },
  });
  const [old, short] = [round({ chars: 5_000 }, 1), round({ chars: 12 }, 2)];
  const messages = [
    { role: "user", content: "Read." },
    ...old,
    ...short,
    ...round({}, 3),
    { role: "assistant", content: "Done." },
  ];
  const first = await compactor.fit({ messages });
  expect(first.report.steps).toEqual({ clear: 1 });
  // Sent back by a host that keeps what it was given.
  const again = await createCompactor({ format: anthropicMessages, profile: compactor.settings }).fit(first.request);
  expect(again.request).toBe(first.request);
});

test("the cap holds for what is longer, not for what is as long", async () => {
  const capped = (chars: number) => tiers([{ chars }], { prune: { capOnArrivalChars: 1_000 } });
  expect([await capped(1_000), await capped(1_001)]).toEqual([["whole"], ["cap"]]);
});
