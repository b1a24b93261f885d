/**
 * Thinking as the Messages API signs and checks it. The newest models bind each block to everything before it: system prompt, tools,
 * earlier messages, and the thinking block before. So thinking may be removed as one run from the front or from the end and nothing else
 * may change; what a compaction of the provider's own replaced counts as unchanged.
 */

import { isCompactionPart } from "../../../core/items.ts";
import { isArray, isObject, type JsonObject, stringOf } from "../../../core/json.ts";
import type { Conversation, Message, Part, ReasoningPart } from "../../../core/message.ts";
import { bindsThinking } from "../../../core/thinking.ts";
import { canonicalPart, canonicalTools } from "../prompt-cache.ts";
import { digestOf, seal, unseal } from "../seal.ts";

export interface ThinkingReport {
  /** Where the list ends; what is signed next is bound to it. */
  readonly end: ThinkingPlace;
  readonly mismatches: readonly ThinkingMismatch[];
}

/** A digest of everything before a block, thinking left out, and the newest thinking block's signature. */
export interface ThinkingPlace {
  readonly prefix: string;
  readonly before: string;
  /** System prompt and tools alone. */
  readonly seed: string;
}

export interface ThinkingMismatch {
  /** `forged`: no signature of this server, or over another text. `moved`: what stands before it has changed. `foreign`: of another model. */
  readonly type: "forged" | "changed" | "moved" | "foreign";
  readonly messageIndex: number;
  readonly position: number;
}

export function followThinking(conversation: Conversation, model: string): ThinkingReport {
  const seed = seedOf(conversation);
  const isBound = bindsThinking(conversation, model);
  const mismatches: ThinkingMismatch[] = [];
  let place: ThinkingPlace = { prefix: seed, before: "", seed };
  let isFirst = true;
  conversation.messages.forEach((message, messageIndex) => {
    if (message.role === "system") {
      place = { ...place, prefix: digestOf(place.prefix, ...systemTexts(message)) };
      return;
    }
    message.parts.forEach((part, position) => {
      if (part.type !== "reasoning") {
        const next = conversation.messages[messageIndex + 1];
        place = { ...place, prefix: prefixBehind(part, { place, message, next }) };
        return;
      }
      const type = mismatchOf(part, { model, isBound, place, isFirst });
      if (type !== undefined) mismatches.push({ type, messageIndex, position });
      place = { ...place, before: digestOf(signatureOf(part)) };
      isFirst = false;
    });
  });
  return { end: place, mismatches };
}

/** A system message may steer by fields of its own what it stands before. */
function systemTexts({ parts, wire }: Message): readonly string[] {
  const { content: _, ...fields } = isObject(wire?.json) ? wire.json : {};
  return [JSON.stringify(fields), ...parts.map(canonicalPart)];
}

/** Tools that are loaded later may be added at any time. */
function seedOf({ system, tools }: Conversation): string {
  const loaded = isArray(tools) ? tools.filter((tool) => !isObject(tool) || tool.defer_loading !== true) : tools;
  return digestOf(canonicalTools(loaded), ...system.map(canonicalPart));
}

interface Surroundings {
  readonly place: ThinkingPlace;
  readonly message: Message;
  readonly next: Message | undefined;
}

function prefixBehind(part: Part, { place, message, next }: Surroundings): string {
  if (!isCompactionPart(part)) return digestOf(place.prefix, message.role, canonicalPart(part));
  const { wire } = part;
  const summary = unseal("summary", stringOf(wire.signature) ?? stringOf(wire.encrypted_content));
  // What was kept behind the summarised messages stays valid where it joins them as the summary says.
  const follower = message.parts.at(-1) === part ? next : message;
  const isJoined = summary?.seed === place.seed && follower?.role !== summary.lastRole && follower?.role !== "system";
  return isJoined ? (stringOf(summary.prefix) ?? "") : digestOf("summary", place.seed, canonicalPart(part));
}

interface Reader extends Pick<Surroundings, "place"> {
  readonly model: string;
  readonly isBound: boolean;
  readonly isFirst: boolean;
}

function mismatchOf(part: ReasoningPart, reader: Reader): ThinkingMismatch["type"] | undefined {
  const { place, model, isBound, isFirst } = reader;
  const signed = unseal("thinking", signatureOf(part));
  if (signed === undefined) return "forged";
  if (signed.text !== digestOf(part.text)) return "changed";
  if (signed.model !== model) return "foreign";
  const isMoved = signed.prefix !== place.prefix || (!isFirst && signed.before !== place.before);
  return isBound && isMoved ? "moved" : undefined;
}

function signatureOf({ signature, encrypted }: ReasoningPart): string {
  return signature ?? encrypted ?? "";
}

/** The block of an answer that begins at a place. A text that is not shown is hidden in the signature and counts all the same. */
export function thinkingBlock(
  text: string,
  shown: string,
  { place, model }: Pick<Reader, "place" | "model">,
): JsonObject {
  const hidden = shown === text ? {} : { hidden: text };
  const { prefix, before } = place;
  const signature = seal("thinking", { model, text: digestOf(shown), prefix, before, ...hidden });
  return { type: "thinking", thinking: shown, signature };
}

/** What a compaction item carries so that it is known again and the thinking behind it stays valid. */
export function sealSummary(summary: string, end: ThinkingPlace, lastRole: string): string {
  return seal("summary", { text: summary, prefix: end.prefix, seed: end.seed, lastRole });
}
