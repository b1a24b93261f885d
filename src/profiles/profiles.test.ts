import { expect, test } from "vitest";
import { CompactionError } from "../core/errors.ts";
import { raiseToFloor, thresholdTokens } from "../core/plan/trigger.ts";
import type { Settings } from "../core/settings/settings.ts";
import { describeProfile, profileNotes } from "./describe-profile.ts";
import { isProfileName, profileNamed, profileNames } from "./profiles.ts";

const SOURCES = ["micro-agent", "agentpg", "nous", "openclaw", "auto-compact", "balanced"] as const;

/** One row of a table: a topic, how to read it off the settings, and its value per profile in the order of SOURCES. */
type Row = readonly [string, (settings: Settings) => unknown, readonly unknown[]];

/** The conflicts C1 to C26 as far as they are settings. */
const CONFLICTS: readonly Row[] = [
  [
    "C1 compacts",
    ({ compact }) => compact.auto && compact.triggers.length > 0,
    [false, true, false, true, false, true],
  ],
  ["C1 prunes", ({ prune }) => prune.enabled, [true, true, true, false, false, true]],
  [
    "C2 trigger",
    ({ compact }) => compact.triggers.map(({ type }) => type).join(),
    ["absolute", "ratio", "budgetSum", "reserve", "", "ratio,reserve"],
  ],
  ["C2 limit", thresholdTokens, [80_000, 170_000, 100_000, 180_000, undefined, 170_000]],
  [
    "C3 comparison",
    ({ compact }) => compact.triggers.map((one) => "comparison" in one && one.comparison).join(),
    ["gt", "gte", "gt", "gt", "", "gte,gt"],
  ],
  [
    "C4 counted",
    ({ count }) => [count.system, count.tools, count.output].map(Number).join(""),
    ["000", "100", "101", "110", "000", "110"],
  ],
  [
    "C5 estimate",
    ({ estimator }) => estimator,
    ["micro-agent", "fitted", "nous", "openclaw", "auto-compact", "fitted"],
  ],
  ["C6 first user", ({ protect }) => protect.firstUser, [true, false, false, false, false, true]],
  ["C6 system", ({ protect }) => protect.system, [true, true, true, true, true, true]],
  ["C7 tail messages", ({ protect }) => protect.tailMessages, [6, 10, 0, 0, 10, 6]],
  ["C7 tail tokens", ({ protect }) => protect.tailTokens, [0, 40_000, 20_000, 20_000, 0, 20_000]],
  [
    "C8 cut",
    ({ compact }) => compact.cut,
    ["pair-safe", "pair-safe", "turn-start", "split-turn", "pair-safe", "turn-start-or-split"],
  ],
  ["C9 smallest zone", ({ compact }) => compact.minZoneMessages, [2, 1, 1, 1, 1, 1]],
  [
    "C10 target",
    ({ compact: { target } }) => `${target.type} ${"ratio" in target ? target.ratio : ""}`.trim(),
    ["none", "ratioOfWindow 0.4", "none", "none", "ratioOfThreshold 0.5", "ratioOfWindow 0.4"],
  ],
  ["C11 cap", ({ prune }) => prune.capOnArrivalChars, [40_000, 0, 0, 0, 0, 0]],
  [
    "C11 soft trim",
    ({ prune: { softTrim: trim } }) => trim && [trim.overChars, trim.headChars, trim.tailChars].join("/"),
    [undefined, "4000/1500/1500", "4000/1500/1500", "4000/1500/1500", undefined, "4000/1500/1500"],
  ],
  [
    "C11 stub",
    ({ prune: { stub } }) => stub && `${stub.afterResults}/${stub.minChars}`,
    [undefined, "6/4000", undefined, undefined, undefined, "8/200"],
  ],
  ["C11 clear", ({ prune }) => prune.clearAfter, [0, 0, 6, 0, 0, 12]],
  ["C11 keep", ({ prune }) => prune.keepLast, [0, 0, 2, 3, 0, 2]],
  ["C11 drop turns", ({ prune }) => prune.dropTurnsKeep, [0, 0, 0, 0, 3, 0]],
  [
    "C12, C17 previews",
    ({ summary: { input } }) => Object.values(input).join(),
    ["500,200,200,100000", "0,0,0,0", "0,0,0,0", "2000,0,0,0", "0,0,0,0", "0,0,0,0"],
  ],
  ["C13 scope", ({ prune }) => prune.scope, ["stored", "stored", "request", "request", "stored", "stored"]],
  [
    "C14 model",
    ({ summary }) => summary.model,
    ["inherit", "claude-3-5-haiku-20241022", "inherit", "inherit", "inherit", "inherit"],
  ],
  ["C15 passes", ({ summary }) => summary.mode, ["single", "single", "update", "staged", "single", "update"]],
  [
    "C16 prompt pack",
    ({ summary }) => summary.promptPack,
    ["narrative", "checkpoint", "checkpoint", "safeguard", "minimal", "handover"],
  ],
  [
    "R105 transcript",
    ({ summary }) => summary.transcript,
    ["labelled", "labelled", "nous", "labelled", "labelled", "labelled"],
  ],
  [
    "C18 renderer",
    ({ render }) => render.renderer,
    ["merge-first-user", "flagged-message", "pair", "entry", "system", "pair"],
  ],
  [
    "C19 acknowledgement",
    ({ render }) => render.acknowledgement.when,
    ["needed", "never", "always", "never", "never", "needed"],
  ],
  [
    "C20 ladder",
    ({ failure }) => failure.ladder.join(),
    ["keep-and-trim", "throw", "truncate", "staged-partial,annotate", "throw", "staged-partial,extractive,truncate"],
  ],
  [
    "C22 attempts",
    ({ overflow }) => `${overflow.maxAttempts} ${overflow.finalStep}`,
    ["0 none", "0 none", "0 none", "1 none", "0 none", "3 truncate-tools"],
  ],
  [
    "C24 check points",
    ({ compact }) => compact.checkPoints.join(),
    [
      "afterUser,afterToolResults,manual",
      "beforeModelCall,manual",
      "beforeModelCall,manual",
      "afterUser,afterTurn,onOverflow,manual",
      "beforeModelCall,manual",
      "beforeModelCall,onOverflow,manual",
    ],
  ],
  ["C26 reset", ({ overflow }) => overflow.onFailure, ["error", "error", "error", "reset-allowed", "error", "error"]],
];

