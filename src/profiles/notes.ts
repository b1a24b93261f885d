/** What cannot be read off a profile's settings: what it is for, where it comes from, the store it was made for. Data only. */

import type { ProfileName } from "./profiles.ts";

export interface ProfileNote {
  /** One sentence. */
  readonly about: string;
  /** A setting of no profile: any store goes with any profile. */
  readonly store: string;
}

const AGENTPG_STORE = "archive, transactional";

export const profileNotes: Readonly<Record<ProfileName, ProfileNote>> = {
  balanced: {
    about: "The default: prunes in batches, then updates one checkpoint; works without a model too.",
    store: "any",
  },
  "micro-agent": {
    about: "A small single-user loop: one threshold, one pass, the summary inside the first user message.",
    store: "memory",
  },
  agentpg: {
    about: "A share of the window, tool results first, then a summary; all or nothing.",
    store: AGENTPG_STORE,
  },
  "agentpg-high-volume": { about: "AgentPG for many short conversations.", store: AGENTPG_STORE },
  "agentpg-tool-heavy": { about: "AgentPG with tool outputs kept in full.", store: AGENTPG_STORE },
  "agentpg-long-research": { about: "AgentPG for long sessions in an extended window.", store: AGENTPG_STORE },
  "agentpg-cost-sensitive": { about: "AgentPG early and small.", store: AGENTPG_STORE },
  nous: {
    about: "Two layers: tool output pruned at every request, history carried on in a checkpoint.",
    store: "a state row per session",
  },
  openclaw: {
    about: "A reserve kept free, staged summaries; what a loop needs for a memory flush.",
    store: "append-only log",
  },
  "auto-compact": {
    about: "Off until a threshold is set, then down to half of it; the summary is a system message.",
    store: "none",
  },
};
