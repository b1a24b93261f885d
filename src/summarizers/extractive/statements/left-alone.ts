/**
 * What users settle by leaving it: "keep the table as it is", "that is out of scope", "do it in a follow-up"; and a way taken by naming it,
 * "go with the queue". Looks at short messages only, and at their sentences only where the message has such words.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import { guardedIn } from "../cues/cue-guard.ts";
import { anywhere, words } from "../cues/cue-table.ts";
import { CUES } from "../cues/cues.ts";
import { wordsOf } from "../text/shared-words.ts";

const MESSAGE_CHARS_MAX = 600;

/** Whether any sentence of a message may leave something. */
export function mayLeave(message: string, language: Language): boolean {
  return message.length <= MESSAGE_CHARS_MAX && hasLeaving(message, language);
}

/** In a sentence that answers a question, which says what is left. */
export function leaves(reply: string, language: Language): boolean {
  return hasLeaving(reply, language) && !OF_ONESELF.test(reply);
}

/** A sentence that says by itself what is left, or taken. */
export function leavesNamed(sentence: string, language: Language): boolean {
  return leaves(sentence, language) && [...wordsOf(sentence)].some((word) => !UNNAMED.has(word));
}

const LATER_CHARS_MAX = 200;
const SUBJECT_CHARS_MIN = 4;

/** Whether what was left as it is was ordered or given a value since: it did not stay so. */
export function isChangedSince(decision: string, later: Iterable<string>, language: Language): boolean {
  if (!leaves(decision, language)) return false;
  const subjects = [...wordsOf(decision)].filter((word) => word.length >= SUBJECT_CHARS_MIN && !UNNAMED.has(word));
  if (subjects.length === 0) return false;
  for (const message of later) {
    if (message.length > LATER_CHARS_MAX || leaves(message, language) || /[?？؟]\s*$/.test(message)) continue;
    const words = [...wordsOf(message)];
    // "codeblock" is the block, too.
    const isAbout = subjects.every((subject) =>
      words.some((word) => word.endsWith(subject) || word.startsWith(subject)),
    );
    if (isAbout && (VALUE.test(message) || CUES[language].request.test(message))) return true;
  }
  return false;
}

/** A colour, a number, or something in quotes. */
const VALUE = /#[0-9a-f]{3,8}(?![0-9a-z])|\d|["“„«「`]/i;

const SOME = "(?:[^\\s.!?]+ ){1,8}?";
const LEAVING: Readonly<Record<Language, RegExp>> = {
  en: words(
    `(?:^|[,;.:] |(?:please|just|and|then|should|we|let['’]?s|you|ok|okay|no|yes|better|rather),? )(?:leave|keep) ${SOME}(?:as (?:it is|they are|is)|as-is|alone|untouched|unchanged|the way (?:it is|they are)|for later)|(?:should|must|can) stay (?:as|the way|unchanged|untouched)|out of scope|not (?:in|part of) this (?:pr|change|commit|round|release)|(?:in|for|as|into) (?:an?|another) (?:follow-?up|separate (?:pr|change|commit|issue|ticket|task)|later (?:pr|change|commit|release))|let['’]?s (?:not|postpone|defer)|(?<!i['’]?ll |i will |to )(?:do|handle|fix|add|move) ${SOME}later(?=[.,!]|$)|(?:^|[,.] |i['’]d |please )go with(?= (?!(?:it|that|this|an?|me|him|her|them)[^a-z]))`,
  ),
  de: words(
    `lass(?:t|en sie|en wir)? ${SOME}(?:so|wie (?:es|er|sie) (?:ist|sind)|unverändert|in ruhe)|bleibt? (?:so|wie (?:es|er|sie) ist|unverändert)|außerhalb des (?:umfangs|rahmens)|(?:in einem|als) (?:separaten|eigenen|späteren)|(?:mach|machen wir) ${SOME}später`,
  ),
  fr: words(
    `laisse[sz]? ${SOME}(?:tel(?:le)?s? quel(?:le)?s?|comme (?:ça|cela|c['’]est))|hors (?:du )?périmètre|dans une? (?:autre|prochaine?) (?:pr|version|étape)`,
  ),
  es: words(
    `dej(?:a|e|en|emos) ${SOME}(?:como está|tal cual|así)|déjal[oa]s? (?:como está|tal cual|así)|fuera del? alcance|en otr[oa] (?:pr|cambio|entrega)`,
  ),
  pt: words(`deix(?:a|e|em) ${SOME}(?:como está|assim)|fora do escopo|em outr[ao] (?:pr|etapa)`),
  it: words(
    `lascia(?:te|mo)? ${SOME}(?:com['’]è|così)|lascial[oaie] (?:com['’]è|così)|fuori (?:ambito|portata)|in un['’]?altr[ao] (?:pr|fase)`,
  ),
  ru: words(
    `остав\\p{L}* ${SOME}(?:как есть|без изменений)|вне рамок|в (?:отдельн|следующ)\\p{L}+ (?:pr|задач|коммит)\\p{L}*`,
  ),
  zh: anywhere("保持(?:不变|原样|现状)|先不(?:改|动|做)|不在.{0,6}范围|(?:以后|后续|下次)(?:再|单独)(?:做|处理|提)"),
  ja: anywhere("そのまま(?:に|で)|範囲外|別の(?:PR|タスク)で"),
  ko: anywhere("그대로 (?:두|유지|놔)|범위 밖|나중에 (?:하자|처리|합시다)"),
  ar: words("اترك .{1,40} كما (?:هو|هي)|خارج النطاق"),
};
const hasLeaving = guardedIn(LEAVING);
/** "I'll do that later": what users do themselves is settled with nobody. */
const OF_ONESELF =
  /^(?:(?:ok(?:ay)?|sure|thanks|no|yes)[,.!]? )*(?:i['’]?ll|i will|i['’]m going to|ich werde|je vais|voy a)(?= )|[?？؟]$/i;
const UNNAMED: ReadonlySet<string> = new Set(
  "leave keep stay stays scope follow followup alone untouched unchanged later handle add fix move way separate part change commit release please lass lassen später bleibt laisse laissez comme déjalo deja como deixe assim lascia così".split(
    " ",
  ),
);
