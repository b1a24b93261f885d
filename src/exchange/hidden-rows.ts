/**
 * Calls of the recall tool that the exchange answered by itself, as they stand in a session: the provider is sent them again, and no client
 * has ever seen them. Some stand beside calls of the client's own tools, and the client has that answer without ours.
 */

import { type JsonValue, stringOf } from "../core/json.ts";
import { type Part, textsOf } from "../core/message.ts";
import { RECALL_NAME } from "../core/plan/user-voice.ts";
import type { Format } from "../core/ports.ts";
import type { Entry } from "../session/session-view.ts";

export interface HiddenRows {
  /** Whether all that a message does is to recall. */
  isHidden(body: JsonValue): boolean;
  /** Whether a client's message is this one without what is hidden of it. */
  isShownAs(body: JsonValue, shown: JsonValue): boolean;
}

export function hiddenRows(format: Format, entries: readonly Entry[]): HiddenRows {
  const calls = entries.flatMap(({ message }) => message.parts.filter(isRecall));
  const ids = new Set(calls.flatMap((part) => (part.type === "tool-call" ? (part.callId ?? []) : [])));
  const isOurs = (part: Part): boolean => {
    if (part.type !== "tool-result") return isRecall(part);
    return part.callId === undefined ? part.name === RECALL_NAME : ids.has(part.callId);
  };
  const partsOf = (body: JsonValue): readonly Part[] => format.decode([body]).messages.flatMap(({ parts }) => parts);
  return {
    isHidden: (body) => {
      const parts = partsOf(body);
      const others = parts.filter((part) => !isOurs(part));
      const isAlone = others.every(({ type }) => type === "reasoning" || type === "text");
      return isAlone && (others.length < parts.length || others.every(({ type }) => type === "reasoning"));
    },
    isShownAs: (body, shown) => {
      const parts = partsOf(body);
      const others = parts.filter((part) => !isOurs(part));
      return others.length < parts.length && saidIn(others) === saidIn(partsOf(shown));
    },
  };
}

function isRecall(part: Part): boolean {
  return part.type === "tool-call" && part.name === RECALL_NAME && part.server !== true;
}

/** Texts, calls and results; clients write the rest of an answer in ways of their own. */
function saidIn(parts: readonly Part[]): string {
  const said = parts.filter(({ type }) => type !== "reasoning");
  const calls = said.flatMap((part) => {
    if (part.type === "tool-call") return [[stringOf(part.callId) ?? null, part.name, part.input]];
    return part.type === "tool-result" ? [[stringOf(part.callId) ?? null, textsOf(part.content).join("")]] : [];
  });
  const texts = textsOf(said.filter(({ type }) => type === "text"));
  return JSON.stringify([texts.join("").trim(), calls]);
}
