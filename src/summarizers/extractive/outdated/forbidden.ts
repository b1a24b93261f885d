/**
 * How users forbid a thing by its name: "don't use X", "no X please". Takes only what forbids it everywhere and from now on: not in one
 * place, for a while or on a condition, and neither what is told of others nor a question.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import { endsAsking } from "../text/endings.ts";
import { quick } from "../text/quick-expressions.ts";
import { END as CLAUSE_END, NAME } from "./named-thing.ts";

/** A sentence, a clause or an item of a list begins; "they are old and don't use it" forbids nothing. */
const opens = (asking: string): string =>
  `(?:^|[.!?;\\n。！？]\\s*(?:[-*•] +)?|[,，、]\\s*|(?<![\\p{L}])(?:${asking})[,!]? )`;
/** An item of a list ends with its line. */
const END = `(?:${CLAUSE_END}|(?=[ \\t]*\\n))`;
const forbids = (...list: readonly string[]): RegExp => quick(list.join("|"), "gi");

const EN = opens("please|just|ok|okay|no|yes|also|actually|so please");
const DE = opens("bitte|nein|ja|also");
const DE_USE = "(?:verwenden|benutzen|nutzen|nehmen|einsetzen)";
const FR = opens("s['’]il (?:te|vous) pla[iî]t|non|oui|alors");
const ES = opens("por favor|sí");
const PT = opens("por favor|sim");
const IT = opens("per favore|per piacere|sì|no");
const RU = opens("пожалуйста|нет|да|больше");

export const FORBIDDEN: Readonly<Record<Language, RegExp>> = {
  en: forbids(
    `${EN}(?:don['’]?t|do not|never|please do(?:n['’]?t| not)|(?:we|you) (?:should|must)(?: not|n['’]t)) (?:ever )?use (?:(?:the|our|that|this) )?${NAME}${END}`,
    `${EN}no (?:more )?${NAME},? please(?![\\p{L}])`,
  ),
  de: forbids(
    `${DE}(?:verwende|benutze|nutze|nimm) (?:bitte )?(?:keine?n? ${NAME}|${NAME} (?:bitte )?nicht)(?: mehr)?${END}`,
    `${DE}(?:nicht ${NAME}|keine?n? ${NAME}(?: mehr)?|${NAME} (?:bitte )?nicht(?: mehr)?) ${DE_USE}${END}`,
    `${DE}keine?n? ${NAME}(?: mehr)?,? bitte(?![\\p{L}])`,
    `(?<![\\p{L}])bitte keine?n? ${NAME}(?: mehr)?${END}`,
  ),
  fr: forbids(
    `${FR}n['’](?:utilise[sz]?|utilisons|emploie|employez) (?:surtout )?(?:pas|plus|jamais) (?:(?:le|la|les|de) |[ld]['’])?${NAME}${END}`,
    `${FR}(?:ne )?(?:pas|plus|jamais) (?:utiliser|employer) (?:(?:le|la|les|de) |[ld]['’])?${NAME}${END}`,
    `${FR}(?:pas|plus) (?:de |d['’])${NAME},? s['’]il (?:te|vous) pla[iî]t`,
  ),
  es: forbids(
    `${ES}(?:no|nunca) (?:uses|use|usen|utilices|utilice|utilicen|usemos) (?:(?:el|la|los|las) )?${NAME}${END}`,
    `${ES}(?:nada de|sin) ${NAME},? por favor`,
  ),
  pt: forbids(
    `${PT}(?:não|nunca) (?:use|uses|usem|utilize|utilizes|utilizem|usemos) (?:(?:o|a|os|as) )?${NAME}${END}`,
    `${PT}(?:nada de|sem) ${NAME},? por favor`,
  ),
  it: forbids(
    `${IT}(?:non|mai) (?:usare|usate|utilizzare|utilizzate) (?:(?:il|la|lo|i|gli|le) |l['’])?${NAME}${END}`,
    `${IT}(?:niente|senza) ${NAME},? per (?:favore|piacere)`,
  ),
  ru: forbids(
    `${RU}(?:никогда )?не (?:используй|используйте|применяй|применяйте|надо использовать|нужно использовать) ${NAME}${END}`,
    `${RU}(?:без|никак(?:ого|их|ой)) ${NAME},? пожалуйста`,
  ),
  zh: forbids(`(?:不要|别|请勿|禁止)再?(?:使用|用|采用) ?${NAME}(?= ?(?:[。，！；,.]|了|啦|吧|$))`),
  ja: forbids(
    `${NAME} ?[はをも]?(?:もう|絶対に)?(?:使わないで(?!済|すむ|すん|も)|使用しないで(?!済|すむ|すん|も)|使うな(?=[。！!.]|$))`,
  ),
  ko: forbids(`${NAME} ?[은는을를]? ?(?:이제 |절대 |더 이상 )?(?:쓰지|사용하지|이용하지) ?(?:마|말)`),
  ar: forbids(
    `${opens("من فضلك|رجاء|رجاءً")}لا (?:تستخدم|تستخدموا|تستخدمي|تستعمل|تستعملوا|تستعملي) ${NAME}${END}`,
    `${opens("من فضلك|رجاء|رجاءً")}(?:بدون|بلا) ${NAME}[,،]? من فضلك`,
  ),
};

/** Whether a name is forbidden everywhere and for good, by what stands around in its sentence. */
export function isForbidding(before: string, behind: string): boolean {
  const clause = /^[^.!?？؟。！\n]*[.!?？؟。！]?/.exec(behind)?.[0] ?? "";
  return !endsAsking(clause) && !PARTLY_BEHIND.test(clause) && !PARTLY_BEFORE.test(before);
}

/** "…, unless it rains", "… now": on a condition, for a while, or in a place that follows. */
const PARTLY_BEHIND = quick(
  String.raw`^[\s,，、]*(?:now|yet|if|when|while|until|till|only|in|for|on|at|jetzt|noch|wenn|falls|bis|solange|nur|im|bei|für|maintenant|si|quand|dans|pour|ahora|cuando|hasta|en|para|agora|quando|até|em|ora|se|finché|per|сейчас|пока|если|когда|в|для)(?![\p{L}])|(?<![\p{L}])(?:unless|except|other than|außer|es sei denn|sauf|excepto|salvo|exceto|tranne|кроме|إلا|إذا)(?![\p{L}])|除非|除了|如果|以外|例外|제외`,
  "i",
);
/** "In the tests, …", "he said, …": for a place or a case that comes first, or told of somebody. */
const PARTLY_BEFORE = quick(
  String.raw`^[\s.!?*•-]*(?:(?:and|but|so|please|und|aber|bitte|et|mais|y|pero|e|mas|ma|и|но)[, ]+)?(?:(?:in|inside|within|during|for|on|at|with|when|while|as long as|im|bei|beim|auf|für|während|solange|dans|en|pendant|pour|quand|tant que|para|cuando|durante|mientras|em|quando|enquanto|per|ne[li]|nell[ae]|negli|mentre|finché|в|на|для|при|когда|пока)(?![\p{L}])|n[oa]s? [\p{L}]+,)|(?<![\p{L}])(?:if|unless|whether|why|said|says|told|wenn|falls|ob|warum|sagte|si|pourquoi|dit|por qué|dijo|se|por que|disse|perché|ha detto|если|почему|сказал[аи]?)(?![\p{L}])|[在当时]|如果|为什么|では|には|もし|とき|場合|なぜ|에서|에는|만약|경우|왜|في |إذا|عند|لماذا`,
  "i",
);
