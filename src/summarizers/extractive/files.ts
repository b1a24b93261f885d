/**
 * Which files a tool call reads or modifies, told from argument names, tool names and shell commands, whatever the agent.
 * A guess where it must be, but never about what is no file name. Looks at one call only.
 */

import type { FileOperations } from "../../core/hooks/hooks.ts";
import { isArray, isObject, type JsonValue } from "../../core/json.ts";
import type { Message, ToolCallPart } from "../../core/message.ts";

export interface CallFiles {
  readonly read: readonly string[];
  readonly modified: readonly string[];
}

export interface FoundFiles extends CallFiles {
  /** A shell command, which may have done more than these files show. */
  readonly isCommand: boolean;
}

const PATH_KEY =
  /^(?:(?:target|source|destination|absolute|relative|notebook|input|output|old|new|full|local)?_?(?:file_?)?(?:path|file|filename|uri)s?|file_?name|target|source|destination|files)$/i;
const COMMAND_KEY = /^(?:command|cmd|script|bash_command)$/i;
const PATCH_KEY = /^(?:patch|diff|input|patch_text)$/i;
const ACTION_KEY = /^(?:tool_?name|tool|action|command|operation|function)$/i;
const MODIFIES = /write|edit|create|patch|replace|insert|update|save|delete|remove|rename|move|append|overwrite|undo/i;
const READS = /read|view|open|cat|get|show|load|fetch|inspect|head|tail/i;
const FILE_NAME =
  /^(?!-)(?=.{2,240}$)[^\s"'`|<>*?;${}()]*?(?:\.[A-Za-z][A-Za-z0-9]{0,9}|\b(?:Makefile|Dockerfile|LICENSE|README))$/;
const COMMAND_CHARS_MAX = 4_000;
const DEPTH_MAX = 4;

export function filesOfCall(call: ToolCallPart): FoundFiles {
  const found: Found = {
    paths: [],
    read: [],
    modified: [],
    actions: [call.name],
    isCommand: false,
  };
  if (typeof call.input === "string") readPatch(call.input, found);
  else walk(call.input, found, 0);
  if (found.paths.length > 0) placeNamed(found);
  return {
    read: found.read.filter((path) => !found.modified.includes(path)),
    modified: found.modified,
    isCommand: found.isCommand,
  };
}

interface Found {
  /** Named by an argument; the tool's verb says what happens to them. */
  readonly paths: string[];
  readonly read: string[];
  readonly modified: string[];
  /** The tool's name, and the name of the tool inside it where one wraps others. */
  readonly actions: string[];
  isCommand: boolean;
}

/** Who names an action means it: an editor that is asked to view modifies nothing. */
function placeNamed({ paths, actions, read, modified }: Found): void {
  const named = actions.slice(1).filter((action) => MODIFIES.test(action) || READS.test(action));
  const verbs = (named.length > 0 ? named : actions).join(" ");
  if (MODIFIES.test(verbs)) for (const path of paths) add(path, modified);
  else if (READS.test(verbs)) for (const path of paths) add(path, read);
}

function walk(value: JsonValue, found: Found, depth: number): void {
  if (depth > DEPTH_MAX) return;
  if (isArray(value)) for (const item of value.slice(0, 50)) walk(item, found, depth + 1);
  else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (typeof item === "string") readArgument(key, item, found);
      else if (isArray(item) && roleOf(key).isPath) {
        for (const path of item) if (typeof path === "string") addPath(path, found.paths);
        walk(item, found, depth + 1);
      } else if (isArray(item) && roleOf(key).isCommand) readCommand(item.join(" "), found);
      else if (item !== undefined) walk(item, found, depth + 1);
    }
  }
}

/** What an argument may be for, by its name. */
const roleOf = (key: string) => ({
  isAction: ACTION_KEY.test(key),
  isCommand: COMMAND_KEY.test(key),
  isPatch: PATCH_KEY.test(key),
  isPath: PATH_KEY.test(key),
});

function readArgument(key: string, value: string, found: Found): void {
  const role = roleOf(key);
  if (role.isAction && /^[\w-]{2,60}$/.test(value)) found.actions.push(value);
  else if (role.isCommand) readCommand(value, found);
  else if (role.isPatch && value.includes("*** ")) readPatch(value, found);
  else if (role.isPath) addPath(value.replace(/^file:\/\//, ""), found.paths);
}

function addPath(path: string, files: string[]): void {
  if (path.length <= 240 && FILE_NAME.test(path) && !path.includes("://")) add(path, files);
}

/** A call names few files, so that looking through them costs less than a set. */
function add(path: string, files: string[]): void {
  if (!files.includes(path)) files.push(path);
}

const SHELL_READS = /(?:^|[|;&(]\s*|\n\s*)(?:cat|head|tail|less|more|bat|nl|wc|sed\s+-n)\s+([^|;&<>\n]+)/g;
const SHELL_WRITES = /(?:>>?\s*|\btee\s+(?:-a\s+)?)(["']?)([^\s"'|;&<>()]+)\1/g;
const SHELL_EDITS = /(?:^|[|;&(]\s*|\n\s*)(?:sed\s+-i|rm|mv|cp|touch|git\s+(?:add|rm|mv)|chmod\s+\S+)\s+([^|;&<>\n]+)/g;

function readCommand(command: string, found: Found): void {
  found.isCommand = true;
  const text = command.slice(0, COMMAND_CHARS_MAX);
  for (const [, words = ""] of matchesIn(text, SHELL_READS))
    for (const word of wordsOf(words)) addPath(word, found.read);
  for (const [, , path = ""] of matchesIn(text, SHELL_WRITES)) addPath(path, found.modified);
  for (const [, words = ""] of matchesIn(text, SHELL_EDITS))
    for (const word of wordsOf(words)) addPath(word, found.modified);
}

/** Most commands have none, and to look for the first costs less than to make ready for all. */
function matchesIn(text: string, expression: RegExp): Iterable<RegExpExecArray> {
  return text.search(expression) < 0 ? NO_MATCHES : text.matchAll(expression);
}

const NO_MATCHES: readonly RegExpExecArray[] = [];

function wordsOf(words: string): readonly string[] {
  return words.split(/\s+/).map((word) => word.replace(/^["']|["']$/g, ""));
}

function readPatch(patch: string, found: Found): void {
  for (const [, path = ""] of patch.matchAll(/^\*\*\* (?:Update|Add|Delete|Move to)(?: File)?: (.+)$/gm)) {
    addPath(path.trim(), found.modified);
  }
}

/** Files that the tool calls of some messages read or modified, each once, in order. A file that was modified is not read too. */
export function filesOfMessages(messages: readonly Message[]): FileOperations {
  const read = new Set<string>();
  const modified = new Set<string>();
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.type !== "tool-call") continue;
    const files = filesOfCall(part);
    for (const path of files.read) read.add(path);
    for (const path of files.modified) modified.add(path);
  }
  return { read: [...read].filter((path) => !modified.has(path)), modified: [...modified] };
}
