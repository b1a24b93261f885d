/**
 * What a call did, in few words: the action, seen through tools that only pass it on, and the arguments that tell it from the tool's other calls.
 * Names of tools and arguments are read as they are; verbs in them only rank and group, and never say that something was done.
 */

import { isArray, isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { unwrap } from "../../core/unwrap.ts";
import { type CallKind, commandBrief, commandKind, isCommandKey, isQueryKey, sqlBrief, sqlKind } from "./commands.ts";
import { oneLine } from "./text.ts";
import { type Field, fieldsOf, PACKING } from "./values.ts";

export interface CallBrief {
  readonly action: string;
  readonly kind: CallKind;
  /** The arguments that tell it from others. */
  readonly object: string;
  /** Equal for calls that try the same thing. */
  readonly key: string;
  /** All arguments as plain fields. */
  readonly fields: readonly Field[];
}

const CHANGES = new Set(
  (
    "create add insert post append write put save edit multiedit update patch set rename move modify replace apply delete remove archive " +
    "cancel drop merge push commit close comment send submit upload copy install book upsert enable disable assign publish deploy reply " +
    "resolve reopen transfer convert generate mkdir unlink undo start stop restart schedule invite approve reject"
  ).split(" "),
);
const READS = new Set(
  (
    "get list search read retrieve fetch query find discover describe show view check think grep glob explore route load open cat ls " +
    "head tail inspect browse lookup details count status diff log scan wait output preview todo todowrite plan"
  ).split(" "),
);

/** The words of a name: `API-patch-page`, `deleteBlock`, `mcp__github__create_issue`. */
export function nameWords(name: string): readonly string[] {
  return (
    (name.split("__").at(-1) ?? name).match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g)?.map((word) => word.toLowerCase()) ?? []
  );
}

export function kindOfName(name: string): CallKind {
  const words = nameWords(name);
  if (words[0] !== undefined && READS.has(words[0])) return "read";
  if (words.some((word) => CHANGES.has(word))) return "change";
  return words.some((word) => READS.has(word)) ? "read" : "run";
}

/** How often a tool's calls held a value under a name: what they share tells nothing about one of them. */
export interface ArgumentCounts {
  readonly calls: number;
  readonly of: ReadonlyMap<string, number>;
  /** Distinct values by name. */
  readonly values: ReadonlyMap<string, number>;
}

export function countArguments(inputs: readonly (readonly Field[])[]): ArgumentCounts {
  const of = new Map<string, number>();
  const values = new Map<string, number>();
  for (const fields of inputs) {
    for (const { key, value } of fields) {
      const entry = entryOf(key, value);
      const before = of.get(entry) ?? 0;
      of.set(entry, before + 1);
      if (before === 0) values.set(key, (values.get(key) ?? 0) + 1);
    }
  }
  return { calls: inputs.length, of, values };
}

function entryOf(key: string, value: string): string {
  return `${key}=${value.slice(0, 80)}`;
}

/** The arguments, out of their packaging: `{ request: { … } }` too. */
export function plainInput(input: JsonValue): JsonValue {
  let plain = unwrap(input);
  for (let depth = 0; depth < PACKING_DEPTH_MAX && isObject(plain); depth++) {
    const [only, ...others] = Object.entries(plain);
    if (only === undefined || others.length > 0 || !PACKING.test(only[0]) || !isObject(only[1])) break;
    plain = only[1];
  }
  return plain;
}

const PACKING_DEPTH_MAX = 4;

const ACTION_KEYS = /^(?:action|command|method|operation|op|mode|function|tool|api)(?:_?name)?$/i;
const ACTION = /^[A-Za-z][\w.:/-]{1,60}$/;

/** The names under which a tool is told what to do, where it passes calls on or does several things. */
export function actionKeyOf(input: JsonValue, counts: ArgumentCounts): string | undefined {
  if (!isObject(input)) return undefined;
  const words = Object.entries(input).filter(([, value]) => typeof value === "string" && ACTION.test(value));
  const named = words.filter(
    ([key, value]) => ACTION_KEYS.test(key) && (value === undefined || String(value).length > 1),
  );
  const passesOn = Object.entries(input).some(([key, value]) => isObject(value) && PACKING.test(key));
  const candidates = named.length > 0 ? named : passesOn ? words : [];
  const byVariety = candidates.toSorted(([a], [b]) => (counts.values.get(b) ?? 0) - (counts.values.get(a) ?? 0));
  return byVariety[0]?.[0];
}

/** Names that place a thing; their value speaks for itself. */
const PLAIN_KEYS =
  /(?:^|[._-])(?:file_?)?(?:path|file|filename|name|title|url|uri|query|pattern|command|cmd|subject|prompt|question)s?$/i;
/** Names of what tells one thing from another. */
const TELLING_KEYS =
  /(?:^|[._-])(?:id|ids|number|key|slug|branch|ref|sha|path|file|filename|name|title|url|uri|subject|query|command|to|email|status|state|pattern|symbol|date)$|[a-z](?:Id|Path|Name|Number|Url|Key)$|_(?:id|path|name|number|title)$/;
const OBJECT_CHARS_MAX = 170;
const VALUE_CHARS_MAX = 90;
const PARTS_MAX = 4;

export interface BriefOptions {
  readonly counts: ArgumentCounts;
  /** The folder in which most of the work is done; empty where there is none. */
  readonly root: string;
}

