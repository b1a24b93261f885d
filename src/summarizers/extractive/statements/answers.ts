/**
 * What users settle by answering: "option 2" means what the assistant's list says there, "yes" what was asked. Only answers to
 * a question that leaves a choice count. Quotes both sides; never guesses what was meant.
 */

import type { Decision } from "../../../core/checkpoint/checkpoint.ts";
import type { Language } from "../../../core/checkpoint/language.ts";
import { CUES } from "../cues/cues.ts";
import { endsAsking, endsWithColon, endsWithMark } from "../text/endings.ts";
import { userLabel } from "../text/labels.ts";
import { quick } from "../text/quick-expressions.ts";
import { oneLine, splitSentences } from "../text/sentences.ts";
import { wordsOf } from "../text/shared-words.ts";
import { closed, withoutLayout } from "../text/whole-statement.ts";
import { ALTERNATIVE, decisionIn } from "./decisions.ts";
import { leaves } from "./left-alone.ts";
import { type Asking, identifies, isSelecting, offeredBefore, pointsAtOne, takenUp } from "./offered-ways.ts";
import { asksLeave, givesLeave } from "./permissions.ts";
import { takes } from "./taken-offers.ts";

export interface Exchange {
  /** What the assistant said last before the reply. */
  readonly asked: string;
  readonly reply: string;
  readonly language: Language;
  /** The assistant's, which may differ from the user's. */
  readonly askedIn: Language;
}

/** Longer replies say what they decide in sentences of their own. */
const REPLY_CHARS_MAX = 200;
/** Questions stand at the end. */
const ASKED_CHARS_READ = 4_000;
const TEXT_CHARS_MAX = 240;
/** What a list names stands at its beginning. */
const POINTED_CHARS_MAX = 160;

export function settledBy({ asked, reply, language, askedIn }: Exchange): Decision | undefined {
  const said = beforeQuestion(reply.trim());
  if (said === "" || said.length > REPLY_CHARS_MAX) return undefined;
  const end = asked.slice(-ASKED_CHARS_READ);
  const who = (): string => `${userLabel(language)}${oneLine(said, TEXT_CHARS_MAX)}`;
  const option = pickedOption(said, end);
  if (option !== undefined) return { decision: option, reason: who() };
  const sentences = choiceIn(end, askedIn);
  const question = sentences.at(-1) ?? "";
  if (question === "") return undefined;
  const leaning = said === reply.trim() ? taken({ sentences, reply: said, language: askedIn }) : undefined;
  if (leaning !== undefined) return { decision: who(), reason: leaning };
  const isAlone = !isThin(question, askedIn);
  if (isEmpty(said, question) || !isAnswer(said, question, { language, isWhole: said === reply.trim() && isAlone }))
    return undefined;
  // Whoever is asked for one of several has not named it by a yes.
  const isPointing = pointsAtOne(question);
  const asking = { sentences, reply: said, language: askedIn, hasOptions: isPointing && optionsIn(end).size > 0 };
  const offer = isSelecting(question) ? undefined : offeredBefore(asking);
  if (isAlone && (offer === undefined || !(isHollow(question) || (isPointing && identifies(offer)))))
    return { decision: who(), reason: oneLine(withoutLayout(question), TEXT_CHARS_MAX) };
  return offer === undefined ? undefined : { decision: who(), reason: joined(offer, question, askedIn) };
}

/** "The gravel one." to "Which one do you want?": with the sentence that names the ways. */
function taken(asking: Asking): string | undefined {
  const question = asking.sentences.at(-1) ?? "";
  if (!isSelecting(question) || (ALTERNATIVE.test(question) && !isThin(question, asking.language))) return undefined;
  const way = takenUp(asking);
  return way === undefined ? undefined : joined(way, question, asking.language);
}

/** A question that says nothing alone adds nothing to what was offered, and costs another decision its room. */
function joined(offer: string, question: string, language: Language): string {
  if (isThin(question, language) || isHollow(question)) return oneLine(withoutLayout(offer), TEXT_CHARS_MAX);
  if (isPlea(question)) return oneLine(withoutLayout(offer), POINTED_CHARS_MAX);
  const asked = oneLine(withoutLayout(question), TEXT_CHARS_MAX);
  const quoted = oneLine(withoutLayout(offer), TEXT_CHARS_MAX - Math.min(asked.length, TEXT_CHARS_MAX / 2));
  const before = endsWithMark(quoted) ? quoted : closed(quoted);
  return /[。！]$/.test(before) ? before + asked : `${before} ${asked}`;
}

/** "Please confirm if you would like to proceed with this booking": points at it, and asks for no more than a yes. */
function isPlea(question: string): boolean {
  return pointsAtOne(question) && (CONFIRMING.test(question) || namingWords(question) < NAMING_WORDS_MIN);
}

