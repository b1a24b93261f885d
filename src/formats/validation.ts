/** Validating a body of any format: what cannot even be decoded is a violation too, never an exception. */

import { CompactionError } from "../core/errors.ts";
import type { Conversation } from "../core/message.ts";
import type { Violation } from "../core/ports.ts";
import { type BodyShape, decodeBody } from "./body.ts";

export type CheckDecoded = (conversation: Conversation, body: unknown) => readonly Violation[];

export function validateDecoded(shape: BodyShape, body: unknown, check: CheckDecoded): readonly Violation[] {
  let conversation: Conversation;
  try {
    conversation = decodeBody(shape, body);
  } catch (error) {
    if (!(error instanceof CompactionError)) throw error;
    const index = new RegExp(`^${shape.listKey}[.[](\\d+)`).exec(error.message)?.[1];
    const messageIndex = index === undefined ? -1 : Number(index);
    const path = messageIndex < 0 ? shape.listKey : `${shape.listKey}.${index}`;
    return [{ rule: "invalid-request", path, messageIndex, message: error.message }];
  }
  return check(conversation, body);
}
