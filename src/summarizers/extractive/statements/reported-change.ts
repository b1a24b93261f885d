/**
 * How the assistant told a change that it made, where no word of doing stands in it: "Here you are: BV-20471, berth 402". The call proves it, and
 * the sentence names what was changed. Reads what was said behind the call, up to the user's next word. Never a question, nor what is denied.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import { CUES } from "../cues/cues.ts";
import { isNumbered } from "../reading/evidence.ts";
import type { Prose } from "../reading/prose.ts";
import type { PlacedCall } from "../reading/reading.ts";
import { endsAsking } from "../text/endings.ts";
import { splitSentences } from "../text/sentences.ts";
import { wholeStatement } from "../text/whole-statement.ts";
import { isAnnouncement } from "./announcements.ts";

const SENTENCES_READ = 8;

export function reportedChange(
  { brief, message }: PlacedCall,
  prose: readonly Prose[],
  language: Language,
): string | undefined {
  if (!isNumbered(brief)) return undefined;
  const cues = CUES[language];
  for (const { isUser, text } of prose.slice(prose.findLastIndex((item) => item.message <= message) + 1)) {
    if (isUser) return undefined;
    if (!text.includes(brief)) continue;
    for (const sentence of splitSentences(text, { sentencesMax: SENTENCES_READ })) {
      const whole = sentence.includes(brief) ? wholeStatement(sentence, { isUser: false }) : undefined;
      if (whole === undefined || endsAsking(whole) || isAnnouncement(whole, cues) || isField(whole, brief)) continue;
      if (!cues.undone.test(whole) && !cues.hedge.test(whole)) return whole;
    }
  }
  return undefined;
}

/** "Booking number: BV-20471": a label and the number say nothing of what became of it. */
function isField(words: string, brief: string): boolean {
  const colon = words.search(/[:：]/);
  return colon >= 0 && words.slice(colon + 1).replace(/[\s`'"*#.!。！]/g, "") === brief.replace("#", "");
}
