/**
 * Whether an error says that the context window was exceeded, and with which numbers. One list of wordings for all
 * formats, because compatible servers mix them. Reads only what errors are made of, never a request that hangs on one.
 */

import { isArray, isObject, type JsonObject, numberOf } from "../core/json.ts";
import type { Overflow } from "../core/ports.ts";
import { BODY_SIZE_WORDINGS, NOT_OVERFLOW_WORDINGS, OVERFLOW_WORDINGS } from "./overflow-wordings.ts";

/** Takes a thrown error, a parsed body or stream event of any provider, a text, or a bare HTTP status. */
export function readOverflow(error: unknown): Overflow | undefined {
  const report = gather(error);
  if (report.statuses.some((status) => BUSY_STATUSES.has(status))) return undefined;
  if (saysAny(report, NOT_OVERFLOW_WORDINGS)) return undefined;
  const matches = OVERFLOW_WORDINGS.flatMap((wording) => report.texts.map((text) => wording.exec(text))).filter(
    (match) => match !== null,
  );
  if (matches.length > 0) return { ...numbersOf(matches), ...report.numbers };
  const isBodySize = report.statuses.includes(TOO_LARGE_STATUS) || saysAny(report, BODY_SIZE_WORDINGS);
  return isBodySize ? { isBodySize } : undefined;
}

function saysAny({ texts }: Report, wordings: readonly RegExp[]): boolean {
  return texts.some((text) => wordings.some((wording) => wording.test(text)));
}

/** Rate limited, unavailable, overloaded: never a matter of size, whatever the text says. */
const BUSY_STATUSES: ReadonlySet<number> = new Set([429, 503, 529]);
const TOO_LARGE_STATUS = 413;

/** Causes may be nested; a chain longer than this says nothing new. */
const DEPTH_MAX = 8;
/** Some errors quote the request; what is wrong stands at their beginning. */
const TEXT_CHARACTERS_MAX = 8_192;

/** Where SDKs, proxies and HTTP clients put the error inside the error. */
const NESTED_KEYS = ["error", "cause", "response", "body", "data", "details", "lastError", "responseBody", "$metadata"];
const TEXT_KEYS = [
  "message",
  "code",
  "type",
  "status",
  "name",
  "__type",
  "error_code",
  "msg",
  "detail",
  "reason",
  "statusText",
];
const STATUS_KEYS = ["status", "statusCode", "status_code", "httpStatusCode", "code"];

interface Report {
  readonly texts: string[];
  readonly statuses: number[];
  numbers: Overflow;
}

function gather(error: unknown): Report {
  const report: Report = { texts: [], statuses: [], numbers: {} };
  const seen = new Set<unknown>();
  const visit = (value: unknown, depth: number): void => {
    if (typeof value === "number") report.statuses.push(value);
    if (typeof value === "string") addText(report, value);
    if (depth > DEPTH_MAX || seen.has(value)) return;
    seen.add(value);
    if (isArray(value)) for (const element of value) visit(element, depth + 1);
    if (!isObject(value)) return;
    addFields(report, value);
    for (const key of NESTED_KEYS) visit(value[key], depth + 1);
  };
  visit(error, 0);
  return report;
}

function addFields(report: Report, object: JsonObject): void {
  for (const key of STATUS_KEYS) {
    const status = numberOf(object[key]);
    if (status !== undefined) report.statuses.push(status);
  }
  for (const key of TEXT_KEYS) {
    const text = object[key];
    if (typeof text === "string") addText(report, text);
  }
  // llama.cpp states both beside its sentence.
  const actual = numberOf(object.n_prompt_tokens);
  const maximum = numberOf(object.n_ctx);
  if (actual !== undefined) report.numbers = { ...report.numbers, actualTokens: actual };
  if (maximum !== undefined) report.numbers = { ...report.numbers, maximumTokens: maximum };
}

/** Texts name the status too: `429 {"type":"error",…}`, `Error code: 413 - …`, `HTTP/1.1 413 …`, `status code 413`. */
const STATED_STATUS = /(?:^\W*|\bHTTP\S*\s+|\b(?:status|error)(?: code)?:?\s*)(?<status>[45]\d\d)\b(?! tokens)/i;

function addText(report: Report, text: string): void {
  const start = text.slice(0, TEXT_CHARACTERS_MAX);
  report.texts.push(start);
  const status = STATED_STATUS.exec(start)?.groups?.status;
  if (status !== undefined) report.statuses.push(Number(status));
}

/** The first wording that states a number decides; wordings are ordered from specific to vague. */
function numbersOf(matches: readonly RegExpExecArray[]): Overflow {
  for (const { groups } of matches) {
    const actual = toNumber(groups?.actual);
    const maximum = toNumber(groups?.maximum);
    if (actual === undefined && maximum === undefined) continue;
    const extra = toNumber(groups?.extra);
    const output = extra ?? toNumber(groups?.output);
    return {
      ...(actual !== undefined && { actualTokens: actual + (extra ?? 0) }),
      ...(output !== undefined && { outputTokens: output }),
      ...(maximum !== undefined && { maximumTokens: maximum }),
    };
  }
  return {};
}

function toNumber(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits.replace(/\D/g, ""));
}
