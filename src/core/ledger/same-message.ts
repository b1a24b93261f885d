/** Whether two messages say the same to a model, whatever their wire form: a moved cache mark, say, changes nothing. Reads only. */

import { unmarked } from "../cache-marks.ts";
import type { Message, Part } from "../message.ts";
import { isSameJson } from "./json-identity.ts";

export function isSameMessage(left: Message, right: Message): boolean {
  return left.role === right.role && isSameParts(left.parts, right.parts);
}

export function isSameParts(left: readonly Part[], right: readonly Part[]): boolean {
  return left.length === right.length && left.every((part, index) => isSamePart(part, right[index]));
}

function isSamePart(left: Part, right: Part | undefined): boolean {
  if (left === right) return true;
  if (left.type !== right?.type) return false;
  // An opaque part is its wire: nobody knows which of its fields matter, but for the mark.
  if (left.type === "opaque" && right.type === "opaque") {
    return left.kind === right.kind && isSameJson(unmarked(left.wire), unmarked(right.wire));
  }
  if (left.type !== "tool-result" || right.type !== "tool-result") return isSameJson(shown(left), shown(right));
  const { content: before, ...result } = left;
  const { content: after, ...other } = right;
  return isSameParts(before, after) && isSameJson(shown(result), shown(other));
}

function shown({ wire: _, ...fields }: { readonly wire?: unknown }): object {
  return fields;
}
