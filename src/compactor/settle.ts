/**
 * Removes or marks thinking that an edit made invalid, then runs the repair that every incoming list gets. The result
 * is valid for the model, or for all models where it is unknown. Pure.
 */

import { historyHolder, withoutServerHistory } from "../core/items.ts";
import type { Conversation } from "../core/message.ts";
import type { Format, Violation } from "../core/ports.ts";
import { repair } from "../core/repair/repair.ts";
import type { Settings } from "../core/settings/settings.ts";
import { bindsThinking, stripBoundThinking, withDroppableThinking } from "../core/thinking.ts";
import type { Decision } from "./decide.ts";
import type { Reading } from "./decode.ts";

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

interface OutgoingInput extends Pick<Reading, "source" | "input" | "model"> {
  readonly decision: Decision;
}

export interface OutgoingView {
  readonly view: Conversation;
  /** The view with what its request needs beside the messages. */
  readonly sent: Conversation;
  readonly encoded: unknown;
  readonly notes: readonly string[];
  /** The violations that could not be repaired. */
  readonly violations: readonly Violation[];
  /** The violation that undid the edit. */
  readonly undone?: Violation;
}

/** Every pass ends here: undoes an edit that brings a violation which the view before it did not have. */
export function outgoingView(format: Format, sending: OutgoingInput, after: Conversation): OutgoingView {
  const { view } = sending.input;
  const edited = checked(format, sending, after);
  if (after === view || edited.violations.length === 0) return edited;
  const before = checked(format, sending, view);
  const known = new Set(before.violations.map(({ rule }) => rule));
  const undone = edited.violations.find(({ rule }) => !known.has(rule));
  return undone === undefined ? edited : { ...before, undone };
}

function checked(format: Format, sending: OutgoingInput, view: Conversation): OutgoingView {
  const { conversation: sent, notes } = forSending(sending, view);
  const encoded = format.encode(sent);
  const { model } = sending;
  const violations = format.validate(encoded, { sending: true, ...(model !== undefined && { model }) });
  return { view, sent, encoded, notes, violations };
}

export function undoneNote({ rule, path }: Violation): string {
  return `The compaction was undone, because the provider would refuse what came of it: ${rule} at ${path}.`;
}

/** A provider would read its stored history and then the list: an edited list must stand alone. */
function forSending(sending: OutgoingInput, view: Conversation): SettledView {
  const { source, input, model, decision } = sending;
  if (decision.plan.because === "server-history") return { conversation: view, notes: [SERVER_HOLDS] };
  const marked = markedForSending(view, { settings: input.settings, model });
  const isEdited = view !== source || decision.input.found !== undefined;
  if (!isEdited || historyHolder(source) === "list") return { conversation: marked, notes: [] };
  return { conversation: withoutServerHistory(marked), notes: [STANDS_ALONE] };
}

const SERVER_HOLDS =
  "The provider holds the history that this request refers to, so nothing taken out of the list would make it smaller: send the whole list without the reference, or start a new one from a summary.";
const STANDS_ALONE =
  "The reference to a history that the provider stored was taken out: the list holds the history, and it was compacted.";