/** The table of profile values, where C1 to C26 do not say it already. */
const VALUES: readonly Row[] = [
  [
    "strategy",
    ({ compact }) => compact.strategy,
    ["summarize", "hybrid", "summarize", "summarize", "summarize", "hybrid"],
  ],
  ["window", ({ windowTokens }) => windowTokens, [200_000, 200_000, 200_000, 200_000, 200_000, 200_000]],
  [
    "memory flush",
    ({ memoryFlush }) => memoryFlush.enabled && memoryFlush.softThresholdTokens,
    [false, false, false, 4_000, false, false],
  ],
  ["message limit", ({ maxMessages }) => maxMessages, [50, 0, 20, 0, 0, 0]],
  [
    "anti-thrash (D26)",
    ({ antiThrash }) => `${antiThrash.minFreedRatio} ${antiThrash.maxPasses}`,
    Array(6).fill("0.1 2"),
  ],
  [
    "water",
    ({ prune }) => `${prune.highWaterRatio} ${prune.lowWaterRatio}`,
    ["0 0", "1 0.4", "0 0", "0.5 0.3", "0 0", "0.7 0.4"],
  ],
  ["spares the tail", ({ prune }) => prune.sparesTail, [true, true, false, true, true, true]],
  ["summary output", ({ summary }) => summary.maxOutputTokens, [4_096, 8_192, 4_096, 16_000, 4_096, 8_192]],
  ["reply", ({ maxOutputTokens }) => maxOutputTokens, [8_000, 8_000, 16_000, 16_000, 40_960, 16_000]],
  ["summary time limit", ({ summary }) => summary.timeoutMs, [120_000, 120_000, 120_000, 900_000, 120_000, 120_000]],
  [
    "summary size",
    ({ summary: { budget } }) => Object.values(budget).join(),
    ["0.1,256,4096", "0.1,500,8000", "0.1,500,3000", "0.1,500,16000", "0.25,200,4096", "0.1,500,8000"],
  ],
  ["latest request", ({ protect }) => protect.latestRequest, [false, false, false, false, false, true]],
  ["thinking", ({ compact }) => compact.boundThinking, Array(6).fill("strip")],
  ["temperature", ({ summary }) => summary.temperature, [0, 0, 0, 0, 0, 0]],
];

test.each([...CONFLICTS, ...VALUES])("%s", (_, read, expected) => {
  expect(SOURCES.map((name) => read(profileNamed(name)))).toEqual(expected);
});

