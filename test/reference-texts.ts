/** The prose around the generated tables of docs/settings.md and docs/profiles.md. */

export const SETTINGS_INTRODUCTION = `# Settings

This page is written from the schema; \`test/reference-pages.test.ts\` keeps it so.

Settings are resolved once, in layers, each over the one before:

\`profile\` < \`user\` < \`provider\` < \`call\`

- Every layer but the profile may leave out whatever it likes. A key that is undefined says nothing.
- Objects are merged key by key. Lists, and objects told apart by \`type\` (a target, a trigger), replace what was there.
- \`false\` switches off what is "object or false".
- The profile is a name or complete settings of one's own; without one it is \`balanced\` ([profiles](profiles.md)).
- What comes out is complete and frozen. What is wrong is one error, \`invalid-settings\`, that names the key, what is there and
  what is allowed; an unknown key is refused, with the one that was probably meant.
`;

export const SETTINGS_END = `## What must go together

- \`compact.target\` and \`protect.tailTokens\` are below \`windowTokens\` and below the limit of every trigger but \`economic\`; a limit does not
  exceed the window, and a reserve, raised to its floor, is below it. Of \`economic\`, one amount is above 0.
- \`prune.softTrim\`: head and tail together are below \`overChars\`. \`lowWaterRatio\` is below \`highWaterRatio\`, or both are 0.
- \`protect.tailMessages\` is below \`maxMessages\` where there is a limit.
- \`summary.budget.minTokens\` does not exceed \`maxTokens\`, that not the window, \`summary.staged.minChunkRatio\` not \`baseChunkRatio\`.
- \`render.renderer: "merge-first-user"\` needs \`protect.firstUser\`. An acknowledgement that is inserted is not blank.
- In \`failure.ladder\` nothing follows \`throw\`.
- A memory flush that is on, and the reserve, fit into the window together.

## Small windows

A profile's amounts are written for its own window. In a smaller one they hold as long as they make sense there; beyond that
they are capped at a share of it: a tail at 30 %, a trigger at 80 %, a reserve at 25 %, a target at 40 %, a reply at 25 %, a summary at 10 %, a
flush at 5 %. What a caller sets is never changed, only refused if it cannot work; a reserve below its own floor is the floor. To a window that
nobody told, a model's own or one that was learned from a [refusal](compaction.md#when-the-provider-refuses), all amounts are fitted, the caller's too.

Some settings are allowed and still unwise; \`settingsWarnings\` lists them as data: a window below 32,000 tokens, strongly below
16,000; a reserve that its floor raised (the settings in force hold the raised one); a tail that fills the target; stubs that come after clearing; an overflow check point without attempts; a message
limit beside a tail by tokens; \`*\` among the tools that speak for the user.

\`\`\`ts
import { raiseToFloor, resolveSettings, settingsWarnings } from "palimpsest/parts";

const settings = resolveSettings({ profile: "openclaw", user: { windowTokens: 12_000 } });
for (const { severity, message } of settingsWarnings(settings)) console.log(severity, message);
console.log(raiseToFloor(16_384, 20_000)); // what a reserve with a floor comes to: { didOverride: true, reserveTokens: 20000 }
\`\`\`
`;

export const PROFILES_INTRODUCTION = `# Profiles

This page is written from the profiles; \`test/reference-pages.test.ts\` keeps it so.

A profile is a complete, named, immutable set of [settings](settings.md). \`balanced\` is the default. The others do what five earlier
systems do, with their numbers and their words, so that a conversation kept by one of them goes on as it was. Where a source
contradicts itself, the corrected form is used; pairs of calls and results stay whole in every profile.
`;

export const ADAPTERS_TEXT = `Two of the presets keep a tail that fills their target: with \`agentpg-high-volume\` and \`agentpg-cost-sensitive\` the
target is reached only when the tail gives way. \`settingsWarnings\` says so; lower \`protect.tailTokens\` to have both. What gives way is named in \`report.notes\`.

## Native configurations

Each source's own form of configuration can be used as it is. An adapter checks it in its own words, translates it, and gives
back the profile and the settings over it, ready for \`resolveSettings\`. Wrong values and unknown keys are refused. \`adapters\` has them all
by the name of their profile.

\`\`\`ts
import { createCompactor } from "palimpsest";
import { openclawSettings } from "palimpsest/adapters";
import { anthropicMessages } from "palimpsest/formats/anthropic-messages";
import { resolveSettings, settingsWarnings } from "palimpsest/parts";

const settings = resolveSettings(openclawSettings('{ agents: { defaults: { compaction: { mode: "safeguard" } } } }'));
const compactor = createCompactor({ format: anthropicMessages, profile: settings });
for (const { key, message } of settingsWarnings(compactor.settings)) console.warn(key, message);
\`\`\`

\`microAgentSettings\`: a JSON object. Without \`CompactionStrategy\` compaction is off, as there.

\`\`\`json
{ "CompactionStrategy": "summarize", "CompactionThresholdTokens": 80000, "ProtectedTailMessages": 6 }
\`\`\`

\`agentpgSettings\`: one object, or a list of single options, the later one winning.

\`\`\`json
{ "trigger": 0.85, "target": 80000, "strategy": "hybrid", "preserveN": 10, "maxContextTokens": 200000 }
\`\`\`

\`nousSettings\`: a record of environment variables, such as \`process.env\`. Numbers are digits, booleans true, false, 1 or 0. Unknown names that
begin with \`NOUS_TOOL_\`, \`NOUS_COMPACTION\` or \`NOUS_KEEP_\` are refused, all others left alone. Turning compaction on lifts the limit of
20 messages.

\`\`\`text
NOUS_COMPACTION_ENABLED=true NOUS_COMPACTION_THRESHOLD=100000 NOUS_KEEP_RECENT_TOKENS=20000 NOUS_TOOL_HARD_CLEAR_AFTER=6
\`\`\`

\`openclawSettings\`: the configuration parsed, or its JSON5 text. Only \`agents.defaults.compaction\` is read. With
\`{ requireAll: true }\` behind it every field but \`reserveTokens\` and \`keepRecentTokens\` must be there. A reserve below \`reserveTokensFloor\` is raised to it; 0 switches the floor off.

\`\`\`json5
{ agents: { defaults: { compaction: { mode: "safeguard", reserveTokensFloor: 24000, maxHistoryShare: 0.5 } } } }
\`\`\`

\`autoCompactSettings\`: the three fields of the provider structure; null is absent, a strategy may be written in any case.

\`\`\`json
{ "auto_compact_threshold": 8000, "compact_target_tokens": 4000, "compact_strategy": "Summarize" }
\`\`\`
`;
