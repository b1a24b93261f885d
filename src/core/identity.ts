/** Compares JSON values, and messages by what they say to a model, whatever their wire form. Reads only. */

import { unmarked } from "./marks.ts";
import type { Message, Part } from "./message.ts";

export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left)) return Array.isArray(right) && isSameList(left, right);
  return !Array.isArray(right) && isSameObject(left, right);
}

function isSameList(left: readonly unknown[], right: readonly unknown[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) if (!isSameJson(left[index], right[index])) return false;
  return true;
}

function isSameObject(left: object, right: object): boolean {
  const keys = Object.keys(right);
  let count = 0;
  for (const key in left) {
    if (keys[count++] !== key) return false;
    // Any object may be asked for its own key.
    const one = (left as Record<string, unknown>)[key];
    if (!isSameJson(one, (right as Record<string, unknown>)[key])) return false;
  }
  return count === keys.length;
}

export function isSameMessage(left: Message, right: Message): boolean {
  return left.role === right.role && isSameParts(left.parts, right.parts);
}

export function isSameParts(left: readonly Part[], right: readonly Part[]): boolean {
  return left.length === right.length && left.every((part, index) => isSamePart(part, right[index]));
}

function isSamePart(left: Part, right: Part | undefined): boolean {
  if (left === right) return true;
  if (left.type !== right?.type) return false;
  // An opaque part is its wire: any of its fields may matter, except the cache mark.
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
