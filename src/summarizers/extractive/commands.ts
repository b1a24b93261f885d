/** Shell commands and SQL in few words: the parts that do something, without the setting and the shortening around them. Linear in the command. */

import { oneLine } from "./text.ts";

/** What a call is for: it changes something, runs something, or only looks. */
export type CallKind = "change" | "run" | "read";

const BRIEF_CHARS_MAX = 190;
const READ_CHARS_MAX = 4_000;
const PARTS_MAX = 12;

/** A name under which a tool is given a command. */
export function isCommandKey(key: string): boolean {
  return /^(?:command|cmd|script|bash_command|commands)$/i.test(key);
}

/** A name under which a tool is given SQL, or code that may be SQL. */
export function isQueryKey(key: string): boolean {
  return /(?:^|\.)(?:sql|query|statement|code|command|script)$/i.test(key);
}

/** Commands that only look. */
const LOOKS =
  /^(?:ls|cat|head|tail|less|more|bat|nl|wc|grep|egrep|rg|ag|find|fd|tree|pwd|which|type|file|stat|du|df|ps|env|printenv|date|whoami|uname|id|jq|sort|uniq|diff|cmp|awk|sed -n|sed '|echo|printf|true|sleep|test|\[|git (?:status|log|diff|show|branch(?: -[avr]|$)|remote|blame|rev-parse|ls-files|grep|describe|config --get)|gh \w+ (?:view|list|status|diff|checks)|(?:npm|pnpm|yarn) (?:ls|view|list|why)|pip (?:show|list|freeze)|docker (?:ps|images|logs|inspect)|kubectl (?:get|describe|logs)|bd (?:show|list|ready|stats)|curl(?! .*-X *(?:POST|PUT|PATCH|DELETE)))(?=\s|$|')/;
/** Commands that change files, a repository or a system. */
const CHANGES =
  /(?:^|\s)(?:git (?:commit|push|merge|rebase|checkout -b|switch -c|branch [^-]|tag|revert|reset|cherry-pick|rm|mv|clone|stash|worktree|apply)|rm|mv|cp|mkdir|touch|ln|chmod|chown|sed -i|tee|patch|(?:npm|pnpm|yarn|pip3?|uv|apt|apt-get|brew|cargo|go|gem) (?:\S+ )?(?:install|add|i|uninstall|remove|publish|get)|gh \w+ (?:create|merge|close|edit|comment|delete)|\w+ (?:create|update|close|delete|add|remove|set|apply|deploy|migrate|rm)|curl .*-X *(?:POST|PUT|PATCH|DELETE))(?=\s|$)|[^0-9&>]>{1,2}\s*[\w./~-]+/;
/** Setting and decoration around what is meant. */
const IDLE =
  /^(?:git add|cd|export|set|source|\.|echo|printf|sleep|true|pwd|unset|then|else|fi|do|done|#|exit|EOF)(?=\s|$|["'-])/;
const REDIRECT =
  /\s*(?:\d?>\s*\/dev\/null|2>&1|\|\s*(?:head|tail|wc|cat|sort|less)(?:\s+-{1,2}[\w=-]+|\s+\d+)*)(?=\s|$|\))/g;

export function commandKind(command: string): CallKind {
  const parts = partsOf(command);
  if (parts.some(isChanging)) return "change";
  return parts.length > 0 && parts.every((part) => LOOKS.test(part)) ? "read" : "run";
}

/** What only looks changes a file where its output goes into one. */
function isChanging(part: string): boolean {
  return LOOKS.test(part) ? writesFile(part) : CHANGES.test(part);
}

function writesFile(part: string): boolean {
  return INTO_FILE.test(part.replace(QUOTED, ""));
}

const INTO_FILE = /(?:^|\s)>{1,2}\s*[\w./~-]/;
const QUOTED = /"[^"]*"|'[^']*'/g;

/** The parts that do something, before those that only look. */
export function commandBrief(command: string): string {
  const parts = partsOf(command);
  const changing = parts.filter(isChanging);
  const doing = changing.length > 0 ? changing : parts.filter((part) => !LOOKS.test(part));
  const said = (doing.length > 0 ? doing : parts).map((part) => oneLine(part, BRIEF_CHARS_MAX)).join(" && ");
  return oneLine(said === "" ? command : said, BRIEF_CHARS_MAX);
}