test.each([
  ["micro-agent", "[CONTEXT SUMMARY]\nS\n[END CONTEXT SUMMARY]", "Understood. Continuing with the current task."], // R134, R135.
  [
    "nous",
    "[Previous conversation summary]\n\nS",
    "I have the context from our previous conversation. Let's continue.",
  ], // R138.
  ["auto-compact", "[Previous conversation summary]\nS", ""], // R144.
])("%s writes its summary to the letter", (name, written, acknowledgement) => {
  const { render } = profileNamed(name);
  expect(`${render.opening}S${render.closing}`).toBe(written);
  expect(render.acknowledgement.text).toBe(acknowledgement);
});

test("the annotations of C21", () => {
  expect(profileNamed("openclaw").failure.annotation).toBe(
    "Summary unavailable due to context limits. Older messages were truncated.",
  );
  expect(profileNamed("micro-agent").failure.annotation).toBe(
    "Context contained {count} messages. Summary unavailable.",
  );
});

test("the flush prompts say what R132 and R133 demand", () => {
  const { prompt, systemPrompt } = profileNamed("openclaw").memoryFlush;
  for (const needed of ["flush", "compaction", "memory/YYYY-MM-DD.md", "memory/", "NO_REPLY"]) {
    expect(prompt).toContain(needed);
  }
  for (const needed of ["compacted automatically", "disk", "NO_REPLY", "usually"])
    expect(systemPrompt).toContain(needed);
});

test("the stages of OpenClaw (R110–R112, R117, R210, X18)", () => {
  expect(profileNamed("openclaw").summary.staged).toMatchObject({
    baseChunkRatio: 0.4,
    minChunkRatio: 0.15,
    parts: 2,
    minMessagesForSplit: 4,
    maxHistoryShare: 0.5,
  });
  expect(raiseToFloor(16_384, 20_000)).toEqual({ didOverride: true, reserveTokens: 20_000 });
});

/** Paths at which a preset differs from agentpg. */
function differences(name: string): Readonly<Record<string, unknown>> {
  const flat = (value: unknown, path: string): readonly (readonly [string, unknown])[] =>
    typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => flat(inner, path === "" ? key : `${path}.${key}`))
      : [[path, value]];
  const base = new Map(flat(profileNamed("agentpg"), ""));
  return Object.fromEntries(flat(profileNamed(name), "").filter(([path, value]) => base.get(path) !== value));
}

test.each([
  [
    "agentpg-high-volume",
    {
      "compact.triggers.0.ratio": 0.7,
      "compact.target.type": "tokens",
      "compact.target.tokens": 40_000,
      "protect.tailMessages": 5,
    },
  ],
  [
    "agentpg-tool-heavy",
    {
      "compact.triggers.0.ratio": 0.9,
      "protect.tailMessages": 20,
      "protect.tailTokens": 60_000,
      "protect.toolOutputs": true,
    },
  ],
  [
    "agentpg-long-research",
    {
      windowTokens: 1_000_000,
      "compact.triggers.0.ratio": 0.95,
      "protect.tailMessages": 30,
      "summary.model": "claude-sonnet-4-5-20250929",
    },
  ],
  [
    "agentpg-cost-sensitive",
    { "compact.triggers.0.ratio": 0.6, "compact.target.type": "tokens", "compact.target.tokens": 30_000 },
  ],
])("%s changes what its source says and nothing else (R204–R207)", (name, expected) => {
  expect(differences(name)).toEqual(expected);
});

test("names", () => {
  expect(profileNames.toSorted()).toEqual(Object.keys(profileNotes).toSorted());
  expect(isProfileName("toString")).toBe(false);
  expect(() => profileNamed("openclaws")).toThrow(CompactionError);
  expect(() => profileNamed("openclaws")).toThrow("did you mean openclaw?");
});

test("profiles cannot be changed, not even deep inside", () => {
  for (const name of profileNames) {
    const settings = profileNamed(name);
    expect(() => Object.assign(settings.summary.budget, { maxTokens: 1 })).toThrow(TypeError);
    expect(() => Object.assign(settings.compact.triggers, { 0: undefined })).toThrow(TypeError);
    expect(() => Object.assign(settings.prune.tools, { x: "never" })).toThrow(TypeError);
  }
});

test("every profile is described in the same topics, without a gap", () => {
  const [first, ...others] = profileNames.map((name) => describeProfile(name));
  const topics = first?.map(({ topic }) => topic);
  expect(topics?.length).toBeGreaterThan(20);
  for (const rows of others) expect(rows.map(({ topic }) => topic)).toEqual(topics);
  for (const row of [first ?? [], ...others].flat()) expect(row.value).toMatch(/^\S.*\S$|^\S$/);
});
