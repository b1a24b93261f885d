/**
 * What users settle by taking an offer that was no question: "the villa suits us", "we'll take it", "I prefer the second". Only beside the
 * sentence that offered it, which is quoted; where none did, or only a deed was reported, nothing is settled. Looks at short messages.
 */

import type { Decision } from "../../../core/checkpoint/checkpoint.ts";
import type { Language } from "../../../core/checkpoint/language.ts";
import { guardedIn } from "../cues/cue-guard.ts";
import { anywhere, words } from "../cues/cue-table.ts";
import { CUES } from "../cues/cues.ts";
import { endsAsking } from "../text/endings.ts";
import { userLabel } from "../text/labels.ts";
import { quick } from "../text/quick-expressions.ts";
import { oneLine, splitSentences } from "../text/sentences.ts";
import { wordsOf } from "../text/shared-words.ts";
import { withoutLayout } from "../text/whole-statement.ts";
import { isDenied, offerBefore, waysBefore } from "./offered-ways.ts";

const MESSAGE_CHARS_MAX = 400;
/** Offers stand at the end. */
const ASKED_CHARS_READ = 2_000;
const SENTENCES_READ = 24;
const OFFER_WORDS_MIN = 3;
const SHARED_CHARS_MIN = 3;
const DENSE_CHARS_MIN = 2;
const TEXT_CHARS_MAX = 240;

export interface Offered {
  /** What the assistant said last before the reply. */
  readonly asked: string;
  readonly language: Language;
  /** The assistant's, which may differ from the user's. */
  readonly askedIn: Language;
}

/** Whether any sentence of a message may take an offer. */
export function mayTake(message: string, language: Language): boolean {
  return message.length <= MESSAGE_CHARS_MAX && hasTaking(message, language);
}

/** Whether an answer takes what the question offers. */
export function takes(reply: string, language: Language): boolean {
  return mayTake(reply, language) && !isDenied(reply);
}

/** What a sentence takes, with the sentence that offered it; undefined where none did. */
export function offerTaken(sentence: string, { asked, language, askedIn }: Offered): Decision | undefined {
  const taking = TAKING[language].exec(sentence);
  if (taking === null || endsAsking(sentence) || isDenied(sentence) || CUES[language].open.test(sentence))
    return undefined;
  const before = splitSentences(asked.slice(-ASKED_CHARS_READ), { sentencesMax: SENTENCES_READ });
  const offers = before.filter(
    (offer) =>
      !endsAsking(offer) &&
      !isDenied(offer) &&
      !CUES[askedIn].done.test(offer) &&
      wordsOf(offer).size >= OFFER_WORDS_MIN,
  );
  const named = [...wordsOf(sentence.replace(taking[0], " "))];
  const offer = ORDINAL.test(taking[0])
    ? waysBefore(offers, askedIn)
    : (mostShared(named, offers) ?? (isBare(named) ? offerBefore(offers) : undefined));
  if (offer === undefined) return undefined;
  return {
    decision: `${userLabel(language)}${oneLine(sentence, TEXT_CHARS_MAX)}`,
    reason: oneLine(withoutLayout(offer), TEXT_CHARS_MAX),
  };
}

/** Of several that speak of it as much, the newest. */
function mostShared(named: readonly string[], offers: readonly string[]): string | undefined {
  let most = 0;
  let found: string | undefined;
  for (const offer of offers) {
    const words = wordsOf(offer);
    const shared = named.filter((word) => words.has(word));
    const chars = shared.join("").length;
    const isDense = shared.every((word) => word.charCodeAt(0) > 0x3000);
    if (chars < (isDense ? DENSE_CHARS_MIN : SHARED_CHARS_MIN) || chars < most) continue;
    most = chars;
    found = offer;
  }
  return found;
}

/** "Perfect, we'll take it." names nothing. */
function isBare(named: readonly string[]): boolean {
  return named.every((word) => PRAISE.has(word));
}

const PRAISE: ReadonlySet<string> = new Set(
  "great perfect good fine nice thanks thank please gut super prima perfekt danke bitte dann parfait très bien merci alors bon perfecto bien gracias entonces perfeito ótimo obrigado obrigada então perfetto grazie allora bene отлично хорошо спасибо тогда 好 的 ممتاز شكرا حسنا".split(
    " ",
  ),
);

const ORDINAL = quick(
  String.raw`(?<!\p{L})(?:first|second|third|former|latter|erste|zweite|dritte|premi|second|deuxi|troisi|primer|segund|tercer|primeir|terceir|prim[ao]|terz|перв|втор|трет)|第|つ目|번째|الأول|الثاني|الثالث`,
  "i",
);

