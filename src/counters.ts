/** The estimators that settings can name (C5). */

import type { FormatName } from "./core/message.ts";
import type { EstimatorName } from "./core/settings/settings.ts";
import { autoCompactTokens, microAgentTokens, nousTokens, openclawTokens } from "./core/tokens/chars-per-token.ts";
import { estimateTokens, type TokenCounter } from "./core/tokens/tokens.ts";

export function counterNamed(name: EstimatorName, format: FormatName, model?: string): TokenCounter {
  switch (name) {
    case "fitted":
      return estimateTokens({ format, ...(model !== undefined && model !== "" && { model }) });
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
