/** The adapters of `palimpsest/adapters`: each by its own name, and all by the profile they lead to, for whoever has a configuration and its name. */

import type { AdaptedSettings } from "./adapted.ts";
import { type AgentpgOptions, agentpgSettings } from "./agentpg.ts";
import { type AutoCompactProvider, autoCompactSettings } from "./auto-compact.ts";
import { type MicroAgentConfiguration, microAgentSettings } from "./micro-agent.ts";
import { type NousEnvironment, nousSettings } from "./nous.ts";
import { openclawSettings } from "./openclaw.ts";

/** Takes whatever was read; every adapter checks it first. */
export type Adapter = (configuration: unknown) => AdaptedSettings;

export type AdapterName = "micro-agent" | "agentpg" | "nous" | "openclaw" | "auto-compact";

/** By the profile that each leads to. The casts only pass on what was read: each adapter checks it before it believes anything. */
export const adapters: Readonly<Record<AdapterName, Adapter>> = {
  "micro-agent": (configuration) => microAgentSettings(configuration as MicroAgentConfiguration),
  agentpg: (configuration) => agentpgSettings(configuration as AgentpgOptions),
  nous: (configuration) => nousSettings(configuration as NousEnvironment),
  openclaw: (configuration) => openclawSettings(configuration),
  "auto-compact": (configuration) => autoCompactSettings(configuration as AutoCompactProvider),
};

export type { AdaptedSettings } from "./adapted.ts";
export type { OpenclawOptions } from "./openclaw.ts";
export {
  type AgentpgOptions,
  type AutoCompactProvider,
  agentpgSettings,
  autoCompactSettings,
  type MicroAgentConfiguration,
  microAgentSettings,
  type NousEnvironment,
  nousSettings,
  openclawSettings,
};
