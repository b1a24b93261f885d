/**
 * Which sentences of the assistant are no longer so by what came after them: what was found and then mended, how things stood at the
 * time, and guesses that the user denied. Looks at one sentence; never at what it means.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import { CUES } from "../cues/cues.ts";
import { quick } from "../text/quick-expressions.ts";

/** What came after a message. */
export interface Since {
  readonly language: Language;
  /** Whatever the message found to be wrong is so no more. */
  readonly isMended: boolean;
  /** So much came after it that how things stood then says nothing about now. */
  readonly isPast: boolean;
  /** The user's next words are that it is not so. */
  readonly isRefuted: boolean;
  /** They are no answer to a question with which it ends: what it found is denied, too. */
  readonly isDenied: boolean;
}

/** After so many messages more, how things stood is past. */
export const PRESENT_MESSAGES = 6;

/** No longer so by all that came after it. */
export function isStale(sentence: string, { language, isMended, isPast, isRefuted, isDenied }: Since): boolean {
  if ((isMended || isDenied) && CUES[language].finding.test(sentence)) return true;
  return (isPast && isPassing(sentence, language)) || (isRefuted && HEDGED.test(sentence));
}

/** "No, that's not it." */
export function isRefusal(reply: string): boolean {
  return REFUSAL.test(reply);
}

const REFUSAL =
  /^\s*(?:(?:hm+|u[hm]+|oh|ah|er|well|sorry|wait|ok(?:ay)?|yeah|ja|tja|ah non|bon|bueno|ну)(?:[,.!…]+\s*|\s))*(?:no(?! (?:problem|worries|rush|hurry|need|issues?|idea|matter))|nope|wrong|not (?:it|quite|really|true)|that['’]?s (?:not|wrong)|nein|falsch|non|faux|não|errado|нет)(?=[\s,.!]|$)|^\s*(?:不是|不对|不，|いいえ|違い|아니)/i;

const REPLY_CHARS_READ = 120;

/** The reply says that what was found is not so: a "no" to a question in the end is about that question. */
export function denies(reply: string, said: string): boolean {
  if (!isRefusal(reply) || ENDS_ASKING.test(said)) return false;
  const rest = reply.slice(0, REPLY_CHARS_READ).replace(REFUSAL, "");
  return !FORBIDDING.test(rest) && !ENOUGH.test(rest);
}

/** "No logs there!" is about what is to be. */
const FORBIDDING = /^ (?!(?:it|that|this|the|i|you|we|they)\b)[a-z]/i;
/** "No, that's all, thank you": about an offer of more. */
const ENOUGH =
  /^[,.!]? *(?:that['’]?s (?:all|it|fine|everything)|nothing|thank|danke|das war|merci|c['’]est tout|gracias|eso es todo|obrigad|grazie|спасибо)/i;

const ENDS_ASKING = /[?？؟]\W*$/;

/**
 * "No, option 1", or "ok. uh. no." to what was no question: the way that was proposed is not the user's. Who only denies a fact, or what
 * was asked in the end, leaves that way alone.
 */
export function overrules(reply: string, proposed: string): boolean {
  const read = reply.slice(0, REPLY_CHARS_READ);
  if (!isRefusal(read)) return false;
  const rest = read.replace(REFUSAL, "");
  return OTHER_WAY.test(rest) || (/^[\s,.!…]*$/.test(rest) && !ENDS_ASKING.test(proposed));
}

const OTHER_WAY = quick(
  String.raw`^[\s,.!:;–—-]*(?:(?:please|bitte|let['’]?s|let us|i(?:['’]d| would)?|we(?:['’]d| would)?) )*(?:(?:go (?:with|for)|take|pick|choose|use|stick (?:to|with)|prefer|rather|lieber|nimm|nehmen wir|verwende|benutze|prends|prenons|utilise[sz]?|je préfère|prefiero|usa|prefiro|preferisco|используй(?:те)?|возьми(?:те)?)(?!\p{L})|(?:the |die |der |das |la |le |el |o |il )?(?:option|number|variant|first|second|third|other one|former|latter|variante|opción|opção|opzione|вариант|erste|zweite|andere|première|seconde|deuxième|primera|segunda|primeira|prima)(?!\p{L})|[1-9A-E](?=[.!\s]*$)|(?:用|选|方案|第[一二三]|案|옵션))`,
  "i",
);

/** "Well, I think it should be the other gate": a way of one's own, in the place of what was proposed last. */
export function counters(reply: string): boolean {
  return COUNTERED.test(reply.slice(0, REPLY_CHARS_READ));
}

const COUNTERED =
  /^\s*(?:(?:well|hm+|no|nope|actually|ok(?:ay)?|but|nein|naja|aber|non|mais|pero)[,.…]*\s+)*(?:(?:i think|i['’]d say|ich (?:finde|denke|meine),?) (?:it|we|they|this|that|es|das|wir) (?:should|needs? to|must|sollten?|soll|müssen) (?!also |auch )|je pense qu['’](?:il|on) devr|(?:creo|acho) que (?:debería|deveria)|penso che (?:dovrebbe|dovremmo))/i;

/** How things stood when it was said: words that open a sentence, and words anywhere in it. */
const PASSING: Partial<Record<Language, Passing>> = {
  en: passing(
    "currently|right now|at the moment|for now|now|wait|i need|i still need|i have (?:uncommitted|un)",
    "uncommitted|unstaged|still (?:failing|fails|shows?|showing|need|needs|missing|have|has)|(?:is|are) (?:still|currently|failing)|not yet|needs? to be (?:committed|fixed|pushed|updated)|in the middle of",
  ),
  de: passing("derzeit|aktuell|gerade|momentan|jetzt|noch", "noch nicht|immer noch|schlägt (?:noch )?fehl|muss noch"),
  fr: passing("actuellement|pour l'instant|en ce moment|maintenant", "pas encore|toujours pas|échoue encore"),
  es: passing("actualmente|por ahora|en este momento|ahora", "todavía no|aún no|sigue fallando"),
  zh: { any: /^(?:目前|现在|当前|暂时)|还没有?|尚未|仍然/u },
};

interface Passing {
  /** Any of the words. */
  readonly any: RegExp;
  /** Those that have to stand alone. */
  readonly alone?: RegExp;
}

/** Few sentences have any: to ask of every character whether a word begins there takes longer than to look for the words. */
function passing(opening: string, anywhere: string): Passing {
  return {
    any: new RegExp(`^(?:${opening})|${anywhere}`, "i"),
    alone: quick(String.raw`^(?:${opening})(?!\p{L})|(?<!\p{L})(?:${anywhere})(?!\p{L})`, "i"),
  };
}

function isPassing(sentence: string, language: Language): boolean {
  const words = PASSING[language];
  return words?.any.test(sentence) === true && words.alone?.test(sentence) !== false;
}

/** "I bet it is the lamp." */
const HEDGED = quick(
  String.raw`(?<!\p{L})(?:i (?:bet|think|guess|suspect|believe)|probably|perhaps|maybe|might|likely|seems?|looks like|suggests?|vermutlich|wahrscheinlich|vielleicht|probablement|peut-être|probablemente|quizás|provavelmente|forse|вероятно|возможно)(?!\p{L})|可能|也许|大概|おそらく|たぶん|아마`,
  "i",
);
