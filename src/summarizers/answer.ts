/**
 * Reads a model's reply: the clean text of a summary, or an error with a reason when it is empty, cut off, a refusal, an error
 * report, a copy of the prompt or far too long.
 */

import { isObject } from "../core/json.ts";
import type { Completion } from "./ask.ts";
import { type SummaryFailureReason, summaryFailed } from "./failure.ts";
import type { Prompt } from "./prompts.ts";
import { plainText } from "./serialize.ts";

/** An answer that is longer than allowed by this factor is refused instead of cut. */
const TOO_LONG_FACTOR = 10;

interface AnswerCheck {
  readonly prompt: Prompt;
  /** The conversation as it was sent; a summary may quote it, but not consist of it. */
  readonly transcript?: string;
  readonly maxTokens: number;
  readonly countText: (text: string) => number;
}

/** The clean text, or an error that says why it cannot be used. */
export function acceptAnswer(reply: Completion, check: AnswerCheck): string {
  // `complete` is the caller's and may return anything.
  const { text, stopReason }: Partial<Completion> = isObject(reply) ? reply : {};
  if (stopReason === "refusal") throw failed("refusal");
  if (typeof text !== "string") throw failed("empty");
  const answer = unwrap(plainText(text).trim()).trim();
  if (answer === "") throw failed("empty");
  if (stopReason === "length") throw failed("truncated");
  if (isErrorText(answer)) throw failed("error-text");
  if (isRefusal(answer)) throw failed("refusal");
  if (isEcho(answer, check)) throw failed("echo");
  if (check.countText(answer) > check.maxTokens * TOO_LONG_FACTOR) throw failed("too-long");
  return answer;
}

type AnswerFailure = Exclude<SummaryFailureReason, "error" | "timeout" | "overflow" | "no-room" | "no-input">;

const EXPLANATIONS: Readonly<Record<AnswerFailure, string>> = {
  empty: "The model's answer has no text.",
  truncated: "The model's answer was cut off at its output limit.",
  refusal: "The model refused.",
  "error-text": "The model's answer is an error report.",
  "too-long": `The model's answer is more than ${TOO_LONG_FACTOR} times as long as allowed.`,
  echo: "The model's answer repeats what it was given.",
  "missing-sections": "The model's answer lacks sections that it was asked for.",
  unrelated: "The model's answer says nothing of the conversation.",
  "wrong-language": "The model's answer is not in the language of the conversation.",
};

export function failed(reason: AnswerFailure): Error {
  return summaryFailed(reason, EXPLANATIONS[reason]);
}

/** A code fence around the whole answer is wrapping, not content. */
function unwrap(text: string): string {
  const lines = text.split("\n");
  const [first = ""] = lines;
  const isWrapped = lines.length > 2 && /^```\w*$/.test(first) && lines.at(-1) === "```";
  const inner = lines.slice(1, -1);
  return isWrapped && !inner.some((line) => line.startsWith("```")) ? inner.join("\n") : text;
}

const ERROR_CHARS_MAX = 1_500;
/**
 * How error reports begin. A summary about errors may begin with the same words, but continues as a sentence where a report ends,
 * breaks off or gives a number.
 */
const ERROR_TEXTS: readonly RegExp[] = [
  /^(?!(?:the|this|that|an?|one|no|each|every) )(?:\w+ ?){0,2}error\b\s*(?:[:\d]|\([^)\n]{0,60}\)\s*(?:$|[:.,;\n–—-]))/i,
  /^error(?:$| generating\b)/i,
  /^(?:[\w.]*exception\s*(?:[:(]|$)|exception in thread\b|traceback \(most recent)/i,
  /^(?:[45]\d\d )?(?:internal server error|service (?:temporarily )?unavailable|bad gateway|gateway time-?out|too many requests|rate limit(?:ed)?)\s*(?:$|[\n.,:;!([{<\d–—-])/i,
  /^rate limit (?:exceeded|reached|error)\b/i,
  /^(?:<!doctype html|<html|http\/\d(?:\.\d)? \d{3}\b|summary unavailable\b)/i,
  /^\{\s*"(?:error|errors|type"\s*:\s*"error|detail)"/,
];

function isErrorText(answer: string): boolean {
  return answer.length <= ERROR_CHARS_MAX && ERROR_TEXTS.some((opening) => opening.test(answer));
}

const REFUSAL_CHARS_MAX = 600;
/** In other languages a refusal is known by what it lacks: sections, and anything of the conversation. */
const REFUSAL =
  /^(?:i(?:'|’)?m (?:really |very )?sorry|(?:i(?:'|’)m )?sorry,|i apologi[sz]e|i (?:can(?:no|')?t|cannot|can’t|won(?:'|’)t|am (?:not able|unable)|must decline)|i(?:'|’)m (?:not able|unable)|as an ai\b|unfortunately, i (?:can|am))/i;

function isRefusal(answer: string): boolean {
  return answer.length <= REFUSAL_CHARS_MAX && REFUSAL.test(answer);
}

const ECHO_LINE_CHARS_MIN = 30;
const INSTRUCTION_LINES_MAX = 2;
/** An answer has to repeat the headings that the task gives. */
const HEADING = /^(?:#{1,6}\s|\*\*[^*]+\*\*:?$)/;
const ECHO_RATIO_MAX = 0.7;
const ECHO_CHARS_MIN = 400;

/** True for a text with our fence, with several lines of our instructions, or mostly made of lines of the conversation. */
function isEcho(answer: string, { prompt, transcript }: AnswerCheck): boolean {
  if (answer.includes(prompt.nonce)) return true;
  const lines = longLines(answer);
  const fence = prompt.prompt.indexOf(`<data-${prompt.nonce}`);
  const task = fence < 0 ? prompt.prompt : prompt.prompt.slice(0, fence);
  const instructions = new Set(longLines(`${prompt.system}\n${task}`));
  const repeated = lines.filter((line) => instructions.has(line) && !HEADING.test(line));
  if (repeated.length > INSTRUCTION_LINES_MAX) return true;
  if (transcript === undefined || answer.length < ECHO_CHARS_MIN) return false;
  const sent = new Set(longLines(transcript));
  const repeatedChars = lines.filter((line) => sent.has(line)).reduce((sum, line) => sum + line.length, 0);
  return repeatedChars > answer.length * ECHO_RATIO_MAX;
}

function longLines(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.length >= ECHO_LINE_CHARS_MIN);
}
