/**
 * Whether a sentence leans on the one before it: "It runs twice a day.", "Instead use the rope." say nothing alone. Looks at how it begins.
 * What speaks of the work as a whole ("This repository …") and what only has a formal subject ("It seems that …") stands alone.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import { quick } from "./quick-expressions.ts";

export function leans(sentence: string, language: Language): boolean {
  return LEANING[language].test(sentence);
}

const opening = (words: string): RegExp => quick(String.raw`^(?:${words})(?!\p{L})`, "i");

const LEANING: Readonly<Record<Language, RegExp>> = {
  en: opening(
    "th(?:is|at|ese|ose)(?! (?:said|app|application|branch|challenge|codebase|environment|issue|library|machine|package|project|pr|pull request|repo|repository|session|task|workspace)(?![a-z]))|they|s?he|it(?! (?:seems|looks|appears|turn(?:s|ed) out|(?:is|was) (?:also )?(?:best|better|clear|important|likely(?! to)|necessary|possible|recommended|unclear|worth))|['’]s (?:also )?(?:best|better|clear|important|likely(?! to)|necessary|possible|recommended|unclear|worth))|then|instead(?! of)|in (?:that|this|any|either|such) cases?|in particular|otherwise|so that",
  ),
  de: opening(
    "das (?:ist|war|sind|wird|kann|sollte|bedeutet|heißt|liegt|geht)|dies(?:e[rsnm]?)?|er|dann|danach|stattdessen|in diesem fall|insbesondere|ansonsten|sonst|damit",
  ),
  fr: opening(
    "ce(?:la|ci)|ça|c['’](?:est|était)|cette|cet|ces|elles?|ils|ensuite|puis|sinon|dans ce cas|en particulier|au lieu de cela",
  ),
  es: opening(
    "est[aeo]s?|es[aeo]s?|ell[ao]s?|luego|entonces|en (?:ese|este) caso|en particular|en su lugar|de lo contrario",
  ),
  pt: opening(
    "ist[eo]|isso|est[ae]s?|ess[ae]s?|el[ae]s?|então|depois|nesse caso|em particular|em vez disso|caso contrário",
  ),
  it: opening(
    "quest[oaie]|ciò|quell[oaie]|ess[oaie]|poi|quindi|in (?:questo|tal) caso|in particolare|invece(?! di)|altrimenti",
  ),
  ru: opening("эт(?:о|от|а|и)|он[аои]?|затем|потом|в (?:этом|таком) случае|в частности|вместо этого|иначе"),
  zh: /^(?:这(?!个(?:项目|仓库|任务))|那|它|然后|否则)/,
  ja: /^(?:これ|それ|この(?!プロジェクト|リポジトリ)|その|そこで|次に|代わりに)/,
  ko: /^(?:이것|그것|이는|이를|그러면|그런 다음|대신)/,
  ar: opening("هذا|هذه|ذلك|تلك|هو|هي|ثم|بدلا من ذلك|في هذه الحالة"),
};
