import { expect, test } from "vitest";
import { createCompactor } from "../src/compactor.ts";
import type { JsonObject } from "../src/core/json.ts";
import { estimateTokens } from "../src/core/tokens/tokens.ts";
import { openaiChat } from "../src/formats/openai-chat.ts";
import type { Complete } from "../src/summarizers/ask.ts";
import { llm } from "../src/summarizers/llm.ts";
import { checkpointText } from "./summarizer-script.ts";

/** A session of 2.8 million tokens, a window of 200,000: bounded calls, each within the summarizer's window, below the target. */

const WINDOW_TOKENS = 200_000;
const SESSION_TOKENS = 2_800_000;
const CALLS_MAX = 40;

const counter = estimateTokens({ format: "openai-chat" });

function session(): JsonObject {
  const output = (index: number): string =>
    Array.from(
      { length: 60 },
      (_, line) => `${index}:${line} src/service-${index % 97}/handler.ts warning W${line} after ${index * line} ms`,
    ).join("\n");
  const messages: JsonObject[] = [{ role: "user", content: "Find out why orders are slow." }];
  let tokens = 0;
  for (let index = 0; tokens < SESSION_TOKENS; index++) {
    const turn: JsonObject[] = [
      {
        role: "assistant",
        content: `I decided to profile service-${index % 97} because it is slow.`,
        tool_calls: [
          {
            id: `call_${index}`,
            type: "function",
            function: { name: "bash", arguments: `{"cmd":"profile ${index}"}` },
          },
        ],
      },
      { role: "tool", tool_call_id: `call_${index}`, content: output(index) },
      { role: "user", content: `Go on with step ${index}.` },
    ];
    tokens += counter.total(openaiChat.decode(turn).messages);
    messages.push(...turn);
  }
  return { messages };
}

const body = session();

test("with a model: the calls are known in advance and few, no request is over the window, the result is below the target", async () => {
  const requests: number[] = [];
  const complete: Complete = ({ system, prompt, maxOutputTokens }) => {
    requests.push(counter.countText(system) + counter.countText(prompt) + maxOutputTokens);
    return Promise.resolve({
      text: checkpointText("Find out why orders are slow.", "the orders page is slow because of service-3"),
      stopReason: "stop",
    });
  };
  let planned = 0;
  const compactor = createCompactor({
    format: openaiChat,
    windowTokens: WINDOW_TOKENS,
    prune: { enabled: false },
    summarizer: (settings) => {
      const made = llm({ complete, windowTokens: WINDOW_TOKENS }).withSettings(settings);
      return {
        ...made,
        summarize: (input, context) => {
          planned = made.planCalls(input);
          return made.summarize(input, context);
        },
      };
    },
  });
  const { report } = await compactor.fit(body);
  expect(report.tokensBefore).toBeGreaterThan(SESSION_TOKENS);
  expect(report.fallbacks).toEqual([]);
  expect(requests.length).toBeGreaterThan(5);
  expect(requests.length).toBeLessThanOrEqual(planned);
  expect(planned).toBeLessThanOrEqual(CALLS_MAX);
  expect(Math.max(...requests)).toBeLessThanOrEqual(WINDOW_TOKENS);
  expect(report).toMatchObject({ compacted: true, fits: true, calls: requests.length });
  expect(report.tokensAfter).toBeLessThanOrEqual(WINDOW_TOKENS * 0.4);
});

test("without a model: no calls, below the target", async () => {
  const { report } = await createCompactor({ format: openaiChat, windowTokens: WINDOW_TOKENS }).fit(body);
  expect(report).toMatchObject({ compacted: true, fits: true, calls: 0 });
  expect(report.tokensAfter).toBeLessThanOrEqual(WINDOW_TOKENS * 0.4);
});
