/**
 * What comes next where the assistant ended its turn: the user's answer to what it asked, what it announced, or else whatever the user
 * wants. Reads the end of that one message. Never says that all is done where the message speaks of more.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import { cue } from "../cues/cue-table.ts";
import { CUES } from "../cues/cues.ts";
import { OF_THE_USER } from "../cues/second-person.ts";
import { ASKING_BACK } from "../goal/requests.ts";
import { endsAsking } from "../text/endings.ts";
import { answeredLine, awaitingLabel, awaitingLine } from "../text/labels.ts";
import { quick } from "../text/quick-expressions.ts";
import { unwrapped } from "../text/scraps.ts";
import { oneLine, splitSentences } from "../text/sentences.ts";
import { wholeStatement, withoutLayout } from "../text/whole-statement.ts";
import { asksUser, groundOf } from "./asked-sentence.ts";

export interface TurnEnd {
  /** What the assistant ended its turn with. */
  readonly said: string;
  /** The assistant's, which may differ from the user's. */
  readonly language: Language;
  readonly userLanguage: Language;
  /** What the summary says to be going on or stuck. */
  readonly open: readonly string[];
  /** Whether the summary names further steps. */
  readonly hasSteps: boolean;
  /** What was answered is all that the user wants. */
  readonly isTask: boolean;
}

/** A question stands near the end, perhaps with a word of thanks behind it. */
const SENTENCES_READ = 3;
const END_CHARS = 800;
const QUESTION_CHARS_MAX = 160;

export function afterAnswer({ said, language, userLanguage, open, hasSteps, isTask }: TurnEnd): readonly string[] {
  const asked = askedIn(said);
  if (asked !== undefined) {
    const { ground, question } = asked;
    const isTold = open.some((item) => item.includes(question));
    const told = ground + oneLine(question, QUESTION_CHARS_MAX);
    return [isTold ? awaitingLine(userLanguage) : awaitingLabel(userLanguage) + told];
  }
  const demanded = demandedIn(said);
  if (demanded !== undefined) return [awaitingLabel(userLanguage) + oneLine(demanded, QUESTION_CHARS_MAX)];
  const announced = announcedIn(said, language);
  if (announced !== undefined) return [announced];
  if (hasSteps) return [];
  const owed = owedIn(said, language);
  if (owed !== undefined) return [owed];
  const { next, leftLabel, blocked } = CUES[language];
  const isAllDone =
    isTask &&
    open.length === 0 &&
    !/[:：]\s*$/.test(said) &&
    ![next, leftLabel, blocked].some((cue) => cue.test(said.slice(-END_CHARS)));
  return [answeredLine(userLanguage, { isAllDone })];
}

/** "Once you provide your number, I can book it.": what the work waits for, though nothing is asked. */
function demandedIn(said: string): string | undefined {
  const end = said.slice(-END_CHARS);
  if (!DEMANDING.test(end)) return undefined;
  return splitSentences(end, { sentencesMax: 4 * SENTENCES_READ })
    .slice(-SENTENCES_READ)
    .map(withoutLayout)
    .findLast((sentence) => DEMANDING.test(sentence) && !COURTESY.test(sentence));
}

const DEMANDING = quick(
  String.raw`(?<!\p{L})(?:(?:once|as soon as) you(?:['’]ve| have)? (?:provided?|shared?|sen[dt]|given?|confirm(?:ed)?|tell|told|let me know)|(?:i|we)(?:['’]ll| will) need (?:the following|your|to know|(?:some |a few )?more (?:details|information))|sobald (?:sie|du) (?:mir )?.{1,60}(?:mitteil|angib|angeb|nenn|schick|bestätig)|dès que vous (?:m['’]aurez|aurez|me)|(?:una vez que|en cuanto) (?:me )?(?:proporcione|indique|confirme|envíe|comparta)|assim que (?:você )?(?:me )?(?:informar|enviar|confirmar)|non appena mi|как только вы)(?!\p{L})`,
  "i",
);

/** "I still have to write the manual.": what one of the last sentences says to come, of whoever speaks. */
function owedIn(said: string, language: Language): string | undefined {
  const cues = CUES[language];
  const end = said.slice(-END_CHARS);
  if (!cues.next.test(end)) return undefined;
  const isOwed = (sentence: string): boolean =>
    cues.next.test(sentence) &&
    ![cues.done, cues.open, cues.hedge, OF_THE_USER[language], COURTESY].some((cue) => cue.test(sentence));
  return splitSentences(end, { sentencesMax: 2 * SENTENCES_READ })
    .slice(-SENTENCES_READ)
    .flatMap((sentence) => wholeStatement(sentence, { isUser: false }) ?? [])
    .findLast(isOwed);
}

/** What the last sentence says to come, in languages that need no word before the verb for that; elsewhere such words are read before. */
function announcedIn(said: string, language: Language): string | undefined {
  const cue = ANNOUNCING[language];
  if (cue === undefined) return undefined;
  const last = splitSentences(said.slice(-END_CHARS), { sentencesMax: 2 * SENTENCES_READ }).at(-1) ?? "";
  const whole = wholeStatement(last, { isUser: false });
  return whole !== undefined && cue.test(whole) ? oneLine(whole, QUESTION_CHARS_MAX) : undefined;
}

