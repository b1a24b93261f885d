/**
 * Which files a tool call reads or modifies, by argument names, tool names, shell commands and patches, whatever the agent. Looks at
 * one call only, and never at what a tool returned.
 */

import type { FileOperations } from "../core/hooks/hooks.ts";
import { isArray, isObject, type JsonValue } from "../core/json.ts";
import type { Message, ToolCallPart } from "../core/message.ts";

/** Each file once, in order. A file that was modified is not read too. */
export function filesOfMessages(messages: readonly Message[]): FileOperations {
  const found = messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool-call" ? [part] : [])));
  return joined(found.map(filesOfCall));
}

export function filesOfCall(call: ToolCallPart): FileOperations {
  const { verbs, ...found } = readCall(call);
  if (MODIFIES.test(verbs)) found.modified.push(...found.named);
  else if (READS.test(verbs)) found.read.push(...found.named);
  return joined([found]);
}

/** Whether a call changes something, file or not. A guess by its verbs: good enough to choose what is shortened first. */
export function isChanging(call: ToolCallPart): boolean {
  const { verbs, modified } = readCall(call);
  return modified.length > 0 || MODIFIES.test(verbs);
}

function readCall({ name, input }: ToolCallPart): FoundFiles & { readonly verbs: string } {
  const found: FoundFiles = { named: [], read: [], modified: [], actions: [] };
  if (typeof input === "string") readPatch(input, found);
  else walk(input, found, 0);
  // An editor that is asked to view modifies nothing: an action beside the paths goes before the tool's name.
  const actions = found.actions.filter((action) => MODIFIES.test(action) || READS.test(action));
  return { ...found, verbs: actions.length > 0 ? actions.join(" ") : name };
}

function joined(all: readonly FileOperations[]): FileOperations {
  const modified = new Set(all.flatMap((files) => files.modified));
  const read = new Set(all.flatMap((files) => files.read));
  return { read: [...read].filter((path) => !modified.has(path)), modified: [...modified] };
}

interface FoundFiles {
  /** Named by an argument; a verb says what happens to them. */
  readonly named: string[];
  readonly read: string[];
  readonly modified: string[];
  /** What an editor or a wrapper is asked to do. */
  readonly actions: string[];
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
const PATH_CHARS_MAX = 240;
const COMMAND_CHARS_MAX = 4_000;
const ITEMS_MAX = 50;
const DEPTH_MAX = 4;

function walk(value: JsonValue, found: FoundFiles, depth: number): void {
  if (depth > DEPTH_MAX) return;
  if (isArray(value)) for (const item of value.slice(0, ITEMS_MAX)) walk(item, found, depth + 1);
  else if (isObject(value)) {
    for (const [key, item = null] of Object.entries(value)) {
      if (typeof item === "string") readArgument(key, item, found);
      else if (isArray(item) && COMMAND_KEY.test(key)) readCommand(item.join(" "), found);
      else {
        const paths = isArray(item) && PATH_KEY.test(key) ? item : [];
        for (const path of paths.slice(0, ITEMS_MAX)) if (typeof path === "string") addPath(path, found.named);
        walk(item, found, depth + 1);
      }
    }
  }
}

function readArgument(key: string, value: string, found: FoundFiles): void {
  if (ACTION_KEY.test(key) && /^[\w-]{2,60}$/.test(value)) found.actions.push(value);
  else if (COMMAND_KEY.test(key)) readCommand(value, found);
  else if (PATCH_KEY.test(key) && value.includes("*** ")) readPatch(value, found);
  else if (PATH_KEY.test(key)) addPath(value.replace(/^file:\/\//, ""), found.named);
}

function addPath(path: string, files: string[]): void {
  if (path.length <= PATH_CHARS_MAX && FILE_NAME.test(path) && !path.includes("://")) files.push(path);
}

const STEP_START = String.raw`(?:^|[|;&(]\s*|\n\s*)`;
const SHELL_READS = new RegExp(
  String.raw`${STEP_START}(?:cat|head|tail|less|more|bat|nl|wc|sed\s+-n)\s+([^|;&<>\n]+)`,
  "g",
);
const SHELL_WRITES = /(?:>>?\s*|\btee\s+(?:-a\s+)?)(["']?)([^\s"'|;&<>()]+)\1/g;
const SHELL_EDITS = new RegExp(
  String.raw`${STEP_START}(?:sed\s+-i|rm|mv|touch|git\s+(?:add|rm|mv)|chmod\s+\S+)\s+([^|;&<>\n]+)`,
  "g",
);
const SHELL_COPIES = new RegExp(String.raw`${STEP_START}cp\s+([^|;&<>\n]+)`, "g");

function readCommand(command: string, found: FoundFiles): void {
  const text = command.slice(0, COMMAND_CHARS_MAX);
  const words = (expression: RegExp): readonly (readonly string[])[] =>
    [...text.matchAll(expression)].map(([, said = ""]) => wordsOf(said));
  for (const path of words(SHELL_READS).flat()) addPath(path, found.read);
  for (const [, , path = ""] of text.matchAll(SHELL_WRITES)) addPath(path, found.modified);
  for (const path of words(SHELL_EDITS).flat()) addPath(path, found.modified);
  for (const paths of words(SHELL_COPIES)) {
    for (const path of paths.slice(0, -1)) addPath(path, found.read);
    addPath(copiedTo(paths), found.modified);
  }
}

/** `cp a.ts b.ts` makes `b.ts`; into a folder it makes `folder/a.ts`. */
function copiedTo(paths: readonly string[]): string {
  const [target = "", source = ""] = [paths.at(-1), paths.at(-2)];
  return target.endsWith("/") ? target + (source.split("/").at(-1) ?? "") : target;
}

function wordsOf(words: string): readonly string[] {
  const all = words.trim().split(/\s+/);
  return all.map((word) => word.replace(/^["']|["']$/g, "")).filter((word) => !word.startsWith("-"));
}

function readPatch(patch: string, found: FoundFiles): void {
  for (const [, path = ""] of patch.matchAll(/^\*\*\* (?:Update|Add|Delete|Move to)(?: File)?: (.+)$/gm)) {
    addPath(path.trim(), found.modified);
  }
}
