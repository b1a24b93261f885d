/**
 * The last step before a view is returned: puts it in wire form, with what its request needs beside the messages, and
 * validates it. An edit that the provider would refuse is undone, because the view before it was valid.
 */

import type { Conversation } from "../core/message.ts";
import type { Format, Violation } from "../core/ports.ts";
import { historyHolder, withoutServerHistory } from "../core/server-history.ts";
import type { Decision } from "./decide.ts";
import type { Reading } from "./decode.ts";
import { markedForSending, type SettledView } from "./settle.ts";

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
