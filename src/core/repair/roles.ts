/** Repairs the order of roles: the first message, compaction blocks, system messages, neighbours of one role. */

import { describeOpaque } from "../convert/adopt-parts.ts";
import type { FormatRules } from "../format-rules.ts";
import { isCompactionPart, isNativeItem, isSignedCompaction, readableText } from "../items.ts";
import { isControlMessage, type Message, text } from "../message.ts";
import { mapMessages, mapParts, type Pass, type RepairContext } from "./pass.ts";

export const MISSING_START_TEXT = "[The beginning of this conversation is not available.]";

/** A signed compaction block may only open the list; elsewhere its readable summary replaces it. */
export const quoteMisplacedCompaction: Pass = (messages, { contents, report }) => {
  if (!contents(messages).opaque) return messages;
  return mapMessages(messages, (message, index) =>
    mapParts(message, (part, position) => {
      if (!isSignedCompaction(part) || (index === 0 && position === 0)) return part;
      report("compaction-misplaced", message, "turned a compaction block that is not first into text");
      return text(readableText(part.wire) ?? "[Earlier summary]");
    }),
  );
};

export const startWithUser: Pass = (messages, { rules, hasServerHistory, report }) => {
  const [first] = messages;
  const start = hasServerHistory ? undefined : missingStart(first, rules);
  if (start === undefined) return messages;
  if (first === undefined) report("no-messages", start, "put a user message into the empty list");
  else report("first-role", first, "put a user message in front");
  return [start, ...messages];
};

/** The message that has to be put in front of a list that begins with `first`; a plan counts it too. */
export function missingStart(first: Message | undefined, { startsWithUser }: FormatRules): Message | undefined {
  const isOpened = first?.role === "user" || isCompactionPart(first?.parts[0]);
  if (isOpened || (first !== undefined && !startsWithUser)) return undefined;
  return { id: `${first?.id ?? ""}/start`, role: "user", parts: [text(MISSING_START_TEXT)] };
}

/** Merges neighbours of one role where the provider refuses them. */
export const mergeSameRole: Pass = (messages, { rules, report }) => {
  if (rules.sameRole !== "refused") return messages;
  if (!messages.some(({ role }, index) => role === messages[index - 1]?.role)) return messages;
  const runs: Message[][] = [];
  for (const message of messages) {
    const run = runs.at(-1);
    if (run?.[0]?.role === message.role) run.push(message);
    else runs.push([message]);
  }
  return runs.flatMap((run) => {
    const [first] = run;
    if (first === undefined || run.length === 1) return run;
    report("alternation", first, `merged ${run.length} ${first.role} messages in a row into one`);
    const isPinned = run.some(({ pinned }) => pinned);
    return { ...first, parts: run.flatMap(({ parts }) => parts), ...(isPinned && { pinned: true }) };
  });
};

/** Moves a system message to the nearest place that is allowed. It becomes a user message only where the list may hold none at all. */
export const placeSystemMessages: Pass = (messages, context) => {
  if (context.rules.systemInList === "anywhere" || !context.contents(messages).systemMessage) return messages;
  const others = messages.filter((message) => !isSystem(message));
  const gaps = validGaps(others);
  const [first] = others;
  // Only the assistant speaks. The user message that is put in front of the list makes gap 0 valid, but not before a native item.
  const hasNoGap = gaps.length === 0 && first !== undefined && isNativeItem(first);
  if (context.rules.systemInList === "never" || hasNoGap) {
    return mapMessages(messages, (message) => (isSystem(message) ? asUser(message, context) : message));
  }
  return moveSystemMessages(messages, { others, gaps: gaps.length === 0 ? [0] : gaps }, context);
};

/** Gap `n` stands before the `n`th of the other messages, so that neighbouring system messages share one. */
interface Gaps {
  readonly others: readonly Message[];
  readonly gaps: readonly number[];
}

function moveSystemMessages(messages: readonly Message[], { others, gaps }: Gaps, { report }: RepairContext) {
  const placed: Message[][] = Array.from({ length: others.length + 1 }, () => []);
  let isChanged = false;
  let gap = 0;
  let at = 0;
  for (const message of messages) {
    if (!isSystem(message)) {
      gap++;
      continue;
    }
    while (isNoFarther(gaps[at + 1], gaps[at], gap)) at++;
    const to = gaps[at] ?? gap;
    placed[to]?.push(message);
    if (to === gap) continue;
    isChanged = true;
    report("system-position", message, "moved a system message to the nearest place where one may stand");
  }
  return isChanged ? placed.flatMap((system, index) => [...system, ...others.slice(index, index + 1)]) : messages;
}

/** Gaps behind a user turn or a result of the provider's own tools, and before an assistant turn or at the end. */
function validGaps(others: readonly Message[]): readonly number[] {
  const gaps: number[] = [];
  others.forEach((message, index) => {
    const next = others[index + 1];
    if ((next === undefined || next.role === "assistant") && mayPrecede(message)) gaps.push(index + 1);
  });
  return gaps;
}

function mayPrecede({ role, parts }: Message): boolean {
  const last = parts.at(-1);
  return role === "user" || (role === "assistant" && last?.type === "tool-result" && last.server === true);
}

/** Of two gaps at the same distance the later one wins: what stands before the system message was said without it. */
function isNoFarther(next: number | undefined, best: number | undefined, gap: number): boolean {
  return next !== undefined && best !== undefined && Math.abs(next - gap) <= Math.abs(best - gap);
}

function asUser(message: Message, { report }: RepairContext): Message | readonly Message[] {
  if (isControlMessage(message)) {
    report("system-position", message, "removed a system message that says nothing, for none may stand in this list");
    return [];
  }
  report("system-position", message, "made a system message a user message, for none may stand in this list");
  // Tools that are added or removed on the way are opaque; a user message cannot hold them.
  return mapParts({ ...message, role: "user" }, (part) =>
    part.type === "opaque" ? text(describeOpaque(part) ?? `[${part.kind}]`) : part,
  );
}

function isSystem({ role }: Message): boolean {
  return role === "system";
}
