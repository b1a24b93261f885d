/**
 * Tells which of a user's messages ask for work: not an assent, not a program's output that was passed on, not a question in
 * passing. Reads a bounded beginning and end of each. Never rewords.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import { CUES } from "../cues/cues.ts";
import { isOutput } from "../reading/tool-output.ts";
import { quick } from "../text/quick-expressions.ts";

/** Longer ones say something of their own. */
const ASSENT_CHARS_MAX = 60;
const READ_CHARS = 600;

/** "yes", "continue", "thanks": leans on what was said before. */
export function isAssent(request: string, language: Language): boolean {
  const words = request.trim();
  if (words.length > ASSENT_CHARS_MAX) return false;
  // English words are said in every language.
  return !/[\p{L}\p{N}]{2}|[\p{Lo}]/u.test(words) || CUES[language].assent.test(words) || CUES.en.assent.test(words);
}

/** Whether the message says something by itself: neither an assent nor a bare value nor a program's output. */
export function isTelling(request: string, language: Language): boolean {
  return (
    !isAssent(request, language) &&
    !isFarewell(request, language) &&
    !isOutput(request) &&
    hasWords(request, TELLING_WORDS_MIN)
  );
}

const TELLING_WORDS_MIN = 2;
/** A message this long describes work even without a cue, unless it only asks. */
const PLAIN_WORDS_MIN = 14;

export function isTask(request: string, language: Language): boolean {
  if (!isTelling(request, language)) return false;
  const read = request.slice(0, READ_CHARS);
  if (CUES[language].request.test(read)) return true;
  if (/[?？]\s*$/.test(request)) return false;
  // Who opens with a question asks that, and the rest says why.
  if (OPENING_QUESTION.test(read) || REMARK.test(read)) return false;
  const [opening = "", ...rest] = read.split(/(?<=[.!,。！，])/);
  return hasWords(isAssent(opening, language) ? rest.join("") : read, PLAIN_WORDS_MIN);
}

