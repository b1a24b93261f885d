/**
 * Decides which words are the user's: the texts of user messages, and the results of tools that the host declares as the
 * user's voice (`userTools`). Any other result is a tool's word, whatever it says about the user. In a user message with
 * results, clients add texts too: these are recognised by the clients' marks, and by their repetition with other results.
 */

import { type Message, type Part, textsOf } from "../message.ts";
import { QUOTED_RESULT_OPENING } from "../repair/pass.ts";
import { MISSING_START_TEXT } from "../repair/roles.ts";
import { INTERRUPTED_TEXT } from "../repair/rounds.ts";
import { pairCalls, resultNames } from "../structure/pairing.ts";
import { isTurnStart } from "../structure/structure.ts";
import { isPrunedText } from "./pruned-texts.ts";

export interface UserVoice {
  /** Whether the user speaks in a message: as the start of a turn, beside results, or through a declared tool. */
  speaksIn(message: Message): boolean;
  /** The messages in which the user speaks beside results or through a declared tool, in their order. */
  beside(): ReadonlySet<Message>;
  /** Whether a message with results holds words without a client's mark. Reads no other message. */
  hasWordsBeside(message: Message): boolean;
  /** The user's words in a message, in order: texts as `ownWords` reads them, answers through a declared tool unchanged. */
  wordsIn(message: Message, ownWords?: (text: string) => string): readonly string[];
  /** The user's whole answer through a declared tool; empty for every other part. */
  answerIn(part: Part): string;
}

/** `userTools` are patterns of tool names; the messages must include the calls of their results. */
export function userVoice(messages: readonly Message[], userTools: readonly string[] = []): UserVoice {
  const answerIn = userTools.length === 0 ? () => "" : answersOf(messages, userTools);
  const hasWordsBeside = ({ role, parts }: Message): boolean => {
    if (role === "assistant") return false;
    let hasResult = false;
    let hasWords = false;
    for (const part of parts) {
      if (part.type === "tool-result") {
        hasResult = true;
        hasWords ||= answerIn(part) !== "";
      } else if (part.type === "text" && role === "user" && !hasWords) hasWords = isSaid(part.text);
    }
    return hasResult && hasWords;
  };
  let spoken: ReadonlySet<Message> | undefined;
  const beside = (): ReadonlySet<Message> => {
    spoken ??= spokenBeside(messages.filter(hasWordsBeside), answerIn);
    return spoken;
  };
  return {
    speaksIn: (message) => isTurnStart(message) || beside().has(message),
    beside,
    hasWordsBeside,
    wordsIn: (message, ownWords = requestOf) => {
      if (message.role === "assistant") return [];
      // A summary by another tool asks for nothing; what the user wrote beside it does.
      const parts = isForeignSummary(message) ? message.parts.slice(1) : message.parts;
      const words = parts.map((part) => {
        if (part.type !== "text") return answerIn(part);
        return message.role !== "user" || isLabelledOutput(part.text) ? "" : ownWords(part.text);
      });
      return words.filter((said) => said.trim() !== "");
    },
    answerIn,
  };
}

/** An error is the tool's own word, and a cleared result holds no words of the user. */
function answersOf(messages: readonly Message[], userTools: readonly string[]): UserVoice["answerIn"] {
  const names = resultNames(pairCalls(messages));
  return (part) => {
    if (part.type !== "tool-result" || part.isError || part.server) return "";
    const name = names.get(part);
    if (name === undefined || !matchesAnyTool(userTools, name)) return "";
    const answer = textsOf(part.content).join("\n").trim();
    return isPrunedText(answer) ? "" : answer;
  };
}

/** Messages whose words beside results appear only once; repeated words are a client's. An answer through a declared tool always counts. */
function spokenBeside(saying: readonly Message[], answerIn: UserVoice["answerIn"]): ReadonlySet<Message> {
  if (saying.length < 2) return new Set(saying);
  const times = new Map<string, number>();
  for (const message of saying) {
    for (const key of new Set(keysOf(message))) times.set(key, (times.get(key) ?? 0) + 1);
  }
  const isSpoken = (message: Message): boolean =>
    message.parts.some((part) => answerIn(part) !== "") || keysOf(message).some((key) => times.get(key) === 1);
  return new Set(saying.filter(isSpoken));
}

/** Clients put reminders into a tag, and a note about an interruption into brackets. */
function isSaid(text: string): boolean {
  return text.trim() !== "" && !isLabelledOutput(text) && (!ADDED.test(text) || hasQueuedWords(text));
}

const ADDED = /^\s*(?:<[a-z][\w-]*>|\[Request (?:interrupted|aborted|cancell?ed)\b[^\]\n]*\]\s*$)/i;

const KEY_CHARS = 200;

/** "You have 7 calls left." comes with every result, each time with another number. */
function keysOf({ parts }: Message): readonly string[] {
  return parts.flatMap((part) => {
    if (part.type !== "text" || !isSaid(part.text)) return [];
    return [part.text.trim().slice(0, KEY_CHARS).replace(/\d+/g, "#")];
  });
}

/** Whether a message is a user's request: no tool's output, and no summary by another tool in a user message. */
export function isRequest(message: Message): boolean {
  return isTurnStart(message) && !isForeignSummary(message) && !isPassedOn(message);
}

/** The first request in a user's own words, else the first request. A client's note in a user message is no task. */
export function firstRequest(messages: readonly Message[], isAsked: (message: Message) => boolean): number {
  const first = messages.findIndex(isAsked);
  const own = messages.findIndex((message) => isAsked(message) && message.parts.some(isOwn));
  return own < 0 ? first : own;
}

