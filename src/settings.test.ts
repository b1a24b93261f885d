import { expect, test } from "vitest";
import { CompactionError } from "./core/errors.ts";
import type { Settings, SettingsInput } from "./core/settings/settings.ts";
import { profileNamed, profileNames } from "./profiles/profiles.ts";
import { resolveSettings, type SettingsLayers } from "./settings.ts";

/** The message of the refusal, or undefined where nothing is refused. */
function refusal(layers: unknown): string | undefined {
  try {
    // Wrong layers are the point.
    resolveSettings(layers as SettingsLayers);
    return undefined;
  } catch (error) {
    if (!(error instanceof CompactionError)) throw error;
    expect(error.code).toBe("invalid-settings");
    return error.message;
  }
}

function checkRefused(user: unknown, expected: string): void {
  expect(refusal({ user })).toBe(expected);
}

function checkAccepted(user: SettingsInput, profile?: SettingsLayers["profile"]): Settings {
  return resolveSettings({ profile, user });
}

test.each(profileNames)("%s resolves to itself, complete and consistent", (profile) => {
  const settings = profileNamed(profile);
  expect(resolveSettings({ profile })).toBe(settings);
  expect(resolveSettings({ profile, user: {}, provider: undefined })).toBe(settings);
  // With a layer, everything is merged and checked.
  expect(resolveSettings({ profile, user: { windowTokens: settings.windowTokens } })).toEqual(settings);
});

test("the default is balanced", () => expect(resolveSettings()).toEqual(profileNamed("balanced")));

test("profile < user < provider < call", () => {
  const layers: SettingsLayers = {
    profile: "agentpg",
    user: { protect: { tailMessages: 1, tailTokens: 100 }, maxMessages: 200, summary: { model: "user" } },
    provider: { protect: { tailMessages: 2 }, summary: { model: "provider" } },
    call: { protect: { tailMessages: 3 } },
  };
  const { protect, maxMessages, summary } = resolveSettings(layers);
  expect(protect).toEqual({ ...profileNamed("agentpg").protect, tailMessages: 3, tailTokens: 100 });
  expect(summary).toEqual({ ...profileNamed("agentpg").summary, model: "provider" });
  expect(maxMessages).toBe(200);
});

test("lists and variants replace, records grow, undefined says nothing", () => {
  const settings = resolveSettings({
    user: { compact: { triggers: [{ type: "never" }], target: { type: "none" } }, prune: { tools: { a: "never" } } },
    provider: { prune: { tools: { b: "trim" }, keepLast: undefined }, windowTokens: undefined },
  });
  expect(settings.compact.triggers).toEqual([{ type: "never" }]);
  expect(settings.compact.target).toEqual({ type: "none" });
  expect(settings.prune.tools).toEqual({ a: "never", b: "trim" });
  expect(settings.prune.keepLast).toBe(profileNamed("balanced").prune.keepLast);
});

test("what a trigger leaves out has the defaults of C3", () => {
  const { triggers } = checkAccepted({
    compact: {
      target: { type: "none" },
      triggers: [
        { type: "absolute", tokens: 90_000 },
        { type: "ratio", ratio: 0.9 },
        { type: "budgetSum", tokens: 90_000, comparison: "gte" },
        { type: "reserve", reserveTokens: 5_000 },
      ],
    },
  }).compact;
  expect(triggers).toEqual([
    { type: "absolute", tokens: 90_000, comparison: "gt" },
    { type: "ratio", ratio: 0.9, comparison: "gte" },
    { type: "budgetSum", tokens: 90_000, comparison: "gte" },
    { type: "reserve", reserveTokens: 5_000, floorTokens: 0, raisedByTokens: 0, comparison: "gt" },
  ]);
});

test("false switches off, and a later layer may switch on again, in full or over the profile's values", () => {
  expect(checkAccepted({ prune: { stub: false, softTrim: false } }).prune).toMatchObject({
    stub: undefined,
    softTrim: undefined,
  });
  const again = resolveSettings({
    user: { prune: { stub: false } },
    call: { prune: { stub: { afterResults: 1, minChars: 2 } } },
  });
  expect(again.prune.stub).toEqual({ afterResults: 1, minChars: 2 });
  expect(checkAccepted({ prune: { stub: { minChars: 9 } } }).prune.stub).toEqual({ afterResults: 8, minChars: 9 });
  expect(refusal({ profile: "nous", user: { prune: { stub: { minChars: 9 } } } })).toBe(
    "prune.stub.afterResults is missing; it must be a whole number of at least 0",
  );
});

