/**
 * Messages as the text that a summarizing model reads: speakers, words, previews of calls and results. Never reasoning, binary data
 * or wire fields. No line of a message can be mistaken for a label of ours.
 */

import { isArray, isObject, type JsonValue } from "../core/json.ts";
import type { MediaPart, Message, Part, Role, ToolCallPart } from "../core/message.ts";
import type { SummaryReader } from "../core/plan/summary-marks.ts";
import { findSummary, withoutSummary } from "../core/plan/summary-marks.ts";
import { type UserVoice, userVoice } from "../core/plan/user-voice.ts";
import type { SummaryInputSettings, TranscriptStyle } from "../core/settings/settings.ts";
import { pairCalls, resultNames } from "../core/structure/pairing.ts";
import { headOf, tailOf } from "../core/text.ts";
import { unwrap } from "../core/unwrap.ts";
import { capEntries, ENTRY_SEPARATOR, joinEntries, type TranscriptEntry } from "./shrink-text.ts";
import { opaqueTexts } from "./source-texts.ts";

/** Everything, whole. */
export const WHOLE_INPUT: SummaryInputSettings = {
  resultHeadChars: 0,
  resultTailChars: 0,
  toolInputChars: 0,
  maxChars: 0,
};

/** Previews of results and inputs, as the text history of a reflection shows them. */
const HISTORY_INPUT: SummaryInputSettings = {
  resultHeadChars: 500,
  resultTailChars: 200,
  toolInputChars: 200,
  maxChars: 100_000,
};

/** Text after a cut continues the marker's line: it must not start a line, where labels stand. */
export const RESULT_CUT_MARKER = "\n[... middle of this output left out ...] ";
export const INPUT_CUT_MARKER = " [... rest of the input left out ...]";

interface SerializeOptions {
  readonly style: TranscriptStyle;
  readonly input: SummaryInputSettings;
  /** Tools whose results are the user's own words. Default: none. */
  readonly userTools?: readonly string[] | undefined;
}

/** One text, cut from the middle when it is over `maxChars` (0: never). */
export function serialize(messages: readonly Message[], options: SerializeOptions): string {
  const entries = serializeEntries(messages, options);
  return joinEntries(capEntries(entries, options.input.maxChars, (messageId, text) => ({ messageId, text })));
}

/** An entry for each message that says something. */
export function serializeEntries(
  messages: readonly Message[],
  { style, input, userTools }: SerializeOptions,
): readonly TranscriptEntry[] {
  const write = style === "nous" ? nousEntry : labelledEntry;
  const context = { input, names: resultNames(pairCalls(messages)), voice: userVoice(messages, userTools) };
  return messages.flatMap((message) => {
    const text = write(message, context);
    return text === "" ? [] : [{ messageId: message.id, text }];
  });
}

/** Head and tail of a text that is too large to be shown whole, without the packaging of JSON in JSON around what it says. */
function previewOf(text: string, { resultHeadChars, resultTailChars }: SummaryInputSettings): string {
  const shownChars = resultHeadChars + resultTailChars;
  if (shownChars === 0 || text.length <= shownChars) return text;
  const plain = clean(linesOf(unwrap(text)));
  if (plain.length <= shownChars) return plain;
  return headOf(plain, resultHeadChars) + RESULT_CUT_MARKER + tailOf(plain, resultTailChars);
}

/** Deeper values stand no further to the right. */
const INDENT_CHARS_MAX = 16;

/** A value in lines of its own, keys before what they hold. Strings stand as they are. */
function linesOf(value: JsonValue, indent = ""): string {
  if (!isArray(value) && !isObject(value)) return String(value);
  const inner = indent.length < INDENT_CHARS_MAX ? `${indent}  ` : indent;
  const members = isArray(value) ? value.map((item) => ["-", item] as const) : Object.entries(value);
  const lines = members.map(([key, item = null]) => {
    const isPlain = typeof item !== "object" || item === null;
    const name = isArray(value) ? key : `${key}:`;
    return `${indent}${name}${isPlain ? " " : "\n"}${linesOf(item, inner)}`;
  });
  return lines.join("\n");
}

