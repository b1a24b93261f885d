/** The strategies by name. */

import { nothingToDo, type Strategy } from "./core/plan/plan-input.ts";
import type { StrategyName } from "./core/settings/settings.ts";
import { hybrid, native, summarize, truncate } from "./strategies/summarize.ts";

const none: Strategy = { name: "none", plan: (input) => nothingToDo(input, "strategy-none") };

const STRATEGIES: Readonly<Record<StrategyName, Strategy>> = { none, truncate, summarize, hybrid, native };

export function strategyNamed(name: StrategyName): Strategy {
  return STRATEGIES[name];
}
