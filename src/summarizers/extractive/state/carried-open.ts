/**
 * What an earlier turn left open and nothing has closed since: the newest list of what remains, and what waits for somebody else; of the
 * turn that goes on, what it said lately to be left. A new task does not close it; a call, a changed file or a word that speaks of it
 * does. Bounded; never rewords.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import { cue } from "../cues/cue-table.ts";
import { CUES } from "../cues/cues.ts";
import { OF_THE_USER } from "../cues/second-person.ts";
import { isFarewell, isTelling } from "../goal/tasks.ts";
import { inOrder, type KeptView } from "../reading/kept-view.ts";
import type { Prose } from "../reading/prose.ts";
import { isTalk, type Reading } from "../reading/reading.ts";
import { leftIn, openIn } from "../statements/assistant-statements.ts";
import { visitContentWords } from "../text/content-words.ts";
import { endsAsking } from "../text/endings.ts";
import { quick } from "../text/quick-expressions.ts";
import { splitSentences } from "../text/sentences.ts";
import { matcher } from "../text/shared-words.ts";

export interface CarriedOpen {
  readonly nextSteps: readonly string[];
  readonly blocked: readonly string[];
  /** The steps are of the turn that goes on. */
  readonly isOfTurn: boolean;
}

export interface CarriedInput {
  readonly reading: Reading;
  readonly kept: KeptView;
  /** The assistant's, which may differ from the user's. */
  readonly language: Language;
  /** What tells that something is done, wherever it was said. */
  readonly closed: readonly string[];
}

/** What was left open so many requests ago is forgotten or done without a word. */
const TURNS_MAX = 8;
const MESSAGES_MAX = 120;
/** What a turn said so many messages ago to be left, it came to since. */
const TURN_MESSAGES_MAX = 8;
const STEPS_MAX = 4;
const BLOCKED_MAX = 2;
const SENTENCES_PER_MESSAGE = 24;

export function carriedOpen(input: CarriedInput): CarriedOpen {
  const { reading, language } = input;
  const userLanguage = reading.language;
  // In mere talk a list of steps is advice, and a to-do list is the whole truth about what is open.
  if (!reading.hasAssistant || isTalk(reading) || reading.todos !== undefined) return NOTHING;
  const prose = inOrder(reading.prose, input.kept.prose);
  const last = prose.at(-1);
  if (last?.isUser === true && isFarewell(last.text, userLanguage)) return NOTHING;
  let nextSteps: readonly string[] | undefined;
  const blocked: string[] = [];
  let turns = 0;
  let isOfTurn = false;
  const newest = prose.findLast(({ isUser }) => !isUser)?.message;
  let spoken = 0;
  const oldest = Math.max(0, prose.length - MESSAGES_MAX);
  for (let at = prose.length - 1; at >= oldest && turns <= TURNS_MAX; at--) {
    const item = prose[at];
    if (item === undefined) continue;
    if (item.isUser) {
      if (isTelling(item.text, userLanguage)) turns++;
      continue;
    }
    // What is said last is read elsewhere, and what was said amid the work of an earlier turn went on in it.
    if (turns === 0 ? item.message === newest || ++spoken > TURN_MESSAGES_MAX : !item.isFinal) continue;
    if (!mayLeaveOpen(item.text, language)) continue;
    const left = leftIn(item.text, language);
    // A newer list says what is left of an older one.
    const isNewest = nextSteps === undefined && left.listed.length + left.labelled.length > 0;
    const stuck = turns === 0 ? [] : openIn(item.text, language, { isFinal: true }).blocked;
    const waiting = stuck.filter((words) => isWaiting(words, language));
    if (!isNewest && waiting.length === 0) continue;
    const isOpen = unlessClosed(prose.slice(at + 1), input);
    if (isNewest) {
      const steps = [
        ...left.listed.filter((item) => isOpen(item)),
        ...left.labelled.filter((item) => isOpen(item, PART_SHARED_MIN)),
      ];
      isOfTurn = turns === 0;
      nextSteps = isOfTurn ? steps.filter((step) => !namesAny(step, reading.filesModified)) : steps;
    }
    blocked.push(...waiting.filter((item) => isOpen(item)));
  }
  return { nextSteps: (nextSteps ?? []).slice(0, STEPS_MAX), blocked: blocked.slice(0, BLOCKED_MAX), isOfTurn };
}

const NOTHING: CarriedOpen = { nextSteps: [], blocked: [], isOfTurn: false };

/** Whether it names one of the files: what was to be done with that may have been done without a word. */
function namesAny(step: string, files: ReadonlySet<string>): boolean {
  for (const path of files) if (step.includes(path.slice(path.lastIndexOf("/") + 1))) return true;
  return false;
}

function mayLeaveOpen(text: string, language: Language): boolean {
  const { leftLabel, blocked } = CUES[language];
  return text.includes("[ ] ") || leftLabel.test(text) || blocked.test(text);
}

