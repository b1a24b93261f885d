/**
 * Whether a user takes back what was done last: "I undid your changes", "revert that". Only the whole of it counts; who has one
 * thing put back asks for work. Reads a bounded beginning.
 */

import { cue } from "../cues/cue-table.ts";
import { ONCE } from "../text/quick-expressions.ts";

const READ_CHARS = 240;

export function takesBack(request: string): boolean {
  const read = request.slice(0, READ_CHARS);
  return ANY_WORD.test(read) && TAKEN_BACK.test(read);
}

/** Most requests have none of the words, and one look tells. */
const ANY_WORD =
  /undo|undid|undone|revert|discard|roll|reset|threw|back|gängig|verworf|zurückg|annul|défai|desh|revie|desf|reverta|ripris|откат|отмен|撤|回滚|还原|戻|取り消|되돌|تراجع/i;

/** A whole piece of work, named by nothing but that it was done. */
const WHOLE =
  "(?:it|that|this|them|those|everything|all(?: of)?(?: it| that| this)?|(?:all )?(?:your|the|these|those|that|this|my)(?: last| latest| recent| previous)?(?: \\w+)? (?:changes?|edits?|commits?|work|attempt|fix|modifications?))";

const TAKEN_BACK = cue(
  [
    `(?<!\\p{L})(?:i|we|i've|we've|i’ve|we’ve)(?: have| had| just| already| now)* (?:undid|undone|reverted|discarded|rolled back|reset|threw away|backed out)(?: ${ONCE}${WHOLE}(?![\\p{L}\\p{N}])|\\s*[.,;!]|$)`,
    `(?:^|[.!,;:]\\s+|(?<!\\p{L})(?:please|no|and|then|so|just|ok|okay|wait|can you|could you|let'?s)[,!]? )(?:undo|revert|discard|roll back|back out)(?: ${ONCE}${WHOLE}(?= (?:and|then|again|please|now|completely)(?!\\p{L})|\\s*[.,;!?]|\\s*$)|\\s*[.,;!]|\\s*$)`,
    "(?<!\\p{L})(?:mach|macht|machen sie) (?:das|alles|es|die änderungen?)(?: bitte)? (?:wieder )?rückgängig|habe? (?:das|alles|es|deine änderungen?|ihre änderungen?) (?:wieder )?(?:rückgängig gemacht|verworfen|zurückgesetzt)",
    "(?<!\\p{L})(?:annule[sz]?|j'ai annulé|défai[st]) (?:ça|cela|tout|tes|vos|les modifications?|tes modifications?)",
    "(?<!\\p{L})(?:deshaz|deshice|he deshecho|revierte|revertí) (?:eso|esto|todo|tus cambios|los cambios|lo)(?!\\p{L})",
    "(?<!\\p{L})(?:desfaça|desfiz|reverta|reverti) (?:isso|isto|tudo|(?:as )?(?:suas |tuas )?(?:alterações|mudanças))",
    "(?<!\\p{L})(?:annulla|ho annullato|ripristina) (?:tutto|questo|le (?:tue )?modifiche)",
    "(?<!\\p{L})(?:откати(?:те)?|я откатил[аи]?|отмени(?:те)?|я отменил[аи]?) (?:это|всё|все|(?:твои |ваши |свои )?изменения)",
    "撤销|撤回(?:了|你的)|回滚|还原(?:你的|刚才|所有|全部)|元に戻し|取り消し(?:て|まし)|되돌려|되돌렸|تراجع عن",
  ].join("|"),
);
