/** All profiles by name. A profile is a complete, immutable set of settings; nothing is merged or checked here. */

import { CompactionError } from "../core/errors.ts";
import { nearestWord, shownValue } from "../core/settings/check-schema.ts";
import type { Settings } from "../core/settings/settings.ts";
import { agentpg, agentpgCostSensitive, agentpgHighVolume, agentpgLongResearch, agentpgToolHeavy } from "./agentpg.ts";
import { autoCompact } from "./auto-compact.ts";
import { balanced } from "./balanced.ts";
import { microAgent } from "./micro-agent.ts";
import { nous } from "./nous.ts";
import { openclaw } from "./openclaw.ts";

export type ProfileName =
  | "balanced"
  | "micro-agent"
  | "agentpg"
  | "agentpg-high-volume"
  | "agentpg-tool-heavy"
  | "agentpg-long-research"
  | "agentpg-cost-sensitive"
  | "nous"
  | "openclaw"
  | "auto-compact";

const PROFILES: Readonly<Record<ProfileName, Settings>> = {
  balanced,
  "micro-agent": microAgent,
  agentpg,
  nous,
  openclaw,
  "auto-compact": autoCompact,
  "agentpg-high-volume": agentpgHighVolume,
  "agentpg-tool-heavy": agentpgToolHeavy,
  "agentpg-long-research": agentpgLongResearch,
  "agentpg-cost-sensitive": agentpgCostSensitive,
};

/** The default first, then the sources, then the presets. */
export const profileNames: readonly ProfileName[] = Object.freeze(Object.keys(PROFILES).filter(isProfileName));

export function isProfileName(name: string): name is ProfileName {
  return Object.hasOwn(PROFILES, name);
}

/** Its complete settings; throws `invalid-settings`, with the name that was probably meant. */
export function profileNamed(name: string): Settings {
  if (isProfileName(name)) return PROFILES[name];
  const near = nearestWord(name, profileNames);
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  const message = `Unknown profile ${shownValue(name)}; there are ${profileNames.join(", ")}${hint}`;
  throw new CompactionError("invalid-settings", message);
}
