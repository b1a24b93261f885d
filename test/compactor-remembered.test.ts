import { describe, expect, test } from "vitest";
import { type CompactorOptions, createCompactor } from "../src/compactor.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";

/** What a compactor remembers of the lists that it was given: for whom it holds, for how long, and what may change meanwhile. */

interface Said {
  readonly role: string;
  readonly content: unknown;
}

const say = (role: string, content: unknown): Said => ({ role, content });
const turns = (count: number, name = "part"): readonly Said[] =>
  Array.from({ length: count }, (_, turn) => [
    say("user", `Look at src/${name}-${turn}.ts, please. `.repeat(20)),
    say("assistant", `I changed handler_${turn} of ${name} because it was slow. `.repeat(20)),
  ]).flat();

const small = (options: Partial<CompactorOptions> = {}) =>
  createCompactor({
    format: anthropicMessages,
    windowTokens: 12_000,
    ...options,
    protect: { tailTokens: 500, tailMessages: 2, ...options.protect },
  });

describe("a summary in the system prompt", () => {
  const compactor = () => small({ render: { renderer: "system" } });
  const messages = turns(40);
  const more = [...messages, say("user", "And now?")];
  const prompt = (request: { readonly system: unknown }): string => JSON.stringify(request.system);

  test.each([
    ["a text", "It is Monday.", "It is Tuesday."],
    ["blocks", [{ type: "text", text: "It is Monday." }], [{ type: "text", text: "It is Tuesday." }]],
  ])("outlives a change of the prompt: %s", async (_, monday, tuesday) => {
    const own = compactor();
    const first = await own.fit({ system: monday, messages });
    expect(first.report.compacted).toBe(true);
    expect(prompt(first.request)).toMatch(/It is Monday\..*src\/part-1\.ts/);
    const second = await own.fit({ system: tuesday, messages: more });
    expect(second.report.compacted).toBe(false);
    expect(second.request.messages).toHaveLength(first.request.messages.length + 1);
    expect(prompt(second.request)).toBe(prompt(first.request).replace("Monday", "Tuesday"));
    // And goes back with it.
    expect(prompt((await own.fit({ system: monday, messages: more })).request)).toBe(prompt(first.request));
  });

  test("is replaced by the next one, whatever the prompt is then", async () => {
    const own = compactor();
    await own.fit({ system: "It is Monday.", messages });
    const later = await own.fit({ system: "It is Tuesday.", messages: [...messages, ...turns(40, "more")] });
    expect(later.report.compacted).toBe(true);
    expect(prompt(later.request)).toMatch(/It is Tuesday\./);
    expect(prompt(later.request).split("[Summary of the earlier conversation")).toHaveLength(2);
    const again = await own.fit({
      system: "It is Wednesday.",
      messages: [...messages, ...turns(40, "more"), say("user", "And now?")],
    });
    expect(prompt(again.request)).toBe(prompt(later.request).replace("Tuesday", "Wednesday"));
  });
});

test("conversations that take turns keep their edits, all thirty-two of them", async () => {
  const own = small();
  const talks = Array.from({ length: 32 }, (_, talk) => turns(40, `talk-${talk}`));
  const sent: string[] = [];
  for (const messages of talks) {
    const { request, report } = await own.fit({ messages });
    expect(report.compacted).toBe(true);
    sent.push(JSON.stringify(request.messages));
  }
  for (const [talk, messages] of talks.entries()) {
    const { request, report } = await own.fit({ messages: [...messages, say("user", "And now?")] });
    expect(report.compacted).toBe(false);
    expect(JSON.stringify(request.messages.slice(0, -1))).toBe(sent[talk]);
  }
});

test("what is pinned after a pass that left it in place stays through the next", async () => {
  const own = small({ protect: { tailMessages: 10 } });
  const messages = [...turns(40), say("user", "Never touch the footer."), say("assistant", "Understood.")];
  const first = await own.fit({ messages });
  expect(first.report.compacted).toBe(true);
  const pinned = [80];
  const more = [...messages, ...turns(40, "more")];
  const { request, report } = await own.fit({ messages: more }, { pinned });
  expect(report.compacted).toBe(true);
  expect(request.messages).toContainEqual(messages[80]);
  // Without the pin it goes.
  const free = small({ protect: { tailMessages: 10 } });
  await free.fit({ messages });
  expect((await free.fit({ messages: more })).request.messages).not.toContainEqual(messages[80]);
});

