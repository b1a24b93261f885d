/**
 * Results that are too big to stay whole and too new to go: each keeps its head and its tail, the largest give first, and all
 * are cut to one length. Never a call, never what anybody said, nothing pinned, nothing that the settings keep verbatim, and no
 * image beside a text.
 */

import type { Message } from "../message.ts";
import type { Settings } from "../settings/settings.ts";
import type { Pairing } from "../structure/pairing.ts";
import type { TextStep } from "./plan.ts";
import { type PlacedResult, resultText, shortenableResults, textStep } from "./prune.ts";
import { trimmedText } from "./pruned-texts.ts";

export interface TrimInput {
  readonly messages: readonly Message[];
  readonly pairing: Pairing;
  readonly settings: Settings;
  readonly tokensOf: (message: Message) => number;
  /** The messages whose results may be cut, by index. */
  readonly mayTrim: (index: number) => boolean;
}

/** Of a result that is cut, at least this much stays: enough to see what it was. */
const KEPT_CHARS_MIN = 400;

/** Halves the range of lengths each time: enough for a result of any size that a request can hold. */
const ATTEMPTS_MAX = 32;

/** As little as frees that many tokens; where nothing frees enough, as much as may be cut. */
export function trimResults(input: TrimInput, freeTokens: number): readonly TextStep[] {
  const results = shortenableResults(input, input.mayTrim);
  const cutTo = (keptChars: number): readonly TextStep[] =>
    results.flatMap((result) => trimStep(result, keptChars, input.tokensOf) ?? []);
  let low = KEPT_CHARS_MIN;
  let high = Math.max(low, ...results.map(({ part }) => resultText(part).length));
  let steps = cutTo(low);
  for (let attempt = 0; attempt < ATTEMPTS_MAX && low < high; attempt++) {
    const middle = Math.ceil((low + high) / 2);
    const gentler = cutTo(middle);
    if (freedBy(gentler) >= freeTokens) {
      low = middle;
      steps = gentler;
    } else high = middle - 1;
  }
  return steps;
}

function trimStep(result: PlacedResult, keptChars: number, tokensOf: TrimInput["tokensOf"]): TextStep | undefined {
  const before = resultText(result.part);
  if (before.length <= keptChars) return undefined;
  const headChars = Math.ceil(keptChars / 2);
  return textStep("trim", result, trimmedText(before, { headChars, tailChars: keptChars - headChars }), tokensOf);
}

function freedBy(steps: readonly TextStep[]): number {
  return steps.reduce((sum, { freesTokens }) => sum + freesTokens, 0);
}
