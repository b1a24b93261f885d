/**
 * A model for a first look without a key: it answers by rules, from nothing but the request that it is sent, so what a compaction took out
 * it does not know any more. The same request gives the same answer. It sends nothing anywhere.
 */

import { setTimeout as pause } from "node:timers/promises";
import { isObject, type JsonObject, stringOf } from "../../core/json.ts";
import { type Conversation, type Message, type Part, textsOf } from "../../core/message.ts";
import type { Model } from "../../core/model.ts";
import { countedIn } from "../../core/tokens/counted.ts";
import { countConversation, estimateTokens } from "../../core/tokens/tokens.ts";
import { openaiChat as format } from "../../formats/openai-chat.ts";
import { openaiChat } from "../../models/openai-chat.ts";
import { excerpt, plural } from "../one-line.ts";

/** So small that a few files fill it. */
export const SCRIPTED_WINDOW_TOKENS = 5_000;

interface ScriptedOptions {
  readonly windowTokens: number;
  /** Between two words, so that somebody can watch. */
  readonly pauseMs: number;
}

export function scriptedModel({ windowTokens, pauseMs }: ScriptedOptions): Model {
  // What is asked here is a Chat request, made by the model of that API.
  const create = async (body: JsonObject, { signal }: { signal: AbortSignal }) => {
    const tokens = promptTokens(body);
    if (tokens > windowTokens) throw overflow(tokens, windowTokens);
    return body.stream === true ? streamed(body, pauseMs, signal) : whole(body);
  };
  const client = { chat: { completions: { create } } };
  return openaiChat(client, "scripted", { windowTokens, prices: { input: 0, output: 0 } });
}

/** What such an API says of a request that is too long. */
function overflow(tokens: number, windowTokens: number): Error {
  const message = `This model's maximum context length is ${windowTokens} tokens. However, your messages resulted in ${tokens} tokens.`;
  return Object.assign(new Error(message), { status: 400, code: "context_length_exceeded" });
}

interface Answer {
  readonly text: string;
  readonly call?: { readonly name: string; readonly input: JsonObject };
}

function whole(body: JsonObject): object {
  const { text, call } = answerTo(format.decode(body));
  const message = { role: "assistant", content: text, ...(call && { tool_calls: [wireCall(body, call)] }) };
  const choice = { index: 0, finish_reason: call ? "tool_calls" : "stop", message };
  return { object: "chat.completion", model: "scripted", choices: [choice], usage: usageOf(body, text) };
}

async function* streamed(body: JsonObject, pauseMs: number, signal: AbortSignal) {
  const { text, call } = answerTo(format.decode(body));
  const chunk = (delta: object, rest: object = {}) => ({
    object: "chat.completion.chunk",
    model: "scripted",
    choices: [{ index: 0, delta, finish_reason: null, ...rest }],
  });
  yield chunk({ role: "assistant", content: "" });
  for (const content of text.match(/\S+\s*|\s+/g) ?? []) {
    if (pauseMs > 0) await pause(pauseMs, undefined, { signal });
    yield chunk({ content });
  }
  if (call !== undefined) yield chunk({ tool_calls: [{ index: 0, ...wireCall(body, call) }] });
  yield chunk({}, { finish_reason: call ? "tool_calls" : "stop" });
  yield { object: "chat.completion.chunk", model: "scripted", choices: [], usage: usageOf(body, text) };
}

function wireCall(body: JsonObject, { name, input }: NonNullable<Answer["call"]>): object {
  const messages = Array.isArray(body.messages) ? body.messages.length : 0;
  return { id: `call_${messages}`, type: "function", function: { name, arguments: JSON.stringify(input) } };
}

function counterFor(body: JsonObject) {
  return estimateTokens(countedIn(format.name, body, "scripted"));
}

function promptTokens(body: JsonObject): number {
  return countConversation(format.decode(body), counterFor(body)).totalTokens;
}

