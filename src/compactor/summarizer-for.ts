/** The summarizer of a pass. One that depends on the settings is made from those in force, a call's own included, and not twice for the same. */

import type { SettingsSummarizer, Summarizer } from "../core/checkpoint/summary.ts";
import type { Settings } from "../core/settings/settings.ts";

export type SummarizerFor = (settings: Settings) => Summarizer;

export function summarizerFor(option: Summarizer | SettingsSummarizer | SummarizerFor): SummarizerFor {
  if (typeof option === "function") return remembering(option);
  return "withSettings" in option ? remembering((settings) => option.withSettings(settings)) : () => option;
}

function remembering(make: SummarizerFor): SummarizerFor {
  const known = new WeakMap<Settings, Summarizer>();
  let latest: { readonly text: string; readonly summarizer: Summarizer } | undefined;
  return (settings) => {
    const found = known.get(settings);
    if (found !== undefined) return found;
    // Settings of a call are resolved anew with each, and mostly say the same as the last time.
    const text = JSON.stringify(settings);
    const summarizer = latest?.text === text ? latest.summarizer : make(settings);
    latest = { text, summarizer };
    known.set(settings, summarizer);
    return summarizer;
  };
}
