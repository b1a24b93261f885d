/** One function: what `llm` is told itself wins, the rest is what the settings in force say. */

import { describe, expect, test } from "vitest";
import { checkpointText } from "../../test/summarizer-script.ts";
import { type CompactorOptions, createCompactor } from "../compactor.ts";
import type { JsonObject } from "../core/json.ts";
import { openaiChat } from "../formats/openai-chat.ts";
import type { CompletionRequest } from "./ask.ts";
import { guarded } from "./guard.ts";
import { llm } from "./llm.ts";
import type { LlmOptions } from "./llm-options.ts";

const ANSWER = checkpointText("Look at the parts.", "handler_1 in src/part-1.ts was slow");
const say = (role: string, text: string): JsonObject => ({ role, content: text });
const chatter = (turns: number): readonly JsonObject[] =>
  Array.from({ length: turns }, (_, turn) => [
    say("user", `Please look at src/part-${turn}.ts. `.repeat(30)),
    say("assistant", `I changed handler_${turn} because it was slow. `.repeat(30)),
  ]).flat();

describe("llm takes what it was not told from the settings", () => {
  type Asked = Pick<CompletionRequest, "model" | "maxOutputTokens" | "temperature" | "system" | "prompt">;

  async function asked(options: Partial<CompactorOptions>, own: Partial<Record<keyof LlmOptions, unknown>> = {}) {
    const requests: Asked[] = [];
    const complete = async (request: Asked) => {
      requests.push(request);
      return { text: ANSWER };
    };
    // An option that is there and undefined says nothing; the type would not let it through.
    const summarizer = llm({ complete, guard: false, ...own } as LlmOptions);
    const compactor = createCompactor({
      format: openaiChat,
      windowTokens: 40_000,
      summarizer,
      telemetry: false,
      ...options,
    });
    const body = { messages: [say("user", "Look at the parts."), ...chatter(120)] };
    const { report } = await compactor.compact(body);
    return { request: requests[0], report };
  }

  test.each([
    ["balanced", "llm checkpoint@"],
    ["micro-agent", "llm narrative@"],
    ["openclaw", "llm safeguard@"],
    ["auto-compact", "llm minimal@"],
  ] as const)("%s asks with %s…", async (profile, expected) => {
    const { report } = await asked({ profile });
    expect(report.result?.summarizer).toContain(expected);
  });

  test("model, limits, temperature; and its own options over them", async () => {
    const summary = { model: "small", maxOutputTokens: 1_234, temperature: 0.5 };
    const settled = await asked({ summary });
    expect(settled.request).toMatchObject({ model: "small", maxOutputTokens: 1_234, temperature: 0.5 });
    const own = await asked({ summary }, { model: "tiny", pack: "narrative", temperature: undefined });
    expect(own.request).toMatchObject({ model: "tiny", maxOutputTokens: 1_234, temperature: 0.5 });
    expect(own.report.result?.summarizer).toContain("llm narrative@");
  });

  test("the window: what the settings say is a limit for the summarizer's own requests", async () => {
    const { request } = await asked({ windowTokens: 8_000, summary: { mode: "single" } });
    expect((request?.prompt.length ?? 0) / 4).toBeLessThan(8_000);
    expect(() =>
      createCompactor({ format: openaiChat, windowTokens: 3_000, summarizer: llm({ complete: never }) }),
    ).toThrow("windowTokens must be at least 4000");
  });

  test("guarded or wrapped: the guard passes them on, a copy with its own method stands as it is", async () => {
    const complete = async () => ({ text: ANSWER });
    const { report } = await asked({ profile: "openclaw", summarizer: guarded(llm({ complete, guard: false })) });
    expect(report.result?.summarizer).toContain("llm safeguard@");
    const wrapped = { ...llm({ complete }), summarize: async () => ({ text: "Mine.", calls: 0, notes: [] }) };
    expect((await asked({ summarizer: wrapped })).report.result?.summary).toBe("Mine.");
  });
});

const never = (): Promise<never> => Promise.reject(new Error("never asked"));
