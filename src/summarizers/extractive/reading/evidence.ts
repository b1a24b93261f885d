/**
 * What calls prove to be done: commits that were made, checks that passed, things that were created or changed elsewhere.
 * Only calls that succeeded count. Reads names and arguments of calls and bounded excerpts of results.
 */

import { OUTCOME_MARK } from "../../../core/checkpoint/checkpoint.ts";
import { isArray, isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { type Message, type ToolCallPart, type ToolResultPart, textsOf } from "../../../core/message.ts";
import { failureKeyOf } from "../calls/call-keys.ts";
import { failureOf, withoutPipes } from "../calls/call-outcome.ts";
import { commandText } from "../calls/command-text.ts";
import { differing, givenIn, isToldByArguments } from "../calls/given-arguments.ts";
import { knownByName } from "../calls/known-names.ts";
import { passedCheck } from "../calls/passed-check.ts";
import { oneLine } from "../text/sentences.ts";
import type { LoggedCall } from "./reading.ts";

const SUBJECT_CHARS_MAX = 160;
const COMMITS_MAX = 60;

/** Subjects of the commits that were made, oldest first. */
export function commitsOf(messages: readonly Message[]): readonly string[] {
  const waiting = new Map<string, string>();
  const subjects = new Set<string>();
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type === "tool-call") {
        const subject = commitSubject(part);
        if (subject !== undefined) waiting.set(part.callId ?? part.name, subject);
      } else if (part.type === "tool-result" && waiting.size > 0) {
        const key = part.callId ?? part.name ?? "";
        const subject = waiting.get(key);
        if (subject === undefined) continue;
        waiting.delete(key);
        if (failureOf(part) === undefined) subjects.add(subject);
      }
    }
  }
  return [...subjects].slice(-COMMITS_MAX);
}

const COMMAND_KEYS: readonly string[] = ["command", "cmd", "script"];
const COMMAND_CHARS = 4_000;
const HEREDOC_SUBJECT = /<<-?\s*['"]?\w+['"]?\s*\n\s*([^\n]{3,300})/;
const QUOTED_SUBJECT = /\s-[a-z]*m\s*(?:"([^"\n]{3,300})|'([^'\n]{3,300}))/;

/** Whether a call runs a command with these words, however far behind its beginning. */
export function runs({ input }: ToolCallPart, words: string): boolean {
  return isObject(input) && COMMAND_KEYS.some((key) => commandUnder(input, key)?.includes(words) === true);
}

function commandUnder(input: JsonObject, key: string): string | undefined {
  const value = input[key];
  const command = value !== undefined && isArray(value) ? commandText(value) : value;
  return typeof command === "string" ? command : undefined;
}

function commitSubject({ input }: ToolCallPart): string | undefined {
  if (!isObject(input)) return undefined;
  for (const key of COMMAND_KEYS) {
    const command = commandUnder(input, key);
    if (command === undefined) continue;
    const at = command.indexOf("git commit");
    if (at < 0) continue;
    const rest = command.slice(at, at + COMMAND_CHARS);
    const quoted = QUOTED_SUBJECT.exec(rest);
    const direct = quoted?.[1] ?? quoted?.[2];
    const subject = direct === undefined || direct.startsWith("$(") ? HEREDOC_SUBJECT.exec(rest)?.[1] : direct;
    return subject === undefined ? undefined : oneLine(subject, SUBJECT_CHARS_MAX);
  }
  return undefined;
}

/** Calls that close what they name: "close tide-6". */
export function closingCalls(calls: readonly Called[]): readonly string[] {
  return calls.flatMap(({ name, brief }) => (isClosing(name) || CLOSING.test(brief) ? [brief] : []));
}

/** Calls that take up what they name: "update tide-6 --status in_progress". */
export function claimingCalls(calls: readonly Called[]): readonly string[] {
  return calls.flatMap(({ name, brief }) => (isClaiming(name) || CLAIMING.test(brief) ? [brief] : []));
}

