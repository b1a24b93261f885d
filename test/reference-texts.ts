/** The prose around the generated tables of docs/settings.md and docs/profiles.md. */

export const SETTINGS_INTRODUCTION = `# Settings

This page is generated from the schema; \`test/reference-pages.test.ts\` checks that it is current.

Settings are resolved once, in layers; each overrides the one before:

\`profile\` < \`user\` < \`provider\` < \`call\`

- Every layer except the profile may be partial. A key that is undefined has no effect.
- Objects are merged key by key. Lists, and objects with a \`type\` (a target, a trigger), replace the earlier value.
- \`false\` switches off a setting of type "object or false".
- The profile is a name or your own complete settings; the default is \`balanced\` ([profiles](profiles.md)).
- The result is complete and frozen. A wrong value throws \`invalid-settings\` with the key, the value and
  what is allowed; an unknown key is refused, with the key that was probably meant.
`;

export const SETTINGS_END = `## What must go together

- \`compact.target\` and \`protect.tailTokens\` are below \`windowTokens\` and below the limit of every trigger but \`economic\`; a limit does not
  exceed the window, and a reserve, raised to its floor, is below it. At least one amount of \`economic\` is above 0.
- \`prune.softTrim\`: head and tail together are below \`overChars\`. \`lowWaterRatio\` is below \`highWaterRatio\`, or both are 0.
- \`protect.tailMessages\` is below \`maxMessages\` if there is a limit.
- \`summary.budget.minTokens\` does not exceed \`maxTokens\`, \`maxTokens\` does not exceed the window, and \`summary.staged.minChunkRatio\` does not exceed \`baseChunkRatio\`.
- \`render.renderer: "merge-first-user"\` needs \`protect.firstUser\`. An inserted acknowledgement is not blank.
- In \`failure.ladder\` nothing follows \`throw\`.
- If the memory flush is on, it and the reserve together fit into the window.

## Small windows

A profile's amounts are written for its own window. In a smaller window they are capped at a share of it: a tail at 30 %, a trigger at 80 %, a reserve at 25 %, a
target at 40 %, a reply at 25 %, a summary at 10 %, a flush at 5 %. Values that a caller sets are never changed, only refused if they cannot work; a reserve below its own floor is
raised to the floor. If the window itself was not set, but is the model's own or was learned from a [refusal](compaction.md#when-the-provider-refuses), all amounts are fitted to
it, the caller's too.

Some settings are allowed but unwise. \`settingsWarnings\` lists them as data: a window below 32,000 tokens, with a stronger warning below
16,000; a reserve that was raised to its floor (the settings in force have the raised value); a tail that fills the target; stubs that come after clearing; an overflow check point without
attempts; a message limit together with a tail by tokens; \`*\` among the tools that speak for the user.

\`\`\`ts
import { raiseToFloor, resolveSettings, settingsWarnings } from "palimpsest/parts";

const settings = resolveSettings({ profile: "openclaw", user: { windowTokens: 12_000 } });
for (const { severity, message } of settingsWarnings(settings)) console.log(severity, message);
console.log(raiseToFloor(16_384, 20_000)); // a reserve raised to its floor: { didOverride: true, reserveTokens: 20000 }
\`\`\`
`;

export const PROFILES_INTRODUCTION = `# Profiles

This page is generated from the profiles; \`test/reference-pages.test.ts\` checks that it is current.

A profile is a complete, named, immutable set of [settings](settings.md). \`balanced\` is the default. The others reproduce five earlier
systems, with their numbers and their texts, so that a conversation from one of them continues unchanged. If a source
contradicts itself, the corrected form is used. Calls and their results stay together in every profile.
`;

export const ADAPTERS_TEXT = `Two of the presets keep a tail that fills their target: with \`agentpg-high-volume\` and \`agentpg-cost-sensitive\` the
target is reached only if part of the tail is given up. \`settingsWarnings\` warns of this, and \`report.notes\` names what is given up; lower \`protect.tailTokens\` to avoid it.

## Native configurations

The configuration of each of these systems can be used unchanged. An adapter checks it, translates it, and returns
the profile and the settings that override it, for \`resolveSettings\`. It refuses wrong values and unknown keys, by the names that the system uses. \`adapters\` holds all adapters
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

\`microAgentSettings\`: a JSON object. Without \`CompactionStrategy\` compaction is off, as in that system.

\`\`\`json
{ "CompactionStrategy": "summarize", "CompactionThresholdTokens": 80000, "ProtectedTailMessages": 6 }
\`\`\`

\`agentpgSettings\`: one object, or a list of single options; a later option overrides an earlier one.

\`\`\`json
{ "trigger": 0.85, "target": 80000, "strategy": "hybrid", "preserveN": 10, "maxContextTokens": 200000 }
\`\`\`

\`nousSettings\`: a record of environment variables, such as \`process.env\`. Numbers are digits, booleans true, false, 1 or 0. Unknown names that
begin with \`NOUS_TOOL_\`, \`NOUS_COMPACTION\` or \`NOUS_KEEP_\` are refused, all others ignored. Turning compaction on removes the limit of
20 messages.

\`\`\`text
NOUS_COMPACTION_ENABLED=true NOUS_COMPACTION_THRESHOLD=100000 NOUS_KEEP_RECENT_TOKENS=20000 NOUS_TOOL_HARD_CLEAR_AFTER=6
\`\`\`

\`openclawSettings\`: the parsed configuration, or its JSON5 text. Only \`agents.defaults.compaction\` is read. With
\`{ requireAll: true }\` as the second argument every field except \`reserveTokens\` and \`keepRecentTokens\` must be there. A reserve below \`reserveTokensFloor\` is raised to it; 0 switches the floor off.

\`\`\`json5
{ agents: { defaults: { compaction: { mode: "safeguard", reserveTokensFloor: 24000, maxHistoryShare: 0.5 } } } }
\`\`\`

\`autoCompactSettings\`: the three fields of the provider structure; null counts as absent, and upper or lower case of a strategy does not matter.

\`\`\`json
{ "auto_compact_threshold": 8000, "compact_target_tokens": 4000, "compact_strategy": "Summarize" }
\`\`\`
`;
