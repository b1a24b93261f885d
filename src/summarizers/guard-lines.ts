/**
 * What the guard adds to a model's summary: the newest request where it leaves the view, files and failures by the calls, and exact values with
 * their role. Everything is quoted from the conversation. The lines are counted before the model is told how much it may write.
 */

import { headingOf, SECTION_TABLE, type Section } from "../core/checkpoint/checkpoint.ts";
import { parseRoles, renderRole } from "../core/checkpoint/identifier-list.ts";
import type { SummaryInput } from "../core/checkpoint/summary.ts";
import { isArray, isObject, type JsonValue } from "../core/json.ts";
import type { Message } from "../core/message.ts";
import { userVoice } from "../core/plan/user-voice.ts";
import { headOf, tailOf } from "../core/text.ts";
import { placeOf } from "./entities.ts";
import { headingKey, parseSections } from "./sections.ts";
import { cutMiddle, shrinkToTokens } from "./shrink-text.ts";
import { detailsOf } from "./tracked-details.ts";

/** A block of lines under a heading, in the order in which blocks stand in the text. */
export interface GuardBlock {
  readonly text: string;
  /** Where room is short, the least goes first. What the user asked never goes. */
  readonly worth: number;
}

/** Shares of the budget, at most. */
const OMISSIONS_SHARE = 0.05;
const OMISSIONS_MAX = 8;
const OMISSIONS_HEADING = "## Not Summarised";
export const UNVERIFIED_HEADING = "## Unverified";

/** What is known before the model is asked. */
export function ownBlocks(input: SummaryInput): readonly GuardBlock[] {
  const { readFiles, modifiedFiles, toolFailures } = detailsOf(input);
  const failed = toolFailures.toReversed().map(({ toolName, summary }) => `${toolName}: ${summary}`);
  const leaving = requestsIn(input, REQUEST_CHARS_MAX).filter(({ isKept }) => !isKept);
  const quotes = leaving.map(({ text }) => `> ${text.replaceAll("\n", "\n> ")}`);
  const under = (section: Section, worth: number, lines: readonly string[], separator = "\n"): GuardBlock => ({
    text: shrunk(block(headingOf(section, "en"), lines, separator), SECTION_TABLE[section].guardShare ?? 0, input),
    worth,
  });
  const blocks = [
    under("latestRequest", Infinity, quotes, "\n\n"),
    under("filesRead", 0, items(readFiles)),
    under("filesModified", 3, items(modifiedFiles)),
    under("toolFailures", 4, items(failed)),
  ];
  return blocks.filter(({ text }) => text !== "");
}

/** What could not be summarised, and what of the draft is not in the conversation. */
export function laterBlocks(
  omissions: readonly string[],
  unverified: readonly string[],
  input: SummaryInput,
): readonly GuardBlock[] {
  const more = omissions.length - OMISSIONS_MAX;
  const shown = items([...omissions.slice(0, OMISSIONS_MAX), ...(more > 0 ? [`and ${more} more`] : [])]);
  const names = unverified.length === 0 ? [] : [`Not found in the conversation: ${unverified.join(", ")}`];
  const blocks = [
    { text: shrunk(block(OMISSIONS_HEADING, shown), OMISSIONS_SHARE, input), worth: 2 },
    { text: shrunk(block(UNVERIFIED_HEADING, names), OMISSIONS_SHARE, input), worth: 1 },
  ];
  return blocks.filter(({ text }) => text !== "");
}

export function joinBlocks(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}

/** Empty when there is nothing to say. */
export function block(heading: string, pieces: readonly string[], separator = "\n"): string {
  return pieces.length === 0 ? "" : `${heading}\n${pieces.join(separator)}`;
}

function items(texts: readonly string[]): readonly string[] {
  return texts.map((text) => `- ${text.replaceAll("\n", "\n  ")}`);
}

/** Within its share of the budget; empty when not even the heading and a word under it fit. */
function shrunk(text: string, share: number, { budgetTokens, counter }: SummaryInput): string {
  if (text === "") return "";
  const fitted = shrinkToTokens(text, { limitTokens: Math.floor(budgetTokens * share), count: counter.countText });
  const heading = text.slice(0, text.indexOf("\n") + 1);
  return fitted.startsWith(heading) && fitted.length > heading.length ? fitted : "";
}

const REQUEST_CHARS_MAX = 1_000;
/** In a prompt there is room for more. */
const PROMPT_CHARS_MAX = 16_000;
const CUT_MARKER = " [...] ";
/** A shorter request, as "yes" or "go on", needs the request before it, which is quoted as well. */
const SHORT_CHARS = 80;
const REQUESTS_MAX = 3;

/** The newest requests, oldest first, as a prompt shows them. */
export function latestRequests(input: SummaryInput): readonly string[] {
  return requestsIn(input, PROMPT_CHARS_MAX).map(({ text }) => text);
}

interface Request {
  readonly text: string;
  /** It stays in the view. */
  readonly isKept: boolean;
}