/** Says too little to be understood alone. */
export function isThin(question: string, language: Language): boolean {
  if (DENSE.test(question)) return question.length <= DENSE_CHARS_THIN;
  const said = [...wordsOf(question)];
  if (said.length >= QUESTION_WORDS_MIN) return false;
  return language !== "en" || namingWords(question) < NAMING_WORDS_MIN;
}

function namingWords(question: string): number {
  return [...wordsOf(question)].filter((word) => !EMPTY_WORDS.has(word)).length;
}

/** "Should I rename the table?": of words that say something, a verb and its object will do. */
const NAMING_WORDS_MIN = 2;

const DENSE = /[\u3040-\u30ff\u3400-\u9fff]/;
const DENSE_CHARS_THIN = 9;

/** "Would you like to proceed with these changes?" does not say with which. */
export function isHollow(question: string): boolean {
  return [...wordsOf(question)].every((word) => EMPTY_WORDS.has(word));
}

/** "Yes, take the berth. Is there a crane?": what is asked back leaves the answer what it is. */
function beforeQuestion(reply: string): string {
  if (!endsAsking(reply)) return reply;
  const sentences = splitSentences(reply, { sentencesMax: SENTENCES_READ });
  const end = sentences.findIndex((sentence) => endsAsking(sentence));
  return sentences.slice(0, Math.max(0, end)).join(" ");
}

/** A line that begins with a number or a capital letter, and what stands behind it. */
const OPTION =
  /^(?:[-*+]\s+)?(?:#{1,6}\s+)?(?:\*\*)?(?:(?:option|variante|opción|opção|opzione|вариант|方案|选项|案|옵션)\s*)?([1-9]|[A-E])\s*[.):：]\s*(\S.*)$/i;

/** The last list of its kind, by its marks. */
export function optionsIn(text: string): ReadonlyMap<string, string> {
  let options = new Map<string, string>();
  const lines = text.split("\n").map((line) => line.trim());
  lines.forEach((line, at) => {
    const [, mark = "", words = ""] = OPTION.exec(line) ?? [];
    if (mark === "") return;
    if (mark === "1" || mark.toUpperCase() === "A") options = new Map();
    const title = withoutLayout(words);
    const details = endsWithColon(title) ? withoutLayout(lines.slice(at + 1).find((below) => below !== "") ?? "") : "";
    options.set(mark.toUpperCase(), oneLine(`${title} ${details}`, TEXT_CHARS_MAX));
  });
  return options.size > 1 ? options : new Map();
}

const PICK_CHARS_MAX = 60;
/** Of a longer reply a lone number may count anything; after such a word it does not. */
const PICK = quick(
  String.raw`(?:^|(?:option|number|nr\.?|nummer|variante|choice|opción|opção|opzione|вариант|方案|选项|选择|第|案|옵션|#)\s*)([1-9]|[A-E])(?![\p{L}\p{N}]|\.\d)`,
  "i",
);
/** Answers to several questions, numbered like them. */
const SEVERAL = /(?:^|\s)1[.)][\s\S]*\s2[.)]/;
const ORDINALS: readonly RegExp[] = [
  quick(
    String.raw`(?<!\p{L})(?:the first|the former|(?:die|der|das) erste|la premi[eè]re|le premier|l[ao] primer[ao]?|o primeiro|a primeira|il primo|la prima|перв\p{L}+)(?!\p{L})|第一(?:个|种|項|案)|最初の|一つ目|첫 ?번째`,
    "i",
  ),
  quick(
    String.raw`(?<!\p{L})(?:the second|the latter|(?:die|der|das) zweite|l[ea] (?:second|deuxième)e?|l[ao] segund[ao]|o segundo|a segunda|il secondo|la seconda|втор\p{L}+)(?!\p{L})|第二(?:个|种|項|案)|二つ目|두 ?번째`,
    "i",
  ),
  quick(
    String.raw`(?<!\p{L})(?:the third|(?:die|der|das) dritte|l[ea] troisième|l[ao] tercer[ao]?|o terceiro|a terceira|il terzo|la terza|треть\p{L}+)(?!\p{L})|第三(?:个|种|項|案)|三つ目|세 ?번째`,
    "i",
  ),
];

function pickedOption(reply: string, asked: string): string | undefined {
  const isShort = reply.length <= PICK_CHARS_MAX;
  const mark = PICK.exec(reply)?.[1]?.toUpperCase();
  // "A small change" begins with a letter that means nothing.
  const isMark = mark !== undefined && (isShort || /\d/.test(mark)) && !/^a\s/i.test(reply);
  const place = isMark || !isShort ? -1 : ORDINALS.findIndex((ordinal) => ordinal.test(reply));
  if ((!isMark && place < 0) || SEVERAL.test(reply)) return undefined;
  if (isMark && DOUBTED.test(reply)) return undefined;
  const options = optionsIn(asked);
  return isMark ? options.get(mark) : [...options.values()][place];
}

