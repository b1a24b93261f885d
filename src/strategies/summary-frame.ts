/** What stands around a summary, in tokens: its marks, an acknowledgement, and lines between neighbours. Numbers alone. */

import { formatRules } from "../core/format-rules.ts";
import { thinksManually } from "../core/manual-thinking.ts";
import { isNativeItem } from "../core/plan/native-items.ts";
import type { Partition } from "../core/plan/partition.ts";
import { type PlanInput, sumTokens } from "../core/plan/plan-input.ts";
import { frameMessages } from "../core/plan/render.ts";
import { summaryPlace } from "../core/plan/summary-place.ts";

/** A text counts a little more between its marks than both do apart. */
const JOIN_TOKENS = 4;
/** The lines between neighbours of one role, where the provider refuses those. */
const BRIDGE_TOKENS = 32;

/** Of what stands around a summary; where nobody knows yet what stays, at most. */
export function frameTokens(input: PlanInput, parts?: Partition): number {
  const frame = frameMessages(input.settings.render, parts === undefined || mayUserFollow(input, parts));
  return sumTokens(frame, input.tokensOf) + JOIN_TOKENS + bridgeTokens(input);
}

function mayUserFollow({ conversation, settings }: PlanInput, { protectedBy }: Partition): boolean {
  const { messages } = conversation;
  // Few are kept of a long list, and these are not in its order.
  const kept = [...protectedBy.keys()].sort((a, b) => a - b);
  const options = { userTools: settings.userTools, thinksManually: thinksManually(conversation) };
  const place = summaryPlace(messages, kept, options);
  const next = kept.find((index) => index >= place) ?? messages.length;
  return messages[next]?.role === "user" || messages.some(isNativeItem);
}

export function bridgeTokens({ conversation }: PlanInput): number {
  return formatRules(conversation.format).sameRole === "refused" ? BRIDGE_TOKENS : 0;
}
