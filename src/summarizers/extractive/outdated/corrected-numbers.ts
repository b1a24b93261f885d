/**
 * Numbers that the user set right: "three bolts, not five" in figures. What was told with the old number before that, of the same thing, is
 * untrue until it is done again. Only who names both numbers corrects; looks at the beginnings of the newest requests.
 */

import { inOrder, type KeptView } from "../reading/kept-view.ts";
import type { Reading } from "../reading/reading.ts";
import { visitContentWords } from "../text/content-words.ts";
import { endsAsking } from "../text/endings.ts";
import { quick } from "../text/quick-expressions.ts";
import { splitSentences } from "../text/sentences.ts";

export type IsCorrected = (sentence: string, message: number) => boolean;

const REQUESTS_READ = 40;
const READ_CHARS = 600;
const SENTENCES_READ = 8;

interface Correction {
  readonly message: number;
  /** The request before it: what was said since then is what a bare "3, not 5" is about. */
  readonly askedAt: number;
  readonly wrong: string;
  readonly right: string;
  readonly words: readonly string[];
}

/** Undefined where nobody corrects a number. Found once for everybody who asks. */
export function correctedIn(reading: Reading, kept: KeptView): IsCorrected | undefined {
  if (!KNOWN.has(reading)) KNOWN.set(reading, findCorrected(reading, kept));
  return KNOWN.get(reading);
}

/** Holds it no longer than somebody holds what was read. */
const KNOWN = new WeakMap<Reading, IsCorrected | undefined>();

function findCorrected({ prose }: Reading, kept: KeptView): IsCorrected | undefined {
  const requests = inOrder(prose, kept.prose)
    .filter(({ isUser, isRequest }) => isUser && isRequest)
    .slice(-REQUESTS_READ);
  const corrections = requests.flatMap(({ text, message }, at) => {
    const read = text.slice(0, READ_CHARS);
    return RIGHT_FIRST.test(read) || WRONG_FIRST.test(read)
      ? pairsIn(read, { message, askedAt: requests[at - 1]?.message ?? -1 })
      : [];
  });
  if (corrections.length === 0) return undefined;
  return (sentence, message) => {
    const since = corrections.filter((correction) => correction.message > message);
    if (since.length === 0 || !/\d/.test(sentence)) return false;
    const numbers: readonly string[] = sentence.match(NUMBERS) ?? [];
    return since.some(
      ({ wrong, right, words, askedAt }) =>
        numbers.includes(wrong) &&
        !numbers.includes(right) &&
        (words.length === 0 ? message > askedAt : isAbout(words, wordsOf(sentence))),
    );
  };
}

function pairsIn(read: string, place: Pick<Correction, "message" | "askedAt">): readonly Correction[] {
  return splitSentences(read, { sentencesMax: SENTENCES_READ }).flatMap((sentence) => {
    if (endsAsking(sentence)) return [];
    const [right, wrong] =
      numbersOf(RIGHT_FIRST.exec(sentence)) ?? numbersOf(WRONG_FIRST.exec(sentence))?.toReversed() ?? [];
    if (right === undefined || wrong === undefined) return [];
    return [{ ...place, right, wrong, words: wordsOf(sentence) }];
  });
}

/** Of whichever way of saying it was found. */
function numbersOf(pair: RegExpExecArray | null): readonly string[] | undefined {
  return pair?.slice(1).filter((number) => number !== undefined);
}

const NUMBERS = /\d+(?:[.,:]\d+)*/g;
const NUMBER = "(\\d+(?:[.,:]\\d+)*)";
/** "3 bolts": what is counted may stand behind each number. */
const UNIT = "[%€$]?(?: (?!not |no |non |pas )\\p{L}+)?";
const RIGHT_FIRST = quick(
  [
    `${NUMBER}${UNIT}(?:,? (?:and )?(?:not|instead of|rather than|statt|anstatt|(?:und )?nicht|au lieu de|(?:et )?(?:non(?: pas)?|pas)|plutôt que|en vez de|en lugar de|(?:y )?no|em vez de|(?:e )?não|invece (?:di|che)|(?:e )?non|вместо|(?:а )?не|بدلا من|بدلًا من)|،? (?:وليس|لا)) (?:the |de |die |los |as |i )?${NUMBER}`,
    `${NUMBER}[^\\d。！？]{0,6}(?:而不是|而非|，不是|,不是) ?${NUMBER}`,
  ].join("|"),
  "i",
);
const WRONG_FIRST = quick(
  [
    `(?:not|nicht|pas|no|não|non|не|ليس) ${NUMBER}${UNIT}[,،]? (?:but|sondern|mais|sino|mas|ma|bensì|а|بل) ${NUMBER}`,
    `不是 ?${NUMBER}[^\\d。！？]{0,6}是 ?${NUMBER}`,
    `${NUMBER}[^\\d。！？]{0,4}(?:ではなく|じゃなくて?|でなく)て?、? ?${NUMBER}`,
    `${NUMBER}[^\\d.!?]{0,4}(?:아니라|말고|대신),? ?${NUMBER}`,
  ].join("|"),
  "i",
);

function wordsOf(sentence: string): readonly string[] {
  const words: string[] = [];
  visitContentWords(sentence, (word) => {
    if (!/\d/.test(word) && !BINDING.has(word)) words.push(word);
  });
  return words;
}

/** Of the correction itself. */
const BINDING: ReadonlySet<string> = new Set(
  "instead rather make please statt anstatt nicht sondern bitte lieu plutôt sino vez lugar invece bensì вместо 不 是 而 非 아니라 말고 대신 وليس ليس بدلا".split(
    " ",
  ),
);

/** Whatever their endings; of scripts without blanks, two characters. */
function isAbout(words: readonly string[], told: readonly string[]): boolean {
  let characters = 0;
  for (const word of new Set(words)) {
    const isCharacter = word.length === 1;
    const stem = word.slice(0, /[가-힣]/.test(word) ? HANGUL_STEM : LETTERS_STEM);
    if (!told.some((other) => (isCharacter ? other === word : other.startsWith(stem)))) continue;
    if (!isCharacter) return true;
    characters++;
  }
  return characters >= CHARACTERS_SHARED_MIN;
}

const LETTERS_STEM = 4;
const HANGUL_STEM = 2;
const CHARACTERS_SHARED_MIN = 2;
