/** AgentPG's options, as an object or as the list of single options they are given in. Translates only. */

import { CompactionError } from "../../core/errors.ts";
import { isPlainObject } from "../../core/json.ts";
import { shownValue } from "../../core/settings/check-schema.ts";
import { amount, choice, filledText, flag, type SchemaFor } from "../../core/settings/schema.ts";
import { AGENTPG_EXTENDED_WINDOW_TOKENS } from "../profiles.ts";
import { type AdaptedSettings, refuseUnless } from "./adapted.ts";

export interface AgentpgOptions {
  readonly autoCompaction?: boolean;
  /** Share of the window. */
  readonly trigger?: number;
  /** In tokens. */
  readonly target?: number;
  readonly strategy?: "hybrid" | "summarization";
  readonly preserveN?: number;
  readonly protectedTokens?: number;
  readonly preserveToolOutputs?: boolean;
  readonly summarizerModel?: string;
  readonly maxContextTokens?: number;
  readonly extendedContext?: boolean;
}

/** In a list, a later option wins over an earlier one of the same name. */
export function agentpgSettings(options: AgentpgOptions | readonly AgentpgOptions[]): AdaptedSettings {
  const joined = Array.isArray(options) ? joinOptions(options) : options;
  refuseUnless(joined, optionsSchema, "AgentPG options");
  // Both forms have passed the schema now.
  return translate(joined as AgentpgOptions);
}

function joinOptions(options: readonly unknown[]): Readonly<Record<string, unknown>> {
  const entries = options.flatMap((option, index) => {
    if (isPlainObject(option)) return Object.entries(option);
    const message = `AgentPG option ${index} must be an object such as { trigger: 0.85 }, but is ${shownValue(option)}`;
    throw new CompactionError("invalid-settings", message);
  });
  return Object.fromEntries(entries);
}

function translate(options: AgentpgOptions): AdaptedSettings {
  const { trigger: ratio, target: tokens, maxContextTokens, extendedContext } = options;
  return {
    profile: "agentpg",
    user: {
      // An explicit size is the size, extended or not.
      windowTokens: maxContextTokens ?? (extendedContext ? AGENTPG_EXTENDED_WINDOW_TOKENS : undefined),
      compact: {
        auto: options.autoCompaction,
        strategy: options.strategy === "summarization" ? "summarize" : options.strategy,
        ...(ratio === undefined ? {} : { triggers: [{ type: "ratio", ratio, comparison: "gte" }] }),
        ...(tokens === undefined ? {} : { target: { type: "tokens", tokens } }),
      },
      protect: {
        tailMessages: options.preserveN,
        tailTokens: options.protectedTokens,
        toolOutputs: options.preserveToolOutputs,
      },
      // Summarization skips pruning.
      prune: { enabled: options.strategy === "summarization" ? false : undefined },
      summary: { model: options.summarizerModel },
    },
  };
}

const optionsSchema: SchemaFor<Required<AgentpgOptions>> = {
  type: "object",
  about: "AgentPG's options.",
  keys: {
    autoCompaction: flag("Default: true."),
    trigger: { type: "number", above: 0, max: 1, about: "Default: 0.85." },
    target: amount("Default: 40 % of the window.", 1),
    strategy: choice("Default: hybrid.", {
      hybrid: "tool results first, then a summary",
      summarization: "a summary only",
    }),
    preserveN: amount("Default: 10."),
    protectedTokens: amount("Default: 40,000."),
    preserveToolOutputs: flag("Default: false."),
    summarizerModel: filledText("Default: claude-3-5-haiku-20241022."),
    maxContextTokens: amount("Default: 200,000.", 1),
    extendedContext: flag("Default: false."),
  },
};
