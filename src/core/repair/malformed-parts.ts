/** Parts that lack what their type needs, and controls that stand where they may not, as the provider would refuse both. */

import { type Part, text } from "../message.ts";
import { mapMessages, type Pass, type RepairContext, withParts } from "./pass.ts";

export const repairMalformedParts: Pass = (messages, context) => {
  const last = messages.length - 1;
  return mapMessages(messages, (message, index) => {
    const [only] = message.parts;
    if (only?.type === "opaque" && only.kind === "compaction_trigger" && index < last) {
      context.report("misplaced-part", message, "removed a compaction trigger that is not the last item");
      return [];
    }
    const parts = message.parts.map((part) => quoteMalformed(part, context));
    if (parts.some((part, position) => part !== message.parts[position])) {
      context.report("invalid-request", message, "quoted a part that lacks a required field as text");
    }
    return withParts(message, parts);
  });
};

/** A lone signature is let through, because streams do end with one. */
function quoteMalformed(part: Part, { rules }: RepairContext): Part {
  if (part.type !== "opaque" || !rules.readKinds.includes(part.kind)) return part;
  if (part.wire.thoughtSignature !== undefined || part.wire.thought_signature !== undefined) return part;
  return text(`[Malformed part] ${JSON.stringify(part.wire)}`);
}
