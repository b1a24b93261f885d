/**
 * What each of the user's messages says by itself, read one after the other and before the assistant's: those are read by other
 * expressions, and where both take turns, each drives the other's out of the processor's memory. Never looks at what came later.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import { isTelling } from "../goal/tasks.ts";
import { counters } from "../outdated/stale.ts";
import { takesBack } from "../outdated/taking-back.ts";
import type { Prose } from "../reading/prose.ts";
import { type LaidDown, laidDownBy } from "./user-statements.ts";

export interface UserTurn {
  readonly text: string;
  readonly laidDown: LaidDown;
  /** It says something by itself: "go on" does not. */
  readonly isTelling: boolean;
  /** It takes back what was done. */
  readonly isTakingBack: boolean;
  /** It names another way than the assistant's. */
  readonly isCountering: boolean;
}

export interface TurnOptions {
  readonly language: Language;
  /** The assistant's, which may differ from the user's. */
  readonly askedIn: Language;
}

/** Of those messages that are the user's. */
export function userTurns(prose: readonly Prose[], { language, askedIn }: TurnOptions): ReadonlyMap<Prose, UserTurn> {
  const turns = new Map<Prose, UserTurn>();
  const replies = new Set<string>();
  // What is said twice counts where it was said last.
  for (let at = prose.length - 1; at >= 0; at--) {
    const item = prose[at];
    if (item?.isUser !== true) continue;
    const { text } = item;
    const before = prose[at - 1];
    const asked = before?.isUser === false ? before.text : "";
    const exchange = { asked, reply: text, language, askedIn };
    const isTold = isTelling(text, language);
    turns.set(item, {
      text,
      laidDown: laidDownBy(exchange, {
        isRepeated: replies.has(text),
        isTold,
        ...(item.speaker === "" && { cut: item.sentences }),
      }),
      isTelling: isTold,
      isTakingBack: takesBack(text),
      isCountering: counters(text),
    });
    replies.add(text);
  }
  return turns;
}
