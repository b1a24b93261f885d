/** The strategies by name (R004, R015). `native` needs a model that offers it; without one it is `summarize` (R151). */

import { nothingToDo, type Strategy } from "./core/plan/plan-input.ts";
import type { StrategyName } from "./core/settings/settings.ts";
import { hybrid } from "./strategies/hybrid.ts";
import { summarize } from "./strategies/summarize.ts";
import { truncate } from "./strategies/truncate.ts";

const none: Strategy = { name: "none", plan: (input) => nothingToDo(input, "strategy-none") };

const STRATEGIES: Readonly<Record<StrategyName, Strategy>> = { none, truncate, summarize, hybrid, native: summarize };

export function strategyNamed(name: StrategyName): Strategy {
  return STRATEGIES[name];
}
