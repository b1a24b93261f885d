/**
 * Thinking that a request asks for by a budget (Anthropic's `enabled`). There a turn that waits for the model must begin with the
 * thinking it began with, or the provider refuses it: whoever takes messages out of such a turn keeps that in mind. Reads only.
 */

import { formatRules } from "./format-rules.ts";
import { isObject } from "./json.ts";
import type { Conversation, Message } from "./message.ts";
import { isTurnStart } from "./structure/structure.ts";

/** Models that take this mode are older than those that bind thinking to what stands before it. */
export function thinksManually({ format, wire }: Conversation): boolean {
  if (formatRules(format).reasoning !== "signed" || !isObject(wire?.json)) return false;
  const { thinking } = wire.json;
  return isObject(thinking) && thinking.type === "enabled";
}

/** The first message of the model's in a turn that waits for it, where that does not begin with thinking; undefined otherwise. */
export function unthoughtStart(messages: readonly Message[]): number | undefined {
  const [first] = waitingSteps(messages);
  return first === undefined || beginsWithThinking(messages[first]) ? undefined : first;
}

/** The message of that turn that has to stay, so that what is kept of it begins with thinking; undefined where it does so by itself. */
export function thoughtToKeep(messages: readonly Message[], isKept: (index: number) => boolean): number | undefined {
  const steps = waitingSteps(messages);
  const first = steps.find(isKept);
  if (first === undefined || beginsWithThinking(messages[first])) return undefined;
  return steps.findLast((step) => step < first && beginsWithThinking(messages[step]));
}

/** Where that turn begins; whoever speaks as the user behind it begins another. Undefined where none waits for the model. */
export function waitingTurn(messages: readonly Message[]): number | undefined {
  return waitingSteps(messages).length === 0 ? undefined : Math.max(messages.findLastIndex(isTurnStart), 0);
}

/** Where the model begins to speak in the newest turn, while it is to go on with it. */
function waitingSteps(messages: readonly Message[]): readonly number[] {
  const isWaiting = messages.findLast(({ role }) => role !== "system")?.role === "user";
  if (!isWaiting) return [];
  const start = messages.findLastIndex(isTurnStart);
  const steps: number[] = [];
  for (let index = start + 1; index < messages.length; index++) {
    const isStep = messages[index]?.role === "assistant" && messages[index - 1]?.role !== "assistant";
    if (isStep) steps.push(index);
  }
  return steps;
}

function beginsWithThinking(message: Message | undefined): boolean {
  return message?.parts[0]?.type === "reasoning";
}
