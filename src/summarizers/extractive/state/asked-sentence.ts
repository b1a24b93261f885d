/**
 * Whether a sentence asks the user something, and which sentences it says little without: "If so, please name the pier." Reads the
 * end of one message. Never takes a mark in code, in an address or in a quoted title for a question.
 */

import { ASKING_BACK } from "../goal/requests.ts";
import { isHollow } from "../statements/answers.ts";
import { listPointedAt, pointsAtOne } from "../statements/offered-ways.ts";
import { endsWithMark } from "../text/endings.ts";
import { quick } from "../text/quick-expressions.ts";
import { oneLine, splitSentences } from "../text/sentences.ts";
import { closed, withoutLayout } from "../text/whole-statement.ts";

/** `next` is the sentence behind it. */
export function asksUser(sentence: string, next: string): boolean {
  if (!ASKING_BACK.test(sentence)) return false;
  // 'The page "What is new?" is shorter': cut behind the mark, it goes on in the next.
  if (/["”»」』\]]$/.test(sentence) && /^\p{Ll}/u.test(next)) return false;
  return ASKING_BACK.test(sentence.replace(TITLE, "").replace(NOTING, ""));
}

/** What is quoted or linked within a sentence. All of a sentence in quotes is what somebody says. */
const TITLE = /(?<=\S\s?)(?:"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」|『[^』]*』|\[[^\]]*\])/g;

/** "Please note that the pier is closed." asks for no answer. */
const NOTING = quick(
  String.raw`(?<!\p{L})(?:please,? (?:note|be aware|keep in mind|remember|hold|wait|bear with)|(?:bitte )?beachten?(?: sie)?(?: bitte)?|bitte (?:warte|einen moment)|veuillez (?:noter|patienter)|(?:por favor,? )?(?:ten(?:ga|gan)? en cuenta|espere|observe que|note que|aguarde)|per favore (?:nota|notate|attend)|пожалуйста,? (?:учтите|обратите внимание|подождите)|يرجى (?:ملاحظة|الانتظار))(?!\p{L})|请(?:注意|稍等|稍候)|ご注意ください|お待ちください|(?:유의|참고)해 ?주세요|기다려 ?주세요`,
  "i",
);

const BEFORE_CHARS_MAX = 100;
/** A list opens with a sentence of its own. */
const LIST_CHARS_MAX = 160;
/** It may begin far before the question, and is short lines. */
const LIST_CHARS_READ = 1_600;
const LIST_SENTENCES_READ = 100;

export interface AskedEnd {
  /** All of the message. */
  readonly said: string;
  /** Its last sentences. */
  readonly sentences: readonly string[];
}

/** What the sentence at a place says little without; empty where it stands alone. */
export function groundOf({ said, sentences }: AskedEnd, at: number): string {
  const before = sentences[at - 1];
  if (before === undefined || !CONDITIONAL.test(sentences[at] ?? "")) return "";
  // "Would you like to go on with these changes?" does not say with which.
  const isLeaning = isHollow(before) || pointsAtOne(before);
  const offer = isLeaning ? listBefore(said, before) || told(sentences[at - 2] ?? "", BEFORE_CHARS_MAX) : "";
  return offer + told(before, BEFORE_CHARS_MAX);
}

/** The list that ends before a question, whose last item alone says little; empty where none does. */
export function listBefore(said: string, question: string): string {
  const sentences = splitSentences(said.slice(-LIST_CHARS_READ), { sentencesMax: LIST_SENTENCES_READ });
  const at = sentences.findLastIndex((sentence) => withoutLayout(sentence) === question);
  // Where something was left out, a list might seem to open with the words before another.
  if (at < 0 || sentences.length === LIST_SENTENCES_READ) return "";
  const isCut = said.length > LIST_CHARS_READ;
  return told(listPointedAt(sentences.slice(isCut ? 1 : 0, at)) ?? "", LIST_CHARS_MAX);
}

function told(text: string, charsMax: number): string {
  const line = oneLine(text, charsMax);
  return line === "" ? "" : `${endsWithMark(line) ? line : closed(line)} `;
}

/** "If so": under which condition, the sentence before says. */
const CONDITIONAL = quick(
  String.raw`^(?:if (?:so|yes|not|that['’]?s (?:fine|the case))|in that case|(?:wenn|falls) (?:ja|nein|nicht|dem so ist)|in diesem fall|si (?:oui|non|c['’]est le cas)|dans ce cas|en caso (?:afirmativo|contrario)|(?:si es|de ser) así|en ese caso|se (?:sim|não|for o caso)|em caso afirmativo|(?:nesse|neste) caso|se (?:sì|così fosse)|in caso (?:affermativo|contrario)|in (?:tal|questo|quel) caso|если (?:да|нет|так)|в (?:таком|этом) случае|(?:إذا|إن) كان (?:الأمر )?كذلك|في هذه الحالة)(?!\p{L})|^(?:如果是(?:的话|这样)?|若是|如果(?:要|可以|需要)的话|这样的话)[，,、]|^(?:その場合|もしそう|そうであれば|でしたら)|^(?:그렇다면|그런 경우|그럴 경우|만약 그렇다면)`,
  "i",
);
