/** Validating a body of any format: what cannot even be decoded is a violation too, never an exception. */

import { answerFieldPaths } from "../core/answer-fields.ts";
import { CompactionError } from "../core/errors.ts";
import { formatRules } from "../core/format-rules.ts";
import { isObject, stringOf } from "../core/json.ts";
import type { Conversation } from "../core/message.ts";
import type { ValidateOptions, Violation } from "../core/ports.ts";
import { historyHolder } from "../core/server-history.ts";
import { type BodyShape, decodeBody } from "./body.ts";

/** What a list is looked at with. */
export interface ListOptions extends ValidateOptions {
  /** The provider puts a history of its own before the list: what it lacks at its beginning may stand there. */
  readonly isContinued: boolean;
}

/** As the caller says; else as the body does. */
export function listOptions(conversation: Conversation, body: unknown, options: ValidateOptions): ListOptions {
  const model = options.model ?? (isObject(body) ? stringOf(body.model) : undefined);
  const isContinued = historyHolder(conversation) !== "list";
  return { ...options, ...(model !== undefined && { model }), isContinued };
}

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
  const refused = checkAnswerFields(shape, conversation);
  const violations = check(conversation, body);
  if (refused.length === 0) return violations;
  return [...violations, ...refused].sort((a, b) => a.messageIndex - b.messageIndex);
}

/** What stands in an answer only, and was sent back with it. */
function checkAnswerFields({ format, listKey }: BodyShape, { messages }: Conversation): readonly Violation[] {
  const rules = formatRules(format);
  return messages.flatMap((message, messageIndex) =>
    answerFieldPaths(message, rules).map((field) => {
      const path = `${listKey}.${messageIndex}.${field}`;
      const inBrackets = path.replace(/\.(\d+)/g, "[$1]");
      const isExtra = format === "anthropic-messages";
      const said = isExtra ? `${path}: Extra inputs are not permitted` : `Unknown parameter: '${inBrackets}'.`;
      return { rule: "unknown-field", path: isExtra ? path : inBrackets, messageIndex, message: said };
    }),
  );
}