export function briefOf(name: string, input: JsonValue, { counts, root }: BriefOptions): CallBrief {
  const fields = fieldsOf(input);
  const command = isObject(input) ? commandIn(input) : typeof input === "string" ? input : undefined;
  const own = toolName(name);
  if (command !== undefined) {
    const isSql = sqlKind(command) !== undefined;
    const object = isSql ? sqlBrief(command) : commandBrief(command);
    const kind = (isSql ? sqlKind(command) : commandKind(command)) ?? "run";
    return { action: own, kind, object, key: `${own} ${object}`.slice(0, 120), fields };
  }
  const actionKey = actionKeyOf(input, counts);
  const inner = actionKey === undefined || !isObject(input) ? undefined : String(input[actionKey] ?? "");
  const isWrapper = inner !== undefined && isObject(input) && Object.values(input).some((value) => isObject(value));
  const action = inner === undefined ? own : isWrapper ? toolName(inner) : `${own} ${inner}`;
  const rest = fields.filter(({ key }) => key !== actionKey);
  const object = objectOf(rest, { counts, root });
  const kind =
    inner === undefined ? kindOfName(own) : kindOfName(inner) === "run" ? kindOfName(own) : kindOfName(inner);
  return { action, kind, object, key: `${action} ${object}`.slice(0, 120), fields };
}

/** Without the server's name that clients put before it. */
export function toolName(name: string): string {
  return oneLine(name.replace(/^mcp__(.+?)__/, ""), 60);
}

function commandIn(input: JsonObject): string | undefined {
  for (const [key, value] of Object.entries(input)) {
    if (typeof value === "string" && isQueryKey(key) && sqlKind(value) !== undefined) return value;
    if (!isCommandKey(key)) continue;
    if (typeof value === "string" && value.includes(" ")) return value;
    if (isArray(value) && value.every((word) => typeof word === "string")) return commandOfWords(value.map(String));
  }
  // SQL lies deeper where a tool passes it on.
  const sql = fieldsOf(input).find(({ key, value }) => isQueryKey(key) && sqlKind(value) !== undefined);
  return sql?.value;
}

/** Without the shell that is only there to run it. */
function commandOfWords(words: readonly string[]): string {
  const [shell = "", flag = "", ...rest] = words;
  return rest.length > 0 && /(?:^|[\\/])(?:\w*sh|cmd)(?:\.exe)?$/i.test(shell) && /^(?:-\w*c|\/c)/i.test(flag)
    ? rest.join(" ")
    : words.join(" ");
}

/** The few arguments that are least shared with the tool's other calls, in their order. */
function objectOf(fields: readonly Field[], { counts, root }: BriefOptions): string {
  const hasPath = fields.some(({ key, value }) => PATH_KEYS.test(key) && PATH.test(value));
  const ranked = (hasPath ? fields.filter(({ key, value }) => TELLING_KEYS.test(key) && !value.includes("\n")) : fields)
    .map((field, at) => ({ field, at, worth: worthOf(field, counts) }))
    .filter(({ worth }) => worth > 0)
    .toSorted((a, b) => b.worth - a.worth || a.at - b.at)
    .slice(0, PARTS_MAX)
    .toSorted((a, b) => a.at - b.at);
  const parts: string[] = [];
  let length = 0;
  let before = "";
  for (const { field } of ranked) {
    const value = PATH.test(field.value) ? shortPath(field.value, root) : oneLine(field.value, VALUE_CHARS_MAX);
    const isNamed = !PLAIN_KEYS.test(field.key) && field.key !== before;
    const said = isNamed ? `${field.key} ${quoted(value)}` : quoted(value);
    if (parts.length > 0 && length + said.length > OBJECT_CHARS_MAX) continue;
    parts.push(said);
    before = field.key;
    length += said.length + 2;
  }
  return parts.join(", ");
}

const PATH_KEYS = /path|file|uri/i;
const PATH = /^(?:file:\/\/)?[~.]{0,2}\/?[^\s/:]+(?:\/[^\s/:]+)*$/;
const PATH_PARTS = 5;
/** Of all absolute paths, so many lie in the folder of the work. */
const ROOT_SHARE = 0.7;
const ROOT_PARTS_MIN = 3;

/** The deepest folder that holds most of the files that calls name; empty where there is none. */
export function rootOf(inputs: readonly (readonly Field[])[]): string {
  const counts = new Map<string, number>();
  let paths = 0;
  for (const { key, value } of inputs.flat()) {
    if (!PATH_KEYS.test(key) || !value.startsWith("/") || !PATH.test(value)) continue;
    paths++;
    const parts = value.split("/").slice(0, 20);
    for (let end = ROOT_PARTS_MIN; end < parts.length; end++) {
      const folder = parts.slice(0, end).join("/");
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  let root = "";
  for (const [folder, count] of counts) if (count >= paths * ROOT_SHARE && folder.length > root.length) root = folder;
  return paths < 3 ? "" : root;
}

/** A path from the folder of the work on, or its last parts: its whole stands among the files. */
function shortPath(path: string, root: string): string {
  if (root !== "" && path.startsWith(`${root}/`)) return path.slice(root.length + 1);
  const parts = path.split("/");
  return parts.length > PATH_PARTS + 1 ? parts.slice(-PATH_PARTS).join("/") : path;
}

/** A value of several words stands in quotes, so that it is seen where it ends. */
export function quoted(value: string): string {
  return /\s/.test(value) ? `"${value.replaceAll('"', "'")}"` : value;
}

function worthOf({ key, value }: Field, { calls, of }: ArgumentCounts): number {
  if (value === "" || value === "true" || value === "false") return 0;
  const share = calls < 2 ? 0 : ((of.get(entryOf(key, value)) ?? 1) - 1) / calls;
  const isLong = value.length > 200 || value.includes("\n");
  return (1.05 - share) * (TELLING_KEYS.test(key) ? 2 : 1) * (isLong ? 0.3 : value.length < 3 ? 0.6 : 1);
}