/** One for each command of a line or list, with what a document behind it begins with, and without idle ones where others are. */
function partsOf(command: string): readonly string[] {
  const lines = command.slice(0, READ_CHARS_MAX).replace(/\\\n\s*/g, " ");
  const text = withoutDocuments(lines).replace(REDIRECT, "");
  const parts = splitCommands(text)
    .map((part) => part.trim())
    .filter((part) => /[\p{L}\p{N}]/u.test(part));
  const telling = parts.filter((part) => !IDLE.test(part) || writesFile(part));
  return (telling.length > 0 ? telling : parts).slice(0, PARTS_MAX);
}

/** `$(cat <<'EOF' … EOF)` as the first line of what stands in it. */
function withoutDocuments(command: string): string {
  const start = command.indexOf("<<");
  if (start < 0) return command;
  const lines = command.split("\n");
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const mark = /<<[-~]?\s*["']?(\w+)["']?/.exec(line);
    if (mark === null) {
      kept.push(line);
      continue;
    }
    const end = lines.findIndex((below, index) => index > at && below.trim() === mark[1]);
    const first = lines.slice(at + 1, end < 0 ? undefined : end).find((below) => below.trim() !== "") ?? "";
    const opening = line.replace(/"?\$\(cat <<[-~]?\s*["']?\w+["']?/, "").replace(/<<[-~]?\s*["']?\w+["']?/, "");
    kept.push(`${opening.trimEnd()} "${first.trim().replace(/["\\]/g, "'")}"`);
    if (end < 0) break;
    at = end;
  }
  return kept.join("\n").replace(/^\s*\)"?/gm, "");
}

/** At `&&`, `||`, `;` and line ends that stand outside quotes. */
function splitCommands(text: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === "\\") at++;
    else if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === '"' || character === "'" || character === "`") quote = character;
    else if (
      character === ";" ||
      character === "\n" ||
      ((character === "&" || character === "|") && text[at + 1] === character)
    ) {
      parts.push(text.slice(from, at));
      if (character === "&" || character === "|") at++;
      from = at + 1;
    }
  }
  parts.push(text.slice(from));
  return parts;
}

const SQL_START =
  /^\s*(?:--[^\n]*\n\s*|\/\*[^*]*\*\/\s*)*(select|with|insert|update|delete|create|alter|drop|truncate|grant|revoke|begin|do|explain|comment|refresh|set|call)\b/i;
const SQL_CHANGE =
  /\b(create|insert\s+into|update|delete\s+from|alter|drop|truncate|refresh|(?:grant|revoke)\s+[\w\s,]{1,100}?\s+on)\s+((?:or\s+replace\s+|temp(?:orary)?\s+|unique\s+|constraint\s+|materialized\s+|concurrently\s+|if\s+(?:not\s+)?exists\s+|only\s+|table\s+|view\s+|function\s+|procedure\s+|policy\s+|index\s+|trigger\s+|schema\s+|type\s+|extension\s+|role\s+|database\s+|sequence\s+){0,6})("[^"]{1,80}"|`[^`]{1,80}`|[\w.$]{1,80})/gi;

/** Undefined for what is no SQL. */
export function sqlKind(text: string): CallKind | undefined {
  const verb = SQL_START.exec(text.slice(0, 500))?.[1]?.toLowerCase();
  if (
    verb === undefined ||
    !/\b(?:from|into|table|view|set|function|policy|index|schema|trigger|type|select|role|on|extension)\b/i.test(
      text.slice(0, READ_CHARS_MAX),
    )
  )
    return undefined;
  return sqlChanges(text).length > 0 ? "change" : "read";
}

/** What each statement changes; one statement, and a query, by its first words. */
export function sqlBrief(text: string): string {
  const changes = [...new Set(sqlChanges(text))];
  const only = changes.length === 1 ? sqlWithoutComments(text) : undefined;
  return oneLine(only ?? (changes.length > 0 ? changes.join("; ") : text), SQL_CHARS_MAX);
}

const SQL_CHARS_MAX = 130;

function sqlWithoutComments(text: string): string {
  return text.slice(0, 4 * READ_CHARS_MAX).replace(/--[^\n]*/g, " ");
}

function sqlChanges(text: string): readonly string[] {
  const plain = sqlWithoutComments(text).replace(/(\$\w{0,20}\$)[^$]*\1/g, " ");
  return Array.from(plain.matchAll(SQL_CHANGE), ([whole]) => whole.replace(/\s+/g, " ").trim()).filter(
    (change) => !/^(?:update|drop|create|alter)\s+(?:set|on|of|or)\b/i.test(change),
  );
}
