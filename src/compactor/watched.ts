/** Whoever is asked for a summary, announced and in a span of its own. What they return is passed on as it is. */

import type { Summarizer } from "../core/checkpoint/summary.ts";
import type { Decision } from "./decide.ts";
import type { NativeCompaction } from "./native.ts";
import type { Pass } from "./pass.ts";
import { PROVIDED_NAME } from "./provided.ts";

/** The same summarizer, in a span of its own and announced. */
export function watchedSummarizer(summarizer: Summarizer, { teller, watch }: Pass): Summarizer {
  const { name, version } = summarizer;
  return {
    name,
    version,
    planCalls: (input) => summarizer.planCalls(input),
    summarize: async (input, context) => {
      const messageCount = input.messages.length + input.turnPrefix.length;
      const { budgetTokens } = input;
      if (name !== PROVIDED_NAME) {
        const callsMax = summarizer.planCalls(input);
        teller.tell({
          type: "summary-started",
          summarizer: `${name} ${version}`,
          messageCount,
          budgetTokens,
          callsMax,
        });
      }
      const attributes = {
        "palimpsest.summarizer": `${name} ${version}`,
        "palimpsest.messages": messageCount,
        "palimpsest.budget_tokens": budgetTokens,
      };
      return watch.telemetry.span("palimpsest.summarize", attributes, async (note) => {
        const result = await summarizer.summarize(input, context);
        // What comes from outside may be anything; whoever asked looks at it.
        note({ "palimpsest.calls": result?.calls ?? 0 });
        return result;
      });
    },
  };
}

/** The provider's own compaction; how much it writes is its own business. */
export function watchedNative({ rest }: Decision, { native, teller, watch }: Pass): NativeCompaction | undefined {
  if (native === undefined) return undefined;
  const { kind } = native;
  const summarizer = `native ${kind}`;
  const messageCount = rest.steps.reduce((sum, step) => sum + (step.type === "native" ? step.messageIds.length : 0), 0);
  return {
    kind,
    compact: (request, signal) => {
      teller.tell({ type: "summary-started", summarizer, messageCount, callsMax: 1 });
      const attributes = { "palimpsest.summarizer": summarizer, "palimpsest.messages": messageCount };
      return watch.telemetry.span("palimpsest.summarize", attributes, async (note) => {
        note({ "palimpsest.calls": 1 });
        return native.compact(request, signal);
      });
    },
  };
}
