/**
 * What a short value of a tool says went wrong, in whatever language: a top-level `error` that says something, in an object that says
 * neither that all went well nor what came of it. Looks at whole values only, never at a part of one.
 */

import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { quick } from "../text/quick-expressions.ts";

/** A longer value is a record that has an error among other things. */
const VALUE_CHARS_MAX = 800;
const KEYS_MAX = 8;

/** Undefined where the value says nothing of the kind. */
export function errorFieldOf(text: string): string | undefined {
  // Few results have one, so that few are parsed. How it ends is seen at once.
  if (text.length > VALUE_CHARS_MAX || !text.trimEnd().endsWith("}") || !text.includes('error"')) return undefined;
  const value = parsed(text);
  if (value === undefined || Object.keys(value).length > KEYS_MAX || hasSucceeded(value)) return undefined;
  const { error } = value;
  if (typeof error === "string") return saysNone(error) ? undefined : (messageIn(value) ?? error.trim());
  if (error === true) return messageIn(value);
  return error !== undefined && isObject(error) ? (messageIn(error) ?? codeIn(error)) : undefined;
}

function parsed(text: string): JsonObject | undefined {
  try {
    // JSON.parse returns nothing else.
    const value = JSON.parse(text) as JsonValue;
    return isObject(value) ? value : undefined;
  } catch {
    // Most values of programs only look like it; they are read by their lines.
    return undefined;
  }
}

/** Whether the words of such a field say that there was no error. */
export function saysNone(said: string): boolean {
  return said.length <= NONE_CHARS_MAX && NO_ERROR.test(said);
}

/** Longer words say which one. */
const NONE_CHARS_MAX = 40;
/** As programs write that there is none, and as people do. */
const NO_ERROR = quick(
  String.raw`^(?:(?!\p{L})\D)*(?:none|null|nil|undefined|false|no|ok|success|0|n\/?a|no[ _-]?errors?|without errors?|keine?r?|kein fehler|aucune?|aucune erreur|ning[uú]n[oa]?|sin errore?s?|nessun[oa]?|nessun errore|nenhum|sem erros?|нет|нет ошибок|无|没有错误|なし|エラーなし|없음|لا يوجد)?(?:(?!\p{L})\D)*$`,
  "i",
);
const SUCCESS = /^(?:ok|success|succeeded|successful|completed?|done|passed|active|open|confirmed)$/i;
const STATUS_KEYS: readonly string[] = ["status", "state", "result"];
/** What came of it: beside that, an error is a remark or belongs to what was looked up. */
const OUTCOME_KEYS: readonly string[] = ["data", "output", "stdout", "results", "items", "rows", "content", "id"];

function hasSucceeded(value: JsonObject): boolean {
  if (value.success === true || value.ok === true) return true;
  return (
    STATUS_KEYS.some((key) => typeof value[key] === "string" && SUCCESS.test(value[key])) ||
    OUTCOME_KEYS.some((key) => saysSomething(value[key]))
  );
}

function saysSomething(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === "" || value === false) return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}

const MESSAGE_KEYS: readonly string[] = ["message", "detail", "description", "reason"];

function messageIn(value: JsonObject): string | undefined {
  for (const key of MESSAGE_KEYS) {
    const said = value[key];
    if (typeof said === "string" && said.trim() !== "") return said.trim();
  }
  return undefined;
}

function codeIn({ code, type }: JsonObject): string | undefined {
  const said = code ?? type;
  return (typeof said === "string" && said !== "") || (typeof said === "number" && said !== 0)
    ? String(said)
    : undefined;
}
