/**
 * What whoever asked for the summary wants to see more of: the content words of the instructions, as the conversation writes them,
 * and the sentences and identifiers that share them. Raises ranks; adds nothing that was not said, and costs nothing where
 * nobody asked.
 */

import type { RankedFact } from "../../../core/facts/facts.ts";
import { createProse, type Prose } from "../reading/prose.ts";
import { visitContentWords } from "../text/content-words.ts";
import { splitSentences } from "../text/sentences.ts";

export interface Focus {
  /** Words of the conversation that the instructions name, whatever their ending. */
  readonly words: ReadonlySet<string>;
  /** Just the sentences that speak of it, each with its speaker. */
  readonly prose: readonly Prose[];
  /** The same facts, those that are named made likelier, the likeliest first; undefined where none is named. */
  raise(facts: readonly RankedFact[]): readonly RankedFact[] | undefined;
}

const SENTENCES_PER_MESSAGE = 400;
/** Of the score of the best sentence: one with less shares some word, and not the subject. */
const SCORE_SHARE_MIN = 0.4;
const LIKELIHOOD_FACTOR = 4;

/** Undefined where the instructions name nothing. */
export function focusOn(instructions: string | undefined, prose: readonly Prose[]): Focus | undefined {
  const wanted = new Set<string>();
  visitContentWords(instructions ?? "", (word) => {
    if (!ASKING_WORDS.has(word)) wanted.add(keyOf(word));
  });
  if (wanted.size === 0) return undefined;
  const words = new Set<string>();
  const sentences = prose
    .flatMap((item) => sentencesOf(item))
    .map((item) => ({ item, keys: keysIn(item.text, wanted, words) }));
  return {
    words,
    prose: bestOf(sentences),
    raise: (facts) => {
      const isNamed = facts.map((fact) => keysIn(fact.text, wanted).size > 0);
      if (!isNamed.includes(true)) return undefined;
      return facts
        .map((fact, at) =>
          isNamed[at] ? { ...fact, likelihood: Math.min(1, fact.likelihood * LIKELIHOOD_FACTOR) } : fact,
        )
        .toSorted((a, b) => b.likelihood - a.likelihood);
    },
  };
}

/** Words of a demand that say nothing about its subject. */
const ASKING_WORDS: ReadonlySet<string> = new Set(
  "focus focusing keep remember summary summarize summarise include mention emphasize emphasise attention especially please everything anything mainly".split(
    " ",
  ),
);

interface Scored {
  readonly item: Prose;
  readonly keys: ReadonlySet<string>;
}

/** A rare word says more about what is meant than one that stands everywhere. */
function bestOf(sentences: readonly Scored[]): readonly Prose[] {
  const times = new Map<string, number>();
  for (const { keys } of sentences) for (const key of keys) times.set(key, (times.get(key) ?? 0) + 1);
  const worthOf = (key: string): number => Math.log(1 + sentences.length / (times.get(key) ?? 1));
  const scoreOf = ({ keys }: Scored): number => [...keys].reduce((sum, key) => sum + worthOf(key), 0);
  const scores = sentences.map(scoreOf);
  const least = SCORE_SHARE_MIN * scores.reduce((best, score) => Math.max(best, score), 0);
  return sentences.flatMap(({ item }, at) => ((scores[at] ?? 0) > 0 && (scores[at] ?? 0) >= least ? [item] : []));
}

/** Each sentence as a stretch of prose of its own. */
function sentencesOf(item: Prose): readonly Prose[] {
  const opening = item.speaker === "" ? "" : item.text.slice(0, item.speaker.length + 1);
  return splitSentences(item.text.slice(opening.length), { sentencesMax: SENTENCES_PER_MESSAGE }).map((sentence) =>
    createProse({ ...item, text: opening === "" ? sentence : `${opening} ${sentence}` }),
  );
}

function keysIn(text: string, wanted: ReadonlySet<string>, words?: Set<string>): ReadonlySet<string> {
  const keys = new Set<string>();
  visitContentWords(text, (word) => {
    const key = keyOf(word);
    if (!wanted.has(key)) return;
    keys.add(key);
    words?.add(word);
  });
  return keys;
}

const STEM_CHARS = 6;

/** The beginning of a long word, a short one without its plural: "codes" is "code", "published" is "publish". */
function keyOf(word: string): string {
  return word.length > STEM_CHARS ? word.slice(0, STEM_CHARS) : word.replace(/(?<=..)s$/, "");
}
