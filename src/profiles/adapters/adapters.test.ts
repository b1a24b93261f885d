import { expect, test } from "vitest";
import { raiseToFloor } from "../../core/plan/trigger.ts";
import { resolveSettings } from "../../settings.ts";
import { profileNamed } from "../profiles.ts";
import { type AdapterName, adapters, agentpgSettings } from "./adapters.ts";
import { openclawSettings } from "./openclaw.ts";

/** Exactly the profile, but for the paths named. */
function check(profile: AdapterName, configuration: unknown, changed: Readonly<Record<string, unknown>>): void {
  const settings = resolveSettings(adapters[profile](configuration));
  expect(settings).toEqual(withPaths(profileNamed(profile), changed));
}

function withPaths<Value>(value: Value, changed: Readonly<Record<string, unknown>>): Value {
  const copy = structuredClone(value);
  for (const [path, inner] of Object.entries(changed)) {
    const keys = path.split(".");
    const last = keys.pop() ?? "";
    // The paths are ours, and a wrong one fails the comparison.
    const place = keys.reduce((at, key) => at[key] as Record<string, unknown>, copy as Record<string, unknown>);
    place[last] = inner;
  }
  return copy;
}

/** The examples of the sources, word for word. */
test("micro-agent's example", () => {
  const text = '{"CompactionStrategy":"summarize","CompactionThresholdTokens":80000,"ProtectedTailMessages":6}';
  check("micro-agent", JSON.parse(text), { "compact.auto": true });
});

test("micro-agent: defaults, and every key", () => {
  check("micro-agent", {}, { "compact.strategy": "none" }); // R201: off is the default.
  check(
    "micro-agent",
    {
      CompactionStrategy: "summarize",
      CompactionThresholdTokens: 50_000,
      ProtectedTailMessages: 8,
      MaxToolResultChars: 10_000,
      MaxConversationMessages: 30,
    },
    {
      "compact.auto": true,
      "compact.triggers": [{ type: "absolute", tokens: 50_000, comparison: "gt" }],
      "protect.tailMessages": 8,
      "prune.capOnArrivalChars": 10_000,
      maxMessages: 30,
    },
  );
});

test("AgentPG's example, as an object and as a list", () => {
  const options = {
    autoCompaction: true,
    trigger: 0.85,
    target: 80_000,
    strategy: "hybrid",
    preserveN: 10,
    protectedTokens: 40_000,
    preserveToolOutputs: true,
    summarizerModel: "claude-3-5-haiku-20241022",
    maxContextTokens: 200_000,
  };
  const changed = { "compact.target": { type: "tokens", tokens: 80_000 }, "protect.toolOutputs": true };
  check("agentpg", options, changed);
  check(
    "agentpg",
    Object.entries(options).map(([key, value]) => ({ [key]: value })),
    changed,
  );
});

test("AgentPG: the other values", () => {
  check("agentpg", {}, {});
  check("agentpg", { autoCompaction: false }, { "compact.auto": false });
  check("agentpg", { strategy: "summarization" }, { "compact.strategy": "summarize", "prune.enabled": false }); // R011.
  check("agentpg", { extendedContext: true }, { windowTokens: 1_000_000 }); // R034.
  check("agentpg", { extendedContext: true, maxContextTokens: 400_000 }, { windowTokens: 400_000 });
  check("agentpg", { extendedContext: false }, {});
  check("agentpg", [{ preserveN: 3 }, { preserveN: 4 }], { "protect.tailMessages": 4 });
});

test.each([
  ["agentpg-high-volume", { trigger: 0.7, target: 40_000, preserveN: 5, summarizerModel: "claude-3-5-haiku-20241022" }],
  ["agentpg-tool-heavy", { trigger: 0.9, preserveN: 20, protectedTokens: 60_000, preserveToolOutputs: true }],
  [
    "agentpg-long-research",
    { extendedContext: true, trigger: 0.95, summarizerModel: "claude-sonnet-4-5-20250929", preserveN: 30 },
  ],
  [
    "agentpg-cost-sensitive",
    { summarizerModel: "claude-3-5-haiku-20241022", trigger: 0.6, target: 30_000, strategy: "hybrid" },
  ],
] as const)("%s is what its options give (R204–R207)", (profile, options) => {
  expect(resolveSettings(agentpgSettings(options))).toEqual(profileNamed(profile));
});

const NOUS_EXAMPLE =
  "NOUS_TOOL_PRUNING_ENABLED=true NOUS_TOOL_SOFT_TRIM_CHARS=4000 NOUS_TOOL_SOFT_TRIM_HEAD=1500 NOUS_TOOL_SOFT_TRIM_TAIL=1500 NOUS_TOOL_HARD_CLEAR_AFTER=6 NOUS_KEEP_LAST_TOOL_RESULTS=2 NOUS_COMPACTION_ENABLED=true";

test("Nous's example", () => {
  const environment = Object.fromEntries(NOUS_EXAMPLE.split(" ").map((pair) => pair.split("=")));
  check("nous", environment, { "compact.auto": true, maxMessages: 0 }); // R018.
});