/** "I understand. I have no number with me, …": answers what was said, however long. */
const REMARK =
  /^(?:i (?:understand|see|agree|know)|got it|makes sense|(?:i['’]m )?(?:really |so |very )?(?:sorry|afraid)|i apologi[sz]e|unfortunately|verstehe|ich verstehe|leider|je comprends|malheureusement|entiendo|lamentablemente|entendo|infelizmente|capisco|purtroppo|понимаю|к сожалению)(?=[.,!]| that| but)/i;
const OPENING_QUESTION = /^[^.!?。！？\n]{8,160}[?？؟](?:\s[^.!?\n]{1,160}[.!]?\s*$|\s*$)/u;

/** A question that says something by itself. */
export function isQuestion(request: string, language: Language): boolean {
  return /[?？؟]\s*$/.test(request) && isTelling(request, language);
}

const FAREWELL_CHARS_MAX = 300;
/** A simulated user's word for the end. */
const STOP_MARK = /#{2,3}\s?STOP\s?#{2,3}/;
const THANKS = quick(
  String.raw`(?<!\p{L})(?:thanks|thank you|thx|danke|vielen dank|merci|gracias|obrigad[oa]|grazie|спасибо)(?!\p{L})|谢谢|感谢|ありがとう|감사합니다|고마워|شكرا`,
  "i",
);

const GOODBYE_CHARS = 60;
/** In the last words: whoever says so leaves. */
const GOODBYE = quick(
  String.raw`(?<!\p{L})(?:goodbye|good ?night|bye(?:-bye)?|see you(?: (?:later|soon|tomorrow|then|next time))?|(?:talk|speak|chat) (?:to you |with you )?(?:again |more )?(?:later|soon|tomorrow|next time)|auf wiedersehen|tschüss|bis (?:bald|morgen|dann)|au revoir|à (?:bientôt|demain)|adiós|hasta (?:luego|mañana|pronto)|tchau|até (?:logo|amanhã)|arrivederci|a (?:presto|domani)|до (?:свидания|встречи|завтра)|пока)[.!~\s]*$|(?:再见|拜拜|晚安|(?:下次|明天)(?:再聊|见))[。！!~\s]*$|(?:さようなら|おやすみなさい|また明日)[。！\s]*$|안녕히[^.]{0,8}[.!\s]*$`,
  "i",
);

/** Thanks and goodbyes: the user wants nothing more. */
export function isFarewell(request: string, language: Language): boolean {
  if (STOP_MARK.test(request.slice(-READ_CHARS))) return true;
  const words = request.trim();
  if (words.length > FAREWELL_CHARS_MAX || /[?？؟]/.test(words)) return false;
  const isLeaving = GOODBYE.test(words.slice(-GOODBYE_CHARS));
  if (!isLeaving && !THANKS.test(words)) return false;
  if (isAssent(words, language)) return true;
  const rest = words.replace(OWN_PLANS, "");
  return !CUES[language].request.test(rest) && (isLeaving || !saysMoreBehindThanks(rest));
}

/** "Gracias. Ahora que lo pienso, déjelo en 10.": whoever goes on behind the thanks, and not with praise, is not done. */
function saysMoreBehindThanks(words: string): boolean {
  const clauses = words.split(/(?<=[.!;。！；…])/);
  const behind = clauses
    .slice(clauses.findIndex((clause) => THANKS.test(clause)) + 1)
    .filter((clause) => !PARTING.test(clause))
    .join("");
  return hasWords(behind, /\d/.test(behind) ? TELLING_WORDS_MIN : BEHIND_THANKS_WORDS_MIN);
}

/** "Take care.": fewer only round it off. */
const BEHIND_THANKS_WORDS_MIN = 5;
/** Praise, wishes, and that this was all. */
const PARTING = quick(
  String.raw`(?<!\p{L})(?:thanks|thank you|appreciate|helpful|(?:a |your |the |big |great )help|helped|(?:that['’]?s|that is|that will be|this is|it['’]?s) (?:all|everything|it)|nothing (?:else|more)|no (?:further|more|other)|have a|wish you|best regards|danke|geholfen|hilfreich|(?:das )?(?:war|ist)(?:['’]?s| es)? alles|nichts (?:mehr|weiter)|schönen|merci|aidé|c['’]est tout|rien d['’]autre|bonne (?:journée|soirée)|gracias|ayuda|ayudado|(?:eso|esto) (?:es|era|sería) todo|nada más|buen (?:día|fin)|obrigad[oa]|ajuda|ajudou|(?:é|era) (?:só isso|tudo)|mais nada|bom dia|grazie|aiuto|aiutato|è tutto|nient['’]altro|buona (?:giornata|serata)|спасибо|помог|помощь|(?:это )?вс[её](?=[.!])|хорошего)(?!\p{L})|谢|帮助|没有别的|ありがとう|助かり|以上です|감사|도움`,
  "i",
);

/** "I'll ask the harbour office then. Thanks for trying to help.": what users do themselves, or thank for, is asked of nobody. */
const OWN_PLANS = quick(
  String.raw`(?<!\p{L})(?:i['’]?ll|i will|i['’]m going to|let['’]?s (?:chat|talk|speak|meet)|we(?:['’]ll| will) (?:chat|talk|speak)|i need to (?:go|leave|sleep|run)|ich werde|thanks for|thank you for|danke für|that makes (?:a lot of |perfect )?sense|you make a (?:good|fair|great) point|you['’]?re (?:absolutely |totally )?right)(?!\p{L})[^.!?]*`,
  "gi",
);

/** Whether there are so many words of alphabets; of scripts without blanks, two characters to a word. Counts no further than it must. */
function hasWords(text: string, wordsMin: number): boolean {
  const read = text.slice(0, READ_CHARS);
  let count = 0;
  let isCounted = false;
  for (let at = 0; at < read.length && count < wordsMin; at++) {
    const code = read.charCodeAt(at);
    if (code > 127) return wordCount(read) >= wordsMin;
    if (code === 32 || (code >= 9 && code <= 13)) isCounted = false;
    else if (!isCounted && isLetterOrDigit(code)) {
      isCounted = true;
      count++;
    }
  }
  return count >= wordsMin;
}

function wordCount(read: string): number {
  const sparse = read.replace(DENSE, " ");
  return (sparse.match(/[\p{L}\p{N}]\S*/gu)?.length ?? 0) + Math.floor((read.match(DENSE)?.length ?? 0) / 2);
}

function isLetterOrDigit(code: number): boolean {
  const letter = code | 32;
  return (letter >= 97 && letter <= 122) || (code >= 48 && code <= 57);
}

const DENSE = /[\u3040-\u30ff\u3400-\u9fff]/g;
