/**
 * Copies for those who look on. A copy of a message may be kept, stored or sent on: deep, so that later edits of a request body do not reach it, and
 * without wire bodies and binary data. Says what a message said; cannot be sent to a provider again.
 */

import { copyJson } from "../json.ts";
import type { Message, Part, Role } from "../message.ts";
import type { Plan } from "../plan/plan.ts";

export interface MessageSnapshot {
  readonly id: string;
  readonly role: Role;
  readonly parts: readonly PartSnapshot[];
  readonly pinned?: boolean;
}

/** As in a message, less the wire block; base64 data is an empty string, opaque parts keep only their kind. */
export type PartSnapshot = Part extends infer One
  ? One extends Part
    ? Omit<One, "wire" | "content"> & Inner<One>
    : never
  : never;

type Inner<One> = One extends { readonly content: readonly Part[] }
  ? { readonly content: readonly PartSnapshot[] }
  : unknown;

export function snapshotOf({ id, role, parts, pinned }: Message): MessageSnapshot {
  return { id, role, parts: parts.map(partSnapshot), ...(pinned !== undefined && { pinned }) };
}

/** For another one who looks on: nobody sees what the one before did to it. */
export function snapshotCopy(snapshot: MessageSnapshot): MessageSnapshot {
  return { ...snapshot, parts: snapshot.parts.map(partCopy) };
}

/** Texts are shared, since nothing can change them; only what holds other values is gone into. */
function partCopy(part: PartSnapshot): PartSnapshot {
  switch (part.type) {
    case "tool-result":
      return { ...part, content: part.content.map(partCopy) };
    case "tool-call":
      return { ...part, input: copyJson(part.input) };
    case "media":
      return { ...part, source: { ...part.source } };
    default:
      return { ...part };
  }
}

/** For those who only look: what they do to it does not reach the plan that is carried out. */
export function planCopy(plan: Plan): Plan {
  return structuredClone(plan);
}

function partSnapshot(part: Part): PartSnapshot {
  const { wire: _, ...rest } = part;
  switch (rest.type) {
    case "tool-result":
      return { ...rest, content: rest.content.map(partSnapshot) };
    case "media":
      return rest.source.type === "base64" ? { ...rest, source: { type: "base64", data: "" } } : structuredClone(rest);
    case "tool-call":
      return { ...rest, input: structuredClone(rest.input) };
    default:
      return rest;
  }
}