/** Without any in the messages, that of the previous summary. */
function requestsIn(input: SummaryInput, charsMax: number): readonly Request[] {
  const { messages, turnPrefix, kept, previous, userTools } = input;
  const requests: Request[] = [];
  for (const list of [kept, turnPrefix, messages]) {
    const voice = userVoice(list, userTools);
    for (const message of list.toReversed()) {
      const words = voice.speaksIn(message) ? voice.wordsIn(message) : [];
      if (words.length === 0) continue;
      const text = bounded(words.join("\n").toWellFormed(), charsMax);
      requests.unshift({ text, isKept: list === kept });
      if (text.length >= SHORT_CHARS || requests.length >= REQUESTS_MAX) return requests;
    }
  }
  if (requests.length > 0) return requests;
  const carried = previous?.checkpoint?.latestRequest ?? carriedRequest(previous?.text ?? "");
  return carried === "" ? [] : [{ text: bounded(carried, charsMax), isKept: false }];
}

function bounded(request: string, charsMax: number): string {
  return cutMiddle(request.replace(/\r\n?/g, "\n"), charsMax, CUT_MARKER);
}

function carriedRequest(text: string): string {
  const quoted = linesUnder("latestRequest", text).filter((line) => line.startsWith(">"));
  return quoted
    .map((line) => line.slice(2))
    .join("\n")
    .trim();
}

function linesUnder(section: Section, text: string): readonly string[] {
  return parseSections(text).find(({ heading }) => headingKey(heading) === section)?.lines ?? [];
}

/** The parts that users, assistants and calls said: a value that stands in results alone is not asked for. */
export function spokenOf({ messages, turnPrefix }: SummaryInput): readonly Message[] {
  return [...messages, ...turnPrefix].map((message) => ({
    ...message,
    parts: message.parts.filter(({ type }) => type === "text" || type === "tool-call"),
  }));
}

/** A text in which values are used, and by what. */
interface Use {
  readonly by: string;
  readonly text: string;
}

const EXCERPT_CHARS = 24;

/** Says of a value what it was used for last, as a line of the list of identifiers; undefined where nobody used it. */
export function roleWriter(input: SummaryInput): (value: string) => string | undefined {
  const uses = usesIn(input).toReversed();
  const earlier = parseRoles(linesUnder("identifiers", input.previous?.text ?? ""));
  return (value) => {
    for (const { by, text } of uses) {
      const at = placeOf(text, value);
      if (at < 0) continue;
      const isWhole = text.trim() === value;
      return renderRole(value, isWhole ? by : `${by}: "${excerptOf(text, at, value.length)}"`);
    }
    return earlier.has(value) ? renderRole(value, earlier.get(value)) : undefined;
  };
}

/** Oldest first. */
function usesIn({ messages, turnPrefix, previous, userTools }: SummaryInput): readonly Use[] {
  const all = [...messages, ...turnPrefix];
  const voice = userVoice(all, userTools);
  const said = all.flatMap((message): readonly Use[] => {
    if (message.role === "user" || message.role === "tool")
      return voice.speaksIn(message) ? voice.wordsIn(message).map((text) => ({ by: "user", text })) : [];
    return message.parts.flatMap((part) => {
      if (part.type === "text" && message.role === "assistant") return [{ by: "assistant", text: part.text }];
      return part.type === "tool-call" ? argumentsIn(part.input, part.name) : [];
    });
  });
  const before = parseSections(previous?.text ?? "").filter(({ heading }) => headingKey(heading) !== "identifiers");
  return [...before.flatMap(({ lines }) => lines.map((text) => ({ by: "earlier summary", text }))), ...said];
}

const DEPTH_MAX = 8;
/** A longer argument is text or code that the agent wrote: its names are no values that a later call needs. */
const ARGUMENT_CHARS_MAX = 200;

/** Each value by the key that is nearest to it: a wrapper keeps the arguments of the tool that it calls one level down. */
function argumentsIn(input: JsonValue, tool: string): readonly Use[] {
  const uses: Use[] = [];
  const walk = (value: JsonValue | undefined, by: string, depth: number): void => {
    if (typeof value === "number") uses.push({ by, text: String(value) });
    else if (typeof value === "string" && value.length <= ARGUMENT_CHARS_MAX) uses.push({ by, text: value });
    else if (depth > DEPTH_MAX) return;
    else if (isArray(value)) for (const item of value) walk(item, by, depth + 1);
    else if (isObject(value))
      for (const [key, item] of Object.entries(value)) walk(item, `${key} of ${tool}`, depth + 1);
  };
  walk(input, tool, 0);
  return uses;
}

/** The value with the words around it, in one line. */
function excerptOf(text: string, at: number, length: number): string {
  const before =
    at > EXCERPT_CHARS ? tailOf(text.slice(0, at), EXCERPT_CHARS).replace(/^\S*\s/, "") : text.slice(0, at);
  const rest = text.slice(at + length);
  const after = rest.length > EXCERPT_CHARS ? headOf(rest, EXCERPT_CHARS).replace(/\s\S*$/, "") : rest;
  return `${before}${text.slice(at, at + length)}${after}`.replace(/[\s"]+/g, " ").trim();
}
