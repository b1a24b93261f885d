import { expect, test } from "vitest";
import { resolveSettings, settingsWarnings } from "../../settings.ts";
import * as adapters from "./adapters.ts";

/** What `palimpsest/adapters` promises: each source's adapter by name, with its own options. */
test("docs/profiles.md can be followed", () => {
  const names = ["microAgentSettings", "agentpgSettings", "nousSettings", "openclawSettings", "autoCompactSettings"];
  expect(Object.keys(adapters).sort()).toEqual(["adapters", ...names].sort());
  expect(() => adapters.openclawSettings("{ agents: {} }", { requireAll: true })).toThrow(/mode is missing/);
  const { profile } = adapters.openclawSettings("{}");
  const warnings = settingsWarnings(resolveSettings({ profile, user: { windowTokens: 20_000 } }));
  expect(warnings.map(({ key }) => key)).toEqual(["windowTokens"]);
});
