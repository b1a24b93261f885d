/**
 * What came of a call, by what proves it: the flag of the result, an error that is nested in it, an exit code, or how its text begins. Quotes the
 * cause, or what a result adds to its call: ids, numbers, titles, states. Reads a bounded part of a long result.
 */

import { isArray, isObject, type JsonArray, type JsonObject, type JsonValue } from "../../core/json.ts";
import { unwrap } from "../../core/unwrap.ts";
import { quoted } from "./calls.ts";
import { boundedText, oneLine } from "./text.ts";
import { fieldsOf, labelOf, measureOf, nameOf, PACKING, withoutLists } from "./values.ts";

const CAUSE_CHARS_MAX = 170;
const OUTCOME_CHARS_MAX = 130;
const READ_CHARS = 6_000;
/** Longer results are not parsed. */
const JSON_CHARS_MAX = 400_000;

/** The result as plain values; its text where it is none. */
export function plainResult(text: string): JsonValue {
  const start = text.trimStart().charAt(0);
  const looksPacked =
    start === "{" ||
    start === "[" ||
    start === '"' ||
    text.includes("TextContent(") ||
    /[}\]]\s*$/.test(text.slice(-20));
  return text.length <= JSON_CHARS_MAX && looksPacked ? unwrap(text) : text;
}