test("Nous: the other values", () => {
  check("nous", {}, {});
  check("nous", process.env, {});
  check("nous", { PATH: "/bin", NOUS_API_KEY: "x", NOUS_COMPACTION_ENABLED: undefined }, {});
  check("nous", { NOUS_COMPACTION_ENABLED: "0", NOUS_TOOL_PRUNING_ENABLED: "FALSE" }, { "prune.enabled": false });
  check(
    "nous",
    { NOUS_COMPACTION_ENABLED: "1", NOUS_COMPACTION_THRESHOLD: "120000", NOUS_KEEP_RECENT_TOKENS: "30000" },
    {
      "compact.auto": true,
      maxMessages: 0,
      "compact.triggers": [{ type: "budgetSum", tokens: 120_000, comparison: "gt" }],
      "protect.tailTokens": 30_000,
    },
  );
  check("nous", { NOUS_TOOL_SOFT_TRIM_HEAD: "10" }, { "prune.softTrim.headChars": 10 });
  check("nous", { NOUS_TOOL_HARD_CLEAR_AFTER: "0" }, { "prune.clearAfter": 1 }); // D17: all, not never.
});

const OPENCLAW_EXAMPLE = `
  {agents:{defaults:{compaction:{mode:"safeguard",reserveTokensFloor:24000,maxHistoryShare:0.5,memoryFlush:{enabled:true,softThresholdTokens:6000,systemPrompt:"…",prompt:"…"}}}}}`;

const OPENCLAW_CHANGED = {
  "compact.triggers": [
    { type: "reserve", reserveTokens: 24_000, floorTokens: 24_000, raisedByTokens: 7_616, comparison: "gt" },
  ],
  memoryFlush: { enabled: true, softThresholdTokens: 6_000, systemPrompt: "…", prompt: "…" },
};

test("OpenClaw's example, as text and parsed, with comments and beside other things (R211)", () => {
  check("openclaw", OPENCLAW_EXAMPLE, OPENCLAW_CHANGED);
  check("openclaw", OPENCLAW_EXAMPLE.replace("mode:", "/* chunked */ 'mode': // or default\n"), OPENCLAW_CHANGED);
  const beside = OPENCLAW_EXAMPLE.replace("{agents:{", "{gateway:{port:1},agents:{list:[],").replace(
    "{defaults:{",
    "{defaults:{model:'x',",
  );
  check("openclaw", beside, OPENCLAW_CHANGED);
  expect(resolveSettings(openclawSettings(OPENCLAW_EXAMPLE, { requireAll: true }))).toEqual(
    resolveSettings(openclawSettings(OPENCLAW_EXAMPLE)),
  );
});

test("OpenClaw: the other values", () => {
  const compaction = (value: unknown) => ({ agents: { defaults: { compaction: value } } });
  for (const empty of [{}, { agents: {} }, { agents: { defaults: { model: "x" } } }, compaction({})])
    check("openclaw", empty, {});
  check("openclaw", compaction({ mode: "default" }), { "summary.mode": "single" });
  check("openclaw", compaction({ maxHistoryShare: 0.9 }), { "summary.staged.maxHistoryShare": 0.9 });
  check("openclaw", compaction({ keepRecentTokens: 9_000 }), { "protect.tailTokens": 9_000 });
  check("openclaw", compaction({ memoryFlush: { enabled: false } }), { "memoryFlush.enabled": false });
  check("openclaw", compaction({ reserveTokens: 30_000 }), {
    "compact.triggers": [
      { type: "reserve", reserveTokens: 30_000, floorTokens: 20_000, raisedByTokens: 0, comparison: "gt" },
    ],
  });
});

/** R050, R051. */
test.each([
  [16_384, 20_000, { didOverride: true, reserveTokens: 20_000 }],
  [20_000, 20_000, { didOverride: false, reserveTokens: 20_000 }],
  [24_000, 20_000, { didOverride: false, reserveTokens: 24_000 }],
  [16_384, 0, { didOverride: false, reserveTokens: 16_384 }],
])("a reserve of %i with a floor of %i", (reserveTokens, floorTokens, expected) => {
  expect(raiseToFloor(reserveTokens, floorTokens)).toEqual(expected);
});

test("the minimum configuration of Nexus has every field (R212)", () => {
  const lacking = "{agents:{defaults:{compaction:{mode:'safeguard',maxHistoryShare:.5,memoryFlush:{enabled:true}}}}}";
  const adapt = () => openclawSettings(lacking, { requireAll: true });
  const at = "agents.defaults.compaction";
  expect(adapt).toThrow(
    `${at}.reserveTokensFloor is missing; the minimum configuration has every field (OpenClaw configuration); also wrong: ${at}.memoryFlush.softThresholdTokens, ${at}.memoryFlush.prompt, ${at}.memoryFlush.systemPrompt`,
  );
  expect(() => openclawSettings("{}", { requireAll: true })).toThrow(`${at}.mode is missing`);
});

test("auto-compact's example", () => {
  const changed = {
    "compact.triggers": [{ type: "absolute", tokens: 8_000, comparison: "gt" }],
    "compact.target": { type: "tokens", tokens: 4_000 },
  };
  for (const compact_strategy of ["Summarize", "summarize", "SUMMARIZE"]) {
    check("auto-compact", { auto_compact_threshold: 8_000, compact_target_tokens: 4_000, compact_strategy }, changed);
  }
});

test("auto-compact: the other values", () => {
  check("auto-compact", {}, {});
  check("auto-compact", { auto_compact_threshold: null, compact_target_tokens: null, compact_strategy: null }, {});
  check("auto-compact", { compact_strategy: "Native" }, { "compact.strategy": "native" });
  check("auto-compact", { compact_strategy: "truncate" }, { "compact.strategy": "truncate" });
  check("auto-compact", { compact_strategy: "Disabled" }, { "compact.strategy": "none", "compact.auto": false });
  check(
    "auto-compact",
    { auto_compact_threshold: 8_000 },
    {
      "compact.triggers": [{ type: "absolute", tokens: 8_000, comparison: "gt" }],
    },
  );
});
