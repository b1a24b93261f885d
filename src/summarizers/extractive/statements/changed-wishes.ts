/**
 * Whether what a user wanted to use was given another place since: "I'd like to use the old rope for the mooring" is over once they would
 * "take the chain instead", or go on "with the chain for the mooring". Asked of wishes alone; compares words, never what they mean.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import { guarded } from "../cues/cue-guard.ts";
import { CUES } from "../cues/cues.ts";
import { endsAsking } from "../text/endings.ts";
import { quick } from "../text/quick-expressions.ts";
import { splitSentences } from "../text/sentences.ts";
import { wordsOf } from "../text/shared-words.ts";
import { COMMIT, cuesIn } from "./deciding-cues.ts";

const WISH_CHARS_MAX = 160;
const LATER_CHARS_MAX = 300;
/** Another way is taken soon, or the wish stands. */
const LATER_MAX = 60;
const SENTENCES_READ = 6;
const SUBJECT_CHARS_MIN = 4;

/** What the user said later: read once, however many wishes are compared with it. */
export interface LaterWishes {
  /** The nearest comes last. */
  add(reply: string): void;
  /** Whether something else took the place of what was wanted. */
  change(wish: string, language: Language): boolean;
}

interface Later {
  readonly text: string;
  readonly small: string;
  /** It has words that take another way. */
  readonly takesOther: boolean;
}

export function laterWishes(replies: readonly string[] = []): LaterWishes {
  const later = replies.map(laterOf);
  return {
    add: (reply) => later.push(laterOf(reply)),
    change(wish, language) {
      if (wish.length > WISH_CHARS_MAX || cuesIn(wish, CUES[language], COMMIT) === 0) return false;
      const purpose = PURPOSE.exec(wish)?.[1]?.toLowerCase() ?? "";
      const named = namesOf(wish, purpose);
      return named.length > 0 && later.slice(-LATER_MAX).some((reply) => changes(reply, named, purpose));
    },
  };
}

/** Who says much speaks of other things, too. */
function laterOf(reply: string): Later {
  if (reply.length > LATER_CHARS_MAX) return NOTHING_SAID;
  return { text: reply, small: reply.toLowerCase(), takesOther: takesAnother(reply) };
}

const NOTHING_SAID: Later = { text: "", small: "", takesOther: false };

function changes({ text, small, takesOther }: Later, named: readonly string[], purpose: string): boolean {
  const isForPurpose = purpose !== "" && small.includes(purpose);
  // Most speak of something else.
  if (!isForPurpose && !(takesOther && named.some((word) => small.includes(word)))) return false;
  return splitSentences(text, { sentencesMax: SENTENCES_READ }).some(
    (sentence) => !endsAsking(sentence) && (takesPlace(sentence, named) || servesPurpose(sentence, named, purpose)),
  );
}

function namesOf(wish: string, purpose: string): readonly string[] {
  return [...wordsOf(wish)].filter(
    (word) =>
      (word.length >= SUBJECT_CHARS_MIN || word.charCodeAt(0) > DENSE) && word !== purpose && !WANTING.has(word),
  );
}

const DENSE = 0x3000;

/** "If the rope is too short, I'd take the chain instead": it speaks of what was wanted, and takes something else. */
function takesPlace(sentence: string, named: readonly string[]): boolean {
  const clauses = sentence.split(/[,，、،;；]\s*/);
  const at = clauses.findIndex((clause) => INSTEAD.test(clause));
  const taken = wordsOf(clauses[at] ?? "");
  const before = wordsOf(clauses.slice(0, Math.max(0, at)).join(" "));
  return isAbout(before, named) && !isAbout(taken, named);
}

/** Of scripts without blanks, a single character is shared by any two sentences. */
function isAbout(words: ReadonlySet<string>, named: readonly string[]): boolean {
  const shared = named.filter((word) => words.has(word));
  return shared.length > 1 || shared.some((word) => word.length > 1);
}

/** "Go on with the chain for the mooring": for the same, with something else, and not beside it. */
function servesPurpose(sentence: string, named: readonly string[], purpose: string): boolean {
  if (purpose === "" || PURPOSE.exec(sentence)?.[1]?.toLowerCase() !== purpose || BESIDE.test(sentence)) return false;
  return TAKING.test(sentence) && !isAbout(wordsOf(sentence), named);
}

/** What it ends with. */
const PURPOSE = quick(
  String.raw` (?:for|für|pour|para|per|для) (?:(?:the|my|our|this|that|die|den|das|le|la|les|el|los|las|o|a|os|as|il|lo|i|gli) |l['’])?(\p{L}{4,})[.!]?$`,
  "i",
);
const INSTEAD = quick(
  String.raw`(?<!\p{L})(?:instead(?! of)|rather(?! than)|stattdessen|lieber|plutôt(?! qu)|à la place(?! d)|en su lugar|em vez disso|no lugar disso|invece(?! d)|piuttosto(?! ch)|вместо этого|лучше|بدلا من ذلك|بدلاً من ذلك)(?!\p{L})|改用|换成|改成|代わりに|대신`,
  "i",
);
const takesAnother = guarded(INSTEAD);
const TAKING = quick(
  String.raw`(?<!\p{L})(?:use|using|take|with|by|nimm|nehmen|mit|verwende\p{L}*|avec|prend\p{L}*|utilis\p{L}*|con|usa\p{L}*|use|com|utiliz\p{L}*|prend\p{L}*|использ\p{L}*|возьм\p{L}*|с)(?!\p{L})`,
  "i",
);
const BESIDE = quick(
  String.raw`(?<!\p{L})(?:also|too|as well|additionally|both|auch|zusätzlich|aussi|également|también|además|também|anche|также|тоже)(?!\p{L})`,
  "i",
);
/** Says that something is wanted, not what. */
const WANTING: ReadonlySet<string> = new Set(
  "want like would prefer also use using take please möchte nehmen verwenden benutzen voudrais utiliser prendre quiero quisiera gustaría usar utilizar quero gostaria vorrei usare utilizzare хочу использовать взять".split(
    " ",
  ),
);
