import { expect, test } from "vitest";
import type { SettingsInput } from "../core/settings/settings-input.ts";
import { profileNames } from "../profiles/profiles.ts";
import { resolveSettings, type SettingsLayers } from "../settings.ts";
import { settingsWarnings } from "./warnings.ts";

function check(user: SettingsInput, expected: readonly string[], profile?: SettingsLayers["profile"]): void {
  const warnings = settingsWarnings(resolveSettings({ profile, user }));
  expect(warnings.map(({ severity, key }) => `${severity} ${key}`)).toEqual(expected);
  for (const { key, message } of warnings) expect(message).toContain(key);
}

/** R035. */
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

test("an overflow check point without attempts (X22)", () =>
  check({ overflow: { maxAttempts: 0 } }, ["notice overflow.maxAttempts"]));

test("the message cap that compaction should have lifted (R018)", () => {
  check({ compact: { auto: true }, maxMessagesWhen: "always" }, ["notice maxMessages"], "nous");
  check({ compact: { auto: true } }, [], "nous");
});

test("of the profiles only two presets of AgentPG are warned about: R204 and R207 keep the tail of R061", () => {
  const warned = profileNames.filter((profile) => settingsWarnings(resolveSettings({ profile })).length > 0);
  expect(warned).toEqual(["agentpg-high-volume", "agentpg-cost-sensitive"]);
});
