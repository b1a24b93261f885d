/** The llm summarizer with a profile's own numbers: prompt pack, transcript, mode, previews, chunking, limits. Decides nothing itself. */

import type { Summarizer } from "../core/checkpoint/summary.ts";
import { isObject } from "../core/json.ts";
import type { Settings } from "../core/settings/settings.ts";
import { llm } from "./llm.ts";
import type { LlmOptions } from "./llm-options.ts";

/** Made when the settings are known: `createCompactor({ summarizer: llmFromSettings({ complete, windowTokens }), profile })`. */
export function llmFromSettings(options: LlmOptions): (settings: Settings) => Summarizer {
  return ({ summary, failure }) =>
    llm({
      ...(summary.model !== "inherit" && { model: summary.model }),
      pack: summary.promptPack,
      style: summary.transcript,
      mode: summary.mode,
      maxOutputTokens: summary.maxOutputTokens,
      temperature: summary.temperature,
      timeoutMs: summary.timeoutMs,
      allowPartial: failure.ladder.includes("staged-partial"),
      ...options,
      input: within(summary.input, options.input),
      staged: within(summary.staged, options.staged),
    });
}

/** Who states one number of a group leaves the others to the settings. What is no group at all is refused by whoever reads it. */
function within<Group extends object>(settled: Group, stated: Partial<Group> | undefined): Partial<Group> {
  if (stated === undefined) return settled;
  return isObject(stated) ? { ...settled, ...stated } : stated;
}
