/**
 * How far the stored messages behind a known place and a client's list go together. Calls of the recall tool that the exchange answered
 * stand in the session, because the provider is sent them again, and in no client's list: the client has such an answer without them, or,
 * where the model did nothing else, not at all.
 */

import { type JsonValue, stringOf } from "../core/json.ts";
import { type Message, type Part, textsOf } from "../core/message.ts";
import { RECALL_NAME } from "../core/plan/user-voice.ts";
import type { Format } from "../core/ports.ts";
import type { StoredMessage } from "../core/store/store.ts";
import type { Entry } from "../session/session-view.ts";
import { digestOf } from "./identity.ts";

export interface Followed {
  /** The ids of the stored messages that are the next ones of the list. */
  readonly matched: readonly string[];
  /** Whether the session goes on with something else. */
  readonly isElsewhere: boolean;
}

interface FollowInput {
  readonly format: Format;
  /** All of the view, in which the calls are. */
  readonly entries: readonly Entry[];
  /** The rest of the client's list. */
  readonly list: readonly JsonValue[];
}

interface Row {
  readonly id: string;
  readonly body: JsonValue;
  readonly message: Message;
}

export function followRows(stored: readonly StoredMessage[], { format, entries, list }: FollowInput): Followed {
  const isOurs = ownParts(entries);
  const rows = stored.flatMap(({ id, body }): Row[] =>
    format.decode([body]).messages.map((message) => ({ id, body, message })),
  );
  const matched: string[] = [];
  const isNext = (row: Row, at: number): boolean => {
    const next = list[at];
    return next !== undefined && (digestOf(row.body) === digestOf(next) || isShownAs(row.message, next));
  };
  const isShownAs = ({ parts }: Message, next: JsonValue): boolean => {
    const shown = parts.filter((part) => !isOurs(part));
    const said = format.decode([next]).messages.flatMap((message) => message.parts);
    return saidIn(shown) !== NOTHING && saidIn(shown) === saidIn(said);
  };
  for (let at = 0; at < rows.length; ) {
    const answer = answerAt(rows, at);
    const isRecalling = answer.some(({ message }) => message.parts.some(isOurs));
    const shown = answer.filter(({ message }) => !message.parts.every(isOurs));
    const found: string[] = [];
    for (const row of shown) if (isNext(row, matched.length + found.length)) found.push(row.id);
    // Clients may leave out reasoning, which says nothing to them.
    const isMissing = ({ id, message }: Row): boolean => !found.includes(id) && (!isRecalling || says(message));
    const isWhole = !shown.some(isMissing);
    const calls = shown.some(({ message }) => message.parts.some((part) => part.type === "tool-call" && !isOurs(part)));
    if (isWhole) matched.push(...found);
    else if (!isRecalling || calls) return { matched, isElsewhere: true };
    at += answer.length;
  }
  return { matched, isElsewhere: false };
}

/** All that the model said in one answer; else one message. */
function answerAt(rows: readonly Row[], at: number): readonly Row[] {
  const end = rows.findIndex(({ message }, index) => index >= at && message.role !== "assistant");
  return rows.slice(at, end === at ? at + 1 : end < 0 ? rows.length : end);
}

/** Calls of our tool, and their results. */
function ownParts(entries: readonly Entry[]): (part: Part) => boolean {
  const isCall = (part: Part): boolean =>
    part.type === "tool-call" && part.name === RECALL_NAME && part.server !== true;
  const calls = entries.flatMap(({ message }) => message.parts.filter(isCall));
  const ids = new Set(calls.flatMap((part) => (part.type === "tool-call" ? (part.callId ?? []) : [])));
  return (part) => {
    if (part.type !== "tool-result") return isCall(part);
    return part.callId === undefined ? part.name === RECALL_NAME : ids.has(part.callId);
  };
}

function says({ parts }: Message): boolean {
  return parts.some(({ type }) => type !== "reasoning");
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

const NOTHING = saidIn([]);
