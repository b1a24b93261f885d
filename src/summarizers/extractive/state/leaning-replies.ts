/**
 * Replies that say what is wanted only beside what they answer: "Yes, to Claire", "let's take this option". Tells them, and quotes what they
 * lean on. Reads one reply and the end of what was said before it.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import { isAssent, isQuestion, isTask } from "../goal/tasks.ts";
import { isHollow, isThin, YES_OR_NO } from "../statements/answers.ts";
import { offeredBefore, pointsAtOne, takenUp } from "../statements/offered-ways.ts";
import { quick } from "../text/quick-expressions.ts";
import { splitSentences } from "../text/sentences.ts";
import { withoutLayout } from "../text/whole-statement.ts";
import { listBefore } from "./asked-sentence.ts";
import { questionIn } from "./turn-end.ts";

/** Longer ones say what they point at. */
const POINTING_CHARS_MAX = 200;
const END_CHARS = 1_200;
const SENTENCES_READ = 16;

/** Whether it agrees, refuses, or points at one of the ways that were offered. */
export function isLeaning(reply: string, language: Language): boolean {
  if (isAssent(reply, language)) return true;
  const words = reply.trim();
  // "Ok, now print it" begins something of its own.
  if (YES_OR_NO.test(words) && !/^ok/i.test(words)) return true;
  return words.length <= POINTING_CHARS_MAX && POINTING.test(words);
}

export interface Opening {
  /** "Yes" of "Yes, and paint it": all that answers. */
  readonly assent: string;
  /** What stands behind it asks for something of its own. */
  readonly asksMore: boolean;
}

export function openingOf(reply: string, language: Language): Opening {
  const words = reply.trim();
  const end = words.search(/[,.!;，。！；、\n]/);
  const assent = end < 0 ? words : words.slice(0, end);
  const rest = words.slice(assent.length + 1).trim();
  const answers = YES_OR_NO.test(assent) || isAssent(assent, language);
  return { assent, asksMore: answers && (isTask(rest, language) || isQuestion(rest, language)) };
}

const POINTING = quick(
  String.raw`(?<!\p{L})(?:th(?:is|at) (?:option|one|way|plan|variant|approach)|the (?:first|second|third|former|latter|other|last)(?: one| option| way)?(?=[.,!]|$| please)|(?:dies|jen)e[rsnm]? (?:option|variante|weg)|(?:die|den|das) (?:erste|zweite|dritte|andere)[nrs]?(?=[.,!]|$| bitte)|cette (?:option|solution)|cel(?:le|ui)-(?:ci|là)|(?:la|le) (?:première|premier|seconde|deuxième)(?=[.,!]|$)|es[at]a opción|(?:la|el) (?:primera|segunda|primero|segundo)(?=[.,!]|$)|ess?t?a opção|[ao] (?:primeir|segund)[ao](?=[.,!]|$)|quest[ao] (?:opzione|soluzione)|(?:la|il) (?:prim|second)[ao](?=[.,!]|$)|эт(?:от|им) вариант\p{L}*|перв(?:ый|ую|ое)(?=[.,!]|$)|هذا الخيار)(?!\p{L})|[这那]个(?:方案|选项)?(?:吧|$|。)|第[一二三]个|(?:その|この)(?:案|方法|プラン)|(?:이|그) ?(?:옵션|방법|안)(?:으로|을|로)`,
  "i",
);

/** The question before a reply, or the sentence that it is about where it says little alone; undefined where nothing was asked. */
export function leanedOn(said: string, reply: string, language: Language): string | undefined {
  const question = questionIn(said);
  if (question === undefined) return undefined;
  if (!isThin(question, language) && !isHollow(question))
    return pointsAtOne(question) ? listBefore(said, question) + question : question;
  const sentences = splitSentences(said.slice(-END_CHARS), { sentencesMax: SENTENCES_READ });
  const at = sentences.findLastIndex((sentence) => withoutLayout(sentence) === question);
  const asking = { sentences: sentences.slice(0, at + 1), reply, language };
  const offer = takenUp(asking) ?? offeredBefore(asking);
  return offer === undefined ? question : withoutLayout(offer);
}
