/**
 * Thinking that is signed together with everything before it: after an edit, the newest Anthropic models refuse every block
 * from there on. Taking out all of them, from the edit to the end, is one of the changes that stay valid.
 */

import type { Conversation, Message } from "../message.ts";

/** From Fable 5.1, Opus 5.5 and Sonnet 5.5 on. */
const BINDING_MODEL = /claude-(?:fable|mythos)-(?:5-[1-9]|[6-9])|claude-(?:opus|sonnet|haiku)-(?:5-[5-9]|[6-9])/;

export function bindsThinking(format: Conversation["format"], model: string | undefined): boolean {
  return format === "anthropic-messages" && model !== undefined && BINDING_MODEL.test(model);
}

/** The edited conversation without thinking behind the first difference; the same one when there was none. */
export function stripBoundThinking(before: Conversation, after: Conversation): Conversation {
  const firstEdit = before.system === after.system ? firstDifference(before.messages, after.messages) : 0;
  const messages = after.messages.flatMap((message, index) =>
    index < firstEdit ? [message] : withoutThinking(message),
  );
  const isSame = messages.length === after.messages.length && messages.every((m, index) => m === after.messages[index]);
  return isSame ? after : { ...after, messages };
}

function withoutThinking(message: Message): readonly Message[] {
  const parts = message.parts.filter(({ type }) => type !== "reasoning");
  if (parts.length === message.parts.length) return [message];
  return parts.length === 0 ? [] : [{ ...message, parts }];
}

function firstDifference(before: readonly Message[], after: readonly Message[]): number {
  const index = after.findIndex((message, position) => message !== before[position]);
  return index < 0 ? after.length : index;
}
