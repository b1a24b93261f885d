/** The sentences of a message, as far as they are read. Never rewords. */

import { splitSentences } from "./sentences.ts";
import { withoutLayout } from "./whole-statement.ts";

/** Of a message with more the first half and the last half count. */
const SENTENCES_PER_MESSAGE = 400;

/** Of what a user said, as it was cut. */
export function saidSentences(text: string): readonly string[] {
  return splitSentences(text, { sentencesMax: SENTENCES_PER_MESSAGE });
}

/** Of what an assistant wrote, without its layout. */
export function writtenSentences(text: string): readonly string[] {
  return saidSentences(text).map(withoutLayout);
}
