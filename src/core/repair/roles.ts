/** Repairs who speaks when: the first message, compaction blocks, system messages, neighbours of one role. */

import { describeOpaque } from "../convert/adopt-parts.ts";
import type { FormatRules } from "../format-rules.ts";
import { isControlMessage, type Message, type Part, text } from "../message.ts";
import { isCompactionPart, isNativeItem, isSignedCompaction, readableText } from "../plan/native-items.ts";
import { mapMessages, type Pass, type RepairContext, runsOf, withParts } from "./pass.ts";

export const MISSING_START_TEXT = "[The beginning of this conversation is not available.]";

export const repairRoles: Pass = (messages, context) => {
  const passes: readonly Pass[] = [quoteMisplacedCompaction, placeSystemMessages, startWithUser, mergeSameRole];
  return passes.reduce((list, pass) => pass(list, context), messages);
};

/** A signed compaction block may only open the list; anywhere else its readable summary stands for it. */
const quoteMisplacedCompaction: Pass = (messages, { contents, report }) => {
  if (!contents(messages).opaque) return messages;
  return mapMessages(messages, (message, index) => {
    if (!message.parts.some(isSignedCompaction)) return message;
    const parts = message.parts.map((part, position) => {
      if (!isSignedCompaction(part) || (index === 0 && position === 0)) return part;
      report("compaction-misplaced", message, "turned a compaction block that is not first into text");
      return text(readableText(part.wire) ?? "[Earlier summary]");
    });
    return withParts(message, parts);
  });
};

const startWithUser: Pass = (messages, { rules, hasServerHistory, report }) => {
  const [first] = messages;
  if (hasServerHistory) return messages;
  const start = missingStart(first, rules);
  if (start === undefined) return messages;
  if (first === undefined) report("no-messages", start, "put a user message into the empty list");
  else report("first-role", first, "put a user message in front");
  return [start, ...messages];
};

/** What has to be put in front of a list that begins with this message; a plan counts it too. */
export function missingStart(first: Message | undefined, { startsWithUser }: FormatRules): Message | undefined {
  const isOpened = first?.role === "user" || isCompactionPart(first?.parts[0]);
  if (isOpened || (first !== undefined && !startsWithUser)) return undefined;
  return { id: `${first?.id ?? ""}/start`, role: "user", parts: [text(MISSING_START_TEXT)] };
}

/** Where neighbours of one role are refused, they become one message. */
export const mergeSameRole: Pass = (messages, context) => {
  if (context.rules.sameRole !== "refused") return messages;
  // The very same list, so that what is known of it stays known.
  if (!messages.some(({ role }, index) => index > 0 && messages[index - 1]?.role === role)) return messages;
  return runsOf(messages, (a, b) => a.role === b.role).flatMap((run) => mergeRun(run, context));
};

function mergeRun(run: readonly Message[], { report }: RepairContext): readonly Message[] {
  const [first, ...others] = run;
  if (first === undefined || others.length === 0) return run;
  report("alternation", first, `merged ${run.length} ${first.role} messages in a row into one`);
  const isPinned = run.some(({ pinned }) => pinned);
  return [{ ...first, parts: run.flatMap(({ parts }) => parts), ...(isPinned && { pinned: true }) }];
}

/**
 * Moves a system message that stands where the provider refuses it to the nearest place where it may stand, word for word. Only where
 * the list may hold none at all does it become a user message.
 */
const placeSystemMessages: Pass = (messages, context) => {
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
