/**
 * Removes or marks thinking that an edit made invalid, then runs the repair that every incoming list gets. The result
 * is valid for the model, or for all models where it is unknown. Pure.
 */

import type { Conversation } from "../core/message.ts";
import { repair } from "../core/repair/repair.ts";
import type { Settings } from "../core/settings/settings.ts";
import { bindsThinking, stripBoundThinking, withDroppableThinking } from "../core/thinking.ts";

export interface SettledView {
  readonly conversation: Conversation;
  readonly notes: readonly string[];
}

export interface SettleOptions {
  readonly settings: Settings;
  readonly model: string | undefined;
  /** True where the provider itself made the edit, and thinking after it stays valid. */
  readonly keepsThinking?: boolean;
}

/** `before` is the view that the provider saw last, not one that this pass already shortened. */
export function settle(before: Conversation, applied: Conversation, options: SettleOptions): SettledView {
  if (before.messages.length === 0) return { conversation: applied, notes: [] };
  const { model, keepsThinking = false } = options;
  const thought = keepsThinking ? { conversation: applied, notes: [] } : settleThinking(before, applied, options);
  const { conversation, repairs } = repair(thought.conversation, model === undefined ? {} : { model });
  const moved = repairs.map(({ rule, change }) => `After the edit: ${change} (${rule}).`);
  // A repair is an edit too, and thinking may stand behind it.
  const again = repairs.length === 0 || keepsThinking ? undefined : settleThinking(before, conversation, options);
  const notes = [...new Set([...thought.notes, ...(again?.notes ?? [])])];
  return { conversation: again?.conversation ?? conversation, notes: [...notes, ...moved] };
}

function settleThinking(before: Conversation, applied: Conversation, { settings, model }: SettleOptions): SettledView {
  if (!bindsThinking(applied, model)) return { conversation: applied, notes: [] };
  const conversation = stripBoundThinking(before, applied);
  if (conversation === applied) return { conversation, notes: [] };
  if (settings.compact.boundThinking === "strip") return { conversation, notes: [STRIPPED] };
  const isMarked = withDroppableThinking(applied) !== undefined;
  return isMarked ? { conversation: applied, notes: [DROPPABLE] } : { conversation, notes: [STRIPPED, UNMARKED] };
}

const STRIPPED = "Took out thinking that was bound to the edited prefix, pinned messages included.";
const DROPPABLE =
  "The request lets the provider drop thinking that was bound to the edited prefix; it needs the header `anthropic-beta: thinking-binding-controls-2026-08-01`.";
const UNMARKED = "The request asks for no thinking, so it has no place for the mark that lets the provider drop some.";

/** The request as it is sent: with `drop-block` every request, from the first on, carries the mark; a later mark is too late. */
export function markedForSending(view: Conversation, { settings, model }: SettleOptions): Conversation {
  if (settings.compact.boundThinking !== "drop-block" || !bindsThinking(view, model)) return view;
  return withDroppableThinking(view) ?? view;
}
