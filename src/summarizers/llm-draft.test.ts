import { expect, test } from "vitest";
import { sampleOf } from "../../test/sample.ts";
import {
  checkpointText,
  contextOf,
  inputOf,
  type Reply,
  said,
  scripted,
  statusError,
} from "../../test/summarizer-script.ts";
import { type Message, text } from "../core/message.ts";
import { estimateTokens, messageCounter } from "../core/tokens/tokens.ts";
import { createRandom } from "../testing/random.ts";
import type { CompletionRequest } from "./ask.ts";
import { SAFETY_MARGIN } from "./call-plan.ts";
import { llm } from "./llm.ts";
import type { LlmOptions } from "./llm-options.ts";

const counter = estimateTokens();
/** Fast, for the one test that is about millions of tokens. */
const quarter = messageCounter({ name: "quarter", countText: (text) => text.length / 4 });

/** Messages of so many words each, with a name in each that tells where it stands. */
function conversation(messages: number, words: number): readonly Message[] {
  return Array.from({ length: messages }, (_unused, index): Message => {
    const said = `Step ${index}: please look at the module and the tests, then go on. ${"lorem ipsum dolor sit amet ".repeat(words / 5)}`;
    return { id: `m${index}`, role: index % 2 === 0 ? "user" : "assistant", parts: [text(said)] };
  });
}

/** What a request takes of the window by the counter, margin and answer included. */
function windowShare(request: CompletionRequest, { countText } = counter): number {
  const tokens = countText(request.system) + countText(request.prompt);
  return tokens * SAFETY_MARGIN + request.maxOutputTokens;
}

function summarizerOf(replies: readonly Reply[], options: Partial<LlmOptions> = {}) {
  const model = scripted(...replies);
  const retry = { sleep: async () => {}, ...options.retry };
  return {
    model,
    summarizer: llm({ complete: model.complete, windowTokens: 20_000, mode: "staged", ...options, retry }),
  };
}

const PART = checkpointText("Look at the module and the tests.");

test("2.8 million tokens into a window of 200,000: no request over it, at most 40 calls", async () => {
  const messages = conversation(2_800, 800);
  expect(quarter.total(messages)).toBeGreaterThan(2_800_000);
  const full = `${PART}\n${"- the module was read and the tests were run again\n".repeat(370)}`;
  const modes = ["update", "staged", "single"] as const;
  for (const mode of modes.slice(0, sampleOf(modes.length, 1))) {
    const { model, summarizer } = summarizerOf([full], { windowTokens: 200_000, mode });
    const input = inputOf(messages, { budgetTokens: 8_000, counter: quarter });
    expect(summarizer.planCalls(input)).toBeLessThanOrEqual(40);
    const result = await summarizer.summarize(input, contextOf());
    expect(Math.max(...model.requests.map((request) => windowShare(request, quarter)))).toBeLessThanOrEqual(200_000);
    expect(model.requests.length).toBeLessThanOrEqual(mode === "single" ? 2 : 30);
    expect(model.requests.length).toBeGreaterThan(mode === "single" ? 0 : 15);
    expect(quarter.countText(result.text)).toBeLessThanOrEqual(8_000);
  }
});

test("parts cover everything once and in order, and the merge sees them in order", async () => {
  let number = 0;
  const { model, summarizer } = summarizerOf([async () => ({ text: checkpointText(`Part ${++number} of the work`) })]);
  const events = contextOf();
  await summarizer.summarize(inputOf(conversation(40, 700)), events);
  const leaves = model.requests.filter(({ prompt }) => prompt.includes("[User]"));
  const seen = leaves.flatMap(({ prompt }) =>
    [...prompt.matchAll(/\]: Step (\d+):/g)].map((match) => Number(match[1])),
  );
  expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_unused, index) => index));
  const merge = model.requests[leaves.length]?.prompt ?? "";
  expect([...merge.matchAll(/Part \d+ of the work/g)].map(([match]) => match).length).toBe(leaves.length);
  expect(events.events[0]).toEqual({ stage: "summarize", done: 0, total: leaves.length });
  expect(events.events).toContainEqual({ stage: "summarize", done: leaves.length, total: leaves.length });
  expect(events.events).toContainEqual({ stage: "merge", done: 1, total: 1 });
});

