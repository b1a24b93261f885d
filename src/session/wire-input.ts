/** Turns what may be appended (a text, a message, several, or a provider's whole response) into messages for a store. */

import { withoutAnswerFields } from "../core/answer-fields.ts";
import { CompactionError } from "../core/errors.ts";
import { isArray, isObject, type JsonValue, ownCopy } from "../core/json.ts";
import { takePreserved } from "../core/marks.ts";
import { type Conversation, type Message, text } from "../core/message.ts";
import type { Format } from "../core/ports.ts";
import { attachmentsIn } from "../core/store/attachments.ts";
import type { NewMessage } from "../core/store/store.ts";
import { isTurnStart } from "../core/structure/structure.ts";

/** One message in the session's wire format, a list of them, a whole response, or a user's text. */
export type Appendable = string | object | readonly object[];

export interface WireInput {
  readonly messages: readonly NewMessage[];
  readonly turns: number;
  /** The provider's response in the input, the last of several: it may report usage. */
  readonly response: JsonValue | undefined;
  /** The answer to the request that was sent last: the first response, unless another answer comes before it. */
  readonly answer: JsonValue | undefined;
  /** Whether the input answers that request: later answers belong to requests that this process did not send. */
  readonly isAnswered: boolean;
}

/** Pins all messages with `pinned`, else those with the mark `isPreserved`. */
export function readAppendable(format: Format, input: Appendable, pinned = false): WireInput {
  // A copy: the caller may change its own objects later.
  const given = typeof input === "string" ? input : ownCopy(input);
  const { list, preserved, response, first } = wireMessages(format, given);
  // Fields that an SDK's helpers parsed repeat the answer, and the provider refuses them in a request.
  const decoded = format.decode(list).messages.map((message) => withoutAnswerFields(message, format.rules()));
  const answeredAt = decoded.findIndex(({ role }) => role === "assistant");
  const isFirst = first !== undefined && (answeredAt === -1 || answeredAt >= first.at);
  return {
    messages: decoded.map((message, index) => {
      const isPinned = pinned || preserved.has(index);
      return { ...newMessage(format, message), ...(isPinned && { isPinned }) };
    }),
    turns: decoded.filter(isTurnStart).length,
    response,
    answer: isFirst ? first.response : undefined,
    isAnswered: answeredAt !== -1 || first !== undefined,
  };
}

export interface WireMessages {
  readonly list: readonly JsonValue[];
  /** Indexes of messages with the mark `isPreserved`. */
  readonly preserved: ReadonlySet<number>;
  readonly response: JsonValue | undefined;
  /** The first of several responses, and the number of messages before it. */
  readonly first?: { readonly response: JsonValue; readonly at: number };
}

/** The input as a list of messages; a response becomes the messages that it adds. */
export function wireMessages(format: Format, input: unknown): WireMessages {
  if (typeof input === "string") {
    const list = encodeMessages(format, [{ id: "", role: "user", parts: [text(input)] }]);
    return { list, preserved: new Set(), response: undefined };
  }
  if (!isArray(input) && !isObject(input)) throw unreadable();
  const marked = (isArray(input) ? input : [input]).map(takePreserved);
  const given = marked.map(({ value }) => value);
  const replies = given.map((each) => format.readReply(each));
  const at = replies.findIndex((reply) => reply !== undefined);
  const first = given[at];
  const lists = given.map((each, index) => replies[index] ?? [each]);
  const marks = lists.flatMap((list, index) => list.map(() => marked[index]?.isPreserved === true));
  return {
    list: lists.flat(),
    preserved: new Set(marks.flatMap((isPreserved, index) => (isPreserved ? [index] : []))),
    response: given.findLast((_, index) => replies[index] !== undefined),
    ...(first !== undefined && { first: { response: first, at } }),
  };
}

function unreadable(): CompactionError {
  const message = "Append takes a message, a list of messages, a response or a text. Nothing was changed.";
  return new CompactionError("invalid-request", message);
}

function newMessage(format: Format, message: Message): NewMessage {
  const { role, parts, wire } = message;
  const body = wire !== undefined && isObject(wire.json) ? wire.json : longForm(format, message);
  return { role, body, attachments: attachmentsIn(body, parts) };
}

/** A short form (a string, a list of parts) is valid for a message only where it stands alone. */
function longForm(format: Format, { id, role, parts }: Message): JsonValue {
  const plain = parts.map((part) => (part.type === "text" ? text(part.text) : part));
  return encodeMessages(format, [{ id, role, parts: plain }])[0] ?? null;
}

/** Only the messages, in wire form; one of our messages may become several. */
export function encodeMessages(format: Format, messages: readonly Message[]): readonly JsonValue[] {
  const bare: Conversation = {
    format: format.name,
    system: [],
    tools: undefined,
    messages,
    wire: { json: [], system: [], messages: [] },
  };
  const encoded = format.encode(bare);
  // A conversation without a body encodes to a list.
  return isArray(encoded) ? encoded : [];
}
