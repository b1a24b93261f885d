import { describe, expect, test } from "vitest";
import { createCompactor } from "../src/compactor.ts";
import type { JsonArray, JsonObject } from "../src/core/json.ts";
import { openaiChat } from "../src/formats/openai-chat.ts";
import { convert, formatNamed, formatNames } from "../src/formats.ts";
import { llm } from "../src/summarizers/llm.ts";
import type { LlmOptions } from "../src/summarizers/llm-options.ts";
import { checkpointText, contextOf, inputOf, scripted } from "./summarizer-script.ts";

/** Summaries that are asked for with the live request itself, so that their input is a cache read. */

const ANSWER = checkpointText("Make the orders page fast.");
const filler = (index: number): string => `Looked at src/module-${index}.ts and its handler_${index}. `.repeat(20);

const chat: JsonObject = {
  model: "m",
  temperature: 0.3,
  tools: [{ type: "function", function: { name: "bash", parameters: { type: "object" } } }],
  messages: [
    { role: "system", content: "You are careful." },
    ...Array.from({ length: 20 }, (_, index): readonly JsonObject[] => [
      { role: "user", content: `Go on with part ${index}.` },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: `c${index}`, type: "function", function: { name: "bash", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: `c${index}`, content: filler(index) },
      { role: "assistant", content: filler(index) },
    ]).flat(),
  ],
};

const listOf = (body: JsonObject): JsonArray => (body.messages ?? body.input ?? body.contents) as JsonArray;
const withoutList = ({ messages: _m, input: _i, contents: _c, ...rest }: JsonObject): JsonObject => rest;

async function compacted(
  body: JsonObject,
  name: (typeof formatNames)[number],
  options: Partial<LlmOptions> = {},
  ...answers: readonly string[]
) {
  const model = scripted(...answers, ANSWER);
  const summarizer = llm({ complete: model.complete, windowTokens: 100_000, guard: false, inBand: true, ...options });
  const compactor = createCompactor({
    format: formatNamed(name),
    windowTokens: 200_000,
    summarizer,
    prune: { enabled: false },
  });
  const { report } = await compactor.compact(body, { target: { ratio: 0.3 }, instructions: "the handlers" });
  return { report, requests: model.requests };
}

describe.each(formatNames)("%s", (name) => {
  const format = formatNamed(name);
  const body = format.encode(convert(openaiChat.decode(chat), format).conversation) as JsonObject;

  test("the model gets the same system, tools and messages, byte for byte, and the instruction behind them", async () => {
    const { report, requests } = await compacted(body, name);
    // It ends with an answer, before and after, and some providers would not take it so.
    const notes = format.validate(body, { sending: true }).map(({ rule }) => expect.stringContaining(rule));
    expect(report).toMatchObject({ compacted: true, steps: { summarize: 1 }, calls: 1, fallbacks: [], notes });
    expect(requests).toHaveLength(1);
    const sent = requests[0]?.body as JsonObject;
    expect(JSON.stringify(withoutList(sent))).toBe(JSON.stringify(withoutList(body)));
    const [before, live] = [listOf(body), listOf(sent)];
    const last = live.length - 1;
    expect(last).toBeGreaterThan(10);
    expect(last).toBeLessThan(before.length);
    expect(JSON.stringify(live.slice(0, last))).toBe(JSON.stringify(before.slice(0, last)));
    const instruction = JSON.stringify(live[last]);
    expect(instruction).toContain("call no tool");
    expect(instruction).toContain("the handlers");
    // What stays stands behind the zone and is shown, fenced; the zone is not told twice.
    expect(instruction).toMatch(/kind=..?kept[\s\S]*src\/module-19\.ts[\s\S]*kind=..?request[\s\S]*Go on with part 19/);
    expect(requests[0]?.prompt).not.toContain("src/module-1.ts");
    expect(format.validate(sent, { sending: true })).toEqual([]);
    expect(report.result).toMatchObject({ summary: ANSWER, summarizer: expect.stringContaining("/in-band-2") });
  });

  test("the result is the one of the ordinary way", async () => {
    const summaryOf = async (inBand: boolean) => (await compacted(body, name, { inBand })).report.result?.summary;
    expect(await summaryOf(true)).toBe(await summaryOf(false));
  });
});

test("what does not fit the summarizer's window is asked for the ordinary way, and that is said", async () => {
  const { report, requests } = await compacted(chat, "openai-chat", { windowTokens: 8_000, mode: "single" });
  expect(report.compacted).toBe(true);
  expect(report.notes[0]).toMatch(/^The summary was not asked for in band: the live request counts \d+ tokens/);
  for (const request of requests) expect(request).not.toHaveProperty("body");
  expect(requests[0]?.prompt).toContain("src/module-");
});

test("a repair is asked for the ordinary way, within the calls that were planned", async () => {
  const lacking = ANSWER.replace("## Next Steps", "## Later");
  const { report, requests } = await compacted(chat, "openai-chat", { guard: true }, lacking);
  expect(report.compacted).toBe(true);
  expect(requests).toHaveLength(2);
  expect(requests[0]).toHaveProperty("body");
  expect(requests[1]).not.toHaveProperty("body");
});

test("a summarizer that is used without a compactor has no live request", async () => {
  const model = scripted(ANSWER);
  const summarizer = llm({ complete: model.complete, windowTokens: 20_000, guard: false, inBand: true });
  const { notes } = await summarizer.summarize(inputOf(openaiChat.decode(chat).messages), contextOf());
  expect(notes).toContain("The summary was not asked for in band: there is no live request.");
});