/** "Now I mend the third line", but nobody's waiting. */
const ANNOUNCING: Partial<Record<Language, RegExp>> = {
  de: quick(
    String.raw`^ich (?!warte|habe|hatte|hoffe|denke|glaube|könnte|würde)\p{L}+e (?:jetzt|nun|gleich|als nächstes|anschließend)(?!\p{L})|^(?:jetzt|nun|als nächstes|anschließend|danach|dann) (?!warte|habe|hatte|könnte|würde)\p{L}+e ich(?!\p{L})`,
    "i",
  ),
  it: quick(String.raw`^(?:ora|adesso|poi|quindi) (?!ho |sono |posso |aspetto |attendo )\p{L}+o(?!\p{L})`, "i"),
  ru: quick(
    String.raw`^(?:сейчас|теперь|далее|затем|дальше) (?:я )?(?!жду|могу|хочу)\p{L}+(?:ю|у|юсь|усь)(?!\p{L})`,
    "i",
  ),
  ja: /^(?:次に|これから|続いて|今から)(?!.*待).*ます。?$/u,
  ko: /^(?:이제|다음으로|지금|먼저)(?!.*기다리).*겠습니다[.!]?$/u,
  ar: /^(?:الآن )?س[أن](?!نتظر)\p{L}+/u,
};

/** What the user was asked in the end, with what it leans on. */
export function questionIn(said: string): string | undefined {
  const asked = askedIn(said);
  return asked === undefined ? undefined : asked.ground + asked.question;
}

interface AskedInEnd {
  /** What the question says little without. */
  readonly ground: string;
  readonly question: string;
}

/** An offer of whatever else there may be asks for nothing. */
function askedIn(said: string): AskedInEnd | undefined {
  const end = said.slice(-END_CHARS);
  if (!ASKING_BACK.test(end)) return undefined;
  const sentences = splitSentences(end, { sentencesMax: 4 * SENTENCES_READ }).map((sentence) =>
    withoutField(withoutLayout(sentence)),
  );
  const first = sentences.length - SENTENCES_READ;
  const at = sentences.findLastIndex(
    (sentence, place) => place >= first && asksUser(sentence, sentences[place + 1] ?? "") && !isCourtesy(sentence),
  );
  const question = sentences[at];
  return question === undefined ? undefined : { ground: groundOf({ said, sentences }, at), question };
}

/** Some assistants answer in data: the question stands in a field. */
function withoutField(words: string): string {
  return /^[{[\s]*["']\w/.test(words) ? unwrapped(words) : words;
}

/** "Shall I book it, or is there anything else?" asks for more than whatever else there may be. */
function isCourtesy(sentence: string): boolean {
  if (!COURTESY.test(sentence)) return false;
  const [, spaced, dense] = (endsAsking(sentence) ? OR_ELSE.exec(sentence) : undefined) ?? [];
  const first = spaced ?? dense ?? "";
  if (first === "") return !(endsAsking(sentence) && PURPOSE.test(sentence));
  return COURTESY.test(first) || OF_ANY_QUESTION.test(first);
}

/** What stands before another possibility, where that is enough to ask for something. */
const OR_ELSE = quick(
  "^(.{16,}?),?(?: (?:or|oder|ou|[ou]|oppure|или|أو|أم) )|^(.{4,}?)[，、,]? ?(?:或者|还是|または|それとも|또는|아니면)",
  "i",
);
/** "Do you have questions, or …?" */
const OF_ANY_QUESTION = quick(
  String.raw`^(?:if|wenn|falls|si|se|если)(?!\p{L})|^如果|^もし|^만약|^إذا|questions?(?!\p{L})|fragen(?!\p{L})|preguntas?(?!\p{L})|perguntas?|dúvidas?|domande|вопрос|问题|質問|ご不明|질문|أسئلة`,
  "i",
);
/** Whom to turn to for more help is something of its own. */
const PURPOSE = /\bfor (?:further|more|other) (?:assistance|help)\?$|für weitere hilfe/i;

/** An offer of whatever else there may be. */
export const COURTESY = cue(
  [
    "(?<!\\p{L})(?:(?:any|some)thing else|any (?:other|more|further)|(?:further|more|other) (?:questions?|assistance|help)|need (?:any )?(?:help|assistance)|feel free|weitere (?:fragen|hilfe)|sonst noch|noch (?:etwas|was) (?:tun|helfen)|autre chose|autres questions|algo más|(?:otra|más) (?:cosa|preguntas?)|mais alguma|algo mais|outras? (?:dúvidas?|perguntas?)|qualcos['’]altro|altr[eo] (?:domande|aiuto)|ещё (?:что|чем|вопрос)|другие вопросы)",
    "其他(?:问题|需要|可以|帮)|还有(?:什么|其他)|随时|(?:他|ほか)に(?:何|も|ご)|ご不明|다른 (?:질문|도움|것)|더 (?:필요|궁금)|언제든|شيء آخر|أسئلة أخرى|مساعدة أخرى",
  ].join("|"),
);
