/**
 * Parts that lack what their type needs, in messages and in results, parts that no result may hold, and controls that stand where
 * they may not, as the provider would refuse all of them.
 */

import type { FormatRules } from "../format-rules.ts";
import { type OpaquePart, type Part, text } from "../message.ts";
import { refuseDeepMessage } from "../too-deep.ts";
import { mapMessages, type Pass } from "./pass.ts";

export const repairMalformedParts: Pass = (messages, { rules, contents, report }) => {
  if (!contents(messages).opaque) return messages;
  const last = messages.length - 1;
  return mapMessages(messages, (message, index) => {
    const [only] = message.parts;
    if (only?.type === "opaque" && only.kind === "compaction_trigger" && index < last) {
      report("misplaced-part", message, "removed a compaction trigger that is not the last item");
      return [];
    }
    if (!message.parts.some((part) => holdsRefused(part, rules))) return message;
    refuseDeepMessage(message);
    report("invalid-request", message, "quoted a part that lacks a required field, or stands in a result, as text");
    return { ...message, parts: message.parts.map((part) => readable(part, rules)) };
  });
};

function holdsRefused(part: Part, rules: FormatRules): boolean {
  if (part.type === "tool-result" && !part.server) return part.content.some((inner) => isRefusedInside(inner, rules));
  return isMalformed(part, rules);
}

function readable(part: Part, rules: FormatRules): Part {
  if (part.type === "tool-result" && holdsRefused(part, rules)) {
    return { ...part, content: part.content.map((inner) => (isRefusedInside(inner, rules) ? quote(inner) : inner)) };
  }
  return isMalformed(part, rules) ? quote(part) : part;
}

/** A lone signature is let through, because streams do end with one. */
function isMalformed(part: Part, rules: FormatRules): part is OpaquePart {
  if (part.type !== "opaque" || !rules.readKinds.includes(part.kind)) return false;
  return part.kind !== "" || (part.wire.thoughtSignature === undefined && part.wire.thought_signature === undefined);
}

/** What the provider's own tools return is in a shape of theirs, and not looked into. */
function isRefusedInside(part: Part, rules: FormatRules): part is OpaquePart {
  return part.type === "opaque" && (rules.outsideResults.includes(part.kind) || isMalformed(part, rules));
}

function quote({ wire }: OpaquePart): Part {
  return text(`[Malformed part] ${JSON.stringify(wire)}`);
}
