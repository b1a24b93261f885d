/** micro-agent's PascalCase JSON object as settings. Translates only; `resolveSettings` decides. */

import type { SchemaFor } from "../../core/settings/schema.ts";
import { type AdaptedSettings, refuseUnless } from "./adapted.ts";

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
    CompactionStrategy: {
      type: "choice",
      values: { none: "no compaction", summarize: "one pass of summarization" },
      about: "Default: none.",
    },
    CompactionThresholdTokens: { type: "number", whole: true, min: 1, about: "Default: 80,000." },
    ProtectedTailMessages: { type: "number", whole: true, min: 0, about: "Default: 6." },
    MaxToolResultChars: { type: "number", whole: true, min: 1, about: "Default: 40,000." },
    MaxConversationMessages: { type: "number", whole: true, min: 1, about: "Default: 50." },
  },
};