function isOwn(part: Part): boolean {
  return part.type !== "text" || requestOf(part.text) !== "";
}

/** Whether all readable content of a user message is the output of a tool. */
export function isPassedOn({ role, parts }: Message): boolean {
  if (role !== "user") return false;
  const texts = parts.flatMap((part) => (part.type === "text" && part.text.trim() !== "" ? [part.text] : []));
  return texts.length > 0 && texts.every(isLabelledOutput);
}

const READ_CHARS = 600;

/** An output with a client's label, which users do not paste. */
export function isLabelledOutput(text: string): boolean {
  const start = text.slice(0, READ_CHARS).trimStart();
  return start.startsWith(QUOTED_RESULT_OPENING) || LABEL.test(start);
}

const LABEL =
  /^(?:OBSERVATION:|Observation:|EXECUTION RESULT|\[The command completed|Your command ran successfully|Your proposed edit has|<returncode>|<tool_result|<function_results)/;

/** User messages that our own repair wrote. */
const REPAIR_NOTES: ReadonlySet<string> = new Set([MISSING_START_TEXT, INTERRUPTED_TEXT]);

/** The user's own words in a text, without the blocks that clients add. Empty when the message is only a client's note, such as a reminder, a bare slash command or the output of a local one. */
export function requestOf(text: string): string {
  if (NOTIFICATION.test(text.slice(0, 80))) return "";
  const words = (text.includes("</") ? ownWords(text) : text).trim();
  if (/^\/[\w:-]*$/.test(words)) return "";
  return CLIENT_NOTE.test(words) || REPAIR_NOTES.has(words) ? "" : words;
}

/** A notification; the text after the block is about it. */
const NOTIFICATION = /^\s*<(?:task-notification|task_notification|subagent_notification|turn_aborted)>/;
/** Notes by programs in user messages. */
const CLIENT_NOTE =
  /^(?:\[Request interrupted|\[Image: source|Caveat: |This session is being continued|Base directory for this skill: |Stop hook feedback|Continue from where you left off\.?$|# AGENTS\.md instructions|\[SYSTEM\b|Tool loaded\.|<[a-z]+(?:[-_][a-z]+)+>[^<]{0,200}$)/;

/** Blocks that clients add: reminders, output of commands, the state of an editor. */
const CLIENT_BLOCK =
  /<(system-reminder|system_reminder|local-command-[a-z]+|command-(?:message|name|contents)|bash-(?:input|stdout|stderr)|task-notification|task_notification|user-prompt-submit-hook|user_instructions|turn_aborted|subagent_notification|environment_details|environment_context|session_context|ide_[a-z_]+|system-note|user_info|workspace_info|reminderInstructions|attachments|context|editorContext|skill)>/g;

/** Tags that clients put around the user's words. */
const WRAPPER =
  /<\/?(?:command-args|user_query|user_request|userRequest|user_message|user-message|feedback|answer|task)>/g;

function ownWords(text: string): string {
  const rest = withoutClientBlocks(text);
  return rest.includes("<") ? rest.replace(WRAPPER, "") : rest;
}

/** Whether a client's block holds words that the user wrote while the model was working. */
function hasQueuedWords(text: string): boolean {
  return text.includes(QUEUED) && requestOf(text) !== "";
}

const QUEUED = "The user sent the following message:";
/** The client's advice after the words. */
const QUEUE_ADVICE = /\n\s*(?:Please address this message|IMPORTANT:|After completing your current task)[\s\S]*$/;

/** The user's words in a client's block; empty where there are none. */
function queuedIn(block: string): string {
  const start = block.trimStart();
  return start.startsWith(QUEUED) ? start.slice(QUEUED.length).replace(QUEUE_ADVICE, "").trim() : "";
}

/** Searches for each closing tag once: unclosed tags would make the search quadratic. */
function withoutClientBlocks(text: string): string {
  const unclosed = new Set<string>();
  let words = "";
  let from = 0;
  for (const match of text.matchAll(CLIENT_BLOCK)) {
    const [tag, name = ""] = match;
    if (match.index < from || unclosed.has(name)) continue;
    const end = text.indexOf(`</${name}>`, match.index + tag.length);
    if (end < 0) {
      unclosed.add(name);
      continue;
    }
    words += text.slice(from, match.index) + queuedIn(text.slice(match.index + tag.length, end));
    from = end + name.length + 3;
  }
  return words + text.slice(from);
}

/** The beginnings of summaries that other tools or profiles left as user messages. Those of the current profile have its marks. */
const SUMMARY_OPENINGS: readonly string[] = [
  // Claude Code; pi and OpenClaw; Codex.
  "This session is being continued from a previous conversation",
  "The conversation history before this point was compacted",
  "Another language model started to solve this problem",
  // Of the shipped profiles, on a line of their own.
  "[Conversation summary]\n",
  "[Previous conversation summary]\n",
  "[Summary of the conversation before this point]\n",
  "[Summary of the earlier conversation, which was archived]\n",
];

/** Nearly every message begins with another character, so one comparison is enough. */
const FIRST_CHARACTERS = [...new Set(SUMMARY_OPENINGS.map((opening) => opening.charAt(0)))].join("");

/** Whether a message is such a summary, which asks for nothing. */
export function isForeignSummary({ parts }: Message): boolean {
  const first = parts[0];
  if (first?.type !== "text") return false;
  const start = first.text.trimStart();
  if (!FIRST_CHARACTERS.includes(start.charAt(0))) return false;
  return SUMMARY_OPENINGS.some((opening) => start.startsWith(opening));
}

export const RECALL_NAME = "recall";

export function matchesTool(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}

export function matchesAnyTool(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => matchesTool(pattern, name));
}
