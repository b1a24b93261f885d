/**
 * Which sentences their own speaker corrected later: the same subject with another number, said with a word such as "actually". Looks at
 * the beginnings of messages first; where nobody corrects anything, at nothing else. Never judges who is right.
 */

import type { Prose } from "../reading/prose.ts";
import { visitContentWords } from "../text/content-words.ts";
import { splitSentences } from "../text/sentences.ts";

export interface Place {
  readonly message: number;
  readonly isUser: boolean;
}

export type IsReplaced = (sentence: string, place: Place) => boolean;

const CORRECTIONS_MAX = 20;
/** A correction follows soon. */
const MESSAGES_BETWEEN_MAX = 12;
const OPENING_CHARS = 40;
const SENTENCES_READ = 2;
/** Of the words of the shorter sentence. */
const SHARED_MIN = 2;
const SHARED_SHARE = 0.5;

/** Undefined where nobody corrects anything. */
export function replacedIn(prose: readonly Prose[]): IsReplaced | undefined {
  const corrections = prose
    .filter(({ text }) => CORRECTING.test(text.slice(0, OPENING_CHARS)))
    .slice(-CORRECTIONS_MAX)
    .flatMap(({ message, isUser, text }) =>
      splitSentences(text, { sentencesMax: SENTENCES_READ }).map((sentence) => ({
        message,
        isUser,
        ...wordsOf(sentence),
      })),
    )
    .filter(({ numbers }) => numbers.size > 0);
  if (corrections.length === 0) return undefined;
  return (sentence, { message, isUser }) => {
    const since = corrections.filter(
      (other) => other.isUser === isUser && other.message > message && other.message - message <= MESSAGES_BETWEEN_MAX,
    );
    if (since.length === 0 || !/\d/.test(sentence)) return false;
    const { words, numbers } = wordsOf(sentence);
    return since.some((other) => {
      const shared = [...words].filter((word) => other.words.has(word)).length;
      const least = Math.max(SHARED_MIN, SHARED_SHARE * Math.min(words.size, other.words.size));
      return shared >= least && ![...numbers].some((number) => other.numbers.has(number));
    });
  };
}

const CORRECTING =
  /^(?:(?:oh|ah|hm+|wait|no|sorry|ok(?:ay)?|moment|nein|non|não|нет)[,.! ]+)*(?:actually|correction|i (?:meant|misspoke)|to correct|korrektur|eigentlich|ich meinte|tatsächlich|en fait|je voulais dire|en realidad|corrección|quise decir|na verdade|correção|quis dizer|in realtà|correzione|volevo dire|на самом деле|исправление|поправка|точнее|更正|其实|訂正|実は|正しくは|정정|사실은|تصحيح|في الواقع)/i;

interface Words {
  readonly words: ReadonlySet<string>;
  readonly numbers: ReadonlySet<string>;
}

function wordsOf(sentence: string): Words {
  const words = new Set<string>();
  const numbers = new Set<string>();
  visitContentWords(sentence, (word) => (/\d/.test(word) ? numbers : words).add(word));
  return { words, numbers };
}
