/**
 * What a question is about that says little alone: "Which one do you want?" leans on the sentence before it that names the ways, "Is that
 * all right?" on what was offered there. Quotes that sentence; never guesses which one was meant where several would do.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import { endsAsking, endsWithColon, endsWithMark, isClosed } from "../text/endings.ts";
import { quick } from "../text/quick-expressions.ts";
import { wordsOf } from "../text/shared-words.ts";
import { withoutLayout } from "../text/whole-statement.ts";
import { ALTERNATIVE } from "./decisions.ts";

export interface Asking {
  /** What was said, up to the question, which stands last. */
  readonly sentences: readonly string[];
  readonly reply: string;
  readonly language: Language;
  /** Several ways stand in a list of their own: which of them "this one" is cannot be told. */
  readonly hasOptions?: boolean;
}

/** Farther back something else was spoken of. */
const SENTENCES_BACK = 3;
/** A list of what there is may be longer, and a name tells its item. */
const ITEMS_BACK = 12;
const OFFER_WORDS_MIN = 3;

/** Of what was offered before a question, the sentence that the reply takes up; undefined where none is. */
export function takenUp({ sentences, reply, language }: Asking): string | undefined {
  const before = sentences.slice(0, -1);
  const named = namesIn(reply);
  const items = named.length === 0 ? [] : before.slice(-ITEMS_BACK);
  const holders = items.filter((item) => named.some((name) => namesIn(item).includes(name)));
  // A name that stands in every item tells none of them apart.
  if (holders.length > 0 && (holders.length === 1 || holders.length < items.length)) return holders.at(-1);
  return before
    .slice(-SENTENCES_BACK)
    .findLast((sentence) => namesWays(sentence, language) && sharesWord(reply, sentence));
}

/** What a yes or a no is about: the nearest sentence before the question that offers, or else says something definite. */
export function offeredBefore(asking: Asking): string | undefined {
  const { sentences, language } = asking;
  const isPointing = pointsAtOne(sentences.at(-1) ?? "");
  // "This option takes 5 hours" names no more than the question does.
  const near = nearSentences(sentences).filter((sentence) => !(isPointing && beginsPointing(sentence)));
  return (
    near.findLast((sentence) => OFFERING.test(sentence)) ??
    (isPointing ? pointedAt(near, asking) : undefined) ??
    (DEED.test(sentences.at(-1) ?? "")
      ? undefined
      : near.findLast((sentence) => NAMING.test(sentence) || namesWays(sentence, language)))
  );
}

function nearSentences(sentences: readonly string[]): readonly string[] {
  return sentences
    .slice(0, -1)
    .slice(-SENTENCES_BACK)
    .filter(
      (sentence) =>
        endsWithMark(sentence) &&
        !endsAsking(sentence) &&
        !DENIED.test(sentence) &&
        wordsOf(sentence).size >= OFFER_WORDS_MIN,
    );
}

/** "Shall I book this option?": the question says which one only by pointing. */
export function pointsAtOne(question: string): boolean {
  return POINTING.test(question) && !hasName(question);
}

/** Whether what was offered has a name, a number or a price by which it can be found again. */
export function identifies(offer: string): boolean {
  return hasName(offer) || PRICE.test(offer);
}

/** The nearest sentence that names it, else the list that does. */
function pointedAt(near: readonly string[], { sentences, hasOptions }: Asking): string | undefined {
  return (
    near.findLast(hasName) ??
    (hasOptions === true ? undefined : listedBefore(sentences.slice(0, -1))) ??
    near.findLast(identifies)
  );
}

/** The nearest of the sentences in which whoever speaks would do something. */
export function offerBefore(sentences: readonly string[]): string | undefined {
  return sentences.slice(-SENTENCES_BACK).findLast((sentence) => OFFERING.test(sentence));
}

/** The nearest of the sentences that names several ways, or says how many there are: what "the second one" is one of. */
export function waysBefore(sentences: readonly string[], language: Language): string | undefined {
  return sentences.slice(-ITEMS_BACK).findLast((sentence) => namesWays(sentence, language) || COUNTING.test(sentence));
}

const COUNTING = quick(
  String.raw`(?<!\p{L})(?:two|three|zwei|drei|deux|trois|dos|tres|dois|duas|três|due|tre|два|две|три|خياران|خيارين)(?!\p{L})|[两二三]|두|세`,
  "i",
);

/** It says that something is not so, or cannot be. */
export function isDenied(sentence: string): boolean {
  return DENIED.test(sentence);
}

/** The list that ends before a question which points, perhaps with a sentence behind it that only points as well. */
export function listPointedAt(before: readonly string[]): string | undefined {
  const last = before.at(-1) ?? "";
  return isClosed(last) && !beginsPointing(last) ? undefined : listedBefore(before);
}

/** What a list before the question opens with, those of its items that name something, and what it comes to. */
function listedBefore(before: readonly string[]): string | undefined {
  const end = before.findLastIndex((sentence) => !isClosed(sentence));
  if (end < 0 || before.length - 1 - end > SENTENCES_BACK) return undefined;
  const list = before.slice(before.slice(0, end).findLastIndex((sentence) => isClosed(sentence)) + 1, end + 1);
  const opening = withoutLayout(list[0] ?? "");
  const below = list.slice(1);
  // Of all prices the last is the sum.
  const sumAt = below.findLastIndex((item) => PRICE.test(item));
  const isListed = below.some(hasName) ? hasName : identifies;
  const items = below.filter((item, at) => at === sumAt || isListed(item)).slice(0, ITEMS_BACK);
  if (!endsWithColon(opening) || items.length === 0) return undefined;
  return `${opening} ${items.map(withoutLayout).join("; ")}`;
}

