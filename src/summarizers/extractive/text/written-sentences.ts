/** The sentences of what an assistant wrote, without their layout: cut once for everybody who reads them. Never rewords. */

import { splitSentences } from "./sentences.ts";
import { withoutLayout } from "./whole-statement.ts";

interface Written {
  readonly text: string;
}

/** Of a message with more the first half and the last half count. */
const SENTENCES_PER_MESSAGE = 400;

export function writtenSentences(written: Written): readonly string[] {
  const known = KNOWN.get(written);
  if (known !== undefined) return known;
  const sentences = splitSentences(written.text, { sentencesMax: SENTENCES_PER_MESSAGE }).map(withoutLayout);
  KNOWN.set(written, sentences);
  return sentences;
}

/** Holds the sentences no longer than somebody holds the prose itself. */
const KNOWN = new WeakMap<Written, readonly string[]>();
