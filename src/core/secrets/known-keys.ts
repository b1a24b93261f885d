/** Credentials that need no name: keys that begin in a way of their own, passwords of commands, lines of password files, addresses of hooks. */

import { type Look, type Looked, matchAt, PLACEHOLDER, spanned } from "./look.ts";
import { shapeOf } from "./random-text.ts";

/** How keys begin, and what follows. Where ordinary names begin so too, more is asked of the rest. */
export const KEY_BEGINNINGS: readonly (readonly [beginnings: string, rest: RegExp])[] = [
  [
    "sk-ant- sk-proj- sk-or- sk-svcacct- sk-admin- sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ whsec_ GOCSPX- ya29. ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- glrt- gldt- glptt- xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe- xoxe. xapp- dckr_pat_ lin_api_ lin_oauth_ figd_ ATATT3 ATCTT3 hvs. hvb. hvr. dop_v1_ doo_v1_ dor_v1_ shpat_ shpca_ shppa_ shpss_ AGE-SECRET-KEY- pypi- gsk_ nvapi- tvly- sntrys_ sntryu_ PMAK- NRAK- glsa_ sbp_ tskey- CFPAT- rubygems_ sq0csp- sq0atp-",
    /[A-Za-z0-9_.=+/-]{12,1000}/y,
  ],
  ["AKIA ASIA ABIA ACCA", /[A-Z0-9]{12,60}(?![a-z])/y],
  ["AIza", /[A-Za-z0-9_-]{24,100}/y],
  ["hf_ npm_ ntn_ secret_ r8_", /[A-Za-z0-9]{24,200}/y],
  ["sk- xai- pplx-", /(?=[A-Za-z_-]{0,200}\d)[A-Za-z0-9_-]{20,200}/y],
  ["dapi key-", /[0-9a-f]{32}(?:-\d)?/y],
  ["SG.", /[\w-]{10,100}\.[\w-]{10,200}/y],
  ["eyJ", /[\w-]{8,200}\.[\w-]{8,4000}(?:\.[\w-]{0,2000})?/y],
  ["$2a$ $2b$ $2y$ $apr1$ $argon2i$ $argon2id$ $argon2d$ $6$ $5$ $y$", /[^\s:"'`]{12,200}/y],
];

export function lookAtKey(beginning: string, rest: RegExp): Look {
  return (text, at) => {
    if (!text.startsWith(beginning, at) || isWordBefore(text, at)) return undefined;
    if (matchAt(rest, text, at + beginning.length) === undefined) return undefined;
    return spanned(at, trimmedEnd(text, at, rest.lastIndex));
  };
}

function isWordBefore(text: string, at: number): boolean {
  return at > 0 && shapeOf(text.charCodeAt(at - 1)) !== 0 && text[at - 2] !== "\\";
}

function trimmedEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && /[.,;:/-]/.test(text[at - 1] ?? "")) at--;
  return at;
}

/** Commands, and what stands before a password in their line. */
export const COMMANDS: readonly (readonly [name: string, argument: RegExp])[] = [
  ["curl", /\s(?:-u|--user|--proxy-user|-U)[ =]?["']?[^\s:"']{0,128}:(?=[^\s"'/])/g],
  ["mysql", /\s-p["']?(?=[^\s"'-])/g],
  ["mariadb", /\s-p["']?(?=[^\s"'-])/g],
  ["sshpass", /\s-p ?["']?(?=[^\s"'])/g],
  ["docker login", /\s-p ?["']?(?=[^\s"'])/g],
  ["redis-cli", /\s-a ?["']?(?=[^\s"'])/g],
  ["ldapsearch", /\s-w ?["']?(?=[^\s"'])/g],
  ["openssl", /\s-pass(?:in|out)?\s+pass:(?=[^\s"'])/g],
];
const WORD = /[^\s"'`<>\\]{1,1024}/y;
const COMMAND_CHARS_MAX = 240;

export function lookAtCommand(name: string, argument: RegExp): Look {
  return (text, at) => {
    if (!text.startsWith(name, at)) return undefined;
    const line = text.slice(at, at + COMMAND_CHARS_MAX).split("\n", 1)[0] ?? "";
    argument.lastIndex = 0;
    if (!argument.test(line)) return undefined;
    const start = at + argument.lastIndex;
    const value = matchAt(WORD, text, start);
    if (value === undefined || PLACEHOLDER.test(value[0])) return undefined;
    return spanned(start, WORD.lastIndex);
  };
}

/** Addresses that are a credential as a whole. */
const HOOK = /hooks?\.slack\.com\/(?:services|workflows|triggers)\/([\w/-]{12,300})|hooks\/(\d{6,24}\/[\w-]{12,300})/y;

export function lookAtHook(text: string, at: number): Looked | undefined {
  const match = matchAt(HOOK, text, at);
  const value = match?.[1] ?? match?.[2];
  return value === undefined ? undefined : spanned(HOOK.lastIndex - value.length, HOOK.lastIndex);
}

/** A chat bot's: its number, a colon, 35 characters that begin with two capitals. */
const BOT = /:AA[\w-]{28,60}/y;

export function lookAtBot(text: string, at: number): Looked | undefined {
  if (matchAt(BOT, text, at) === undefined || !/\d{6,14}$/.test(text.slice(Math.max(0, at - 14), at))) return undefined;
  return spanned(at + 1, BOT.lastIndex);
}

/** `host:5432:database:user:password`. */
const PASSWORD_LINE = /:\d{4}:[^\s:]{1,64}:[^\s:]{1,64}:(\S{1,128})/y;

export function lookAtPasswordLine(text: string, at: number): Looked | undefined {
  const match = matchAt(PASSWORD_LINE, text, at);
  const value = match?.[1];
  if (value === undefined || PLACEHOLDER.test(value)) return undefined;
  return spanned(PASSWORD_LINE.lastIndex - value.length, PASSWORD_LINE.lastIndex);
}