interface Context {
  readonly input: SummaryInputSettings;
  /** Tool names by result part. */
  readonly names: ReadonlyMap<Part, string>;
  readonly voice: UserVoice;
}

const ROLE_NAMES: Readonly<Record<Role, string>> = {
  system: "System",
  user: "User",
  assistant: "Assistant",
  tool: "Tool",
};

function labelledEntry(message: Message, context: Context): string {
  const blocks: string[] = [];
  let said: string[] = [];
  const flush = (): void => {
    if (said.length > 0) blocks.push(`[${ROLE_NAMES[message.role]}]: ${said.join("\n")}`);
    said = [];
  };
  for (const part of message.parts) {
    const label = labelOf(part, context);
    const text = textOf(part, context);
    if (label === undefined) {
      if (text !== "") said.push(text);
      continue;
    }
    flush();
    blocks.push(`[${label}]: ${text === "" ? "(empty)" : text}`);
  }
  flush();
  return blocks.join(ENTRY_SEPARATOR);
}

/** Two speakers. As on the wire, results belong to the user, but each has a label: tool output is not the user's word. */
function nousEntry(message: Message, context: Context): string {
  const speaker = message.role === "assistant" ? "Assistant" : "User";
  const texts = message.parts.map((part) => nousText(part, context)).filter((text) => text !== "");
  return texts.length === 0 ? "" : `**${speaker}:** ${texts.join("\n")}`;
}

function nousText(part: Part, context: Context): string {
  const text = textOf(part, context);
  if (part.type === "tool-call") return `${nameOf(part.name)} ${text}`;
  const label = text === "" || context.voice.answerIn(part) !== "" ? undefined : labelOf(part, context);
  return label === undefined ? text : `[${label}]: ${text}`;
}

function labelOf(part: Part, { names, voice }: Context): string | undefined {
  if (part.type === "tool-call") return `Assistant called ${nameOf(part.name)}`;
  if (part.type !== "tool-result") return undefined;
  const name = nameOf(part.name ?? names.get(part) ?? "a tool");
  if (voice.answerIn(part) !== "") return `User, through ${name}`;
  return `${part.isError ? "Error" : "Result"} of ${name}`;
}

function textOf(part: Part, context: Context): string {
  switch (part.type) {
    case "text":
      return clean(part.text);
    case "reasoning":
      return "";
    case "media":
      return describeMedia(part, context);
    case "tool-call":
      return inputText(part, context);
    case "tool-result": {
      const answer = context.voice.answerIn(part);
      if (answer !== "") return clean(answer);
      const inner = part.content.map((content) => textOf(content, context)).filter((text) => text !== "");
      return previewOf(inner.join("\n"), context.input);
    }
    case "opaque": {
      const read = previewOf(opaqueTexts(part).map(clean).join("\n"), context.input);
      return `[other content: ${nameOf(part.kind)}]${read === "" ? "" : ` ${read}`}`;
    }
    default:
      return part satisfies never;
  }
}

function inputText({ input }: ToolCallPart, { input: { toolInputChars } }: Context): string {
  const text = clean(typeof input === "string" ? input : (JSON.stringify(input) ?? ""));
  return toolInputChars > 0 && text.length > toolInputChars ? headOf(text, toolInputChars) + INPUT_CUT_MARKER : text;
}

