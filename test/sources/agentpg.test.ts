import { expect, test } from "vitest";
import { createCompactor } from "../../src/compactor.ts";
import type { Summarizer, SummaryInput } from "../../src/core/checkpoint/summary.ts";
import type { JsonObject, JsonValue } from "../../src/core/json.ts";
import { type Message, textsOf } from "../../src/core/message.ts";
import { targetTokensOf } from "../../src/core/plan/trigger.ts";
import { messageCounter, type TokenCounter } from "../../src/core/tokens/tokens.ts";
import { openaiChat } from "../../src/formats/openai-chat.ts";
import { type ProfileName, profileNamed, profileNames } from "../../src/profiles/profiles.ts";
import { createRandom, type Random } from "../../src/testing/random.ts";
import { sampleOf, seed } from "../sample.ts";

/** Scenario C (R231) under the `agentpg` profile: 176K of 200K, the first three summarised to 8K, the last two kept. */

/** One character is one token, so that the scenario's numbers are exact. */
const characters = (message: Message): number => textsOf(message.parts).join("").length;
const counter: TokenCounter = {
  ...messageCounter({ name: "characters", countText: (text) => text.length }),
  size: characters,
  count: characters,
  total: (messages) => messages.reduce((sum, message) => sum + characters(message), 0),
};
const of = (role: string, tokens: number): JsonObject => ({ role, content: "x".repeat(tokens) });

test("scenario C: system 1K + 30K + 40K + 35K + 50K + 20K become 79K", async () => {
  const inputs: SummaryInput[] = [];
  const summarizer: Summarizer = {
    name: "scripted",
    version: "1",
    planCalls: () => 1,
    summarize: (input) => {
      inputs.push(input);
      return Promise.resolve({ text: "s".repeat(8_000), calls: 1, notes: [] });
    },
  };
  const messages = [
    of("system", 1_000),
    of("user", 30_000),
    of("assistant", 40_000),
    of("user", 35_000),
    of("assistant", 50_000),
    of("user", 20_000),
  ];
  const compactor = createCompactor({
    format: openaiChat,
    profile: "agentpg",
    counter,
    summarizer,
    protect: { tailMessages: 2 },
  });
  const { request, report } = await compactor.fit({ messages });
  expect(report.tokensBefore).toBe(176_000);
  expect(report.reason).toBe("ratio");
  expect(inputs[0]?.messages.map(({ id }) => id)).toEqual(["m1", "m2", "m3"]);
  const kept = request.messages as JsonObject[];
  expect(kept[0]).toEqual(messages[0]);
  expect(kept.slice(2)).toEqual(messages.slice(4));
  // 79K and the few words that mark a summary as one: 40 % of the window.
  expect(report.tokensAfter).toBeGreaterThanOrEqual(79_000);
  expect(report.tokensAfter).toBeLessThan(79_100);
  expect(report.ratios.whole).toBeCloseTo(2.2, 1);
  expect(report.ratios.zone).toBeCloseTo(105 / 8, 1);
});

test.each([
  ["above the trigger", 46, 170_000],
  ["above the window", 60, 200_000],
])("without automatic compaction nothing is shortened, %s (R010, R040)", async (_, rounds, overTokens) => {
  const messages: JsonObject[] = [{ role: "user", content: "Read them all." }];
  for (let round = 0; round < rounds; round++) {
    const id = `c${round}`;
    const call = { id, type: "function", function: { name: "read", arguments: "{}" } };
    messages.push(
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: id, content: "some words of it ".repeat(1_000) },
    );
  }
  const body = { messages };
  const compactor = createCompactor({ format: openaiChat, profile: "agentpg", compact: { auto: false } });
  const { request, report } = await compactor.fit(body);
  expect(report.tokensBefore).toBeGreaterThan(overTokens);
  expect(report).toMatchObject({ compacted: false, reason: "auto-off", ok: true });
  expect(request).toBe(body);
  const { report: asked } = await compactor.compact(body);
  expect(asked.steps).toMatchObject({ stub: expect.any(Number) });
});

