/**
 * What the newest request was answered with, where the request stays in the view and the answer leaves it: without that, the view ends
 * as if nobody had answered. One sentence of the answer, quoted. Never a question, a greeting or what was only announced.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import { CUES } from "../cues/cues.ts";
import { ASKING_BACK } from "../goal/requests.ts";
import { inOrder, type KeptView } from "../reading/kept-view.ts";
import type { Reading } from "../reading/reading.ts";
import { isAnnouncement, toldIn } from "../statements/assistant-statements.ts";
import { endsWithColon } from "../text/endings.ts";
import { answeredLabel } from "../text/labels.ts";
import { oneLine, splitSentences } from "../text/sentences.ts";
import { wholeWords, withoutLayout } from "../text/whole-statement.ts";

export interface AnswerInput {
  readonly reading: Reading;
  readonly kept: KeptView;
  /** The assistant's, which may differ from the user's. */
  readonly language: Language;
}

const SENTENCES_READ = 6;
const ANSWER_CHARS_MAX = 160;
/** Less is a word of courtesy before the answer. */
const ANSWER_CHARS_MIN = 24;
const DENSE_CHARS_MIN = 8;

/** Nothing where what was done says it, or the answer stays in the view too. */
export function finalAnswer({ reading, kept, language }: AnswerInput): readonly string[] {
  const last = reading.prose.at(-1);
  const request = inOrder(reading.prose, kept.prose).findLast(({ isUser }) => isUser);
  if (last === undefined || !last.isFinal || !kept.isAnswered || kept.messages.length > 0) return [];
  if (request === undefined || !kept.prose.includes(request)) return [];
  const { done, decisions } = toldIn(last, language, { isAtWork: true, isFinal: true });
  if (done.length + decisions.length > 0) return [];
  const sentences = splitSentences(last.text, { sentencesMax: SENTENCES_READ }).map(withoutLayout);
  const answer = sentences.map(quoted).find((words) => words !== undefined && tells(words, language));
  return answer === undefined ? [] : [answeredLabel(reading.language) + oneLine(answer, ANSWER_CHARS_MAX)];
}

/** A sentence before a list is an answer of its own, marked as going on. */
function quoted(sentence: string): string | undefined {
  const isOpened = endsWithColon(sentence);
  const whole = wholeWords(isOpened ? sentence.slice(0, -1) : sentence, { isUser: false });
  return whole !== undefined && isOpened ? `${whole}…` : whole;
}

function tells(words: string, language: Language): boolean {
  const charsMin = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/.test(words) ? DENSE_CHARS_MIN : ANSWER_CHARS_MIN;
  return words.length >= charsMin && !ASKING_BACK.test(words) && !isAnnouncement(words, CUES[language]);
}