/** Line starts that look like a label of either style. */
const LABELS = /^(?=[ \t]*(?:\[(?:User|Assistant|System|Tool|Result|Error)\b|\*\*(?:User|Assistant|System|Tool)\b))/gim;

function clean(text: string): string {
  return readable(text).replace(LABELS, () => "\\");
}

/** Without control characters and binary data. */
export function readable(text: string): string {
  return withoutBinaryRuns(plainText(text));
}

const NAME_CHARS_MAX = 80;

/** Names come from outside as well: one line, bounded, without brackets that could end the label. */
function nameOf(name: string): string {
  const shown = headOf(
    clean(name)
      .replace(/[\s[\]]+/g, " ")
      .trim(),
    NAME_CHARS_MAX,
  );
  return shown === "" ? "unnamed" : shown;
}

/** Kind and size, never the bytes, and no part of an address that could hold a credential. */
function describeMedia({ kind, mediaType, name, source }: MediaPart, context: Context): string {
  const facts = [kind, name, mediaType].filter((fact) => fact !== undefined).map(nameOf);
  switch (source.type) {
    case "base64":
      return `[${facts.join(" ")}, ${Math.ceil((source.data.length * 3) / 4 / 1024)} KB]`;
    case "url":
      return /^https?:/i.test(source.url) ? `[${facts.join(" ")} ${addressOf(source.url)}]` : `[${facts.join(" ")}]`;
    case "file":
      return `[${facts.join(" ")}, file ${nameOf(source.fileId)}]`;
    case "text":
      return `[${facts.join(" ")}] ${previewOf(clean(source.text), context.input)}`;
    default:
      return source satisfies never;
  }
}

function addressOf(url: string): string {
  return nameOf(url.split(/[?#]/, 1)[0]?.replace(/\/\/[^/@]*@/, "//") ?? "");
}

const SUMMARY_HEADING = "[Previous context summary]";
const MESSAGES_MAX = 20;

export interface HistoryTextOptions {
  /** How many of the newest messages to include. Default: 20. */
  readonly messagesMax?: number;
}

/** A request as text: the summary in it, then its newest messages. The second argument, as a compactor, tells how to read the request and recognise the summary. */
export function historyText(
  request: unknown,
  { format, settings }: SummaryReader,
  { messagesMax = MESSAGES_MAX }: HistoryTextOptions = {},
): string {
  const { messages, system } = format.decode(request);
  const found = findSummary(messages, system, settings.render);
  const ours = new Set(found?.messageIds ?? []);
  const rest = messages.filter(({ id }) => !ours.has(id)).map((message) => withoutSummary(message, settings.render));
  const recent = messagesMax > 0 ? rest.slice(-messagesMax) : [];
  const said = serialize(recent, { style: "nous", input: HISTORY_INPUT, userTools: settings.userTools });
  const summary = found === undefined ? [] : [`${SUMMARY_HEADING}\n${found.text}`];
  return [...summary, ...(said === "" ? [] : [said])].join("\n\n");
}

const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/g;
const CONTROLS = /[\p{Cc}--[\n\t]]/gv;

export function plainText(text: string): string {
  return text.toWellFormed().replace(LINE_ENDS, "\n").replace(CONTROLS, "");
}

/** Shorter runs may be names. */
const RUN_CHARS_MIN = 400;
const DATA_URL = /data:[\w.+/-]{1,80};base64,[A-Za-z0-9+/_=-]*/gi;
const RUN_CHARACTER = /[A-Za-z0-9+/_=-]/;

function withoutBinaryRuns(text: string): string {
  const short = text.includes(";base64,") ? text.replace(DATA_URL, (data) => sizeOf(data.length)) : text;
  const isRunAt = (at: number): boolean => RUN_CHARACTER.test(short[at] ?? "");
  const pieces: string[] = [];
  let done = 0;
  let walked = 0;
  // A run of the minimum length covers at least one of these places, so every run is found.
  for (let probe = RUN_CHARS_MIN - 1; probe < short.length; probe += RUN_CHARS_MIN) {
    if (probe < walked || !isRunAt(probe)) continue;
    let start = probe;
    let end = probe + 1;
    while (start > walked && isRunAt(start - 1)) start--;
    while (end < short.length && isRunAt(end)) end++;
    walked = end;
    if (end - start < RUN_CHARS_MIN || !isBinary(short.slice(start, end))) continue;
    pieces.push(short.slice(done, start), sizeOf(end - start));
    done = end;
  }
  return pieces.length === 0 ? short : pieces.join("") + short.slice(done);
}

/** Encoded data mixes capitals, small letters and digits; a ruler or a long word does not. */
function isBinary(run: string): boolean {
  return /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run);
}

function sizeOf(chars: number): string {
  return `[binary data, ${chars} characters]`;
}
