/** The live request up to the end of a zone, in wire form, for a summary that is asked for in band. Sends nothing. */

import { type Conversation, type Message, text } from "../core/message.ts";
import { once } from "../core/once.ts";
import { removedIds } from "../core/plan/apply-plan.ts";
import type { LiveRequest } from "../core/plan/live-request.ts";
import type { SummarizeStep } from "../core/plan/plan.ts";
import type { Format } from "../core/ports.ts";
import { repair } from "../core/repair/repair.ts";
import type { TokenCounter } from "../core/tokens/tokens.ts";

export interface LiveInput {
  readonly format: Format;
  /** As it was sent last, before this pass changed anything: that is what the provider has cached. */
  readonly view: Conversation;
  readonly model: string | undefined;
  readonly counter: TokenCounter;
}

export function liveRequest(
  { format, view, model, counter }: LiveInput,
  step: SummarizeStep,
): Omit<LiveRequest, "redact"> {
  // Few summarizers ask in band.
  const prefix = once(() => prefixOf(view, step));
  const options = model === undefined ? {} : { model };
  return {
    tokens: () => counter.countParts(view.system) + counter.countTools(view.tools) + counter.total(prefix()),
    bodyWith: (instruction) => {
      const message: Message = { id: "in-band", role: "user", parts: [text(instruction)] };
      // Only where neighbours of one role are refused does this touch anything, and then only the last message.
      const { conversation } = repair({ ...view, messages: [...prefix(), message] }, options);
      const body = format.encode(conversation);
      return format.validate(body, { ...options, sending: true }).length === 0 ? body : undefined;
    },
  };
}

/** Up to the last message that leaves. */
function prefixOf({ messages }: Conversation, step: SummarizeStep): readonly Message[] {
  const leaving = new Set(removedIds(step));
  return messages.slice(0, messages.findLastIndex(({ id }) => leaving.has(id)) + 1);
}
