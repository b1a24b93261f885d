/**
 * Finds credentials beside their name: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`, `<secret>…`, "the password is …". Where the name
 * alone does not decide, the value has to look like a credential. Each look is bounded.
 */

import {
  hasAllShapes,
  isKnownId,
  isMixed,
  isName,
  KEY_CHARS_MIN,
  type LookResult,
  MARK,
  MIXED_CHARS_MIN,
  matchAt,
  PLACEHOLDER,
  type SecretSpan,
  shapeOf,
  spanned,
} from "./random-text.ts";

/** Whether the name of an argument or field says that its value is a credential. */
export function isNamedSecret(name: string, value: string): boolean {
  return isHidden(nameKind(name), { name, value, form: "quoted", endsLine: true });
}

/** How much a name tells of its value. `header`: the rest of the line is the value. */
type NameKind = "sure" | "likely" | "environment" | "key" | "header" | "none";

const SURE_NAME =
  /passw(?:or)?d|passwort|kennwort|passphrase|contrase|senha|pwd$|secret(?!ar)|(?:api|access|private|account|auth|signing|encryption|master|shared|service|subscription|license|deploy)key|(?:access|auth|refresh|id|session|bot|api|oauth|user|bearer|personal|private)token|credentials?$|psk$|mnemonic$/;
const LIKELY_NAME = /token|auth|sig$|signature|session|sessid|jwt|^pass$|otp$/;
/** Endings of names for something about a credential, such as its file or its length. */
const ABOUT =
  /(?:file|files|path|dir|name|field|policy|length|len|count|url|uri|arn|id|ids|manager|type|input|label|placeholder|regex|pattern|rotation|expiry|expires|expiresin|expiresat|ttl|hint|prompt|reset|mode|ref|refs|version|engine|provider|store|strength|min|max|enabled|required|changed|updated|at|limit|usage|budget|size|error|scope|s)$/;
const ENVIRONMENT_NAME = /^[A-Z][A-Z0-9_]*_(?:TOKEN|KEY|PASS|PW|AUTH|CREDENTIALS?|SIGNATURE|SALT|PAT)$/;
const SPLIT_PASS = /[_-]pass$|[a-z]Pass$/i;

const MAY_NAME =
  /pass|p?wd|pw$|secr|tok|key|auth|cook|sig|sess|cred|jwt|otp|senh|kenn|contrase|salt|_pat$|psk$|mnemonic$/i;

function nameKind(name: string): NameKind {
  if (!MAY_NAME.test(name)) return "none";
  const plain = name.toLowerCase().replace(/[_-]/g, "");
  if (/^(?:proxy|x)?(?:authorization|setcookie|cookie)$/.test(plain)) return "header";
  const isAbout =
    ABOUT.test(plain.replace(/(?:password|passwd|credential)s$/, "")) && !/(?:pass|credentials)$/.test(plain);
  if (SURE_NAME.test(plain) || (SPLIT_PASS.test(name) && !/(?:by|com|sur|tres|over|under)pass$/i.test(name)))
    return isAbout ? "likely" : "sure";
  if (ENVIRONMENT_NAME.test(name)) return "environment";
  if (LIKELY_NAME.test(plain)) return isAbout && !/sessionid|sessid/.test(plain) ? "none" : "likely";
  return plain.endsWith("key") ? "key" : "none";
}

/** How a value stands beside its name; `open` has blanks around the sign, as in prose and programs. */
type ValueForm = "quoted" | "tight" | "open";

interface NamedValue {
  readonly name: string;
  readonly value: string;
  readonly form: ValueForm;
  readonly endsLine: boolean;
}

