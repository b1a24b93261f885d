/** The sentences of a message, cut once for everybody who reads them. Never rewords. */

import { splitSentences } from "./sentences.ts";
import { withoutLayout } from "./whole-statement.ts";

interface Said {
  readonly text: string;
}

/** Of a message with more the first half and the last half count. */
const SENTENCES_PER_MESSAGE = 400;

/** Of what a user said, as it was cut. */
export const saidSentences = remembered((said) => splitSentences(said.text, { sentencesMax: SENTENCES_PER_MESSAGE }));

/** Of what an assistant wrote, without its layout. */
export const writtenSentences = remembered((written) =>
  splitSentences(written.text, { sentencesMax: SENTENCES_PER_MESSAGE }).map(withoutLayout),
);

type CutSentences = (said: Said) => readonly string[];

/** Holds the sentences no longer than somebody holds what was said. */
function remembered(cut: CutSentences): CutSentences {
  const known = new WeakMap<Said, readonly string[]>();
  return (said) => {
    const before = known.get(said);
    if (before !== undefined) return before;
    const sentences = cut(said);
    known.set(said, sentences);
    return sentences;
  };
}
