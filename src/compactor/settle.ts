/** What an edit does to bound thinking, and a last look by the same repair that every incoming list gets. Pure. */

import type { Conversation } from "../core/message.ts";
import { bindsThinking, stripBoundThinking } from "../core/plan/bound-thinking.ts";
import { repair } from "../core/repair/repair.ts";
import type { Settings } from "../core/settings/settings.ts";

export interface Settled {
  readonly conversation: Conversation;
  readonly notes: readonly string[];
}

export interface SettleOptions {
  readonly settings: Settings;
  readonly model: string | undefined;
  /** The provider itself made the edit, in a way that keeps what follows valid. */
  readonly keepsThinking?: boolean;
}

export function settle(before: Conversation, applied: Conversation, options: SettleOptions): Settled {
  const { settings, model, keepsThinking = false } = options;
  const isBound = !keepsThinking && settings.compact.boundThinking === "strip" && bindsThinking(applied.format, model);
  const stripped = isBound ? stripBoundThinking(before, applied) : applied;
  const { conversation, repairs } = repair(stripped, model === undefined ? {} : { model });
  const notes = repairs.map(({ rule, change }) => `After the edit: ${change} (${rule}).`);
  return {
    conversation,
    notes:
      stripped === applied
        ? notes
        : ["Took out thinking that was bound to the edited prefix, pinned messages included.", ...notes],
  };
}
