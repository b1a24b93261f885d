/** What a sentence of a request is worth to whoever quotes it: a plea, an order, a rule about how, or a tale. Looks at one sentence. */

import type { Language } from "../../../core/checkpoint/language.ts";
import { cue } from "../cues/cue-table.ts";
import { CUES } from "../cues/cues.ts";
import { endsAsking, endsWithColon } from "../text/endings.ts";
import { quick } from "../text/quick-expressions.ts";
import type { Worth } from "./quote-room.ts";

const CLAUSE_START = "(?:^|[,;:.!—–]\\s|(?<![\\p{L}\\p{N}])(?:and|so|then|but|also|now|ok|okay|yes|hi|hello|hey) )";

export const PLEAS: Partial<Record<Language, RegExp>> = {
  en: cue(
    `${CLAUSE_START}(?:please(?! (?:note|make sure|be sure|remember|ensure|only|do not|don't|avoid|keep in mind))|(?:can|could|would|will) (?:you|we)|i(?:['’]d| would)?(?: really| also| still| just| now)? (?:want|need|like) (?:you|to)|i(?: really| also| still| just)? need(?! (?:some |your |a little )?help)|i(?: really| also| still| just)? want|i['’]m(?: also)? looking for|help me|your (?:task|job|goal) is|we (?:need|want|still need) to|let['’]?s)(?![\\p{L}\\p{N}])`,
  ),
};

const ASKING_YOU =
  "(?:(?:can|could|would|will) you|i(?:['’]d| would)? (?:want|need|like) you to|help me|kannst du|könntest du|können sie|könnten sie|peux-tu|pouvez-vous|pourriez-vous|puedes|podrías|você pode|poderia|puoi|potresti|можешь|можете|не могли бы)(?![\\p{L}\\p{N}])";
/** Asks wherever in a sentence it begins a clause; the others may there be a rule about how, or part of a tale. */
const LATE_PLEA = cue(`${CLAUSE_START}${ASKING_YOU}`);
export const LATE_CLAUSE = cue(`[,;:—–] ${ASKING_YOU}`);

/** What templates say of themselves. */
const ROLE = quick(
  String.raw`^(?:(?:now,? )?you(?: are|['’]re) (?:an?|the|now|going to)|you (?:can|may|should|must|will|do not|don['’]t|need to|have to)|act as|as an? |imagine you|important|note|notes|remember|warning|caution|attention|tips?|hint|rules?|instructions?|here(?: is| are|['’]s)|the following|below|above|i(?:'ve| have) uploaded|du bist|sie sind|tu es|vous êtes|eres|você é|sei un|ты|вы —|wichtig|hinweis|remarque|nota|примечание)(?![\p{L}])|^(?:你是|您是|注意|重要|あなたは|당신은)`,
  "i",
);

/** A plea stands at the beginning: "…, please use a script" is a rule about how. */
export const PLEA_CHARS = 40;

export function worthOf(sentence: string, isFirst: boolean, language: Language): Worth {
  if (ROLE.test(sentence) || LEANING_PLEA.test(sentence) || isCourtesy(sentence)) return "rule";
  const { request, constraint } = CUES[language];
  if (GROUNDS.test(sentence) && request.test(sentence)) return "plea";
  if ((PLEAS[language] ?? request).test(sentence.slice(0, PLEA_CHARS)) && !TALE.test(sentence)) return "plea";
  if (LATE_PLEA.test(sentence)) return "plea";
  if (TALE.test(sentence) && !endsAsking(sentence)) return "telling";
  // Who begins with a rule asks for it.
  if (!isFirst && constraint.test(sentence)) return "rule";
  if (request.test(sentence) || endsAsking(sentence)) return "order";
  // What only announces says nothing without what it announces, and "Awesome!" nothing at all.
  const isEmpty = endsWithColon(sentence) || (sentence.length < TELLING_CHARS_MIN && /[!.]$/.test(sentence));
  if (isFirst && ACKNOWLEDGEMENT.test(sentence)) return "rule";
  return isEmpty ? "rule" : "telling";
}

/** "I hope this finds you well.", "What we need" above a list: says nothing of the matter. */
function isCourtesy(sentence: string): boolean {
  return sentence.length <= COURTESY_CHARS_MAX && COURTESY.test(sentence);
}