test("pins are those of the call: one that was taken back holds nothing any more", async () => {
  const messages = turns(40);
  const isKept = async (pinnedNow: readonly number[]): Promise<boolean> => {
    const own = small();
    expect((await own.fit({ messages }, { pinned: [4] })).report.compacted).toBe(true);
    const more = [...messages, ...turns(4, "more")];
    const { request } = await own.compact({ messages: more }, { pinned: pinnedNow, target: { tokens: 800 } });
    return request.messages.some((message) => JSON.stringify(message) === JSON.stringify(messages[4]));
  };
  expect([await isKept([4]), await isKept([])]).toEqual([true, false]);
});

describe("a pin that comes too late undoes the edit", () => {
  const thought = (text: string) => [
    { type: "thinking", thinking: "It is slow.", signature: "c2lnbmVk" },
    { type: "text", text },
  ];
  const messages = [...turns(40), say("user", "Go on."), say("assistant", thought("Done.")), say("user", "And?")];
  const sentAfterPin = async (model: string): Promise<string> => {
    const own = small();
    expect((await own.fit({ model, messages })).report.compacted).toBe(true);
    const more = [...messages, say("assistant", thought("Done too.")), say("user", "Thanks.")];
    const { request } = await own.fit(
      { model, messages: more },
      { pinned: [2], settings: { compact: { auto: false } } },
    );
    expect(request.messages[2]).toEqual(messages[2]);
    return JSON.stringify(request.messages);
  };
  test("and thinking stays where the model does not sign what stands before it", async () =>
    expect((await sentAfterPin("claude-opus-4-8")).split('"thinking":')).toHaveLength(3));
  test("and goes where it does", async () =>
    expect(await sentAfterPin("claude-opus-5-5")).not.toContain('"thinking":'));
});

test("two passes in a row that free little are remembered together with what they made", async () => {
  // Almost everything is pinned, so a pass frees next to nothing and yet changes the list.
  const own = small({ protect: { tailTokens: 100, tailMessages: 1 } });
  const pinnedTurns = turns(27);
  const pinned = pinnedTurns.map((_, index) => index);
  let messages: readonly Said[] = pinnedTurns;
  const outcomes: string[] = [];
  for (let request = 0; request < 4; request++) {
    messages = [...messages, ...turns(2, `more-${request}`)];
    const { report } = await own.fit({ messages }, { pinned });
    outcomes.push(report.compacted ? "compacted" : report.reason);
  }
  expect(outcomes).toEqual(["compacted", "compacted", "thrashing", "compacted"]);
});

test("results that are pruned at every request are no passes: the next compaction is not held off", async () => {
  const own = small({
    compact: { triggers: [{ type: "absolute", tokens: 8_000 }] },
    prune: { highWaterRatio: 0, lowWaterRatio: 0, keepLast: 1, softTrim: false, clearAfter: 1 },
  });
  const round = (id: number): readonly Said[] => [
    say("assistant", [{ type: "tool_use", id: `call-${id}`, name: "read", input: {} }]),
    say("user", [{ type: "tool_result", tool_use_id: `call-${id}`, content: "x y z ".repeat(100) }]),
  ];
  let messages: readonly Said[] = [...turns(8), say("user", "Read them.")];
  let pruned = 0;
  for (let id = 0; id < 8; id++) {
    messages = [...messages, ...round(id)];
    const { report } = await own.fit({ messages });
    expect(["prune", "not-triggered"]).toContain(report.reason);
    if (report.reason === "prune") pruned++;
  }
  expect(pruned).toBeGreaterThan(2);
  // Only a little comes, and it is what makes the list too long.
  const lower = { triggers: [{ type: "absolute", tokens: 2_000 }], target: { type: "tokens", tokens: 1_500 } } as const;
  own.configure({ compact: lower });
  const { report } = await own.fit({ messages: [...messages, say("assistant", "Read."), say("user", "Go on.")] });
  expect(report).toMatchObject({ compacted: true, reason: "absolute" });
});
