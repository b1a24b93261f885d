/** Whether a tool result reports a failure, and how to say so in one line. Reads a bounded part of any result. */

import type { ToolFailure } from "../../../core/checkpoint/checkpoint.ts";
import { OUTCOME_MARK } from "../../../core/checkpoint/checkpoint.ts";
import { isArray, isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import type { ToolCallPart, ToolResultPart } from "../../../core/message.ts";
import { INTERRUPTED_TEXT } from "../../../core/repair/rounds.ts";
import { isScrap, unwrapped } from "../text/scraps.ts";
import { oneLine } from "../text/sentences.ts";
import { commandText } from "./command-text.ts";
import { errorFieldOf, saysNone } from "./error-field.ts";
import { taggedCall } from "./tagged-call.ts";

export const FAILURE_CHARS_MAX = 240;
/** Of the beginning and of the end of a result: whether it failed is said there. */
const READ_CHARS = 400;
const BRIEF_CHARS_MAX = 90;

/** The line that says what went wrong; undefined when the call succeeded. */
export function failureOf(result: ToolResultPart, text = excerpt(result)): string | undefined {
  const hasFailed =
    result.isError ||
    /^(?:error|fatal|traceback|failed|exception)\b/i.test(text.trimStart()) ||
    /isError["']?\s*[=:]\s*true\b/i.test(text) ||
    text.includes("<tool_use_error>") ||
    isRefused(text) ||
    (text.length < TIMEOUT_CHARS_MAX && /\btimed out\b/i.test(text)) ||
    hasExitCode(text);
  return hasFailed ? (fieldMessage(text) ?? errorLine(text)) : fieldError(text);
}

// A part of a word is found many times faster than a pattern, and most results have none of these.

function hasExitCode(text: string): boolean {
  // "turn" would be sought at every "t", of which a text is full.
  if (!text.includes("xit") && !text.includes("urn") && !text.includes("XIT") && !text.includes("URN")) return false;
  const exit = EXIT_CODE.exec(text);
  return exit !== null && exit[1] !== "0";
}

const EXIT_CODE =
  /\b(?:exit(?:ed)?(?: with)? (?:code|status)|exited with|exit_code|returncode|return code)\b["']?\s*[:=]?\s*(-?\d+)/i;

/** By an editor that checks what it is given, and takes nothing. */
function isRefused(text: string): boolean {
  if (/^Your proposed edit has introduced\b/i.test(text)) return true;
  return (text.includes("pplied") || text.includes("PPLIED")) && NOT_APPLIED.test(text);
}

const NOT_APPLIED = /\b(?:edit|changes?) (?:has|have|was|were) not(?: been)? applied\b/i;

/** A longer result may tell of somebody else's. */
const TIMEOUT_CHARS_MAX = 160;

/** Of a value that says what went wrong in words; undefined for any other. */
function fieldMessage(text: string): string | undefined {
  if (!VALUE.test(text)) return undefined;
  const said = errorFieldOf(text) ?? ERROR_FIELD.exec(text)?.[1];
  return said === undefined ? undefined : oneLine(said.replaceAll("\\", ""), FAILURE_CHARS_MAX);
}

/** A value that says so in a field of its own, however often it was put into a string; undefined for any other. */
function fieldError(text: string): string | undefined {
  if (!VALUE.test(text) || !/error|fail/i.test(text) || SUCCESS_FIELD.test(text)) return undefined;
  const own = errorFieldOf(text);
  if (own !== undefined) return oneLine(own, FAILURE_CHARS_MAX);
  const [, said = ""] = ERROR_FIELD.exec(text) ?? [];
  const isFailed = STATUS_FIELD.test(text) || (said !== "" && ERROR_LINE.test(said) && !saysNone(said));
  if (!isFailed) return undefined;
  const message = said === "" ? (MESSAGE_FIELD.exec(text)?.[1] ?? "") : said;
  return message === "" ? errorLine(text) : oneLine(message.replaceAll("\\", ""), FAILURE_CHARS_MAX);
}

const VALUE = /^\s*["'\\]*[[{]/;
const SUCCESS_FIELD = /"(?:success|ok)\\*"\s*:\s*true/i;
const STATUS_FIELD =
  /"(?:status|type|result)\\*"\s*:\s*\\*"(?:error|failed|failure)\\*"|"(?:success|ok)\\*"\s*:\s*false/i;
const ERROR_FIELD =
  /"(?:error\\*"\s*:\s*(?:\{\s*\\*"message\\*"\s*:\s*)?\\*"|text\\*"\s*:\s*\\*"(?=(?:error|failed)\b))((?:(?!\\*"\s*[,}\]\\]|\\+n).){3,240})/i;