/** Whether it waits for people who take no part in the talk: whatever the user was asked for is answered, and programs end by themselves. */
function isWaiting(said: string, language: Language): boolean {
  const waiting = WAITING.exec(said);
  if (waiting === null || endsAsking(said) || OF_THE_USER[language].test(said)) return false;
  return !OF_A_PROGRAM.test(said.slice(waiting.index, waiting.index + waiting[0].length + AWAITED_CHARS));
}

const AWAITED_CHARS = 30;
const WAITING = cue(
  [
    "(?<!\\p{L})(?:waiting (?:for|on)|awaiting|(?:needs?|requires?) (?:.{1,60} from |(?:an? |the )?(?:approval|sign-?off|signature|permission|confirmation))|(?:is|are) (?:password[- ]protected|locked))",
    "(?<!\\p{L})(?:wart(?:e|en|et) (?:noch )?auf|(?:brauch|benötig)\\p{L}+ .{0,60}(?:freigabe|genehmigung|zustimmung|unterschrift|bestätigung))",
    "(?<!\\p{L})(?:en attente d|attend(?:s|ons|ent)? |(?:besoin|nécessite|requiert|faut) .{0,60}(?:approbation|validation|accord|autorisation|signature))",
    "(?<!\\p{L})(?:(?:a la espera|pendientes?) de|esper(?:ando|amos)|(?:necesita|requiere|falta) .{0,60}(?:aprobación|autorización|firma|visto bueno|confirmación))",
    "(?<!\\p{L})(?:aguard(?:a|ando|amos|o)|à espera|(?:precisa|requer|necessita|falta) .{0,60}(?:aprovação|autorização|assinatura|confirmação))",
    "(?<!\\p{L})(?:in attesa d|(?:serve|richiede|necessita|occorre|bisogno) .{0,60}(?:approvazione|autorizzazione|firma|conferma|benestare))",
    "(?<!\\p{L})(?:жд(?:ём|ем|у|ёт|ет|ут)|ожида\\p{L}+|(?:нуж|требу)\\p{L}+ .{0,60}(?:одобрен|согласован|подпис|подтвержден|разрешен))",
    "等待|等.{1,20}(?:批准|审批|确认|回复|签字|同意)|需要?.{1,30}(?:批准|审批|确认|签字|同意|授权)",
    "待ち|待って|(?:承認|確認|許可|署名|返答)が必要|기다리|대기 ?중|(?:승인|확인|허가|서명|답변)[이가]? ?필요",
    "انتظار|ننتظر|أنتظر|(?:يحتاج|تحتاج|نحتاج|يتطلب) .{0,60}(?:موافقة|توقيع|تأكيد|إذن)",
  ].join("|"),
);
const OF_A_PROGRAM = quick(
  String.raw`(?<!\p{L})(?:builds?|merges?|rebase|tests?|jobs?|pipelines?|ci|deploy\p{L}*|commands?|process|downloads?|install\p{L}*|compil\p{L}*|results?|outputs?|response|timeout)(?!\p{L})|构建|编译|测试|ビルド|テスト|빌드|테스트`,
  "i",
);

/** Tells whether nothing that came after speaks of an item, but to say that it is still open. */
function unlessClosed(later: readonly Prose[], { reading, language, closed }: CarriedInput): IsOpen {
  const { next, blocked } = CUES[language];
  const said = later.flatMap(({ isUser, text }) =>
    splitSentences(text, { sentencesMax: SENTENCES_PER_MESSAGE }).filter(
      (sentence) => isUser || (!next.test(sentence) && !blocked.test(sentence)),
    ),
  );
  const spoken = said.map(rootsOf);
  // Deeds and calls may be older than the list, and must say nearly all of an item.
  const calls = Array.from(reading.log.values(), ({ name, brief }) => `${name.replaceAll("_", " ")} ${brief}`);
  const isDone = matcher([...closed, ...calls.toReversed()]);
  return (item, sharedMin = SHARED_MIN) => {
    const roots = [...rootsOf(item)];
    const min = Math.max(sharedMin, isDense(item) ? DENSE_SHARE * roots.length : 0);
    return !isDone(item) && !spoken.some((other) => roots.filter((root) => other.has(root)).length >= min);
  };
}

type IsOpen = (item: string, sharedMin?: number) => boolean;

const SHARED_MIN = 2;
/** A sentence that names several things is wrong once one of them is done, which may be said in a word. */
const PART_SHARED_MIN = 1;
/** Where each character is a word, a few are shared by chance. */
const DENSE_SHARE = 0.4;
const ROOT_CHARS = 4;

/** Beginnings of words, so short that "einreichen" and "eingereicht" are one; numbers tell nothing, for dates are shared by much. */
function rootsOf(text: string): ReadonlySet<string> {
  const roots = new Set<string>();
  visitContentWords(text, (word) => {
    if (!/^\d/.test(word)) roots.add(word.replace(GRAMMAR, "$1").slice(0, ROOT_CHARS));
  });
  return roots;
}

const GRAMMAR = /^(ab|an|auf|aus|ein|mit|nach|vor|zu|)ge(?=\p{L}{4})/u;

function isDense(text: string): boolean {
  return /[\u3040-\u30ff\u3400-\u9fff]/.test(text);
}
