/** What a call or a result must say about itself: a name, and where the provider insists, arguments that are an object. */

import { isObject } from "../json.ts";
import type { Part } from "../message.ts";
import { resultNames } from "../structure/result-names.ts";
import { mapMessages, type Pass, type RepairContext, withParts } from "./pass.ts";

const UNKNOWN_TOOL = "unknown_tool";

export const repairCallFields: Pass = (messages, context) => {
  const { calls } = context.pairing(messages);
  if (!context.rules.namedResults && calls.every(({ part }) => repairPart(part, undefined, context) === part)) {
    return messages;
  }
  const names = resultNames({ calls: context.rules.namedResults ? calls : [] });
  return mapMessages(messages, (message) => {
    if (message.parts.every((part) => repairPart(part, names.get(part), context) === part)) return message;
    const parts = message.parts.map((part) => {
      const repaired = repairPart(part, names.get(part), context);
      if (repaired !== part)
        context.report("invalid-request", message, "completed a tool call or result that lacked a field");
      return repaired;
    });
    return withParts(message, parts);
  });
};

function repairPart(part: Part, callName: string | undefined, { rules }: RepairContext): Part {
  if (part.type === "tool-call" && (part.name === "" || (rules.objectInputs && !isObject(part.input)))) {
    const input = rules.objectInputs && !isObject(part.input) ? { input: part.input } : part.input;
    return { ...part, name: part.name || UNKNOWN_TOOL, input };
  }
  if (part.type === "tool-result" && rules.namedResults && !part.name)
    return { ...part, name: callName || UNKNOWN_TOOL };
  return part;
}
