/**
 * What users settled through tools that ask them: the question that was put and the answer that came back, whoever made the tool.
 * Quotes both sides. Never takes another program's answer for a user's, nor a question that was waved away for an answer.
 */

import { isArray, isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import type { ToolCallPart, ToolResultPart } from "../../../core/message.ts";
import { oneLine, splitSentences } from "../text/sentences.ts";
import { withoutLayout } from "../text/whole-statement.ts";
import { knownByName } from "./known-names.ts";

export interface Settled {
  /** What was asked, or what was put before the user to be approved. */
  readonly asked: string;
  readonly answer: string;
  /** It was approved as it is: what counts is what was asked. */
  readonly isApproval: boolean;
}

const RESULT_CHARS_MAX = 8_000;
/** Whoever answers at length is a program, or tells more than a choice. */
const ANSWER_CHARS_MAX = 300;
const TEXT_CHARS_MAX = 240;
const PAIRS_MAX = 8;

/** In the order in which they were asked; empty for a tool that asks nobody. */
export function settledByTool(call: ToolCallPart, result: ToolResultPart): readonly Settled[] {
  const part = result.content.find((inner) => inner.type === "text");
  if (part?.type !== "text" || part.text.length > RESULT_CHARS_MAX) return [];
  const isAsking = asksUser(call.name);
  if (!isAsking && !USER.test(part.text)) return [];
  const text = part.text.trim();
  if (text === "" || WAVED_AWAY.test(text)) return [];
  if (APPROVED.test(text)) return approvalOf(call, text);
  if (!isAsking && !ANSWERED.test(text)) return [];
  const questions = questionsIn(call.input);
  const pairs = [...pairsIn(text), ...answersIn(text, questions)];
  const found = pairs.length > 0 ? pairs : plainAnswer(text, questions);
  return found.slice(0, PAIRS_MAX);
}

const USER = /^\s*(?:the )?user /i;
const ANSWERED = /^(?:the )?user (?:has )?answered\b/i;
const APPROVED = /^(?:the )?user (?:has )?approved\b/i;
const WAVED_AWAY =
  /^(?:the )?user (?:has )?(?:declined|dismissed|cancell?ed|rejected|skipped|closed|did not|didn['’]t|does not|doesn['’]t)\b|^(?:error|cancell?ed|timed? ?out)\b/i;

const ASKING_WORDS: ReadonlySet<string> = new Set(
  "ask asks question questions confirm confirms confirmation approve approval elicit elicitation".split(" "),
);
/** How something is asked, not whom. */
const FORM_WORDS: ReadonlySet<string> = new Set(
  "a an the for to with tool functions mcp follow up followup clarify clarifying clarification multiple choice choices option options select request get input answer me action plan".split(
    " ",
  ),
);
/** Tools that ask another program. */
const PROGRAM_WORDS: ReadonlySet<string> = new Set(
  "agent subagent model llm ai gpt gemini claude codex oracle expert wiki docs search web database db repo code".split(
    " ",
  ),
);

/** Told by its name. */
export const asksUser = knownByName((name) => {
  // Most names have none of the words, and one look tells.
  if (!/ask|question|confirm|approv|elicit|input/i.test(name)) return false;
  const words = name
    .replace(/(?<=[a-z])(?=[A-Z])/g, "_")
    .toLowerCase()
    .split(/[^a-z]+/);
  if (words.some((word) => PROGRAM_WORDS.has(word))) return false;
  const isPerson = words.includes("user") || words.includes("human");
  if (isPerson && words.includes("input")) return true;
  // "ask_venue" asks the venue, "confirm_deletion" whoever is there.
  const asksElse =
    !isPerson &&
    words.includes("ask") &&
    words.some((word) => word !== "" && !ASKING_WORDS.has(word) && !FORM_WORDS.has(word));
  return words.some((word) => ASKING_WORDS.has(word)) && !asksElse;
});

function approvalOf({ input }: ToolCallPart, text: string): readonly Settled[] {
  const asked = isObject(input) ? titleOf(stringUnder(input, ["plan", "summary", ...QUESTION_KEYS]) ?? "") : "";
  const [answer = ""] = splitSentences(text.slice(0, ANSWER_CHARS_MAX), { sentencesMax: 2 });
  return asked === "" ? [] : [{ asked, answer: oneLine(answer, TEXT_CHARS_MAX), isApproval: true }];
}

/** Its first heading or sentence. */
function titleOf(plan: string): string {
  const line = plan.split("\n").find((candidate) => /[\p{L}\p{N}]/u.test(candidate)) ?? "";
  return oneLine(withoutLayout(line.replace(/^\s*#{1,6}\s+/, "")), TEXT_CHARS_MAX);
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
  const words = text
    .replace(/<\/?(?:answer|response|feedback)>/g, "")
    .replace(
      /^(?:the )?user(?:'s)? (?:has )?(?:answer(?:ed)?|response|responded|said|replied)\s*(?:with)?\s*[:：]\s*/i,
      "",
    )
    .trim();
  if (question === undefined || others.length > 0 || words === "" || words.length > ANSWER_CHARS_MAX) return [];
  return /^[{[]/.test(words) ? [] : [settled(question.text, words)];
}

function settled(asked: string, answer: string): Settled {
  return {
    asked: oneLine(withoutLayout(asked), TEXT_CHARS_MAX),
    answer: oneLine(answer, TEXT_CHARS_MAX),
    isApproval: false,
  };
}