type Called = Pick<LoggedCall, "name" | "brief">;

const CLAIMING = /(?:^|[\s_\-.:=])(?:in[_-]progress|claim|claimed)(?=[\s_\-.:="']|$)/i;

const CLOSING =
  /(?:^|[\s_\-.:])(?:close|closed|complete|completed|done|finish|finished|resolve|resolved|merge)(?=[\s_\-.:=]|$)/i;

const isClosing = knownByName((name) => CLOSING.test(name));
const isClaiming = knownByName((name) => CLAIMING.test(name));

const CHECKS_MAX = 2;
/** A check that passed so many calls ago proves little by now. */
const CALLS_LOOKED_AT = 200;
const CHANGES_MAX = 8;
/** Fewer characters stand in a sentence by chance. */
const NAME_CHARS_MIN = 4;

/** The newest checks that passed, newest first, without those that `failed` later, by the keys of failures. */
export function passedChecks(log: Iterable<LoggedCall>, failed: ReadonlySet<string> = NO_KEYS): readonly string[] {
  const checks: string[] = [];
  // Looks no further than it must, and for the key of a call only where it passed: both take long.
  for (const { name, brief, result, excerpt } of [...log].slice(-CALLS_LOOKED_AT).reverse()) {
    if (checks.length >= CHECKS_MAX) break;
    const outcome = passedCheck(brief, result, excerpt);
    if (outcome === undefined || failed.has(failureKeyOf(name, brief))) continue;
    checks.push(`${withoutPipes(brief)}${OUTCOME_MARK}${outcome}`);
  }
  return checks;
}

const NO_KEYS: ReadonlySet<string> = new Set();

/**
 * What other tools changed, newest first, unless a sentence names what they were called with or what came of it. In the words that `tell` has
 * for a call, where it has any.
 */
export function changesMade<Call extends LoggedCall>(
  log: Iterable<Call>,
  said: readonly string[] = [],
  tell: (call: Call) => string | undefined = () => undefined,
): readonly string[] {
  const isNamed = (name: string): boolean => said.some((sentence) => sentence.includes(name));
  const isSaid = ({ brief, result }: Call, told: readonly Given[]): boolean =>
    (brief.length >= NAME_CHARS_MIN &&
      (told.length === 0
        ? isNamed(brief)
        : said.some((sentence) => sentence.includes(brief) && names(sentence, told)))) ||
    receiptsIn(result).some(isNamed);
  const changes: string[] = [];
  const made = [...log].filter(isChange).reverse();
  for (const call of made) {
    if (changes.length >= CHANGES_MAX) break;
    const other = siblingOf(call, made);
    const told = other === undefined ? [] : differing(call.input, other.input);
    if (!isSaid(call, told)) changes.push(tell(call) ?? changeLine(call, told));
  }
  return changes;
}

type Given = readonly [key: string, value: string];

/** The call before it that changed the same thing by the same tool, else one behind it. */
function siblingOf<Call extends LoggedCall>(call: Call, newestFirst: readonly Call[]): Call | undefined {
  const same = newestFirst.filter(({ name, brief }) => name === call.name && brief === call.brief);
  const at = same.indexOf(call);
  return same[at + 1] ?? same[at - 1];
}

/** Whether a sentence has one of the values, or what one of them is called. */
function names(sentence: string, given: readonly Given[]): boolean {
  const words = sentence.toLowerCase();
  return given.some(
    ([key, value]) => words.includes(value.toLowerCase()) || words.includes(key.toLowerCase().replaceAll("_", " ")),
  );
}

const RESULT_CHARS_READ = 600;
/** "NL-2026-0417", "WT77034": letters, then digits. A date or a sum is no name. */
const RECEIPT = /(?<![\w-])[A-Z]{1,6}-?\d[\w-]{2,30}(?![\w-])/g;

/** Under which numbers a result keeps what came of a call. */
export function receiptsIn({ content }: ToolResultPart): readonly string[] {
  return textsOf(content).flatMap((text) => text.slice(0, RESULT_CHARS_READ).match(RECEIPT) ?? []);
}

const ARGUMENTS_CHARS_MAX = 80;

/**
 * Of what has a number of its own, with what it was set to: the number alone does not say. Of two changes of one thing, with what differs. Other
 * numbers stand among the identifiers.
 */
function changeLine({ name, brief, input }: LoggedCall, differs: readonly Given[]): string {
  if (brief === "") return name;
  const given = differs.length > 0 ? differs : isNumbered(brief) ? [...givenIn(input)] : [];
  const others = given.filter(([, value]) => value !== brief);
  const set = others.filter(([key]) => !ID_KEY.test(key));
  const told = (set.length > 0 || differs.length === 0 ? set : others)
    .map(([key, value]) => `${key}: ${value}`)
    .join(", ");
  return told === "" ? `${name}: ${brief}` : `${name}: ${brief} (${oneLine(told, ARGUMENTS_CHARS_MAX)})`;
}

export const ID_KEY = /(?:^|_)ids?$|[a-z]Ids?$/;

/** "BV-77120": a number under which something is kept. */
export function isNumbered(brief: string): boolean {
  return NUMBERED.test(brief);
}

const LETTERED = /^#?[A-Z]{1,6}-?\d[\w-]{2,30}$/;
/** "48213", "2FBBAH" as well. */
const NUMBERED = /^#?(?:[A-Z]{1,6}-?\d[\w-]{2,30}|\d{4,12}|(?=[A-Z]*\d)(?=\d*[A-Z])[A-Z\d]{5,8})$/;

const CHANGE_NAME = new RegExp(
  `(?:^|[_\\-.:])(?:${[
    "create|update|delete|cancel|book|send|modify|publish|deploy|transfer|exchange|return|insert|merge|close|upload|submit|remove|reply|schedule|assign",
    "(?:um)?buchen|[aä]e?ndern|stornieren|senden|anlegen|l[oö]e?schen|verschieben|aktualisieren|erstellen",
    "r[eé]server|modifier|annuler|envoyer|cr[eé]er|supprimer|d[eé]placer|changer",
    "reservar|modificar|cancelar|enviar|crear|eliminar|cambiar|actualizar|mover",
    "criar|alterar|excluir|atualizar|mudar|prenotare?|modificare?|annullare?|inviare?|creare?|eliminare?|spostare?|aggiornare?",
    "забронировать|изменить|отменить|отправить|создать|удалить|обновить|перенести",
    "hochstufen|erstatten|surclasser|rembourser|reembolsar|rimborsare?|повысить|возместить",
  ].join(
    "|",
  )})(?=[_\\-A-Z]|$)|(?:^|__|[.:])(?:upgrade|downgrade|rebook|reschedule|refund|register|approve|pay|purchase|change(?!_(?:dir|mode|tab|view))|move(?!_(?:mouse|cursor|to)))(?=[_\\-A-Z]|$)|升级|アップグレード|업그레이드|ترقية|预订|修改|取消|发送|创建|删除|更新|予約|変更|キャンセル|送信|作成|削除|예약|변경|취소|전송|생성|삭제|حجز|تعديل|إلغاء|إرسال|إنشاء|حذف`,
  "u",
);

const ONE_WORD = /^[^_\-.:\s]+$/;

/** A verb alone is a command of an editor, and what it did stands among the files, unless it was given a number to look up. */
export function isChange({ name, brief }: Called): boolean {
  const { isVerb, isWord } = toldByName(name);
  return isVerb && (!isWord || LETTERED.test(brief));
}

const toldByName = knownByName((name) => ({
  isVerb: CHANGE_NAME.test(name) && !/todo|plan|file|memory/i.test(name),
  isWord: ONE_WORD.test(name),
}));

/** Whether another call with this input, on the same thing by the same tool, does not stand for one before. */
export function isChangedOtherwise(before: LoggedCall, input: JsonValue): boolean {
  return isToldByArguments(input) && isChange(before) && differing(before.input, input).length > 0;
}
