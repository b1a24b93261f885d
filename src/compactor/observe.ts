/** What providers report of requests that were sent, as lessons for the estimate of their model. Changes nothing else. */

import { isObject, stringOf } from "../core/json.ts";
import type { Conversation } from "../core/message.ts";
import { countedIn } from "../core/tokens/counted.ts";
import { type Engine, sizesFor } from "./engine.ts";

export function observe(engine: Engine, request: unknown, response: unknown): void {
  const usage = engine.format.readUsage(response);
  if (usage === undefined) return;
  const model = isObject(request) ? stringOf(request.model) : undefined;
  calibrate(engine, engine.format.decode(request), { tokens: usage.inputTokens, model });
  engine.windows.accepted(engine.model ?? model ?? "", usage.inputTokens);
}

export function calibrate(
  engine: Engine,
  conversation: Conversation,
  reported: { readonly tokens: number; readonly model: string | undefined },
): void {
  if (reported.tokens <= 0) return;
  const model = engine.model ?? reported.model ?? "";
  const estimatedTokens = estimate(engine, conversation, model);
  engine.calibration.learn(model, { estimatedTokens, reportedTokens: reported.tokens });
}

/** A whole request as the counter has it, not calibrated. */
export function estimate(engine: Engine, conversation: Conversation, model: string): number {
  const { format, system, tools, messages, wire } = conversation;
  const { counter } = sizesFor(engine, engine.settings(), countedIn(format, wire?.json, model));
  return counter.countParts(system) + counter.countTools(tools) + counter.total(messages);
}
