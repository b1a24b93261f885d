/**
 * Finds the task that the user broke into by telling of a failure, so that the work can go back to it: its turn never came to an end, and
 * nothing said since tells that it was done. Looks at the newest two requests alone; whatever else a user may have meant by
 * breaking in, such as another task in its place, is not taken for this.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import { mayHandOver } from "../calls/handing-over.ts";
import { CUES } from "../cues/cues.ts";
import { quick } from "../text/quick-expressions.ts";
import { splitSentences } from "../text/sentences.ts";
import { matcher, sharedTopic } from "../text/shared-words.ts";
import { askingQuote } from "./asking.ts";
import type { Goal, GoalInput, Request } from "./goal.ts";
import { isTask } from "./tasks.ts";
import { callsOff, isTopicShift } from "./topic-shift.ts";

const READ_CHARS = 240;
const QUOTE_CHARS_MAX = 320;
const ASK_CHARS = 160;
/** To go back to what was done is worse than to leave out what was not. */
const DONE_SHARE_MIN = 0.5;
const SAID_MAX = 12;
const SENTENCES_PER_MESSAGE = 24;

/** With the task that was broken into before its newest. Who hands work over by a call says nothing to end a turn. */
export function withInterrupted(asked: Goal, input: GoalInput, tools: () => Iterable<string>): Goal {
  const { requests, language, isTalk, isObserved } = input;
  const { goal, current, wholes } = asked;
  const report = requests.at(-1);
  const task = requests.at(-2);
  if (isTalk || isObserved || report === undefined || report !== current || task === undefined) return asked;
  if (task.isCutShort !== true || report.isCutShort !== true || !tellsOfFailure(report.text)) return asked;
  if (!isTask(task.text, language) || isDoneSince([task, report], language)) return asked;
  for (const name of tools()) if (mayHandOver(name)) return asked;
  const isSaid = goal.some((text) => wholes.get(text) === task.text);
  if (isSaid) return { ...asked, interrupted: task };
  const quote = askingQuote(task.text, QUOTE_CHARS_MAX, language);
  return {
    ...asked,
    interrupted: task,
    goal: [...goal.slice(0, -1), quote, ...goal.slice(-1)],
    wholes: new Map([...wholes, [quote, task.text]]),
    leading: report.isKept && !task.isKept ? [...asked.leading, quote] : asked.leading,
  };
}

function tellsOfFailure(request: string): boolean {
  return REPORT.test(request.slice(0, READ_CHARS)) && !isTopicShift(request) && !callsOff(request);
}

function isDoneSince([task, report]: readonly [Request, Request], language: Language): boolean {
  const said = [...(task.said ?? []), ...(report.said ?? [])].slice(-SAID_MAX);
  const sentences = said.flatMap((text) => splitSentences(text, { sentencesMax: SENTENCES_PER_MESSAGE }));
  const { done: isDone, finished } = CUES[language];
  const done = sentences.filter((sentence) => isDone.test(sentence) || finished.test(sentence));
  const ask = askingQuote(task.text, ASK_CHARS, language);
  return done.length > 0 && (matcher(done)(ask) || sharedTopic(ask, done) >= DONE_SHARE_MIN);
}

/** What happened to the user, not what is to be done about failures: "add error messages" tells of none. */
const REPORT = quick(
  String.raw`(?<!\p{L})(?:(?:got|gets?|getting|gives?|gave|throws?|threw|shows?|see(?:ing)?|saw|hit|there(?:['’]s| is| was)) (?:me )?(?:an?|the|this|these|some)?(?: \p{L}+){0,2} ?(?:crash|errors?|exceptions?|stack ?trace)|(?:it|this|that|app|editor|server|page|program|just|has|everything) (?:just |has )?(?:crashed|crashes|exploded|explodes|blew up|broke|stopped working|hangs|froze)|(?:does not|doesn['’]t|stopped) work(?:ing)?|(?:abgestürzt|stürzt (?:\p{L}+ )?ab|(?:bekomme|kriege|kommt|kam|erhalte) (?:\p{L}+ ){0,3}(?:fehler|absturz|fehlermeldung)|(?:geht|funktioniert) nicht)|(?:a planté|plante|j['’]ai (?:eu )?une erreur|ne (?:marche|fonctionne) (?:pas|plus))|(?:se (?:cerró|bloqueó|cayó|colgó)|(?:me )?(?:da|sale|salió|dio) un error|no funciona|dejó de funcionar)|(?:travou|deu (?:um )?erro|está dando erro|não funciona|parou de funcionar)|(?:si è (?:bloccat|chius)[oa]|(?:mi )?dà (?:un )?errore|ho (?:avuto|ricevuto) un errore|non funziona)|(?:упал[оа]?|вылетел[оа]?|(?:выдаёт|выдает|получаю|получил[а]?|вылезла) ошибк\p{L}*|не работает))(?!\p{L})|崩溃了|报错|出错了|クラッシュし|エラーが(?:出|発生)|落ちました|(?:오류|에러)가 (?:났|발생|나)|멈췄|تعطل|(?:ظهر|حدث) خطأ`,
  "i",
);
