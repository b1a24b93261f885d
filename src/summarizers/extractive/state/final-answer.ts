/**
 * What the newest request was answered with, where the request stays in the view and the answer leaves it: without that, the view ends
 * as if nobody had answered. One sentence of the answer, quoted. Never a question, a greeting or what was only announced.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import { CUES } from "../cues/cues.ts";
import { ASKING_BACK } from "../goal/requests.ts";
import { inOrder, type KeptView } from "../reading/kept-view.ts";
import type { Reading } from "../reading/reading.ts";
import { isAnnouncement } from "../statements/announcements.ts";
import { toldIn } from "../statements/assistant-statements.ts";
import { endsWithColon, isClosed } from "../text/endings.ts";
import { answeredLabel } from "../text/labels.ts";
import { quick } from "../text/quick-expressions.ts";
import { oneLine, splitSentences } from "../text/sentences.ts";
import { wholeWords, withoutLayout } from "../text/whole-statement.ts";
import { COURTESY } from "./turn-end.ts";

export interface AnswerInput {
  readonly reading: Reading;
  readonly kept: KeptView;
  /** The assistant's, which may differ from the user's. */
  readonly language: Language;
}

const SENTENCES_READ = 6;
/** What stands in a list below them. */
const ITEMS_READ = 12;
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
  const sentences = splitSentences(last.text, { sentencesMax: SENTENCES_READ + ITEMS_READ }).map(withoutLayout);
  const answer = sentences
    .slice(0, SENTENCES_READ)
    .map((_, at) => quoted(sentences.slice(at)))
    .find((words) => words !== undefined && tells(words, language));
  return answer === undefined ? [] : [answeredLabel(reading.language) + oneLine(answer, ANSWER_CHARS_MAX)];
}

/** The first of some sentences. Before a list it goes on with the items, or is marked as going on where they are no words. */
function quoted([sentence = "", ...below]: readonly string[]): string | undefined {
  if (!endsWithColon(sentence)) return wholeWords(sentence, { isUser: false });
  const opening = wholeWords(sentence.slice(0, -1), { isUser: false });
  if (opening === undefined) return undefined;
  const end = below.findIndex((item) => isClosed(item));
  const items = below.slice(0, end < 0 ? below.length : end).filter((item) => /[\p{L}\d]/u.test(item));
  const list = items.map((item) => (endsWithColon(item) ? `${item} ` : `${item}; `)).join("");
  return list === "" ? `${opening}…` : `${opening}: ${list.replace(/[;:] $/, "")}`;
}

function tells(words: string, language: Language): boolean {
  const charsMin = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/.test(words) ? DENSE_CHARS_MIN : ANSWER_CHARS_MIN;
  if (words.length < charsMin || ASKING_BACK.test(words) || isAnnouncement(words, CUES[language])) return false;
  return !COURTESY.test(words) && !FAREWELL.test(words);
}

/** "I'll be here whenever you are ready." */
const FAREWELL = quick(
  String.raw`(?<!\p{L})(?:i(?:['’]ll| will|['’]m| am) (?:be )?(?:here|happy|glad)|reach out|let me know|have a (?:great|good|nice|wonderful|safe|lovely)|ich bin (?:gerne )?(?:da|hier)|(?:meld|wend)e(?:n sie|t euch| dich) ?|n['’]hésite[zs]?|je reste|no dude[ns]?|estoy aquí|não hesite|estou (?:aqui|à disposição)|non esitare|sono qui|resto a|обращайтесь|буду рада?|не стесняйтесь|لا تتردد)(?!\p{L})|很高兴|お気軽|いつでも|お待ち|편하게|기다리`,
  "i",
);