test("the result is deeply frozen, and what came in is neither frozen nor shared", () => {
  const user = { compact: { triggers: [{ type: "absolute" as const, tokens: 90_000 }] }, prune: { tools: {} } };
  const own = structuredClone(profileNamed("nous"));
  for (const settings of [resolveSettings({ user }), resolveSettings({ profile: own })]) {
    const isFrozen = (value: unknown): boolean =>
      typeof value !== "object" || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen));
    expect(isFrozen(settings)).toBe(true);
  }
  expect(Object.isFrozen(user.compact.triggers[0])).toBe(false);
  expect(Object.isFrozen(own.compact.triggers)).toBe(false);
  expect(user.compact.triggers).toEqual([{ type: "absolute", tokens: 90_000 }]);
});

test("one's own profile is taken whole or not at all", () => {
  const own: Settings = { ...profileNamed("nous"), maxMessages: 7 };
  expect(resolveSettings({ profile: own, user: { maxOutputTokens: 5 } })).toEqual({ ...own, maxOutputTokens: 5 });
  const { render: _, ...lacking } = own;
  expect(refusal({ profile: lacking })).toBe(
    "render is missing; it must be an object (own profile, which must be complete)",
  );
  expect(refusal({ profile: { ...own, prune: { ...own.prune, stub: false } } })).toMatch(/^prune.stub must be/);
});

test("wrong layers", () => {
  expect(refusal({ windowTokens: 5 })).toBe(
    'Unknown layer "windowTokens"; allowed: profile, user, provider, call; settings go inside user',
  );
  expect(refusal(null)).toBe("resolveSettings takes { profile, user, provider, call }, not null");
  expect(refusal({ user: [] })).toBe("The user settings must be an object, but is a list");
  expect(refusal({ call: { maxMessages: -1 } })).toBe(
    "maxMessages must be a whole number of at least 0, but is -1 (call settings)",
  );
  expect(refusal({ profile: "ballanced" })).toMatch(
    /^Unknown profile "ballanced"; there are .*; did you mean balanced\?$/,
  );
  expect(refusal({ profile: 5 })).toBe("A profile must be an object, but is 5 (own profile, which must be complete)");
});

test("unknown keys, and several problems at once", () => {
  checkRefused({ tailTokens: 5 }, "Unknown key tailTokens; did you mean protect.tailTokens?");
  checkRefused({ protect: { tailToken: 5 } }, "Unknown key protect.tailToken; did you mean protect.tailTokens?");
  checkRefused({ compact: { windowTokens: 5 } }, "Unknown key compact.windowTokens; did you mean windowTokens?");
  checkRefused(
    { windowTokens: 0, prune: { keepLast: "2", scope: "sent" } },
    "windowTokens must be a whole number of at least 1, but is 0; also wrong: prune.scope, prune.keepLast",
  );
});

/** Each rule between keys, just broken and just kept. */
test("settings that contradict each other", () => {
  checkRefused({ maxOutputTokens: 200_001 }, "maxOutputTokens (200,001) must not exceed windowTokens (200,000)");
  checkAccepted({ maxOutputTokens: 200_000 });
  checkRefused(
    { compact: { target: { type: "tokens", tokens: 200_000 } } },
    "compact.target.tokens (200,000) must be below windowTokens (200,000); also wrong: compact.target",
  );
  checkRefused(
    { compact: { target: { type: "tokens", tokens: 170_000 } } },
    "compact.target (170,000 tokens) must be below the limit of compact.triggers[0] (170,000)",
  );
  checkAccepted({ compact: { target: { type: "tokens", tokens: 169_999 } } });
  checkRefused(
    { compact: { triggers: [] }, protect: { tailTokens: 200_000 } },
    "protect.tailTokens (200,000) must be below windowTokens (200,000)",
  );
  checkRefused(
    { protect: { tailTokens: 170_000 } },
    "protect.tailTokens (170,000) must be below the limit of compact.triggers[0] (170,000)",
  );
  checkAccepted({ protect: { tailTokens: 169_999 } });
  checkRefused(
    { maxMessages: 6 },
    "protect.tailMessages (6) must be below maxMessages (6), or maxMessages 0 for no limit",
  );
  checkAccepted({ maxMessages: 7 });
});

