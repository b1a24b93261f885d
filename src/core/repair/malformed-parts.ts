/** Parts that lack what their type needs, and controls that stand where they may not, as the provider would refuse both. */

import { type OpaquePart, type Part, text } from "../message.ts";
import { mapMessages, type Pass, type RepairContext } from "./pass.ts";

export const repairMalformedParts: Pass = (messages, context) => {
  const last = messages.length - 1;
  return mapMessages(messages, (message, index) => {
    const [only] = message.parts;
    if (only?.type === "opaque" && only.kind === "compaction_trigger" && index < last) {
      context.report("misplaced-part", message, "removed a compaction trigger that is not the last item");
      return [];
    }
    if (!message.parts.some((part) => isMalformed(part, context))) return message;
    context.report("invalid-request", message, "quoted a part that lacks a required field as text");
    return { ...message, parts: message.parts.map((part) => (isMalformed(part, context) ? quote(part) : part)) };
  });
};

/** A lone signature is let through, because streams do end with one. */
function isMalformed(part: Part, { rules }: RepairContext): part is OpaquePart {
  if (part.type !== "opaque" || !rules.readKinds.includes(part.kind)) return false;
  return part.wire.thoughtSignature === undefined && part.wire.thought_signature === undefined;
}

function quote({ wire }: OpaquePart): Part {
  return text(`[Malformed part] ${JSON.stringify(wire)}`);
}