function usageOf(body: JsonObject, text: string): object {
  const [prompt, completion] = [promptTokens(body), counterFor(body).countText(text)];
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

/** What it says to the newest message. */
function answerTo({ messages }: Conversation): Answer {
  const newest = messages.at(-1);
  if (newest === undefined) return { text: "Say something." };
  const results = resultTexts(newest);
  if (results.length > 0) return afterResult(messages, results.join("\n"));
  return toWords(textsOf(newest.parts).join("\n").trim(), messages.slice(0, -1));
}

const TOUR_BEGINS = "I list the files, and then read one after the other.";

/** The first rule that fits. */
const RULES: readonly (readonly [pattern: RegExp, answer: (words: string) => Answer])[] = [
  [/^(?:take a )?tour(?: of)? ?(\S*)$/i, (path) => listing(path, TOUR_BEGINS)],
  [/^list ?(\S*)$/i, (path) => listing(path, "I list the files.")],
  [/^read (\S+)$/i, (path) => ({ text: `I read ${path}.`, call: { name: "read_file", input: { path } } })],
  [/^search (?:for )?(.+)$/i, (text) => ({ text: "I search.", call: { name: "search", input: { text } } })],
  [/^run (.+)$/i, (command) => ({ text: "I run it.", call: { name: "run_command", input: { command } } })],
];

function listing(path: string, text: string): Answer {
  return { text, call: { name: "list_files", input: path === "" ? {} : { path } } };
}

const HINT =
  'I follow rules: "tour", "list", "read FILE", "search WORDS", "run COMMAND"; a question I answer from what I was sent.';

function toWords(said: string, before: readonly Message[]): Answer {
  for (const [pattern, answer] of RULES) {
    const words = pattern.exec(said)?.[1];
    if (words !== undefined) return answer(words);
  }
  if (said.endsWith("?")) return { text: recalled(said, before) };
  return { text: `Noted. ${HINT}` };
}

/** A step of a tour, in its own words: which file, of how many, of which folder. */
const STEP = /^File (\d+) of (\d+)(?: in (\S+))?: (.+)\.$/m;
const AGAIN = /^I no longer see the list of files: I list them again, to go on after (.+)\.$/m;
const FILES_TOURED_MAX = 24;

/** On a tour the next file is read. What was read last stands in its own words, since the rest may have left the view. */
function afterResult(messages: readonly Message[], result: string): Answer {
  const own = messages.findLast(({ role }) => role === "assistant");
  const said = own === undefined ? "" : textsOf(own.parts).join("\n");
  const folder = folderIn(own);
  if (said === TOUR_BEGINS) return tourStep(result, 1, folder);
  const [, last] = AGAIN.exec(said) ?? [];
  if (last !== undefined) return tourStep(result, filesIn(result).indexOf(last) + 2, folder);
  const [, number = "", total = "", toured = "", file] = STEP.exec(said) ?? [];
  if (file === undefined) return { text: toldOf(result) };
  if (number === total) return { text: `That was the last of ${plural(Number(total), "file")}.` };
  const list = messages.flatMap(resultTexts).findLast((text) => filesIn(text).includes(file));
  if (list !== undefined) return tourStep(list, Number(number) + 1, toured);
  return listing(toured, `I no longer see the list of files: I list them again, to go on after ${file}.`);
}

function tourStep(list: string, number: number, folder: string): Answer {
  const files = filesIn(list);
  const path = files[number - 1];
  if (path === undefined) return { text: "There is nothing to read." };
  const where = folder === "" ? "" : ` in ${folder}`;
  return { text: `File ${number} of ${files.length}${where}: ${path}.`, call: { name: "read_file", input: { path } } };
}

/** Of a list of files, those of a tour. */
function filesIn(list: string): readonly string[] {
  return list
    .split("\n")
    .filter((line) => !line.startsWith("["))
    .slice(0, FILES_TOURED_MAX);
}

/** The folder that a message lists. */
function folderIn(message: Message | undefined): string {
  const call = message?.parts.find((part) => part.type === "tool-call");
  return isObject(call?.input) ? (stringOf(call.input.path) ?? "") : "";
}

function resultTexts({ parts }: Message): readonly string[] {
  return parts.flatMap((part) => (part.type === "tool-result" ? [textsOf(part.content).join("\n")] : []));
}

function toldOf(result: string): string {
  const [, error] = /^ERROR: (.*)/s.exec(result) ?? [];
  if (error !== undefined) return `That did not work: ${excerpt(error, SENTENCE_COLUMNS)}`;
  const lines = result.split("\n");
  return `It has ${plural(lines.length, "line")}, and begins with "${excerpt(lines[0] ?? "", EXCERPT_COLUMNS)}".`;
}

const EXCERPT_COLUMNS = 60;

/** The sentence of what it was sent that shares most words with the question. */
function recalled(question: string, before: readonly Message[]): string {
  const asked = wordsOf(question);
  const texts = before.filter(({ role }) => role !== "system").flatMap(({ parts }) => allTexts(parts));
  const sentences = texts.flatMap((text) => text.split(/(?<=[.!])\s+|\n/));
  const ranked = sentences
    .map((text) => ({ text: text.trim(), shared: [...wordsOf(text)].filter((word) => asked.has(word)).length }))
    .sort((a, b) => b.shared - a.shared);
  const [best] = ranked;
  if (best === undefined || best.shared === 0) return "Nothing in what I was sent says anything about that.";
  return `What I was sent says: "${excerpt(best.text, SENTENCE_COLUMNS)}"`;
}

const SENTENCE_COLUMNS = 200;

function allTexts(parts: readonly Part[]): readonly string[] {
  return parts.flatMap((part) => (part.type === "tool-result" ? allTexts(part.content) : textsOf([part])));
}

/** Shorter ones are mostly grammar. */
const WORD_CHARACTERS_MIN = 4;

function wordsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}-]+/gu) ?? [];
  return new Set(words.filter((word) => word.length >= WORD_CHARACTERS_MIN));
}
