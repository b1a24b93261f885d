/**
 * Bodies of requests that are sent again and again with more messages at their end. What a body has in common with one that was read before
 * is compared as text and not parsed again, and keeps its objects. What is returned is always what `JSON.parse` would return.
 */

import { isArray, isObject, type JsonValue } from "../core/json.ts";
import { parseJson } from "./request-body.ts";

/** Shorter ones are parsed in less time than it takes to look for them. */
const TEXT_CHARS_MIN = 16_384;
/** Every text that is read is compared with so many at most. */
const TEXTS_MAX = 256;
/** The length of all that are kept; what is beyond is parsed again with each request. */
const TEXTS_CHARS_MAX = 64 * 1024 * 1024;
/** Clients change the newest messages when they send them again: cache marks move on. */
const NEWEST = 4;
/** Texts that differ mostly differ at their end. */
const ENDING_CHARS = 64;

/** The beginning of a body that was read, up to a message. */
interface KnownText {
  readonly text: string;
  /** Where the list begins, behind its bracket, and where the last of the elements ends. */
  readonly start: number;
  readonly end: number;
  readonly elements: readonly JsonValue[];
}

export interface KnownTexts {
  /** As `JSON.parse` reads it; undefined for a text that is no JSON. */
  parse(text: string, listKey: string): unknown;
}

export function createKnownTexts(): KnownTexts {
  let texts: readonly KnownText[] = [];
  return {
    parse: (text, listKey) => {
      if (text.length < TEXT_CHARS_MIN) return parseJson(text);
      const known = texts.find((candidate) => beginsWith(text, candidate));
      const body = (known && parseRest(text, known, listKey)) ?? parseJson(text);
      const next = knownAfter(text, body, { known, listKey });
      if (next !== undefined) texts = withinBounds([next, ...texts.filter((other) => other !== known)]);
      return body;
    },
  };
}

/** The first of them, which were used last. */
function withinBounds(texts: readonly KnownText[]): readonly KnownText[] {
  let chars = 0;
  const end = texts.findIndex(({ text }, index) => {
    chars += text.length;
    return index >= TEXTS_MAX || chars > TEXTS_CHARS_MAX;
  });
  return end < 0 ? texts : texts.slice(0, end);
}

function beginsWith(text: string, { text: known, end }: KnownText): boolean {
  const ending = end - ENDING_CHARS;
  if (text.length <= end || text.slice(ending, end) !== known.slice(ending, end)) return false;
  // Comparing two pieces takes a fraction of the time that `startsWith` does.
  return text.slice(0, end) === known.slice(0, end);
}

/** With a 0 in the place of all the elements that are known. */
function parseRest(text: string, { start, end, elements }: KnownText, listKey: string): unknown {
  const body = parseJson(`${text.slice(0, start)}0${text.slice(end)}`);
  const list = isObject(body) ? body[listKey] : undefined;
  // The list of that name may be another one, deeper inside.
  if (!isObject(body) || !isArray(list) || list[0] !== 0) return undefined;
  return { ...body, [listKey]: elements.concat(list.slice(1)) };
}

/** Undefined where the text is not written as `JSON.stringify` writes it: then nobody can tell where an element ends. */
function knownAfter(
  text: string,
  body: unknown,
  { known, listKey }: { readonly known: KnownText | undefined; readonly listKey: string },
): KnownText | undefined {
  const list = isObject(body) ? body[listKey] : undefined;
  if (!isArray(list) || list.length <= NEWEST) return undefined;
  const opening = `"${listKey}":[`;
  const start = known?.start ?? text.indexOf(opening) + opening.length;
  let end = known?.end ?? start;
  const from = known?.elements.length ?? 0;
  const to = Math.max(from, list.length - NEWEST);
  for (let index = from; index < to; index++) {
    const piece = `${index === 0 ? "" : ","}${JSON.stringify(list[index])}`;
    if (!text.startsWith(piece, end)) return undefined;
    end += piece.length;
  }
  // An element that is a number or a word could go on behind the end.
  const isEnd = text[end] === "," || text[end] === "]";
  return isEnd && start >= opening.length ? { text, start, end, elements: list.slice(0, to) } : undefined;
}