test("triggers that could not do their work", () => {
  const trigger = (one: unknown) => ({ compact: { target: { type: "none" }, triggers: [one] } });
  checkRefused(
    trigger({ type: "absolute", tokens: 200_001 }),
    "compact.triggers[0].tokens (200,001) must not exceed windowTokens (200,000)",
  );
  checkRefused(
    trigger({ type: "reserve", reserveTokens: 5, floorTokens: 200_000 }),
    "compact.triggers[0].reserveTokens (200,000 with its floor) must be below windowTokens (200,000)",
  );
  checkRefused(
    trigger({ type: "economic", cliffTokens: 0, coldTokens: 0 }),
    "compact.triggers[0].cliffTokens or coldTokens must be above 0, or the trigger never fires",
  );
  checkRefused(
    trigger({ type: "ratio", ratio: 0 }),
    "compact.triggers[0].ratio must be a number above 0 and at most 1, but is 0",
  );
  checkRefused(
    trigger({ type: "ratio", ratio: 1.01 }),
    "compact.triggers[0].ratio must be a number above 0 and at most 1, but is 1.01",
  );
  expect(refusal({ user: trigger({ type: "ratio", ratio: 1 }) })).toBeUndefined();
});

test("pruning, summary and rendering that contradict themselves", () => {
  checkRefused(
    { prune: { softTrim: { overChars: 3_000 } } },
    "prune.softTrim.overChars (3,000) must be above headChars and tailChars together (3,000)",
  );
  checkAccepted({ prune: { softTrim: { overChars: 3_001 } } });
  checkRefused(
    { prune: { highWaterRatio: 0.4 } },
    "prune.lowWaterRatio (0.4) must be below prune.highWaterRatio (0.4), or both 0 to prune at every request",
  );
  checkAccepted({ prune: { highWaterRatio: 0, lowWaterRatio: 0 } });
  checkRefused(
    { summary: { budget: { minTokens: 9_000 } } },
    "summary.budget.minTokens (9,000) must not exceed summary.budget.maxTokens (8,000)",
  );
  checkRefused(
    { summary: { budget: { maxTokens: 300_000 } } },
    "summary.budget.maxTokens (300,000) must not exceed windowTokens (200,000)",
  );
  checkRefused(
    { summary: { staged: { minChunkRatio: 0.5 } } },
    "summary.staged.minChunkRatio (0.5) must not exceed summary.staged.baseChunkRatio (0.4)",
  );
  for (const maxHistoryShare of [0.09, 0.91]) {
    checkRefused(
      { summary: { staged: { maxHistoryShare } } },
      `summary.staged.maxHistoryShare must be a number of at least 0.1 and at most 0.9, but is ${maxHistoryShare}`,
    );
  }
  checkRefused(
    { render: { renderer: "merge-first-user" }, protect: { firstUser: false } },
    "protect.firstUser must be true with render.renderer merge-first-user, which writes into that message",
  );
  checkRefused(
    { render: { acknowledgement: { text: " " } } },
    "render.acknowledgement.text must not be blank while render.acknowledgement.when is needed",
  );
  checkAccepted({ render: { acknowledgement: { text: "", when: "never" } } });
  checkRefused({ render: { opening: "\n" } }, 'render.opening must be a text that is not blank, but is "\\n"');
});

test("failure and flush that contradict themselves", () => {
  checkRefused(
    { failure: { ladder: ["throw", "truncate"] } },
    "failure.ladder must end with throw where it has it, but truncate follows",
  );
  checkAccepted({ failure: { ladder: ["truncate", "throw"] } });
  expect(refusal({ user: { failure: { ladder: [] } } })).toMatch(/^failure.ladder must be a list of 1 to 6 items/);
  checkRefused(
    { memoryFlush: { enabled: true, softThresholdTokens: 180_000 } },
    "memoryFlush.softThresholdTokens (180,000) and the reserve (20,000) must be below windowTokens (200,000) together",
  );
  checkAccepted({ memoryFlush: { enabled: true, softThresholdTokens: 179_999 } });
});
