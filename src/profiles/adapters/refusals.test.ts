import fc from "fast-check";
import { expect, test } from "vitest";
import { CompactionError } from "../../core/errors.ts";
import { resolveSettings } from "../../settings.ts";
import { type AdapterName, adapters, autoCompactSettings } from "./adapters.ts";

function checkRefused(profile: AdapterName, configuration: unknown, message: string): void {
  const adapt = () => adapters[profile](configuration);
  expect(adapt).toThrow(CompactionError);
  expect(adapt).toThrow(message);
}

test.each<readonly [AdapterName, unknown, string]>([
  [
    "micro-agent",
    { CompactionStrategy: "Summarize" },
    'CompactionStrategy must be one of none, summarize, but is "Summarize"; did you mean summarize? (micro-agent configuration)',
  ],
  [
    "micro-agent",
    { CompactionTresholdTokens: 5 },
    "Unknown key CompactionTresholdTokens; did you mean CompactionThresholdTokens? (micro-agent configuration)",
  ],
  [
    "micro-agent",
    { ProtectedTailMessages: "6" },
    'ProtectedTailMessages must be a whole number of at least 0, but is "6"',
  ],
  ["micro-agent", null, "The micro-agent configuration must be an object, but is null"],
  ["agentpg", { trigger: 85 }, "trigger must be a number above 0 and at most 1, but is 85 (AgentPG options)"],
  [
    "agentpg",
    { preserveToolOutput: true },
    "Unknown key preserveToolOutput; did you mean preserveToolOutputs? (AgentPG options)",
  ],
  ["agentpg", { strategy: "summarize" }, 'strategy must be one of hybrid, summarization, but is "summarize"'],
  ["agentpg", [{ trigger: 0.5 }, "x"], 'AgentPG option 1 must be an object such as { trigger: 0.85 }, but is "x"'],
  ["agentpg", 5, "The AgentPG options must be an object, but is 5"],
  [
    "nous",
    { NOUS_TOOL_SOFT_TRIM_CHAR: "1" },
    "Unknown variable NOUS_TOOL_SOFT_TRIM_CHAR; did you mean NOUS_TOOL_SOFT_TRIM_CHARS? (Nous environment)",
  ],
  ["nous", { NOUS_COMPACTION_ON: "1" }, "Unknown variable NOUS_COMPACTION_ON; did you mean"],
  [
    "nous",
    { NOUS_COMPACTION_ENABLED: "yes" },
    'NOUS_COMPACTION_ENABLED must be true or false, but is "yes" (Nous environment)',
  ],
  [
    "nous",
    { NOUS_KEEP_RECENT_TOKENS: "2e4" },
    'NOUS_KEEP_RECENT_TOKENS must be a whole number of at least 0, but is "2e4"',
  ],
  ["nous", { NOUS_KEEP_RECENT_TOKENS: "" }, 'NOUS_KEEP_RECENT_TOKENS must be a whole number of at least 0, but is ""'],
  ["nous", { NOUS_KEEP_RECENT_TOKENS: " 5" }, 'but is " 5"'],
  [
    "nous",
    { NOUS_TOOL_HARD_CLEAR_AFTER: "-1" },
    "NOUS_TOOL_HARD_CLEAR_AFTER must be a whole number of at least 0, but is -1",
  ],
  ["nous", undefined, "The Nous environment must be an object, but is undefined"],
  ["openclaw", "{agent:{defaults:{}}}", "Unknown key agent; did you mean agents? (OpenClaw configuration)"],
  ["openclaw", "{agents:{default:{}}}", "Unknown key agents.default; did you mean agents.defaults?"],
  ["openclaw", "{agents:[]}", "agents must be an object, but is a list"],
  [
    "openclaw",
    "{agents:{defaults:{compaction:{reserveFloor:1}}}}",
    "Unknown key agents.defaults.compaction.reserveFloor; allowed here: mode",
  ],
  [
    "openclaw",
    "{agents:{defaults:{compaction:{softThresholdTokens:1}}}}",
    "did you mean agents.defaults.compaction.memoryFlush.softThresholdTokens?",
  ],
  [
    "openclaw",
    "{agents:{defaults:{compaction:{maxHistoryShare:.95}}}}",
    "agents.defaults.compaction.maxHistoryShare must be a number of at least 0.1 and at most 0.9, but is 0.95",
  ],
  ["openclaw", "{agents:{defaults:{compaction:null}}}", "agents.defaults.compaction must be an object, but is null"],
  ["openclaw", "{agents:", "The JSON5 text needs a value at line 1, column 9, but the text ends"],
  [
    "auto-compact",
    { compact_strategy: "summarise" },
    'compact_strategy must be one of native, summarize, truncate, disabled, but is "summarise"; did you mean summarize? (auto-compact provider)',
  ],
  [
    "auto-compact",
    { autoCompactThreshold: 1 },
    "Unknown key autoCompactThreshold; did you mean auto_compact_threshold?",
  ],
  [
    "auto-compact",
    { auto_compact_threshold: 0.5 },
    "auto_compact_threshold must be a whole number of at least 1, but is 0.5",
  ],
])("%s refuses %j", (profile, configuration, message) => checkRefused(profile, configuration, message));

test("a target at or above the threshold is refused where both are known", () => {
  const provider = { auto_compact_threshold: 8_000, compact_target_tokens: 8_000 };
  expect(() => resolveSettings(autoCompactSettings(provider))).toThrow(
    "compact.target (8,000 tokens) must be below the limit of compact.triggers[0] (8,000)",
  );
});

test("garbage is refused, and nothing else happens", () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.values(adapters)), fc.anything(), (adapt, configuration) => {
      try {
        resolveSettings(adapt(configuration));
      } catch (error) {
        expect(error).toBeInstanceOf(CompactionError);
      }
    }),
    { numRuns: 500 },
  );
});