/** "Option 3 is close, but above my budget." */
const DOUBTED = quick(
  String.raw`(?<!\p{L})(?:[1-9A-E]|one) (?:is|was|looks|seems|ist|war|est|es|é|è) [^.!?]{0,80}(?<!\p{L})(?:but|too|not|aber|zu|nicht|mais|trop|pero|demasiado|mas|muito|ma|troppo)(?!\p{L})`,
  "i",
);

/** Neither side of "Please confirm that everything is correct." "Yes, go ahead." says what was settled. */
function isEmpty(said: string, question: string): boolean {
  if (!CONFIRMING.test(question)) return false;
  return [...wordsOf(`${said} ${question}`)].every((word) => EMPTY_WORDS.has(word));
}

const EMPTY_WORDS: ReadonlySet<string> = new Set(
  "everything correct right looks look good fine details detail proceed update updates change changes please confirm would like ahead yes sure okay thank thanks make these this those want that sounds great process with know below above information option options choose prefer take need agree look start".split(
    " ",
  ),
);

const QUESTION_WORDS_MIN = 3;
const SENTENCES_READ = 40;

/** What was said up to the last question that leaves a choice; nothing where there is none. */
function choiceIn(text: string, language: Language): readonly string[] {
  if (!hasQuestion(text) && !CONFIRMING.test(text.slice(-CONFIRMING_CHARS))) return [];
  const { choice } = CUES[language];
  const sentences = splitSentences(text, { sentencesMax: SENTENCES_READ });
  const isAsking = (sentence: string): boolean => endsAsking(sentence) || CONFIRMING.test(sentence);
  const at = sentences.findLastIndex(isAsking);
  const last = sentences[at] ?? "";
  const before = at > 0 && CONFIRMING.test(last) ? (sentences.slice(0, at).findLast(isAsking) ?? "") : "";
  // "Shall I book the northern berth? Please confirm.": the question says more than that it waits for an answer.
  const isAsked = endsAsking(before) && (choice.test(before) || asksLeave(before));
  const question = isAsked ? before : last;
  if (question === "" || !(choice.test(question) || CONFIRMING.test(question) || asksLeave(question))) return [];
  return sentences.slice(0, sentences.lastIndexOf(question) + 1);
}

/** One by one: of a text that is all ASCII, the engine knows at once that the others are not in it. */
function hasQuestion(text: string): boolean {
  return text.includes("?") || text.includes("？") || text.includes("؟");
}

/** Who asks so ends with it. */
const CONFIRMING_CHARS = 400;
/** Asks for a yes without a question mark. */
const CONFIRMING =
  /confirm (?:if|that|whether|these|this|everything) |bestätige(?:n sie)?(?: bitte)?, (?:ob|dass) |confirme(?:r|z|s)?(?:-moi)? (?:si|que) |confirma (?:si|que|se) |conferma(?:re)? (?:se|che) |подтвердите,? (?:что|если) |请确认(?:是否|要|一下是否)|かご確認ください|확인해 ?주(?:세요|시기)/i;

/** "Yes, use Postgres": it agrees or refuses, decides, or takes up one of the ways that the question names. */
function isAnswer(
  reply: string,
  question: string,
  { language, isWhole }: { readonly language: Language; readonly isWhole: boolean },
): boolean {
  const openings = reply.split(/[,.!;，。！；、]/, OPENINGS_READ);
  if (openings.some((opening) => YES_OR_NO.test(opening.trim()) || givesLeave(opening.trim(), question))) return true;
  if (decisionIn(reply, CUES[language], { isUser: true, isAtWork: false }) !== undefined || leaves(reply, language))
    return true;
  if (takes(reply, language)) return true;
  // Who asks back has not taken up a way by naming it.
  if (!isWhole || !ALTERNATIVE.test(question)) return false;
  const asked = wordsOf(question);
  const shared = [...wordsOf(reply)].filter((word) => asked.has(word)).join("");
  return shared.length >= SHARED_CHARS_MIN;
}

const OPENINGS_READ = 3;
const SHARED_CHARS_MIN = 3;
export const YES_OR_NO = quick(
  String.raw`^(?:yes|yep|yeah|yup|sure|ok(?:ay)?|no|nope|agreed|correct|do it|go ahead|please do|sounds good|that (?:works|sounds good)|works for me|i confirm|confirmed|absolutely|definitely|ja|nein|gerne|genau|einverstanden|oui|non|d['’]accord|sí|si|claro|vale|sim|não|certo|sì|va bene|да|нет|хорошо|давай(?:те)?|نعم|لا)(?!\p{L})|^(?:好的?|是的?|对的?|不(?:用|要|是)?|可以|行|はい|いいえ|ええ|네|예|아니(?:요|오)?)(?:$|[\s，,吧啊])`,
  "i",
);
