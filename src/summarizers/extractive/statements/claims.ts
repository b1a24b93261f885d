/**
 * Whether a sentence in which something is said to be done is about that: a note may only mention it, and of "no insurance was bought" nothing
 * was done. Asked where a claim was found. Never rewords.
 */

import { visitContentWords } from "../text/content-words.ts";
import { quick } from "../text/quick-expressions.ts";

/** "Note: there is no crane here, so I stop, the boat has been moved" notes the crane. */
export function isMentioned(sentence: string, claimEnd: number): boolean {
  const label = NOTE.exec(sentence)?.[0];
  if (label === undefined) return false;
  const end = sentence.slice(label.length).search(CLAUSE_END);
  return end >= 0 && label.length + end < claimEnd;
}

const NOTE = quick(
  String.raw`^(?:(?:please |side )?note|nota(?: bene)?|n\.?b\.?|heads[- ]up|caveat|hinweis|anmerkung|achtung|remarque|aviso|observa(?:ção|ción)|avvertenza|примечание|внимание|ملاحظة|تنبيه|注意|备注|说明|補足|참고|주의)\s?[:：]`,
  "i",
);
const CLAUSE_END = /[,;—–，；、،。]/;

/** Whether what it is said of is nothing; in other languages than English the verb is denied too. */
export function isOfNothing(sentence: string, claimAt: number): boolean {
  const before = sentence.slice(0, claimAt);
  return NOTHING.test(before.slice(before.search(LAST_CLAUSE)));
}

/** Where the clause that reaches up to the claim begins. */
const LAST_CLAUSE = /[^,;:]*$/;
const NOTHING = /^\s*(?:and |so |but )?(?:no (?!longer\b|more\b)|none |nothing )/i;

const EMPTY_WORDS: ReadonlySet<string> = new Set(
  "edit change changes task work complete completed done place everything update fix finished implementation step".split(
    " ",
  ),
);

/** "The edit is complete." does not say which: that takes two words. */
export function namesSomething(done: string): boolean {
  let first: string | undefined;
  let isNamed = false;
  visitContentWords(done, (word) => {
    if (EMPTY_WORDS.has(word)) return;
    first ??= word;
    isNamed ||= word !== first;
  });
  return isNamed;
}
