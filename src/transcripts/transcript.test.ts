/** What the providers' own usage objects say, told apart by their fields. Words: input, cache read, cache write, output, reasoning. */

import { describe, expect, test } from "vitest";
import { usageObject } from "../core/usage.ts";
import { recordedUsage } from "./transcript.ts";

function check(response: unknown, expected: readonly number[] | undefined): void {
  const usage = recordedUsage(usageObject(response));
  const counts = usage && [
    usage.inputTokens,
    usage.cacheReadTokens,
    usage.cacheWriteTokens,
    usage.outputTokens,
    usage.reasoningTokens,
  ];
  expect(counts).toEqual(expected);
}

const CACHED = { input_tokens: 3, cache_read_input_tokens: 90, cache_creation_input_tokens: 7, output_tokens: 5 };

describe("Anthropic", () => {
  test("the three input fields together are the input", () => check({ usage: CACHED }, [100, 90, 7, 5, 0]));
  test("details of the output do not make it another provider's", () =>
    check({ usage: { ...CACHED, output_tokens_details: { thinking_tokens: 2 } } }, [100, 90, 7, 5, 2]));
  test("details of the output and no cache", () =>
    check(
      { usage: { input_tokens: 3, output_tokens: 5, output_tokens_details: { thinking_tokens: 2 } } },
      [3, 0, 0, 5, 2],
    ));
  test("of several samplings the last answer tells what stood in the window", () => {
    const iterations = [
      { type: "message", input_tokens: 1, cache_read_input_tokens: 40, cache_creation_input_tokens: 7 },
      { type: "compaction", input_tokens: 900 },
      { type: "message", input_tokens: 2, cache_read_input_tokens: 50, cache_creation_input_tokens: 0 },
      { type: "compaction", input_tokens: 901 },
    ];
    expect(recordedUsage({ ...CACHED, iterations })).toMatchObject({ inputTokens: 52, outputTokens: 5 });
    expect(recordedUsage({ ...CACHED, iterations: [] })).toMatchObject({ inputTokens: 100 });
    expect(recordedUsage({ ...CACHED, iterations: null })).toMatchObject({ inputTokens: 100 });
  });
});

describe("OpenAI", () => {
  test("Chat says what it wrote to the cache", () => {
    const prompt_tokens_details = { cached_tokens: 10, cache_write_tokens: 4 };
    check({ usage: { prompt_tokens: 30, prompt_tokens_details, completion_tokens: 5 } }, [30, 10, 4, 5, 0]);
  });
  test("so does Responses", () => {
    const input_tokens_details = { cached_tokens: 10, cache_write_tokens: 4 };
    const output_tokens_details = { reasoning_tokens: 2 };
    check(
      { usage: { input_tokens: 30, input_tokens_details, output_tokens: 5, output_tokens_details } },
      [30, 10, 4, 5, 2],
    );
  });
  test("Responses without details of the input", () =>
    check(
      { usage: { input_tokens: 30, output_tokens: 5, output_tokens_details: { reasoning_tokens: 2 } } },
      [30, 0, 0, 5, 2],
    ));
});

test("Gemini counts what its tools returned as input and thoughts as output, in either spelling", () => {
  const counts = { promptTokenCount: 100, cachedContentTokenCount: 60, toolUsePromptTokenCount: 3 };
  check({ usageMetadata: { ...counts, candidatesTokenCount: 4, thoughtsTokenCount: 5 } }, [103, 60, 0, 9, 5]);
  const spelled = { prompt_token_count: 100, cached_content_token_count: 60, tool_use_prompt_token_count: 3 };
  check({ usage_metadata: { ...spelled, candidates_token_count: 4, thoughts_token_count: 5 } }, [103, 60, 0, 9, 5]);
});

test("nothing counted is no usage, however it is written", () => {
  check({ usage: null }, undefined);
  check({ usage: {} }, undefined);
  check({ usage: { input_tokens: null, output_tokens: 5 } }, undefined);
  check({ usageMetadata: { promptTokenCount: 0 } }, undefined);
  check({}, undefined);
});