const COURTESY_CHARS_MAX = 80;
const COURTESY = quick(
  String.raw`^(?:(?:hi|hello|hey|dear|good (?:morning|afternoon|evening)|guten (?:tag|morgen|abend)|hallo|bonjour|hola|buenos días|olá|bom dia|ciao|buongiorno|здравствуйте|привет)(?: \p{L}+){0,2}[,!.]? ?)?(?:(?:i |we )?hope (?:you|this|all|everything)[^?]{0,50}|how are you[^.]{0,20}|(?:ich|wir) hoffen?[^?]{0,50}|j['’]espère que[^?]{0,50}|espero que [^?]{0,50}|spero [^?]{0,50}|надеюсь[^?]{0,50})[.!?]$|^(?:你好|您好)?[，,]?希望你[^？]{0,20}[。！]$|^(?:what|why|how|where)(?: \p{L}+){1,3}$|^(?:context|background|overview|introduction)$`,
  "i",
);

/** Whether an order is one from its first words: "Implement …" or a question, not "The first release …" or "Apply:". */
export function opensWithOrder(sentence: string, language: Language): boolean {
  if (endsAsking(sentence)) return true;
  if (sentence.length < TELLING_CHARS_MIN && endsWithColon(sentence)) return false;
  return CUES[language].request.test(sentence.slice(0, OPENING_CHARS));
}

const OPENING_CHARS = 24;

/** "Given the notes, list what …": the order follows. */
const GROUNDS = /^(?:given|based on|using|considering|from|with|looking at) [^.!?]{3,300}?, /i;
/** "Can you help with that?": asks for what was said before it. */
export const LEANING_PLEA =
  /^(?:(?:so|and|please|hi|hello)[,!]? )*(?:(?:can|could|would|will) you (?:please )?(?:help|assist)|(?:kannst du|könntest du|können sie|könnten sie) (?:mir|uns) (?:dabei |bitte )*helfen|pouvez-vous m'aider|peux-tu m'aider|puedes ayudarme|podrías ayudarme|você pode (?:me )?ajudar|puoi aiutarmi)(?: me| us)?(?: out)?(?: (?:with|on|con|com) (?:that|this|it|eso|esto|isso|isto|questo))?(?:,? please)?\s*[?？]$|^(?:所以|请问)?[你您]?(?:能不能|可不可以|能|可以)帮(?:帮?我们?|忙)(?:一下)?吗?[？?]$/i;
/** Begins with a word that points back. */
export const LEANING = quick(
  String.raw`^(?:and|but|so|it|that|this|they|those|these|und|aber|also|es|das|dies(?:e[rs]?)?|et|mais|donc|cela|ça|y|pero|eso|esto|e|mas|isso|ma|però|questo|и|а|но|это)(?!\p{L})|^(?:但是?|所以|而且|这|那|它)|^(?:でも|しかし|それ|その|これ)|^(?:하지만|그런데|그래서|그것|이것)`,
  "i",
);
/** "Can you tell me why this happened?": short, and what it is about is pointed at. */
export function isPointing(sentence: string): boolean {
  return sentence.length <= POINTING_CHARS_MAX && POINTING.test(sentence);
}

const POINTING_CHARS_MAX = 80;
const POINTING = quick(
  String.raw`(?<!\p{L})(?:have|get|want|need|send|move|bring|put) (?:it|them)(?!\p{L})|(?<!\p{L})(?:it|this|that|them|these|those)(?:[?!.,]*$| (?:happen|work|fail|broke|for (?:me|us)(?!\p{L})|please|now|again|instead|is about|up(?!\p{L})))|what(?:['’]s| is) (?:going on|happening|wrong)[?!.]*$|(?<!\p{L})(?:das|es|dies|damit|davon|daran)(?: \p{L}+en)?[?!.]*$|(?<!\p{L})(?:cela|ça|eso|esto|isso|isto|questo|это)[?!. ]*$`,
  "i",
);
const TELLING_CHARS_MIN = 20;
/** "They want to build a bridge": what others want is told, not asked. */
const TALE = quick(
  String.raw`^(?:(?:and|but|so|because|since|while|although|then) )?(?:they|he|she|it|users?|people|customers?|clients?|(?:the|our|my|some|many) (?:users?|people|customers?|clients?|team|author|reporter|boss|manager))(?:['’]\p{L}+)? (?!should|must|needs?|has to|have to)`,
  "i",
);
/** "Great, that works now.": takes leave of what was before. */
const ACKNOWLEDGEMENT = quick(
  String.raw`^(?:(?:ok(?:ay)?|great|perfect|nice|awesome|cool|excellent|good|thanks|thank you|thx|yes|yeah|alright|amazing|wonderful|super|prima|danke|merci|parfait|gracias|perfecto|obrigad[oa]|perfeito|grazie|perfetto|спасибо|отлично)(?!\p{L})[,!]?[^,;:?]{0,40}|(?:that|this|it) (?:works|looks|is) (?:great|good|perfect|fine|better|nice)[^,;:?]{0,30})[.!]?$|^(?:好的|谢谢|太好了|很好|ありがとう|감사)[^，？]{0,12}[。！!]?$`,
  "i",
);
