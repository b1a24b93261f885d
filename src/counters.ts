/** The estimators that settings can name. */

import type { EstimatorName } from "./core/settings/settings.ts";
import { autoCompactTokens, microAgentTokens, nousTokens, openclawTokens } from "./core/tokens/chars-per-token.ts";
import type { Counted } from "./core/tokens/counted.ts";
import { estimateTokens, type TokenCounter } from "./core/tokens/tokens.ts";

export function counterNamed(name: EstimatorName, counted: Counted): TokenCounter {
  switch (name) {
    case "fitted":
      return estimateTokens(counted);
    case "micro-agent":
      return microAgentTokens();
    case "nous":
      return nousTokens();
    case "openclaw":
      return openclawTokens();
    case "auto-compact":
      return autoCompactTokens();
    default:
      return name satisfies never;
  }
}
