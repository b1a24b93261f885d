/** More cache marks than a request may have: those that stand first among the messages go, for the newest cover what they did. */

import { CACHE_MARKS_MAX, marksIn, withoutFirstMarks } from "../cache-marks.ts";
import { mapMessages, type Pass, withParts } from "./pass.ts";

export const limitCacheMarks: Pass = (messages, { rules, marksOutside, report }) => {
  if (!rules.limitsCacheMarks) return messages;
  let inside = 0;
  for (const { parts } of messages) inside += marksIn(parts);
  let excess = inside === 0 ? 0 : Math.min(inside, marksOutside() + inside - CACHE_MARKS_MAX);
  if (excess <= 0) return messages;
  return mapMessages(messages, (message) => {
    const own = excess <= 0 ? 0 : marksIn(message.parts);
    if (own === 0) return message;
    report("too-many-cache-marks", message, "took out a cache mark, for there were more than a request may have");
    const parts = withoutFirstMarks(message.parts, excess);
    excess -= own;
    return withParts(message, parts);
  });
};
