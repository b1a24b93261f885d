/** One answer of the loop's model, streamed or whole as the loop is. */

import { CompactionError } from "../core/errors.ts";
import type { ModelReply } from "../core/model.ts";
import type { LoopOptions } from "../run-loop.ts";

type Asking = Pick<LoopOptions, "model" | "stream" | "onEvent">;

export async function answerOf(
  { model, stream = true, onEvent }: Asking,
  request: object,
  signal: AbortSignal,
): Promise<ModelReply> {
  if (!stream) {
    const reply = await model.complete(request, signal);
    for (const call of reply.calls) onEvent?.({ type: "tool-call", call });
    return reply;
  }
  for await (const event of model.stream(request, signal)) {
    if (event.type === "end") return event.reply;
    if (event.type !== "usage") onEvent?.(event);
  }
  throw new CompactionError("model-failed", `${model.id} ended its stream without an answer.`, { retryable: true });
}