function beginsPointing(sentence: string): boolean {
  return POINTING.exec(sentence)?.index === 0;
}

const POINTING = quick(
  String.raw`(?<!\p{L})(?:th(?:is|ese|ose) \p{L}{3}|diese[rnsm]? \p{L}{3}|(?:cette|cet|ces) \p{L}{3}|ce \p{L}{4}|[dn]?es[ts][aeo]s? \p{L}{3}|quest(?:[oaie] |['’])\p{L}{3}|эт(?:от|ой|ого|ому|ом|им|ими|их|и|у|а) \p{L}{3}|هذ[اه] ال|[이그] \p{L}{2})|这[个些种一趟次班项套家款]|こ(?:の|ちらの)|その`,
  "i",
);
const PRICE = /[$€£¥₩₽]\s?\d|\d\s?(?:[€£¥₩₽元円원]|EUR|USD|CHF|руб)/;
const CODE_NAME = /(?<![\p{L}\d])\p{Lu}{1,6}-?\d{2}|`[^`]+`|\w_\w|\p{Ll}\p{Lu}/u;

function hasName(text: string): boolean {
  return CODE_NAME.test(text);
}

/** "Would you like me to do that?" is about an offer only. */
const DEED =
  /\bdo (?:that|so|this|it)\b|das (?:so )?(?:tun|machen)|(?:le|cela) fasse|lo (?:haga|hago|faccia)|faça isso|это сделать|сделать это/i;

/** Whoever speaks would do it. */
const OFFERING = quick(
  String.raw`(?<!\p{L})(?:(?:i|we)(?: can| could| will| would|['’]ll|['’]d)|let(?:['’]s| us| me)|(?:ich|wir) (?:kann|können|könnten?|würden?|werden?)|(?:kann|könnte|würde|werde) ich|je (?:peux|pourrais|propose|vais)|nous (?:pouvons|proposons)|(?:puedo|podemos|podría|propongo|voy a)|(?:posso|podemos|poderia|proponho|vou|possiamo|potrei|propongo)|(?:я )?(?:могу|можем|предлагаю)|يمكنني|يمكننا|سأ\p{L}+)(?!\p{L})|我(?:们)?(?:可以|会|将|建议)|ます。$|(?:겠|수 있)습니다`,
  "i",
);
/** What cannot be is not what was agreed to. */
const DENIED = quick(
  String.raw`(?<!\p{L})(?:cannot|can['’]t|not|unable|unfortunately|nicht|leider|ne|n['’]\p{L}+|pas|malheureusement|no|não|infelizmente|non|purtroppo|не|к сожалению|لا)(?!\p{L})|不能|无法|抱歉|ません|없습니다`,
  "i",
);

/** Wants one of several to be named. */
export function isSelecting(question: string): boolean {
  return SELECTING.test(question);
}

const SELECTING = quick(
  String.raw`(?<!\p{L})(?:which|prefer|welche[rsnm]?|bevorzug\p{L}+|lieber|lequel|laquelle|lesquel(?:le)?s|quel(?:le)?s?|préf[éè]r\p{L}+|cu[aá]l(?:es)?|prefiere[sn]?|qua(?:l|is)|prefere[ms]?|quale|quali|preferi\p{L}+|как(?:ой|ую|ое|ие|ая)|предпоч\p{L}+|أي|أيهما|تفضل)(?!\p{L})|哪|どちら|どれ|どの|어느|어떤`,
  "i",
);

/** Numbers, code, and names: what can be taken or left. */
const NAMING = /\d|`|\p{Ll}\p{Lu}|\w_\w|(?<=[\p{Ll},] )\p{Lu}/u;
const NAME = /[\p{L}\p{N}_]*\d[\p{L}\p{N}_]+|[\p{L}_]+\d|`[^`]+`|[\p{L}_]*\p{Ll}\p{Lu}[\p{L}_]*|\p{L}+_\w+/gu;

function namesIn(text: string): readonly string[] {
  return text.match(NAME) ?? [];
}

/** In Portuguese "o" is an article; Arabic has a word of its own outside of questions. */
function namesWays(sentence: string, language: Language): boolean {
  const own = WAYS[language];
  return own === undefined ? ALTERNATIVE.test(sentence) : own.test(sentence);
}

const WAYS: Partial<Record<Language, RegExp>> = { pt: / ou /i, ar: / أ[وم] / };

const SHARED_CHARS_MIN = 3;
const DENSE_CHARS_MIN = 2;

/** Whether a word of the reply stands in what was asked, whatever its ending; of scripts without blanks, some characters. */
export function sharesWord(reply: string, asked: string): boolean {
  const known = [...wordsOf(asked)];
  const shared = [...wordsOf(reply)].filter((word) =>
    known.some((other) => other.startsWith(word) || (other.length > 2 && word.startsWith(other))),
  );
  const isDense = shared.every((word) => word.charCodeAt(0) > 0x3000);
  return shared.join("").length >= (isDense ? DENSE_CHARS_MIN : SHARED_CHARS_MIN);
}
