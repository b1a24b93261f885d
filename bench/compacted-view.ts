/** A request body compacted by the product itself, with its defaults: what all benches that ask "what survives" look at. */

import { createCompactor } from "../src/compactor.ts";
import type { Format } from "../src/core/ports.ts";

export interface CompactedView {
  readonly body: unknown;
  readonly summary: string;
  readonly fits: boolean;
  readonly tokensAfter: number;
  readonly targetTokens: number;
}

/** To at most this share of its tokens. */
export async function compactedView(format: Format, body: unknown, percent: number): Promise<CompactedView> {
  const compactor = createCompactor({ format });
  const { request, report } = await compactor.compact(body, { target: { ratio: percent / 100 } });
  return {
    body: request,
    summary: report.result?.summary ?? "",
    fits: report.fits,
    tokensAfter: report.tokensAfter,
    targetTokens: report.targetTokens ?? 0,
  };
}
