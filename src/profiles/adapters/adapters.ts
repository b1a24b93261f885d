/** The adapters of `palimpsest/adapters`: each under its own name, and all in one table by the profile that they lead to. */

import { isPlainObject } from "../../core/json.ts";

import { amount, choice, type SchemaFor } from "../../core/settings/schema.ts";
import type { StrategyName } from "../../core/settings/settings.ts";
import { type AdaptedSettings, refuseUnless } from "./adapted.ts";
import { type AgentpgOptions, agentpgSettings } from "./agentpg.ts";
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
export { type AgentpgOptions, agentpgSettings, type NousEnvironment, nousSettings, openclawSettings };

export interface MicroAgentConfiguration {
  readonly CompactionStrategy?: "none" | "summarize";
  readonly CompactionThresholdTokens?: number;
  readonly ProtectedTailMessages?: number;
  readonly MaxToolResultChars?: number;
  readonly MaxConversationMessages?: number;
}

/** The JSON object of micro-agent's configuration. Without `CompactionStrategy` compaction is off, as there. */
export function microAgentSettings(configuration: MicroAgentConfiguration): AdaptedSettings {
  refuseUnless(configuration, configurationSchema, "micro-agent configuration");
  const { CompactionThresholdTokens: tokens, CompactionStrategy: strategy = "none" } = configuration;
  return {
    profile: "micro-agent",
    user: {
      compact: {
        auto: strategy === "summarize", // "none" leaves only the message limit.
        strategy,
        ...(tokens === undefined ? {} : { triggers: [{ type: "absolute", tokens, comparison: "gt" }] }),
      },
      protect: { tailMessages: configuration.ProtectedTailMessages },
      prune: { capOnArrivalChars: configuration.MaxToolResultChars },
      maxMessages: configuration.MaxConversationMessages,
    },
  };
}

const configurationSchema: SchemaFor<Required<MicroAgentConfiguration>> = {
  type: "object",
  about: "The keys of micro-agent.",
  keys: {
    CompactionStrategy: choice("Default: none.", { none: "no compaction", summarize: "one pass of summarization" }),
    CompactionThresholdTokens: amount("Default: 80,000.", 1),
    ProtectedTailMessages: amount("Default: 6."),
    MaxToolResultChars: amount("Default: 40,000.", 1),
    MaxConversationMessages: amount("Default: 50.", 1),
  },
};

export interface AutoCompactProvider {
  /** Absent or null: nothing happens by itself. */
  readonly auto_compact_threshold?: number | null;
  /** Absent or null: half the threshold. */
  readonly compact_target_tokens?: number | null;
  /** `native`, `summarize`, `truncate` or `disabled`, in any case. */
  readonly compact_strategy?: string | null;
}

/** The three fields of the provider structure; null is absent. */
export function autoCompactSettings(provider: AutoCompactProvider): AdaptedSettings {
  const fields = readFields(provider);
  refuseUnless(fields, fieldsSchema, "auto-compact provider");
  // The schema has just found them to be of this shape.
  const { auto_compact_threshold, compact_target_tokens, compact_strategy } = fields as Partial<Fields>;
  return {
    profile: "auto-compact",
    user: {
      compact: {
        auto: compact_strategy === "disabled" ? false : undefined,
        strategy: compact_strategy === undefined ? undefined : STRATEGIES[compact_strategy],
        ...(auto_compact_threshold === undefined
          ? {}
          : { triggers: [{ type: "absolute", tokens: auto_compact_threshold, comparison: "gt" }] }),
        ...(compact_target_tokens === undefined ? {} : { target: { type: "tokens", tokens: compact_target_tokens } }),
      },
    },
  };
}

interface Fields {
  readonly auto_compact_threshold: number;
  readonly compact_target_tokens: number;
  readonly compact_strategy: NativeStrategy;
}

type NativeStrategy = "native" | "summarize" | "truncate" | "disabled";

const STRATEGIES: Readonly<Record<NativeStrategy, StrategyName>> = {
  native: "native",
  summarize: "summarize",
  truncate: "truncate",
  disabled: "none",
};

/** Null counts as absent, and the case of a strategy is ignored. */
function readFields(provider: unknown): unknown {
  if (!isPlainObject(provider)) return provider;
  const given = Object.entries(provider).filter(([, value]) => value !== null);
  return Object.fromEntries(
    given.map(([key, value]) => [
      key,
      key === "compact_strategy" && typeof value === "string" ? value.toLowerCase() : value,
    ]),
  );
}

const fieldsSchema: SchemaFor<Fields> = {
  type: "object",
  about: "The fields of auto-compact.",
  keys: {
    auto_compact_threshold: amount("Default: none.", 1),
    compact_target_tokens: amount("Default: half the threshold.", 1),
    compact_strategy: choice("Default: summarize.", {
      native: "the provider's own operation, else summarize",
      summarize: "a summary",
      truncate: "drop the oldest",
      disabled: "nothing",
    }),
  },
};
