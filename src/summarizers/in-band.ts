/**
 * A summary asked for in band (the same prefix as the live request, so that its input is a cache read): the conversation stays
 * in wire form and the instruction is its last message. Only where that fits the window; elsewhere the ordinary way, and why.
 */

import type { SummaryInput } from "../core/checkpoint/summary.ts";
import { type LiveRequest, liveRequestOf } from "../core/plan/live-request.ts";
import { type LlmSettings, requestLimit } from "./llm-options.ts";
import { inBandTask } from "./prompts/in-band.ts";
import { assemble, type Prompt, type PromptContext } from "./prompts/prompt.ts";

export type InBand =
  | ({ readonly type: "in-band"; readonly prompt: Prompt; readonly body: unknown } & Pick<LiveRequest, "redact">)
  | { readonly type: "ordinary"; readonly note: string };

/** Undefined where nobody asked for it. */
export function planInBand(input: SummaryInput, settings: LlmSettings, context: PromptContext): InBand | undefined {
  if (!settings.inBand) return undefined;
  const live = liveRequestOf(input);
  if (live === undefined) return ordinary("there is no live request");
  const prompt = assemble(inBandTask(settings.pack.task), [], context);
  const instruction = `${prompt.system}\n\n${prompt.prompt}`;
  const { counter } = input;
  const tokens = live.tokens() + counter.countText(instruction);
  const limitTokens = requestLimit(settings, counter.safetyMargin);
  if (tokens > limitTokens) return ordinary(`the live request counts ${tokens} tokens, and ${limitTokens} fit`);
  const body = live.bodyWith(instruction);
  if (body === undefined) return ordinary("the live request cannot take one more message");
  return { type: "in-band", prompt, body, redact: live.redact };
}

function ordinary(because: string): InBand {
  return { type: "ordinary", note: `The summary was not asked for in band: ${because}.` };
}