const VALUE_CHARS_MIN = 3;
/** Types and values of programs and schemas. */
const PLAIN_VALUES: ReadonlySet<string> = new Set(
  "string str number integer int boolean bool true false null none nil undefined required optional any text varchar object unknown void function async await new return this self yes no on off never always bearer basic hidden redacted masked missing empty invalid expired omit include same-origin".split(
    " ",
  ),
);
/** `settings.password`, `getpass(`, `os.environ[`. */
const PROGRAM = /^[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*[([]|^[A-Za-z_$]+(?:\??\.#?[A-Za-z_$]+)+$/;
const MEMBER = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/;
const INSERTED = /\$[{(]|\{\{|<\w|process\.env/;

function isHidden(kind: NameKind, { name, value, form, endsLine }: NamedValue): boolean {
  if (kind === "none" || value.length < VALUE_CHARS_MIN) return false;
  // Checked first, because after a name that only makes a credential likely there is mostly a word.
  if ((kind === "likely" || kind === "key") && !/\d/.test(value)) return false;
  if (PLACEHOLDER.test(value)) return false;
  if (PLAIN_VALUES.has(value.toLowerCase().replace(/^\W+|\W+$/g, "")) || value.toLowerCase() === name.toLowerCase())
    return false;
  if (isPath(value) || isLabel(value) || isConstant(value)) return false;
  if (form !== "quoted" && PROGRAM.test(value) && !/^[A-Z][A-Z0-9_]*$/.test(name)) return false;
  if (kind === "likely")
    return (
      !isName(value) &&
      !(/id$/i.test(name) && (UUID.test(value) || isKnownId(value))) &&
      (isMixed(value) || LONG_TOKEN.test(value))
    );
  if (kind === "key") return value.length >= KEY_CHARS_MIN && hasAllShapes(value) && isMixed(value);
  if (kind === "header" && INSERTED.test(value)) return false;
  if (kind === "header") return value.includes("=") || SCHEME_VALUE.test(value) || isMixed(value);
  const isOdd = /\d/.test(value) || /[^\w./-]/.test(value);
  if (form === "quoted") return kind === "sure" || isOdd || /^[A-Za-z]{12,}$/.test(value);
  if (form === "open") return !MEMBER.test(value) && (isOdd || endsLine);
  return kind === "sure" || isOdd || value.length >= MIXED_CHARS_MIN;
}

/** In a header: the scheme, then what looks like no word. */
const SCHEME_VALUE = /^\w+[ \t]+(?=\S{6})\S*(?:\d|[a-z][A-Z])/;
const LONG_TOKEN = /^(?=[A-Za-z]{0,64}\d)[A-Za-z0-9]{16,}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Where a credential is kept, or what it looks like, not the credential. */
function isPath(value: string): boolean {
  if (/^\/.*\/[dgimsuvy]{0,6}$/.test(value) && /[\\^$*+?()[\]{}|]/.test(value)) return true;
  return /^(?:~|\.{0,2}|[A-Za-z]:)(?:[/\\]{1,2}[\w.@ -]+)+$/.test(value) && !isMixed(value);
}

/** The name of a constant or variable that holds a credential: `GEMINI_API_KEY`. */
function isConstant(value: string): boolean {
  return /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value) && nameKind(value) !== "none";
}

/** Words about a credential: "Forgot your password?". */
function isLabel(value: string): boolean {
  return /\s/.test(value) && !/\d/.test(value) && SURE_NAME.test(value.toLowerCase().replace(/\W/g, ""));
}

const NAME_CHARS_MAX = 64;
/** No password or token is longer; of a longer run only this much is hidden. */
const VALUE_CHARS_MAX = 1_024;

function isNameUnit(code: number): boolean {
  return shapeOf(code) !== 0 || code === 95 || code === 45;
}

const ASSIGNED =
  /(?:\*\*|\\{0,15}["'`]?)\]?([ \t]{0,8})(?:=>|:=|={1,2}|[:：])((?:\*\*)?[ \t]{0,40}(?:[|>][+-]?(?:[ \t]{0,8}\n|\\{1,15}n)[ \t]{1,40})?)/y;
/** A row of a table that a person reads. */
const CELL = /[ \t]{0,40}\|[ \t]{0,40}/y;
const IN_ELEMENT = /[^<>\n]{0,40}>[ \t]{0,8}/y;
const FLAG_VALUE = /[ \t]{1,8}(?!-)/y;
/** `- name: DB_PASSWORD`, then `value:` on its own line, or as the next field or attribute. */
const VALUE_FIELD =
  /\\{0,15}["'`]?(?:\s|\\{1,15}n){0,40},?\s{0,40}\\{0,15}["'`]?value\\{0,15}["'`]?[ \t]{0,8}[:=][ \t]{0,8}/iy;
/** The password is …, in the languages that are read most. */
const SAID =
  /[ \t]{1,4}(?:is|was|ist|lautet|war|est|es|era|é|è)(?:[ \t]{1,4}(?:now|(?:set|changed|reset)[ \t]{1,4}to))?[ \t]{0,4}:?[ \t]{1,4}/y;
/** `password 'x'`, `setPassword("x")`, and `define('DB_PASSWORD', 'x')`. */
const QUOTED_BESIDE = /(?:[ \t]{1,4}|\(|(\\{0,15}["']),[ \t]{0,4})(?=\\{0,15}["'`])/y;
/** Behind these a name and its value stand with nothing but a blank between them. */
const BEFORE_NETRC = /\blogin\s+[^\s\\]{1,80}(?:\s|\\{1,15}n)+$/;
const BEFORE_PAIR = /(?:(?:^|\n|\\[nr]|["'`])[ \t]*|\bENV[ \t]+|\bsetx[ \t]+)$/;
const PAIR_BACK_MAX = 100;
const BEARER = /bearer[ \t]{1,4}([A-Za-z0-9._~+/=-]{12,1000})/iy;

export function lookAtName(text: string, at: number): LookResult | undefined {
  let start = at;
  while (start > 0 && at - start < NAME_CHARS_MAX && isNameUnit(text.charCodeAt(start - 1))) start--;
  // The letter of a line end in JSON.
  if (start < at && text[start - 1] === "\\" && /[nrt]/.test(text[start] ?? "")) start++;
  let end = at;
  while (end < text.length && end - at < NAME_CHARS_MAX && isNameUnit(text.charCodeAt(end))) end++;
  if (text.startsWith("ña", end)) end += 2;
  // One of our own marks, whatever follows it.
  if (text.startsWith(MARK, start - 1)) return { next: end };
  const bearer = matchAt(BEARER, text, at);
  if (bearer !== undefined) {
    const [, token = ""] = bearer;
    const tokenStart = BEARER.lastIndex - token.length;
    if (/\d/.test(token) || token.length > KEY_CHARS_MIN) return spanned(tokenStart, BEARER.lastIndex);
  }
  const isFlag = text.startsWith("--", start);
  const before = text.slice(Math.max(0, start - PAIR_BACK_MAX), start);
  if (!isFlag && !mayHaveValue(text, end) && !BEFORE_NETRC.test(before)) return { next: end };
  const name = wholeName(text.slice(start, end).replace(/^-+/, ""), before);
  const kind = nameKind(name);
  if (kind === "none") return { next: end };
  const value = valueBeside(text, { start, end, name, kind, isFlag });
  if (value === undefined || !isHidden(kind, { name, ...value, value: text.slice(value.start, value.end) }))
    return { next: end };
  return spanned(value.start, wholeEnd(text, value));
}

/** `API key`: "key" alone tells too little. */
function wholeName(name: string, before: string): string {
  return /^key$/i.test(name) ? `${/[A-Za-z]{3,12}(?= $)/.exec(before)?.[0] ?? ""}${name}` : name;
}

/** The end of a value of which only the beginning was read. */
function wholeEnd(text: string, { end, rest }: ValuePlace): number {
  let at = end;
  while (rest !== undefined && at - end < VALUE_CHARS_MAX && matchAt(rest, text, at) !== undefined) at = rest.lastIndex;
  return at;
}

/** Whether a sign follows that may stand between a name and its value; in prose most names have none. */
function mayHaveValue(text: string, end: number): boolean {
  const code = text.charCodeAt(end);
  return code === 32 || code === 9
    ? MAY_FOLLOW.test(text.slice(end, end + FOLLOW_CHARS))
    : MAY_FOLLOW.test(text[end] ?? "");
}

const FOLLOW_CHARS = 16;
const MAY_FOLLOW = /^(?:[ \t]*[=:：|]|["'`\]>\\\n\r(*]| (?:is|was|ist|lautet|war|est|es|era|é|è)\b| [\\"'`]| \S*\d)/;

interface NamePlace extends SecretSpan {
  readonly name: string;
  readonly kind: NameKind;
  /** `--password`. */
  readonly isFlag: boolean;
}

interface ValuePlace extends SecretSpan, Pick<NamedValue, "form" | "endsLine"> {
  /** Reads on, for a value that is longer than the first look. */
  readonly rest?: RegExp;
}

function valueBeside(text: string, { start, end, name, kind, isFlag }: NamePlace): ValuePlace | undefined {
  const assigned = matchAt(ASSIGNED, text, end);
  if (assigned !== undefined) {
    const [, before = "", after = ""] = assigned;
    const isQuery = /[?&;]/.test(text[start - 1] ?? "");
    // A resource name: `…:secret:prod/db`.
    if (text[start - 1] === ":" && text[end] === ":" && after === "") return undefined;
    return readValue(text, ASSIGNED.lastIndex, { kind, isOpen: before + after !== "", isQuery });
  }
  if (/\|[ \t]*$/.test(text.slice(Math.max(0, start - 4), start)) && matchAt(CELL, text, end) !== undefined)
    return oddOnly(text, readValue(text, CELL.lastIndex, { kind, isOpen: true }));
  if (text[start - 1] === "<" && matchAt(IN_ELEMENT, text, end) !== undefined)
    return matchAt(QUOTE, text, IN_ELEMENT.lastIndex) ? undefined : readValue(text, IN_ELEMENT.lastIndex, { kind });
  if (isFlag && matchAt(FLAG_VALUE, text, end) !== undefined)
    return readValue(text, FLAG_VALUE.lastIndex, { kind: "sure" });
  if (kind !== "header" && matchAt(VALUE_FIELD, text, end) !== undefined)
    return readValue(text, VALUE_FIELD.lastIndex, { kind });
  if (kind !== "sure") return undefined;
  if (matchAt(SAID, text, end) !== undefined)
    return oddOnly(text, readValue(text, SAID.lastIndex, { kind, isOpen: true }));
  if (/passw/i.test(name)) {
    const beside = matchAt(QUOTED_BESIDE, text, end);
    const value = beside && readValue(text, QUOTED_BESIDE.lastIndex, { kind });
    const isArgument = beside?.[1] !== undefined && !/^[A-Z_]+$/.test(name);
    if (value !== undefined && !/\s/.test(text.slice(value.start, value.end)))
      return isArgument ? oddOnly(text, { ...value, form: "tight" }) : value;
  }
  if (text[end] !== " ") return undefined;
  const before = text.slice(Math.max(0, start - PAIR_BACK_MAX), start);
  const value = readValue(text, end + 1, { kind });
  if (BEFORE_NETRC.test(before)) return value;
  return value?.form !== "quoted" && BEFORE_PAIR.test(before) ? oddOnly(text, value) : undefined;
}

/** In prose a word after the name is about the credential; a quoted text or a word with digits is its value. */
function oddOnly(text: string, place: ValuePlace | undefined): ValuePlace | undefined {
  if (place === undefined || place.form === "quoted") return place;
  const value = text.slice(place.start, place.end);
  return value.length >= 6 && /\d/.test(value) && /\D/.test(value) ? { ...place, endsLine: false } : undefined;
}

interface Reading {
  readonly kind: NameKind;
  readonly isOpen?: boolean;
  /** In an address, where other values follow. */
  readonly isQuery?: boolean;
}

const QUOTE = /(\\{0,15})(["'`])/y;
/** The first look reads this much of a value; if that is a credential, the whole value is hidden. */
const BARE = /[^\s"'`<>\\]{1,128}/y;
const QUERY_VALUE = /[^\s"'`<>\\&#;]{1,128}/y;
const HEADER_VALUE = /[^"'`\r\n\\]{1,128}/y;
const LOOK_CHARS = 128;
const LINE_END = /[ \t,;)}\]]{0,8}(?:$|[\r\n#]|\\{1,15}[nr]|\\{0,15}["'`])/y;

function readValue(text: string, at: number, reading: Reading): ValuePlace | undefined {
  const { kind, isOpen = false, isQuery = false } = reading;
  const quote = matchAt(QUOTE, text, at);
  if (quote !== undefined) {
    const start = QUOTE.lastIndex;
    const end = closingQuote(text, start, quote[0]);
    if (end !== undefined) return end === start ? undefined : { start, end, form: "quoted", endsLine: true };
    return readValue(text, start, { ...reading, isOpen: false });
  }
  const pattern = kind === "header" ? HEADER_VALUE : isQuery ? QUERY_VALUE : BARE;
  const bare = matchAt(pattern, text, at);
  if (bare === undefined || PLACEHOLDER.test(bare[0])) return undefined;
  const end = at + bare[0].replace(/[,;.:)\]}]+$/, "").length;
  const endsLine = matchAt(LINE_END, text, end) !== undefined;
  const rest = bare[0].length < LOOK_CHARS ? {} : { rest: pattern };
  return end === at ? undefined : { start: at, end, form: isOpen ? "open" : "tight", endsLine, ...rest };
}

/** The end of a quoted text, whose quotes may be escaped inside another text; undefined where no closing quote is in reach. */
function closingQuote(text: string, from: number, quote: string): number | undefined {
  for (let at = text.indexOf(quote, from); at >= 0 && at - from <= VALUE_CHARS_MAX; at = text.indexOf(quote, at + 1)) {
    if (text[at - 1] !== "\\" || quote.length > 1) return at;
  }
  return undefined;
}

/** Names in other scripts than Latin. */
const FOREIGN_NAMES = ["пароль", "密码", "密碼", "口令", "パスワード", "비밀번호"];

export function findForeignNames(text: string, found: SecretSpan[]): void {
  for (const name of FOREIGN_NAMES) {
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
      const end = at + name.length;
      const value = valueBeside(text, { start: at, end, name, kind: "sure", isFlag: false });
      if (value !== undefined && isHidden("sure", { name, ...value, value: text.slice(value.start, value.end) }))
        found.push({ start: value.start, end: value.end });
    }
  }
}
