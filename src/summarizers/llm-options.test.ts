import { describe, expect, test } from "vitest";
import { checkpointText } from "../../test/summarizer-script.ts";
import { type CompactorOptions, createCompactor } from "../compactor.ts";
import { CompactionError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { openaiChat } from "../formats/openai-chat.ts";
import type { CompletionRequest } from "./ask.ts";
import { guarded } from "./guard.ts";
import { llm } from "./llm.ts";
import type { LlmOptions } from "./llm-options.ts";

const RIGHT: LlmOptions = { windowTokens: 50_000, complete: async () => ({ text: "S" }) };

/** What is said about options that are right but for these. */
function refusal(options: object): string | undefined {
  try {
    // Wrong options are the point.
    llm({ ...RIGHT, ...options } as LlmOptions);
    return undefined;
  } catch (error) {
    if (!(error instanceof CompactionError)) throw error;
    expect(error.code).toBe("invalid-settings");
    expect(error.message).not.toContain("\n");
    return error.message;
  }
}

test.each([
  [{ promptPack: "minimal" }, 'llm: unknown option "promptPack"; did you mean pack?'],
  [{ maxCals: 3 }, 'llm: unknown option "maxCals"; did you mean maxCalls?'],
  [{ promptPack: "minimal", maxCals: 3, temperature: "hot" }, /did you mean pack\?; also wrong: maxCals, temperature$/],
  [{ zzzzzzzz: 3 }, /^llm: unknown option "zzzzzzzz"; allowed: windowTokens, model, name, /],
  [{ temperature: "hot" }, 'llm: temperature must be a number of at least 0 and at most 2, but is "hot"'],
  [{ complete: undefined }, "llm: complete must be a function, but is undefined"],
  [{ windowTokens: "200k" }, /^llm: windowTokens must be a whole number/],
  [{ windowTokens: 3_999 }, "llm: windowTokens must be at least 4000."],
  [{ mode: "stagd" }, /^llm: mode must be one of .*did you mean staged\?$/],
  [{ pack: "minmal" }, /^llm: pack: must be one of .*did you mean minimal\?$/],
  [{ pack: { name: "own", version: "1" } }, /^llm: pack: task is missing/],
  [{ input: { maxchars: 1 } }, "llm: Unknown key input.maxchars; did you mean input.maxChars?"],
  [{ staged: { concurrency: 0 } }, /^llm: staged.concurrency must be a whole number of at least 1/],
  [{ retry: { maxAttempt: 1 } }, "llm: Unknown key retry.maxAttempt; did you mean retry.maxAttempts?"],
  [{ retry: { sleep: 5 } }, "llm: retry.sleep must be a function, but is 5"],
])("%j", (options, expected) => {
  if (typeof expected === "string") expect(refusal(options)).toBe(expected);
  else expect(refusal(options)).toMatch(expected);
});

test("what is right passes, undefined included", () => {
  const pack = { name: "own", version: "1", task: "Summarize." };
  expect(
    refusal({ pack, temperature: 0.5, maxCalls: undefined, retry: { maxAttempts: 1, sleep: async () => {} } }),
  ).toBe(undefined);
});

describe("llm settings", () => {
  /** One function: what `llm` is told itself wins, the rest is what the settings in force say. */

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
      ["balanced", "llm handover@"],
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
});
