/** auto-compact's fields on the provider structure as settings. Translates only. */

import { isPlainObject } from "../../core/settings/check-schema.ts";
import type { SchemaFor } from "../../core/settings/schema.ts";
import type { StrategyName } from "../../core/settings/settings.ts";
import { type AdaptedSettings, refuseUnless } from "./adapted.ts";

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
  const { auto_compact_threshold, compact_target_tokens, compact_strategy } = fields as Fields;
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
  readonly auto_compact_threshold: number | undefined;
  readonly compact_target_tokens: number | undefined;
  readonly compact_strategy: NativeStrategy | undefined;
}

type NativeStrategy = "native" | "summarize" | "truncate" | "disabled";

const STRATEGIES: Readonly<Record<NativeStrategy, StrategyName>> = {
  native: "native",
  summarize: "summarize",
  truncate: "truncate",
  disabled: "none",
};

/** A null stands for an absent option, and a strategy's case does not matter. */
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

const fieldsSchema: SchemaFor<{
  readonly auto_compact_threshold: number;
  readonly compact_target_tokens: number;
  readonly compact_strategy: NativeStrategy;
}> = {
  type: "object",
  about: "The fields of auto-compact.",
  keys: {
    auto_compact_threshold: { type: "number", whole: true, min: 1, about: "Default: none." },
    compact_target_tokens: { type: "number", whole: true, min: 1, about: "Default: half the threshold." },
    compact_strategy: {
      type: "choice",
      about: "Default: summarize.",
      values: {
        native: "the provider's own operation, else summarize",
        summarize: "a summary",
        truncate: "drop the oldest",
        disabled: "nothing",
      },
    },
  },
};
