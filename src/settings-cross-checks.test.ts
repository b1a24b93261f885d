import { describe, expect, test } from "vitest";
import { createCompactor } from "./compactor.ts";
import type { SettingsInput } from "./core/settings/settings.ts";
import { anthropicMessages } from "./formats/anthropic-messages.ts";
import { openclawSettings } from "./profiles/adapters/openclaw.ts";
import { profileNames } from "./profiles/profiles.ts";
import { resolveSettings, type SettingsLayers, settingsWarnings } from "./settings.ts";

function check(user: SettingsInput, expected: readonly string[], profile?: SettingsLayers["profile"]): void {
  const warnings = settingsWarnings(resolveSettings({ profile, user }));
  expect(warnings.map(({ severity, key }) => `${severity} ${key}`)).toEqual(expected);
  for (const { key, message } of warnings) expect(message).toContain(key);
}

test.each([
  [32_000, []],
  [31_999, ["notice windowTokens"]],
  [16_000, ["notice windowTokens"]],
  [15_999, ["strong windowTokens"]],
])("a window of %i", (windowTokens, expected) => check({ windowTokens }, expected));

test("a tail that fills the target", () => {
  check({ protect: { tailTokens: 79_999 } }, []);
  check({ protect: { tailTokens: 80_000 } }, ["notice protect.tailTokens"]);
});

test("stubs that come too late", () => {
  check({ prune: { clearAfter: 9 } }, []);
  check({ prune: { clearAfter: 8 } }, ["notice prune.stub.afterResults"]);
  check({ prune: { clearAfter: 0 } }, []);
});

test("every tool as the user's voice", () => {
  check({ userTools: ["ask_*"] }, []);
  check({ userTools: ["*"] }, ["strong userTools"]);
});

test("an overflow check point without attempts (X22)", () =>
  check({ overflow: { maxAttempts: 0 } }, ["notice overflow.maxAttempts"]));

test("the message cap that compaction should have lifted (R018)", () => {
  check({ compact: { auto: true }, maxMessagesWhen: "always" }, ["notice maxMessages"], "nous");
  check({ compact: { auto: true } }, [], "nous");
});

test("two presets of AgentPG keep a tail that fills their target, and OpenClaw's reserve is raised to its floor", () => {
  const warned = profileNames.filter((profile) => settingsWarnings(resolveSettings({ profile })).length > 0);
  expect(warned).toEqual(["openclaw", "agentpg-high-volume", "agentpg-cost-sensitive"]);
});

describe("a reserve below its floor", () => {
  const reserve = (reserveTokens: number, floorTokens: number): SettingsInput => ({
    compact: { triggers: [{ type: "reserve", reserveTokens, floorTokens }] },
  });
  const KEY = "notice compact.triggers[0].reserveTokens";

  test.each([
    [16_384, 20_000, [KEY], 20_000],
    [0, 20_000, [KEY], 20_000],
    [20_000, 20_000, [], 20_000],
    [24_000, 20_000, [], 24_000],
    [16_384, 0, [], 16_384],
  ])("%i with a floor of %i: said, and the settings in force hold what counts", (tokens, floor, warned, expected) => {
    check(reserve(tokens, floor), warned);
    const compactor = createCompactor({ format: anthropicMessages, ...reserve(tokens, floor) });
    expect(compactor.settings.compact.triggers).toMatchObject([{ reserveTokens: expected, floorTokens: floor }]);
    // Settled settings, used again as a profile, give the same warning.
    const again = createCompactor({ format: anthropicMessages, profile: compactor.settings }).settings;
    expect(again).toEqual(compactor.settings);
    expect(settingsWarnings(again)).toEqual(settingsWarnings(compactor.settings));
  });

  test("a smaller window caps both, and nothing is left to raise", () =>
    check({ windowTokens: 64_000 }, [], "openclaw"));

  test("the message names both numbers", () => {
    const [warning] = settingsWarnings(resolveSettings(openclawSettings("{}")));
    expect(warning?.message).toContain("(16,384) was below its floor and is now 20,000");
  });
});
