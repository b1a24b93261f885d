/** Who may speak when: the first message, compaction blocks, neighbours of one role; system messages have a file of their own. */

import type { FormatRules } from "../format-rules.ts";
import { type Message, text } from "../message.ts";
import { isCompactionPart, isSignedCompaction, readableText } from "../plan/native-items.ts";
import { mapMessages, type Pass, type RepairContext, runsOf, withParts } from "./pass.ts";
import { placeSystemMessages } from "./system-messages.ts";

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