test("no more requests at once than asked for", async () => {
  let running = 0;
  let most = 0;
  const slow: Reply = async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 2));
    running--;
    return { text: PART };
  };
  const { summarizer } = summarizerOf([slow], { staged: { concurrency: 3 } });
  await summarizer.summarize(inputOf(conversation(60, 700)), contextOf());
  expect(most).toBe(3);
});

/** Fails every second call, for good. */
function everySecond(): Reply {
  let calls = 0;
  return async () => {
    if (++calls % 2 === 0) throw statusError(400, "bad luck");
    return { text: PART };
  };
}

test("every second call failing: what succeeded is kept, what did not is named", async () => {
  const { summarizer } = summarizerOf([everySecond()], { staged: { concurrency: 1 } });
  const result = await summarizer.summarize(inputOf(conversation(60, 700)), contextOf());
  expect(result.checkpoint?.goal[0]).toContain("Look at the module and the tests.");
  expect(result.text).toMatch(/## Not Summarised\n- Messages \d+ to \d+ of 60 could not be summarised \(error\)\./);
  expect(result.notes.filter((note) => note.includes("could not be summarised")).length).toBeGreaterThan(2);
});

test("a failing merge puts the parts together; all parts failing fails; partial may be forbidden", async () => {
  const noMerge: Reply = async ({ prompt }) => {
    if (prompt.includes("[User]")) return { text: PART };
    throw statusError(400);
  };
  const { summarizer } = summarizerOf([noMerge]);
  const result = await summarizer.summarize(inputOf(conversation(60, 700)), contextOf());
  expect(result.notes.join("\n")).toMatch(/Merging \d+ partial summaries failed \(error\)/);
  expect(result.text.match(/## Goal/g)).toHaveLength(1);
  const input = inputOf(conversation(60, 700));
  const all = summarizerOf([statusError(400)]);
  await expect(all.summarizer.summarize(input, contextOf())).rejects.toMatchObject({ reason: "error" });
  const strict = summarizerOf([everySecond()], { allowPartial: false, staged: { concurrency: 1 } });
  await expect(strict.summarizer.summarize(input, contextOf())).rejects.toMatchObject({ reason: "error" });
  expect(strict.model.requests).toHaveLength(2);
});

test("an abort half way stops everything, and nothing is called after it", async () => {
  const controller = new AbortController();
  let calls = 0;
  const { model, summarizer } = summarizerOf([
    async () => {
      if (++calls === 3) controller.abort();
      return { text: PART };
    },
  ]);
  const run = summarizer.summarize(inputOf(conversation(120, 700)), contextOf(controller.signal));
  await expect(run).rejects.toMatchObject({ code: "aborted" });
  const made = model.requests.length;
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(model.requests.length).toBe(made);
  expect(made).toBeLessThanOrEqual(4);
});

test("the middle of an oversized message is left out, and named", async () => {
  const huge = said(`user: BEGIN ${"many words in here ".repeat(5_000)} THE_END`).map((message) => ({
    ...message,
    id: "big",
  }));
  const { model, summarizer } = summarizerOf([PART]);
  const result = await summarizer.summarize(inputOf([...conversation(8, 700), ...huge]), contextOf());
  const sent = model.requests.map(({ prompt }) => prompt).join("\n");
  expect(sent).toContain("[User]: BEGIN many words");
  expect(sent).toContain("THE_END");
  expect(result.notes[0]).toMatch(/^The middle of message big \(about \d+ tokens\) was left out/);
  expect(result.text).toContain("## Not Summarised\n- The middle of message big");
});

test("the previous summary is in the update of a short conversation and in the last merge of a long one", async () => {
  const previous = { text: checkpointText("An older goal from long ago.") };
  const short = summarizerOf([PART], { mode: "update" });
  await short.summarizer.summarize(inputOf(conversation(3, 100), { previous }), contextOf());
  expect(short.model.requests[0]?.prompt).toContain("## Existing Summary");
  const long = summarizerOf([PART], { mode: "update" });
  await long.summarizer.summarize(inputOf(conversation(60, 700), { previous }), contextOf());
  const holding = long.model.requests.filter(({ prompt }) => prompt.includes("An older goal from long ago."));
  expect(holding.length).toBe(1);
  expect(holding[0]?.prompt).toContain("## Part 1 of ");
});

/** Texts count more together than alone, as with no real tokenizer; whatever is planned by adding up turns out too large. */
const superadditive = messageCounter({
  name: "superadditive",
  countText: (text) => text.length / 4 + (text.length / 400) ** 2,
});

test("requests are counted as they are sent, not added up from parts", async () => {
  for (const mode of ["single", "update", "staged"] as const) {
    const { model, summarizer } = summarizerOf([`${PART}\n${"- and so on and on\n".repeat(300)}`], {
      mode,
      input: { maxChars: 0 },
      windowTokens: 12_000,
    });
    const input = inputOf(conversation(80, 300), { counter: superadditive, budgetTokens: 1_500 });
    const result = await summarizer.summarize(input, contextOf());
    for (const request of model.requests) expect(windowShare(request, superadditive)).toBeLessThanOrEqual(12_000);
    expect(superadditive.countText(result.text)).toBeLessThanOrEqual(1_500);
  }
});

test("for random conversations, windows and failures: no request over its window, never more calls than planned", async () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = createRandom(seed);
    const windowTokens = 4_000 + random.below(30_000);
    const messages = conversation(1 + random.below(60), 5 * (1 + random.below(200)));
    const budgetTokens = random.chance(0.1) ? random.below(60) : 200 + random.below(4_000);
    const answer = `${PART}\n${"- and one more line of the summary that is there\n".repeat(random.below(60))}`;
    const reply: Reply = async () => {
      if (random.chance(0.15)) throw statusError(random.pick([400, 429, 503]));
      return { text: random.chance(0.1) ? "" : answer };
    };
    const options: Partial<LlmOptions> = {
      windowTokens,
      mode: random.pick(["single", "update", "staged"]),
      pack: random.pick(["checkpoint", "narrative", "safeguard", "minimal"]),
      maxCalls: 1 + random.below(50),
      staged: { parts: 1 + random.below(5), concurrency: 1 + random.below(5) },
    };
    const { model, summarizer } = summarizerOf([reply], options);
    const previous = random.chance(0.4) ? { text: PART.repeat(1 + random.below(30)) } : undefined;
    const instructions = random.chance(0.3) ? "dwell on the tests ".repeat(random.below(300)) : undefined;
    const input = inputOf(messages, {
      budgetTokens,
      kept: conversation(random.below(20), 5 * (1 + random.below(200))),
      ...(previous === undefined ? {} : { previous }),
      ...(instructions === undefined ? {} : { instructions }),
    });
    const planned = summarizer.planCalls(input);
    const outcome = await summarizer.summarize(input, contextOf()).catch((error: unknown) => error);
    const where = `seed ${seed} ${JSON.stringify(options)} ${String(outcome)}`;
    if (outcome instanceof Error) expect(outcome, where).toMatchObject({ code: "summary-failed" });
    else expect(counter.countText((outcome as { text: string }).text), where).toBeLessThanOrEqual(budgetTokens);
    expect(model.requests.length, where).toBeLessThanOrEqual(planned);
    expect(planned, where).toBeLessThanOrEqual(options.maxCalls ?? 0);
    for (const request of model.requests) expect(windowShare(request), where).toBeLessThanOrEqual(windowTokens);
  }
});