const MESSAGE_FIELD = /"(?:message|detail|reason)\\*"\s*:\s*\\*"((?:(?!\\*"\s*[,}\]\\]).){3,240})/i;

const SEARCH = /^(?:grep|rg|egrep|find|ls|diff|cmp|test|which|\[)\b|\|\s*(?:grep|rg)\b[^|]*(?:\||→)/;
const BARE_EXIT = /(?:exit(?:ed)?|code|status)\D{0,20}\d+\.?$/i;

/** Not a search that found nothing, and not a call that was only broken off. */
export function isWorthTelling({ summary }: ToolFailure): boolean {
  return !isInterruption(summary) && !(SEARCH.test(summary) && BARE_EXIT.test(summary));
}

/** Whether a client kept the call from running: then there is no failure to overcome. Asserts nothing about who decided it, or why. */
export function isHeldBack({ summary }: ToolFailure): boolean {
  const at = summary.indexOf(OUTCOME_MARK);
  return HELD_BACK.test(summary.slice(at < 0 ? 0 : at + OUTCOME_MARK.length));
}

const HELD_BACK =
  /^\W*(?:error: )?(?:the )?user (?:doesn['’]t want to (?:proceed|take)(?!\w)|(?:has )?(?:denied|rejected|declined|refused))/i;

/** What stands in for a result that never came, whoever put it there, alone or behind the call. */
export function isInterruption(said: string): boolean {
  return said.endsWith(INTERRUPTED_TEXT) || INTERRUPTION.test(said.slice(-NOTE_CHARS_MAX));
}

/** A longer text is a result that tells of an interruption. */
const NOTE_CHARS_MAX = 160;
/** As clients write it for a person who broke off what was running. */
const INTERRUPTION =
  /(?:^|→ )(?:error: )?\[?(?:request|tool use|operation|command|execution) (?:was )?(?:interrupted|aborted|cancell?ed)(?: by (?:the )?user)?(?: for tool use)?\W*$|^\[?interrupted by (?:the )?user\W*$/i;

const LOOKING =
  /^(?:cd \S+ && )?(?:grep|rg|egrep|ls|find|cat|head|tail|pwd|wc|which|tree|sed -n|sleep|echo|git (?:status|log|diff|show|branch|add|fetch|stash)|gh (?:pr|run) (?:view|list))\b(?!.*(?:&&|;|>))/;

/** Whether a command only looks at something. */
export function isLooking(brief: string): boolean {
  return LOOKING.test(brief);
}

/** A command without what only shortens its output. */
export function withoutPipes(brief: string): string {
  // Most have neither, and one look tells.
  if (!brief.includes("|") && !brief.includes("2>&1")) return brief.trim();
  return brief.replace(/\s*2>&1|\s*\|\s*(?:tail|head|grep)\b[^|]*/g, "").trim();
}

/** The line of a successful result that tells most, short enough for a log; empty when there is none, or nothing but data. */
export function outcomeOf(result: ToolResultPart): string {
  const lines = wholeLines(result);
  const tells = (line: string): boolean => saysSomething(line) && !DATA_LINE.test(line) && !isScrap(line);
  // Few lines tell, so that few are looked at twice.
  const telling = lines.findLast((line) => TELLING_LINE.test(line) && tells(line)) ?? lines.find(saysSomething) ?? "";
  // What begins with data goes on with scraps of it.
  if (DATA_LINE.test(telling) || isScrap(telling) || (lines.length > 1 && STRING_LINE.test(telling))) return "";
  return oneLine(telling.slice(0, 4 * OUTCOME_CHARS_MAX), OUTCOME_CHARS_MAX);
}

/** Of a long result without the line that its end begins in, and without a short one that its beginning breaks off in. */
function wholeLines(result: ToolResultPart): readonly string[] {
  const { beginning, end } = endsOf(result);
  const first = linesOf(withoutColours(beginning));
  if (end === "") return first;
  const isLong = (first.at(-1) ?? "").length > OUTCOME_CHARS_MAX;
  return [...(isLong ? first : first.slice(0, -1)), ...linesOf(withoutColours(end)).slice(1)];
}

/** Alone it is a value, among others an item of a list. */
const STRING_LINE = /^["'][^"']*["'],?$/;
/** A key with its value, a label above a date or nothing, and what is left of a string that was cut. */
const DATA_LINE =
  /^[\\"'{[(}\])\s]*[\w$.@/ -]{1,60}\\*["']\s*:|\\["']|^[}\])]|\\+$|^\\|^-\s+\w+: \S+$|^[A-Za-z_][\w -]{0,24}:\s*(?:null|true|false|none|\d{4}-\d\d-\d\d[\dT:.Z+ -]*(?:[·|,;]\s*[a-z_ ]{1,24}:.*)?|["'{[].*)?$/i;
const OUTCOME_CHARS_MAX = 120;
const TELLING_LINE =
  /\b\d+ (?:tests?|passed|passing|failed|failures?|errors?|warnings?|files? changed|specs?|examples?)\b|\bsuccess(?:fully)?\b|\bcreated\b|\bupdated\b|\bcompleted\b|^\[\S+ [0-9a-f]{7,}\]/i;

/** What a call was about: its most telling argument, else its first. */
export function briefOf({ input }: ToolCallPart): string {
  const telling = isObject(input) ? (innerCall(input) ?? tellingValue(input)) : undefined;
  const value = telling ?? firstString(input, 0) ?? "";
  return oneLine(withoutTags(value.slice(0, 2 * BRIEF_CHARS_MAX)), BRIEF_CHARS_MAX);
}

/** Of words that stand within tags, which say no more than what form they have. */
function withoutTags(value: string): string {
  if (!value.trimStart().startsWith("<") || !/^\s*<[a-z][\w-]*>\s+[^<\s]/.test(value)) return value;
  return value.replace(/<\/?[a-z][\w-]*>/g, " ").trim();
}

/** The first word of a command, and the rest of its line. */
const COMMAND_LINE = /^\s*(\S+)[^\S\n]*([^\n]*)/;
const WRITTEN_CHARS = 2_000;

/** The command that a message ends with, of an agent that writes commands instead of calling; undefined for any other. */
export function writtenCommand(said: string): { readonly name: string; readonly brief: string } | undefined {
  const tagged = taggedCall(said);
  if (tagged !== undefined) return { name: tagged.name, brief: briefOf(tagged) };
  const [, block = ""] = /```[a-z]*\n((?:(?!```)[\s\S])+)```\s*$/.exec(said.slice(-WRITTEN_CHARS)) ?? [];
  const [, name = "", rest = ""] = COMMAND_LINE.exec(block) ?? [];
  return name === "" ? undefined : { name, brief: oneLine(rest, BRIEF_CHARS_MAX) };
}

const INNER_NAME_KEYS = inTurn(["tool_name", "toolName", "tool"]);
const INNER_INPUT_KEYS: readonly string[] = [
  "params",
  "arguments",
  "args",
  "tool_args",
  "tool_input",
  "input",
  "parameters",
];

/** Of a tool that calls other tools: which one, then its own most telling argument. Undefined for any other. */
function innerCall(input: JsonObject): string | undefined {
  const name = stringUnder(input, INNER_NAME_KEYS);
  const given = name === undefined ? undefined : innerInput(input);
  if (given === undefined) return undefined;
  const value = (isObject(given) ? tellingValue(given) : undefined) ?? firstString(given, 0) ?? "";
  return `${name} ${value}`;
}

/** What the other tool is given. */
export function innerInput(input: JsonObject): JsonValue | undefined {
  return INNER_INPUT_KEYS.map((key) => input[key]).find((value) => value !== undefined);
}

const TELLING_KEYS = inTurn(["command", "cmd", "file_path", "path", "url", "query", "pattern"]);

function tellingValue(input: JsonObject): string | undefined {
  return stringUnder(input, TELLING_KEYS);
}

/** Names by their turn: what stands first counts first. */
function inTurn(keys: readonly string[]): ReadonlyMap<string, number> {
  return new Map(keys.map((key, turn) => [key, turn]));
}

/** The first that is one, and not empty. Goes through the arguments, which are fewer than the names. */
function stringUnder(input: JsonObject, keys: ReadonlyMap<string, number>): string | undefined {
  let found: string | undefined;
  let best = keys.size;
  for (const key in input) {
    const turn = keys.get(key) ?? best;
    if (turn >= best) continue;
    const given = input[key];
    const value = given !== undefined && isArray(given) ? commandText(given) : given;
    if (typeof value !== "string" || value === "") continue;
    found = value;
    best = turn;
  }
  return found;
}

const DEPTH_MAX = 3;

function firstString(input: JsonValue, depth: number): string | undefined {
  if (typeof input === "string") return input.length >= 3 ? input : undefined;
  if (depth > DEPTH_MAX || typeof input !== "object" || input === null) return undefined;
  for (const value of Object.values(input)) {
    const found = value === undefined ? undefined : firstString(value, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The beginning and the end of a result's text, without colours. */
export function excerpt(result: ToolResultPart): string {
  const { beginning, end } = endsOf(result);
  return withoutColours(end === "" ? beginning : `${beginning}\n${end}`);
}

/** Of a short text the beginning is all. */
function endsOf(result: ToolResultPart): { readonly beginning: string; readonly end: string } {
  const part = result.content.find((inner) => inner.type === "text" && inner.text !== "");
  const text = part?.type === "text" ? part.text : "";
  if (text.length <= 2 * READ_CHARS) return { beginning: text, end: "" };
  return { beginning: text.slice(0, READ_CHARS), end: text.slice(-READ_CHARS) };
}

function withoutColours(text: string): string {
  // Both need a bracket.
  return text.includes("[") ? text.replace(COLOURS, "").replace(WRAPPING, "") : text;
}

/** What terminals use for colours, with or without its first character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is the character
const COLOURS = /\u001b\[[0-9;]{0,20}[A-Za-z]|\[[0-9]{1,3}(?:;[0-9]{1,3}){0,4}m/g;

/** How a client for tools prints the value that holds the text. */
const WRAPPING = /^meta=\S+ content=\[TextContent\(type='text', text=['"]/;

/** A line with a word in it that does not merely open something: no frames, no lone brackets, no echo of a script's name. */
function saysSomething(line: string): boolean {
  return !/^[>|] ?|[\u2500-\u257f]/.test(line) && /\p{L}{2}|\d/u.test(line) && !/[{[(,][\\"']*$/.test(line);
}

/** Of a text whose line breaks may be written as in a string. */
function linesOf(text: string): readonly string[] {
  return text.split(text.includes("\\n") ? /\n|\\n/ : "\n").map((line) => line.trim());
}

/** "TypeError: x is not a function", "fatal: no such ref": a kind, a colon, and what it is. */
const ERROR_MESSAGE = /(?:error|exception|fatal|panic)[^:\s]*(?:\[\w+\])?: \S.{6}/i;
const ERROR_LINE =
  /error|fail|exception|denied|not found|no such|cannot|can't|unable|invalid|timed? ?out|refused|fatal|undefined/i;

/** The line that says what went wrong, in a text that says so. */
export function errorLine(text: string): string {
  const lines = linesOf(text.replace(/<\/?[a-z_]+>/g, ""));
  const telling =
    firstUnwrapped(lines, ERROR_MESSAGE) ??
    firstUnwrapped(lines, ERROR_LINE, (line) => line.length > 4 && saysSomething(line)) ??
    firstUnwrapped(lines, /./, saysSomething);
  return oneLine((telling ?? "error").slice(0, 1_000), FAILURE_CHARS_MAX);
}

/** The first that has the mark, and tells, without what it stood in. What has it so had it before, so that few lines need be unwrapped. */
function firstUnwrapped(
  lines: readonly string[],
  mark: RegExp,
  tells: (line: string) => boolean = () => true,
): string | undefined {
  for (const line of lines) {
    const words = mark.test(line) ? unwrapped(line) : "";
    if (mark.test(words) && tells(words)) return words;
  }
  return undefined;
}
