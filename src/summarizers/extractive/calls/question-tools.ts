/**
 * What users settled through tools that speak for them: the question that the call put, and the answer that came back. Quotes both
 * sides. Whether a tool speaks for the user is not decided here, nor read out of any text: the host declares it.
 */

import { isArray, isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import type { ToolCallPart } from "../../../core/message.ts";
import { oneLine } from "../text/sentences.ts";
import { withoutLayout } from "../text/whole-statement.ts";

export interface Settled {
  /** What was asked. */
  readonly asked: string;
  readonly answer: string;
}

const RESULT_CHARS_MAX = 8_000;
/** Whoever answers at length tells more than a choice. */
const ANSWER_CHARS_MAX = 300;
const TEXT_CHARS_MAX = 240;
const PAIRS_MAX = 8;

/** In the order in which they were asked; empty where the call asks nothing that the answer could settle. */
export function settledBy({ input }: ToolCallPart, answer: string): readonly Settled[] {
  if (answer.length > RESULT_CHARS_MAX) return [];
  const questions = questionsIn(input);
  const pairs = [...pairsIn(answer), ...answersIn(answer, questions)];
  const found = pairs.length > 0 ? pairs : plainAnswer(answer, questions);
  return found.slice(0, PAIRS_MAX);
}

interface Question {
  readonly id: string;
  readonly text: string;
}

const QUESTION_KEYS: readonly string[] = ["question", "prompt", "message", "text", "title", "header"];

function questionsIn(input: JsonValue): readonly Question[] {
  if (!isObject(input)) return [];
  const list = input.questions;
  const items = isArray(list) ? list.slice(0, PAIRS_MAX) : [input];
  return items.flatMap((item) => {
    const text = typeof item === "string" ? item : isObject(item) ? stringUnder(item, QUESTION_KEYS) : undefined;
    const id = isObject(item) ? (stringUnder(item, ["id", "key", "name"]) ?? "") : "";
    return text === undefined ? [] : [{ id, text }];
  });
}

function stringUnder(object: JsonObject, keys: readonly string[]): string | undefined {
  const found = keys.map((key) => object[key]).find((value) => typeof value === "string" && value !== "");
  return typeof found === "string" ? found : undefined;
}

/** `"Which gate?"="The northern one"`, as often as it stands there. */
function pairsIn(text: string): readonly Settled[] {
  if (!text.includes('"')) return [];
  return [...text.matchAll(/"([^"\n]{3,400})"\s{0,2}=\s{0,2}"([^"\n]{1,400})"/g)].map(([, asked = "", answer = ""]) =>
    settled(asked, answer),
  );
}

/** Answers as JSON: by the name of their question, or the only one. */
function answersIn(text: string, questions: readonly Question[]): readonly Settled[] {
  const value = text.startsWith("{") ? parsed(text) : undefined;
  if (!isObject(value)) return [];
  const answers = isObject(value.answers) ? value.answers : value;
  return Object.entries(answers).flatMap(([key, given]) => {
    const known = questions.find(({ id, text: asked }) => id === key || asked === key);
    const only = questions.length === 1 && /^(?:answer|response|reply|result|selected|value|choice)s?$/i.test(key);
    const asked = known?.text ?? (only ? (questions[0]?.text ?? "") : "");
    const answer = given === undefined ? "" : spoken(given);
    return asked === "" || answer === "" ? [] : [settled(asked, answer)];
  });
}

function spoken(given: JsonValue): string {
  if (typeof given === "string") return given;
  if (typeof given === "boolean" || typeof given === "number") return String(given);
  if (isArray(given)) return given.filter((item) => typeof item === "string").join(", ");
  if (!isObject(given)) return "";
  const inner = given.answers ?? given.answer ?? given.value ?? given.label;
  return isArray(inner) || typeof inner === "string" ? spoken(inner) : "";
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    // What is no JSON is read as words.
    return undefined;
  }
}

function plainAnswer(text: string, [question, ...others]: readonly Question[]): readonly Settled[] {
  const words = text.replace(/<\/?(?:answer|response|feedback)>/g, "").trim();
  if (question === undefined || others.length > 0 || words === "" || words.length > ANSWER_CHARS_MAX) return [];
  return /^[{[]/.test(words) ? [] : [settled(question.text, words)];
}

function settled(asked: string, answer: string): Settled {
  return { asked: oneLine(withoutLayout(asked), TEXT_CHARS_MAX), answer: oneLine(answer, TEXT_CHARS_MAX) };
}
