/**
 * Results that the model has not read yet stay in the view. Where they alone are more than the target (or the window) has room
 * for, they are cut to what it has, beside the summary of the rest. Decides only.
 */

import type { TextStep } from "../core/plan/plan.ts";
import type { PlanInput } from "../core/plan/plan-input.ts";
import { trimResults } from "../core/plan/trim-results.ts";
import { hasRequestBeside } from "../core/plan/unanswered-round.ts";
import { isShared, roundRoom, WORTH_READING_TOKENS } from "./room.ts";

export function trimUnanswered(input: PlanInput): readonly TextStep[] {
  const { settings, conversation, structure, tokensOf } = input;
  const round = settings.compact.strategy === "none" ? undefined : roundRoom(input);
  if (round === undefined || round.tokens <= round.allowedTokens) return [];
  // Under a target that somebody named, a summary of the results says more than so little of them.
  const mayGo = isShared(input) && !hasRequestBeside(conversation.messages, round, settings.userTools);
  if (mayGo && round.allowedTokens < WORTH_READING_TOKENS) return [];
  const freeTokens = round.tokens - round.allowedTokens;
  const steps = trimResults(
    {
      messages: conversation.messages,
      pairing: structure.pairing,
      settings,
      tokensOf,
      mayTrim: (index) => index >= round.start && index < round.end,
    },
    freeTokens,
  );
  const freed = steps.reduce((sum, step) => sum + step.freesTokens, 0);
  // What is summarised after all is summarised whole.
  return mayGo && freed < freeTokens ? [] : steps;
}
