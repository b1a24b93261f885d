/**
 * System messages inside the list. One that stands where its provider refuses it is moved to the nearest place where it may
 * stand, and stays a system message word for word; only where none may stand in the list does it become a user message.
 */

import { describeOpaque } from "../convert/adopt-parts.ts";
import { isControlMessage, type Message, type Part, text } from "../message.ts";
import { isNativeItem } from "../plan/native-items.ts";
import { mapMessages, type Pass, type RepairContext, withParts } from "./pass.ts";

export const placeSystemMessages: Pass = (messages, context) => {
  if (context.rules.systemInList === "anywhere" || !messages.some(isSystem)) return messages;
  if (context.rules.systemInList === "never") return mapMessages(messages, (message) => asUser(message, context));
  return moved(messages, context);
};

/** Places are gaps between the other messages, gap `n` before the `n`th of them, so that neighbouring system messages share one. */
function moved(messages: readonly Message[], context: RepairContext): readonly Message[] {
  const others = messages.filter((message) => !isSystem(message));
  const found = validGaps(others);
  const [first] = others;
  // Nobody but the assistant speaks. Whoever is put in front of the list comes before these too; before a block none may stand.
  if (found.length === 0 && first !== undefined && isNativeItem(first)) {
    return mapMessages(messages, (message) => asUser(message, context));
  }
  const gaps = found.length === 0 ? [0] : found;
  const placed = new Map<number, Message[]>();
  let gap = 0;
  let at = 0;
  let isChanged = false;
  for (const message of messages) {
    if (!isSystem(message)) {
      gap++;
      continue;
    }
    while (isNoFarther(gaps[at + 1], gaps[at], gap)) at++;
    const to = gaps[at] ?? gap;
    if (to !== gap) {
      isChanged = true;
      context.report("system-position", message, "moved a system message to the nearest place where one may stand");
    }
    const there = placed.get(to);
    if (there === undefined) placed.set(to, [message]);
    else there.push(message);
  }
  if (!isChanged) return messages;
  return [...(placed.get(0) ?? []), ...others.flatMap((message, index) => [message, ...(placed.get(index + 1) ?? [])])];
}

/** Behind a user turn or a result of the provider's own tools, and before an assistant turn or at the end. */
function validGaps(others: readonly Message[]): readonly number[] {
  const gaps: number[] = [];
  for (let gap = 1; gap <= others.length; gap++) {
    const after = others[gap];
    const endsTurn = after === undefined || after.role === "assistant";
    if (endsTurn && mayPrecede(others[gap - 1])) gaps.push(gap);
  }
  return gaps;
}

function mayPrecede(message: Message | undefined): boolean {
  const last = message?.parts.at(-1);
  return (
    message?.role === "user" || (message?.role === "assistant" && last?.type === "tool-result" && last.server === true)
  );
}

/** The later one of two that are equally near: what was said before the message was said without it. */
function isNoFarther(next: number | undefined, best: number | undefined, gap: number): boolean {
  return next !== undefined && best !== undefined && Math.abs(next - gap) <= Math.abs(best - gap);
}

function asUser(message: Message, { report }: RepairContext): Message | readonly Message[] {
  if (!isSystem(message)) return message;
  if (isControlMessage(message)) {
    report("system-position", message, "removed a system message that says nothing, for none may stand in this list");
    return [];
  }
  report("system-position", message, "made a system message a user message, for none may stand in this list");
  return withParts({ ...message, role: "user" }, message.parts.map(readable));
}

/** Tools that are added or taken away on the way: no user message may hold that. */
function readable(part: Part): Part {
  return part.type === "opaque" ? text(describeOpaque(part) ?? `[${part.kind}]`) : part;
}

function isSystem({ role }: Message): boolean {
  return role === "system";
}