const TAKES = "(?:take|have|book)";
const TAKING: Readonly<Record<Language, RegExp>> = {
  // Each way begins with letters that few words have; who takes it is looked for behind that.
  en: anywhere(
    `${TAKES}(?<=(?:^|[^a-z])(?:i|we)(?:['’]ll| will|['’]d like to| would like to) ${TAKES}) (?:it|that|this|them|both|those)(?: one)?(?!\\p{L})|(?:suits|works (?:well |fine |great )?for|(?<=(?:is|are) )(?:fine|good|great|okay|ok|perfect) (?:for|by|with)) us(?!\\p{L})|(?:that|which) works for me(?!\\p{L})|suits me(?!\\p{L})|fine (?:by|with) me(?!\\p{L})|prefer the (?:first|second|third|former|latter)(?: one)?(?!\\p{L})`,
  ),
  de: words(
    "(?:das|den|die|es|ihn|sie|dann) nehmen wir|(?:das|den|die) nehme ich|(?:wir nehmen|ich nehme) (?:es|das|ihn|sie|beide)(?=[.,!]|$)|passt (?:mir|uns|für (?:mich|uns))(?: gut)?|passt so|(?:ist|geht) für (?:mich|uns) (?:klar|in ordnung|gut|okay|ok)|(?:ich bevorzuge|wir bevorzugen|ich nehme|wir nehmen|lieber) (?:das|den|die) (?:erste|zweite|dritte)\\p{L}?",
  ),
  fr: words(
    "(?:on (?:le|la|les) prend|nous (?:le|la|les) prenons|je (?:le|la|les) prends)|c['’]est (?:bon|parfait|d['’]accord)(?: pour (?:moi|nous))?|(?:me|nous) convient(?: bien| très bien| parfaitement)?|(?:ça|cela) (?:me|nous) va(?: bien| très bien)?|va pour|(?:je préfère|nous préférons|on préfère|plutôt) l[ea] (?:premi|second|deuxi|troisi)\\p{L}+",
  ),
  es: words(
    "(?:lo|la|los|las) (?:tomamos|tomo|cogemos|cojo|reservamos)|(?:me|nos) (?:lo|la|los|las) (?:quedo|quedamos|llevamos)|(?:me|nos) (?:viene|parece|va) (?:bien|perfecto|perfectamente)|(?:me|nos) (?:conviene|sirve)|(?:prefiero|preferimos) (?:el|la) (?:primer|segund|tercer)\\p{L}*",
  ),
  pt: words(
    "(?:ficamos|fico) com (?:ele|ela|eles|elas|esse|essa|este|esta)|(?:me|nos) serve|serve-(?:me|nos)|por (?:mim|nós) está bem|(?:está|fica) (?:bem|bom|ótimo|perfeito) (?:para|pra) (?:mim|nós)|pode ser|(?:levamos|levo) (?:esse|essa|este|esta)|(?:prefiro|preferimos) [oa] (?:primeir|segund|terceir)\\p{L}+",
  ),
  it: words(
    "(?:lo|la|li|le) (?:prendiamo|prendo)|(?:ci|mi) (?:va|sta) bene|va bene (?:così|per (?:noi|me))|per (?:me|noi) va bene|(?:preferisco|preferiamo) (?:il|la) (?:prim|second|terz)\\p{L}+",
  ),
  ru: words(
    "бер[её]м(?: его| е[её]| их)?(?=[.,!]|$)|беру (?:его|е[её]|их)|(?:мне|нам|нас|меня) (?:подходит|устраивает|подойд[её]т)|(?:подходит|устраивает|подойд[её]т)(?: нам| мне| нас| меня)?(?=[.,!]|$)|(?:предпочитаю|предпочитаем|лучше) (?:перв|втор|трет)\\p{L}+",
  ),
  zh: anywhere(
    "就(?:要|定|选|订)(?:它|[这那](?:个|间|家|班|趟|种))(?:吧|了)?|就这么定|(?:对我们|我们觉得|我觉得)(?:很)?(?:合适|可以|没问题)|我们?(?:更)?(?:喜欢|倾向于?|想要|要)第[一二三](?:个|间|家|种)",
  ),
  ja: anywhere(
    "(?:それ|これ|そちら|こちら)(?:に|で)(?:します|決めます|お願いします|いいです|大丈夫です)|(?:で|が)(?:いいです|大丈夫です)(?=[。、！]|$)|(?:一|二|三)つ目(?:が|の方が|で)(?:いい|お願い)(?:です|します)?",
  ),
  ko: anywhere(
    "(?:그걸로|그것으로|이걸로|그거로) (?:할게요|하겠습니다|하죠)|(?:이|가|은|는) (?:괜찮아요|괜찮습니다|좋겠어요)(?=[.,!]|$)|(?:첫|두|세) ?번째(?:가|로) (?:좋|할게)\\S{0,3}",
  ),
  ar: words(
    "سنأخذه|سآخذه|سنأخذها|سآخذها|يناسبنا|يناسبني|تناسبنا|تناسبني|(?:أفضل|نفضل) (?:الأول|الثاني|الثالث)(?:ى|ة)?",
  ),
};
const hasTaking = guardedIn(TAKING);
