/** Sentences in which an assistant says what it does next, told by the words that announce it. Takes those off; changes nothing else. */

import { type CueTable, never } from "../cues/cue-table.ts";
import { endsWithColon } from "../text/endings.ts";
import { closed, wholeStatement, withoutLayout } from "../text/whole-statement.ts";

/** A sentence that says what its speaker does next, without the words that announce it; undefined for any other. */
export function announcement(sentence: string, cues: CueTable): string | undefined {
  const text = withoutLayout(sentence);
  const announcing = announcingWords(text, cues);
  if (announcing === undefined) return undefined;
  const rest = text.slice(announcing.length).replace(/\s*[:：]$/, "");
  if (VERB_ALONE.test(rest)) return undefined;
  const whole = wholeStatement(NAME_FIRST.test(rest) ? rest : rest.charAt(0).toUpperCase() + rest.slice(1), {
    isUser: false,
  });
  return whole === undefined ? undefined : closed(whole);
}

/** Whether words without layout only say what their speaker was about to do. */
export function isAnnouncement(words: string, cues: CueTable): boolean {
  return announcingWords(words, cues) !== undefined;
}

const LEAD_CHARS = 60;

/** Where no words stand before an announced action, its colon tells it. */
function announcingWords(text: string, { lead, next }: CueTable): string | undefined {
  if (lead !== never) {
    const announcing = lead.exec(text)?.[0] ?? "";
    return announcing === "" || tellsOf(announcing, text) ? undefined : announcing;
  }
  return endsWithColon(text) && next.test(text.slice(0, LEAD_CHARS)) ? "" : undefined;
}

/** "Now send() only queues": a name in place of the verb tells what is so. Elsewhere it may be what something is done to. */
function tellsOf(announcing: string, text: string): boolean {
  return BARE_LEAD.test(announcing) && NAME_FIRST.test(text.slice(announcing.length));
}

/** No verb of its own. */
const BARE_LEAD = /^now,? $/i;
/** "Check - the pump looks broken": says what is so, and of the step no more than its verb. */
const VERB_ALONE = /^\S+ [-–—] /;
/** Written as in code: it keeps its small letter. */
const NAME_FIRST = /^[\w$]+(?:[(_]|\.[a-z_]|(?<=[a-z])[A-Z])/;
