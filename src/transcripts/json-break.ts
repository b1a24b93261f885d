/**
 * Where a JSON text breaks. The parser does not always say, so this walks the text once, without recursion, and returns
 * the offset of the first character that cannot stand there. Meant for error messages; never decides validity.
 */

/** The length of the text when it merely ends too early; undefined where the fault is inside a string. */
export function findBreak(text: string): number | undefined {
  const open: ("{" | "[")[] = [];
  let expected: Expected = "value";
  let offset = skipSpace(text, 0);
  while (offset < text.length) {
    const token = tokenAt(text, offset);
    const next = step(expected, token.kind, open);
    if (next === undefined) return token.end > text.length ? text.length : offset;
    expected = next;
    offset = skipSpace(text, token.end);
  }
  return expected === "end" ? undefined : text.length;
}

type Expected = "value" | "value-or-close" | "key" | "key-or-close" | "colon" | "comma-or-close" | "end";
type Kind = "{" | "[" | "}" | "]" | ":" | "," | "string" | "literal" | "wrong";

interface Token {
  readonly kind: Kind;
  /** Beyond the text for a string that never closes. */
  readonly end: number;
}

function tokenAt(text: string, offset: number): Token {
  const character = text.charAt(offset);
  if (character === '"') {
    const end = endOfString(text, offset);
    return end === -1 ? { kind: "wrong", end: text.length + 1 } : { kind: "string", end: end + 1 };
  }
  if (isPunctuation(character)) return { kind: character, end: offset + 1 };
  LITERAL.lastIndex = offset;
  const literal = LITERAL.exec(text);
  return literal === null ? { kind: "wrong", end: offset + 1 } : { kind: "literal", end: offset + literal[0].length };
}

const LITERAL = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const SPACE = /[ \t\r\n]*/y;

function isPunctuation(character: string): character is "{" | "[" | "}" | "]" | ":" | "," {
  return "{[}]:,".includes(character);
}

function skipSpace(text: string, offset: number): number {
  SPACE.lastIndex = offset;
  return offset + (SPACE.exec(text)?.[0].length ?? 0);
}

/** What may follow; undefined when the token cannot stand here. Keeps the open brackets. */
function step(expected: Expected, kind: Kind, open: ("{" | "[")[]): Expected | undefined {
  const isValueNext = expected === "value" || expected === "value-or-close";
  if (isValueNext && (kind === "{" || kind === "[")) {
    open.push(kind);
    return kind === "{" ? "key-or-close" : "value-or-close";
  }
  if (isValueNext && (kind === "string" || kind === "literal")) return afterValue(open);
  if ((expected === "key" || expected === "key-or-close") && kind === "string") return "colon";
  if (expected === "colon") return kind === ":" ? "value" : undefined;
  if (expected === "comma-or-close" && kind === ",") return open.at(-1) === "{" ? "key" : "value";
  const mayClose = expected === "comma-or-close" || expected === "key-or-close" || expected === "value-or-close";
  if (!mayClose || kind !== (open.at(-1) === "{" ? "}" : "]")) return undefined;
  open.pop();
  return afterValue(open);
}

function afterValue(open: readonly string[]): Expected {
  return open.length === 0 ? "end" : "comma-or-close";
}

/** Offset of the closing quote, -1 when there is none. Searches natively, so long strings cost little. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return -1;
}
