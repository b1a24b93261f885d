/**
 * What an assistant says on its way and nobody needs later: what it is about to do, what it asks, what corrects itself, and what breaks
 * off before a list. Looks at one sentence.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import { CUES } from "../cues/cues.ts";
import { OF_THE_USER } from "../cues/second-person.ts";
import { isAnnouncement } from "../statements/announcements.ts";
import { endsAsking } from "../text/endings.ts";
import { quick } from "../text/quick-expressions.ts";

/** Asked of what was chosen alone. */
export function isThoughtAloud(text: string): boolean {
  return CORRECTING.test(text) || BROKEN_OFF.test(text.slice(-END_CHARS)) || goesOn(text);
}

/** A sentence, and where it stands. */
interface Spoken {
  readonly text: string;
  readonly message: number;
  /** Which of its message's sentences it is. */
  readonly place: number;
  readonly isUser: boolean;
  /** The message in which the user spoke next; undefined where nobody did. */
  readonly repliedIn: number | undefined;
}

/**
 * "Shall I oil the gate?" is over once the user spoke; beside what they said it tells what that was about. What nobody was asked is answered
 * by the sentence behind it. Asked of what was chosen alone, too.
 */
export function isAnswered(asked: Spoken, next: Spoken | undefined, language: Language): boolean {
  const { text, message, place, isUser, repliedIn } = asked;
  if (isUser || repliedIn === undefined || next?.message === repliedIn || !wantsAnswer(text)) return false;
  const isFollowed = next?.message === message && next.place === place + 1;
  return !isFollowed || OF_THE_USER[language].test(text) || CUES[language].choice.test(text);
}

/** A question, or a plea for an answer. */
function wantsAnswer(text: string): boolean {
  return endsAsking(text) || PLEADING.test(text);
}

const PLEADING = quick(
  String.raw`^(?:[^.]{0,80}, )?(?:please )?(?:let me know|tell me)(?!\p{L})|please (?:confirm|provide|specify|choose|reply)(?!\p{L})|bitte (?:bestätige|gib|sag|teile?)|(?:sag|gib|lass|geben sie|sagen sie|lassen sie) (?:mir|mich) (?:bescheid|es wissen|wissen)|bestätigen sie|(?:dites|dis)-moi|veuillez (?:confirmer|indiquer|préciser)|merci de (?:confirmer|préciser|m['’]indiquer)|confirme[rz]?(?:-moi)? si |(?:dime|dígame|avísame|avíseme|hágame saber|hazme saber)(?!\p{L})|confirm[ae](?:me)? si |(?:me (?:diga|avise)|diga-me|avise-me)(?!\p{L})|confirme se |(?:fammi|mi faccia) sapere|conferm[ai](?:mi)? se |(?:подтвердите|сообщите|дайте знать|скажите|уточните)(?!\p{L})|请(?:确认|告诉我|告知|提供|回复)|(?:教えて|お知らせ|ご確認)ください|(?:알려|확인해|말씀해) ?주(?:세요|시기)|(?:يرجى|الرجاء) (?:تأكيد|إعلامي)|أخبرني`,
  "i",
);

/** "The rope is red... wait, that is the chain": half of it is not so. */
const CORRECTING = quick(
  String.raw`(?:\.\.\.|…| [—–-]) ?(?:oh,? )?(?:wait|no|hmm+|scratch that|moment|warte|nein|attende[zs]|non|espera|não|aspetta|нет|стой)(?: no)?[,:]|(?:\.\.\.|…|——)(?:等等|不对|いや|待って|아니)|\([^()]{2,80}(?<!yes|ja|oui|s[íiì]|sim|да), (?:(?:oh|no),? )?(?:wait|no|nein|non|não|нет), (?!\p{L}+\))[^()]{2,}\)`,
  "i",
);

const END_CHARS = 16;
/** "It is a lamp like any other, but.": the list that it goes on with is not there. Some mean something else without a comma. */
const BROKEN_OFF = quick(
  String.raw`[,\s](?:and|but|because|und|oder|aber|sondern|weil|et|ou|pero|porque|perché|или|потому что)[.!]$|, (?:or|mais|mas|ma|и|но)[.!]$|(?:但是?|而且|因为|しかし|하지만|그리고)[。.]$`,
  "i",
);

/** "Going on with the gate — I need to oil it": both halves say what was about to be done. */
function goesOn(text: string): boolean {
  const dash = text.includes("ing ") ? DASH.exec(text) : null;
  if (dash === null) return false;
  return isUnderway(text.slice(0, dash.index)) && isAnnouncement(text.slice(dash.index + dash[0].length), CUES.en);
}

const DASH = / (?:[—–-]|--) /;

/** "Looking at the pod state first.": no more than what was being done. A clause behind it, or a verb, says what came of it. */
export function isUnderway(words: string): boolean {
  if (words.length > UNDERWAY_CHARS_MAX || !words.includes("ing ")) return false;
  return UNDERWAY.test(words) && !FINITE.test(words);
}

const UNDERWAY_CHARS_MAX = 90;
const UNDERWAY =
  /^(?:(?:ok(?:ay)?|good|great|now|first|next|then|also|so|and)[,.:!]? )*(?:adding|analy[sz]ing|applying|building|calling|checking|collecting|comparing|continuing|creating|digging|editing|examining|exploring|fetching|finding|fixing|gathering|getting|going|implementing|inspecting|installing|investigating|listing|looking(?! forward)|moving on|opening|preparing|proceeding|pulling|querying|re-?running|reading|removing|retrying|reviewing|running|scanning|searching|starting|switching|testing|tracing|trying|updating|verifying|waiting|working|writing) [^,;:—–]+$/i;
const FINITE = quick(
  String.raw`\b(?:is|are|was|were|be|been|has|have|had|does|did|do|will|would|can|could|should|must|may|might|\p{L}+n['’]t|\p{L}{2,}(?:ed|es)|takes?|shows?|gives?|needs?|fails?|works?|helps?|makes?|means?|breaks?|leads?|costs?|brings?|keeps?|seems?|depends?|prevents?|requires?|causes?)\b`,
  "i",
);