const FAILED_START =
  /^\W{0,10}(?:<tool_use_error>|(?:\w+ ){0,2}(?:error|failed|failure|fatal|exception)\b(?! ?s?:? ?(?:0|none|no)\b)|(?:\w+)?Error\b|Traceback \(most recent|Exit code:? ?[1-9]|npm (?:ERR!|error)|(?:bash|sh|zsh): .{1,80}: (?:command not found|No such file)|The user doesn't want|(?:\w+ ){0,4}timed out\b)/i;
/** What was to be changed stayed as it was. */
const REFUSED_START =
  /^\W{0,10}(?:(?:your|the|this|these) )?(?:(?:proposed|requested|suggested) )?(?:edits?|changes?|patch(?:es)?|replacements?|modifications?|updates?|commands?|requests?)(?: \w+){0,2}? (?:(?:not|never) (?:be |been )?(?:applied|made|executed|saved|accepted|allowed|written)|refused|rejected|discarded|denied|declined|blocked|(?:introduc|caus)\w* (?!no\b|0\b)(?:\w+ ){0,3}(?:errors?|problems?))\b/i;
/** Whatever follows, such as the lines of the file. */
const SUCCEEDED_START =
  /^\W{0,10}(?:(?:the|your|all|\d+) )?(?:\S+ ){0,3}(?:(?:has|have|was|were) (?:been )?(?:successfully )?(?:updated|created|written|edited|saved|applied|changed|replaced|modified|deleted|added)|successfully|succeeded)\b/i;
/** The whole of what a record says: what was named is not there, or was not done. */
const MISSED =
  /\b(?:not (?:be )?found|does ?n[o']t exist|(?:could|can) ?not|can't|unable to|failed to|no such|not (?:been )?(?:applied|allowed|permitted|loaded|changed|saved)|was (?:refused|rejected|denied)|is invalid|access denied)\b|^\W{0,3}(?:\w+ )?(?:failed|failure|invalid)\b/i;
const MISSED_CHARS_MAX = 400;
const EXIT_CODE =
  /(?:^|\n|\b)\W{0,3}(?:exit(?:ed)?(?: with)?(?: code| status)?|returncode>?|return code|exit_code)["']?\s*[:=]?\s*(\d{1,3})\b/gi;
const CAUSE =
  /\b\w*Error\b|\berrors?\b|\bE[A-Z]{4,}\b|exception|not found|denied|cannot|can't|could not|invalid|unable|refused|missing|undefined|no such|timed out|expected|unexpected|required/i;

/** Why a call failed; undefined where it did not. */
export function failureOf(text: string, plain: JsonValue, isError: boolean): string | undefined {
  const nested = nestedError(plain, 0);
  if (nested !== undefined) return oneLine(nested, CAUSE_CHARS_MAX);
  const said = typeof plain === "string" ? plain : text;
  const start = said.slice(0, 200);
  if (!isError && SUCCEEDED_START.test(start)) return undefined;
  const isFailed = isError || FAILED_START.test(start) || REFUSED_START.test(start) || exitCodeOf(said) > 0;
  return isFailed
    ? causeIn(
        typeof plain === "string"
          ? plain
          : fieldsOf(plain)
              .map(({ value }) => value)
              .join("\n"),
      )
    : undefined;
}

function exitCodeOf(text: string): number {
  for (const part of [text.slice(0, 200), text.slice(-200)]) {
    for (const [, code = "0"] of part.matchAll(EXIT_CODE)) if (Number(code) > 0) return Number(code);
  }
  return 0;
}

/** The line that names the cause; else the first. */
export function causeIn(text: string): string {
  const lines = boundedText(text, READ_CHARS)
    .split("\n")
    .map((line) => line.trim().replace(ENCLOSING, "$2"))
    .filter((line) => /[\p{L}\p{N}]/u.test(line));
  const names = (line: string): boolean => line.length > 12 && !/^exit code/i.test(line);
  const telling =
    lines.findLast((line) => THROWN.test(line)) ??
    lines.find((line) => CAUSE.test(line) && names(line)) ??
    lines.find((line) => /fail/i.test(line) && names(line)) ??
    lines[0] ??
    "";
  return oneLine(telling, CAUSE_CHARS_MAX);
}

/** How a trace names what was thrown. */
const THROWN = /^[\w.]{0,80}(?:Error|Exception): \S/;
/** A mark that a client puts around an error. */
const ENCLOSING = /^<(\w{1,40})>(.*)<\/\1>$/;

const ERROR_KEYS: readonly string[] = ["error", "errors", "Error", "err", "error_message", "errorMessage"];

/** What an object says went wrong: a flag, an error that says something, a state of failure. */
function nestedError(plain: JsonValue, depth: number): string | undefined {
  if (isArray(plain)) {
    if (depth > 2 || plain.length === 0 || plain.length > 3) return undefined;
    return plain.map((item) => nestedError(item, depth + 1)).find((said) => said !== undefined);
  }
  if (!isObject(plain))
    return depth > 0 && typeof plain === "string" && FAILED_START.test(plain.slice(0, 200)) && plain.length < 2_000
      ? plain
      : undefined;
  if (isFlagged(plain)) return messageOf(plain);
  const missed = onlyText(plain);
  if (missed !== undefined && MISSED.test(missed)) return missed;
  for (const key of ERROR_KEYS) {
    const given = plain[key];
    // A message that ends in a list was read as both.
    const error = isArray(given) && typeof given[0] === "string" ? given[0] : given;
    if (
      typeof error === "string" &&
      error.length > 3 &&
      !/^(?:none|null|false|no errors?|ok|n\/a|success)\W*$/i.test(error) &&
      Object.keys(plain).length <= 8
    )
      return messageOf(plain) || error;
    if (isObject(error) && fieldsOf(error).length > 0) return messageOf(error);
  }
  for (const [key, inner] of Object.entries(plain)) {
    if (depth > 2 || !isObject(inner) || !(PACKING.test(key) || /^(?:content|output)$/i.test(key))) continue;
    const error = nestedError(inner, depth + 1);
    if (error !== undefined) return error;
  }
  return undefined;
}

/** The message of a record that holds nothing else but flags. */
function onlyText(record: JsonObject): string | undefined {
  const [only, ...others] = Object.entries(record).filter(([, value]) => typeof value !== "boolean");
  if (only === undefined || others.length > 0 || !/^(?:message|msg|text|detail|result|output)$/i.test(only[0]))
    return undefined;
  const [, said] = only;
  return typeof said === "string" && said.length <= MISSED_CHARS_MAX ? said : undefined;
}

function isFlagged(record: JsonObject): boolean {
  const {
    isError,
    is_error: isErrorToo,
    success,
    ok,
    status,
    object,
    exit_code: exitCode,
    exitCode: exitCodeToo,
  } = record;
  if (isError === true || isErrorToo === true || success === false || ok === false || object === "error") return true;
  if (typeof status === "string" && /^(?:error|failed|failure)$/i.test(status)) return true;
  return [exitCode, exitCodeToo].some((code) => typeof code === "number" && code !== 0);
}

function messageOf(record: JsonObject): string {
  const fields = fieldsOf(record, 20).filter(({ value }) => !/^(?:true|false|\d{0,2})$/.test(value));
  const said =
    fields.find(({ key }) => /message|detail|reason|description|stderr|error/i.test(key)) ??
    fields.find(({ value }) => value.includes(" "));
  return causeIn(said?.value ?? fields.map(({ key, value }) => `${key} ${value}`).join(", "));
}

const OUTCOME_KEYS =
  /(?:^|\.)(?:id|number|sha|key|identifier|status|state|url|html_url|web_url|merged|version|login|\w*_?count|total|affected_rows|message)$/i;
const COUNTED =
  /\b\d+\s+(?:\w+\s){0,2}(?:pass|fail|error|warning|test|insert|update|delet|creat|chang|file|row|import|result|match|match|issue|item|found)/i;
/** Words that only say that all went well. */
const PLAIN_SUCCESS =
  /^(?:\(no (?:output|content)\)|(?:ok|done|success\w*|true|null|none|todos have been|the file \S+ has been (?:updated|created)|file (?:created|written|updated)|applied|no output|wrote|updated)\b)/i;

/** In a result of so few fields every number tells something: `updated 2`. */
const BRIEF_FIELDS_MAX = 6;
const LIST_DEPTH_MAX = 3;
const NAMED_MAX = 40;
const SHOWN_MAX = 4;

/** What a result tells beyond its call: what it names of a record, how many items a list has, the line of a text that counts. */
export function outcomeOf(plain: JsonValue, told: string): string {
  if (typeof plain === "string") return textOutcome(plain, told);
  if (isArray(plain)) return listOutcome(plain);
  if (!isObject(plain)) return String(plain);
  const list = listIn(plain, 0);
  const label = labelOf(plain);
  const fields = fieldsOf(withoutLists(plain));
  const isBrief = fields.length <= BRIEF_FIELDS_MAX;
  const telling = fields
    .filter(({ key, value }) => OUTCOME_KEYS.test(key) || (isBrief && /^\d{1,9}$/.test(value)))
    .filter(({ key, value }) => key.split(".").length <= 2 && value.length <= 80 && !key.startsWith(value))
    .filter(({ value }) => !(value.length > 3 && told.includes(value)) && !PLAIN_SUCCESS.test(value));
  const said = [...new Set(telling.map(({ key, value }) => `${key} ${quoted(value)}`))].slice(0, 4);
  const isLabelled = telling.some(({ value }) => value === label);
  if (label !== "" && !told.includes(label) && !isLabelled && said.length < 4) said.unshift(quoted(label));
  if (list !== undefined && said.length < 3) said.push(`${list.name}: ${listOutcome(list.items)}`);
  return oneLine(said.join(", "), OUTCOME_CHARS_MAX);
}

/** The first list of objects, with the name that it stands under. */
function listIn(record: JsonObject, depth: number): { readonly name: string; readonly items: JsonArray } | undefined {
  for (const [name, value] of Object.entries(record)) {
    if (isArray(value) && value.some((item) => isObject(item))) return { name, items: value };
    const inner = isObject(value) && depth < LIST_DEPTH_MAX ? listIn(value, depth + 1) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function listOutcome(list: readonly JsonValue[]): string {
  const labels = list.slice(0, NAMED_MAX).flatMap((item) => {
    const name = nameOf(item);
    return name === "" ? [] : `${quoted(oneLine(name, 40))}${measureOf(item)}`;
  });
  const names = [...new Set(labels)];
  const shown = names.length > SHOWN_MAX ? [...names.slice(0, SHOWN_MAX), "…"] : names;
  return oneLine(
    `${list.length} ${list.length === 1 ? "item" : "items"}${shown.length > 0 ? `: ${shown.join(", ")}` : ""}`,
    OUTCOME_CHARS_MAX,
  );
}

const REPEATED_WORDS_MAX = 4;

/** Whether a result says only once more what was called: "Replaced 1 occurrence in src/gate.ts." */
export function onlyRepeats(text: string, told: string): boolean {
  const words = text
    .split(/\s+/)
    .map((word) => word.replace(/^\W+|\W+$/g, ""))
    .filter((word) => word !== "");
  const fresh = words.filter((word) => !told.includes(word) && word !== "1");
  return (
    fresh.length <= REPEATED_WORDS_MAX &&
    !fresh.some((word) => /\d/.test(word)) &&
    words.some((word) => word.length > 3 && /[\d/._-]/.test(word) && told.includes(word))
  );
}

function textOutcome(text: string, told: string): string {
  if (text.length <= OUTCOME_CHARS_MAX && !text.trim().includes("\n")) {
    const isPlain = PLAIN_SUCCESS.test(text.trim()) || told.includes(text.trim()) || onlyRepeats(text, told);
    return isPlain ? "" : oneLine(text, OUTCOME_CHARS_MAX);
  }
  const lines = boundedText(text, READ_CHARS)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (lines.every((line) => PLAIN_SUCCESS.test(line))) return "";
  const counted =
    lines.slice(-12).findLast((line) => COUNTED.test(line)) ??
    lines.slice(0, 6).find((line) => COUNTED.test(line) || /^\[[\w./-]+ (?:\([\w-]+\) )?[0-9a-f]{7,}\]/.test(line));
  return oneLine(counted ?? "", OUTCOME_CHARS_MAX);
}