/** Sessions of rounds and turns, some messages as large as a whole tail, until the profile's trigger fires. */
function sessionOf(random: Random, triggerTokens: number): JsonObject[] {
  const sizes = [20, 400, 2_000, 6_000, random.chance(0.5) ? 14_000 : 45_000] as const;
  const size = (): number => 1 + random.below(random.pick(sizes));
  const messages = [of("system", 500), of("user", size())];
  let tokens = 0;
  for (let round = 0; tokens < triggerTokens; round++) {
    const calls = random.chance(0.6) ? Array.from({ length: 1 + random.below(3) }, (_, at) => `c${round}-${at}`) : [];
    const results = calls.map((id) => ({ ...of("tool", size()), tool_call_id: id }));
    const said = {
      ...of("assistant", size()),
      ...(calls.length > 0 && { tool_calls: calls.map((id) => ({ id, type: "function", function: READ })) }),
    };
    const answered = calls.length === 0 ? [of("user", size())] : [];
    messages.push(said, ...results, ...answered);
    tokens += tokensIn([said, ...results, ...answered]);
  }
  return messages;
}

function tokensIn(list: readonly JsonObject[]): number {
  return counter.total(openaiChat.decode(list).messages);
}

const READ = { name: "read", arguments: "{}" };

/** Takes all that it is given, so that no tail owes anything to a short summary. */
const lengthy: Summarizer = {
  name: "lengthy",
  version: "1",
  planCalls: () => 1,
  summarize: ({ budgetTokens }) => Promise.resolve({ text: "s".repeat(budgetTokens), calls: 1, notes: [] }),
};

const MARKS_TOKENS = 50;
const presets = profileNames.filter((name) => name.startsWith("agentpg"));

test.each(presets)("%s keeps the newest messages and tokens that it promises, or says why not", async (profile) => {
  const { protect, compact, windowTokens } = profileNamed(profile);
  let whole = 0;
  for (let offset = 0; offset < sampleOf(400, 12); offset++) {
    const messages = sessionOf(createRandom(seed + offset), windowTokens);
    const compactor = createCompactor({ format: openaiChat, profile, counter, summarizer: lengthy });
    const { request, report } = await compactor.compact({ messages });
    const where = `seed ${seed + offset}`;
    expect(report.compacted, where).toBe(true);
    const isKept = (index: number): boolean =>
      JSON.stringify(messages.at(index)) === JSON.stringify(request.messages.at(index));
    let tail = 0;
    while (tail < messages.length && isKept(-1 - tail)) tail++;
    const newest = tail === 0 ? [] : messages.slice(-tail);
    const isWhole = tail >= protect.tailMessages && tokensIn(newest) >= protect.tailTokens;
    const note = report.notes.find((said) => said.startsWith("There was no room for the whole tail"));
    expect(note === undefined, `${where}: ${tail} messages, ${tokensIn(newest)} tokens`).toBe(isWhole);
    if (isWhole) {
      whole++;
      continue;
    }
    // The round before would not have fitted: the target really demands it. A plan allows a few tokens for the marks of a summary.
    const before = messages.slice(0, -tail || undefined);
    const round = before.slice(before.findLastIndex(({ role }) => role !== "tool"));
    expect(report.tokensAfter + tokensIn(round), where).toBeGreaterThan((report.targetTokens ?? 0) - MARKS_TOKENS);
  }
  // A tail as large as the target is whole only where pruning alone was enough.
  const target = targetTokensOf(compact.target, profileNamed(profile)) ?? 0;
  if (protect.tailTokens < target) expect(whole).toBeGreaterThan(0);
});

test("tool outputs that are to stay in full are not cut for the target, even before the model has read them", async () => {
  const result = { ...of("tool", 100_000), tool_call_id: "c" };
  const call = { ...of("assistant", 10), tool_calls: [{ id: "c", type: "function", function: READ }] };
  const messages = [of("user", 50_000), of("assistant", 40_000), of("user", 10), call, result];
  const lastOf = async (profile: ProfileName): Promise<JsonValue | undefined> => {
    const compactor = createCompactor({ format: openaiChat, profile, counter, summarizer: lengthy });
    const { request, report } = await compactor.compact({ messages });
    expect(report.compacted).toBe(true);
    expect(report.inTheWay[0]?.why).toBe(report.fits ? undefined : "open-round");
    return request.messages.at(-1);
  };
  expect(await lastOf("agentpg-tool-heavy")).toEqual(result);
  expect(await lastOf("agentpg")).not.toEqual(result);
});
