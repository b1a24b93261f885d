/** The adapters of `palimpsest/adapters`: each under its own name, and all in one table by the profile that they lead to. */

import { CompactionError } from "../../core/errors.ts";
import { isPlainObject } from "../../core/json.ts";
import {
  checkSchema,
  nearestWord,
  type Problem,
  refuseProblems,
  shownValue,
} from "../../core/settings/check-schema.ts";
import { amount, choice, filledText, flag, group, type Schema, type SchemaFor } from "../../core/settings/schema.ts";
import type { StrategyName } from "../../core/settings/settings.ts";
import { AGENTPG_EXTENDED_WINDOW_TOKENS, NOUS_LEGACY_MESSAGES } from "../profiles.ts";
import { type AdaptedSettings, inSubject, refuseUnless } from "./adapted.ts";
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
export { openclawSettings };

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

export type NousEnvironment = Readonly<Record<string, string | undefined>>;

/** Variables of other programs are ignored, except those that look like Nous's own: they are refused. */
export function nousSettings(environment: NousEnvironment): AdaptedSettings {
  const values = readVariables(environment);
  const { NOUS_COMPACTION_ENABLED: isCompacting, NOUS_COMPACTION_THRESHOLD: tokens } = values;
  const clearAfter = values.NOUS_TOOL_HARD_CLEAR_AFTER;
  return {
    profile: "nous",
    user: {
      compact: {
        auto: isCompacting,
        ...(tokens === undefined ? {} : { triggers: [{ type: "budgetSum", tokens, comparison: "gt" }] }),
      },
      protect: { tailTokens: values.NOUS_KEEP_RECENT_TOKENS },
      prune: {
        enabled: values.NOUS_TOOL_PRUNING_ENABLED,
        softTrim: {
          overChars: values.NOUS_TOOL_SOFT_TRIM_CHARS,
          headChars: values.NOUS_TOOL_SOFT_TRIM_HEAD,
          tailChars: values.NOUS_TOOL_SOFT_TRIM_TAIL,
        },
        // Older than 0 is every result that nothing spares; our 0 would be never. The newest, of age 1, has yet to be read.
        clearAfter: clearAfter === undefined ? undefined : Math.max(1, clearAfter),
        keepLast: values.NOUS_KEEP_LAST_TOOL_RESULTS,
      },
      // The cap of 20 messages is what there is without compaction.
      maxMessages: isCompacting ? 0 : NOUS_LEGACY_MESSAGES,
    },
  };
}

const variables = {
  NOUS_TOOL_PRUNING_ENABLED: flag("Default: true."),
  NOUS_TOOL_SOFT_TRIM_CHARS: amount("Default: 4,000.", 1),
  NOUS_TOOL_SOFT_TRIM_HEAD: amount("Default: 1,500."),
  NOUS_TOOL_SOFT_TRIM_TAIL: amount("Default: 1,500."),
  NOUS_TOOL_HARD_CLEAR_AFTER: amount("Default: 6."),
  NOUS_KEEP_LAST_TOOL_RESULTS: amount("Default: 2."),
  NOUS_COMPACTION_ENABLED: flag("Default: false."),
  NOUS_COMPACTION_THRESHOLD: amount("Default: 100,000.", 1),
  NOUS_KEEP_RECENT_TOKENS: amount("Default: 20,000."),
};

type Values = {
  readonly [Name in keyof typeof variables]?: (typeof variables)[Name]["type"] extends "boolean" ? boolean : number;
};

/** Of these families every name must be known. */
const FAMILIES = ["NOUS_TOOL_", "NOUS_COMPACTION", "NOUS_KEEP_"] as const;

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

function readVariables(environment: NousEnvironment): Values {
  // `process.env` is no plain object everywhere, so only what cannot have variables is refused.
  if (typeof environment !== "object" || environment === null || Array.isArray(environment)) {
    refuseProblems([
      { path: "", message: `The Nous environment must be an object, but is ${shownValue(environment)}` },
    ]);
  }
  const names = Object.keys(environment).filter((name) => FAMILIES.some((family) => name.startsWith(family)));
  const strangers = names.filter((name) => !Object.hasOwn(variables, name)).map(unknownVariable);
  const given = Object.entries<Schema>(variables).filter(([name]) => Object.hasOwn(environment, name));
  const values = Object.fromEntries(given.map(([name, { type }]) => [name, parsed(environment[name], type)]));
  const problems = [
    ...strangers,
    ...checkSchema(values, group("The variables of Nous.", variables), { partial: true }),
  ];
  refuseProblems(problems.map((problem) => inSubject(problem, "Nous environment")));
  // The check has just found each to be of its variable's kind.
  return values as Values;
}

/** The value where the text is of the kind the variable has, else the text, which the schema refuses. */
function parsed(text: unknown, type: Schema["type"]): unknown {
  if (typeof text !== "string") return text;
  if (type === "boolean") return BOOLEANS.get(text.toLowerCase()) ?? text;
  // Digits only: no sign but minus (which the range refuses), no exponent, no blank, no unit.
  return /^-?\d+$/.test(text) ? Number(text) : text;
}

function unknownVariable(name: string): Problem {
  const known = Object.keys(variables);
  const near = nearestWord(name, known);
  const hint = near === undefined ? `there are ${known.join(", ")}` : `did you mean ${near}?`;
  const shown = /^\w+$/.test(name) ? name : shownValue(name);
  return { path: shown, message: `Unknown variable ${shown}; ${hint}` };
}
