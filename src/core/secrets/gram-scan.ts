/**
 * Finds the places that are worth a look: four characters that open a name, a key or a command. A text is searched for all of them at
 * once, mostly three characters at a time.
 */

import {
  COMMANDS,
  KEY_BEGINNINGS,
  lookAtBot,
  lookAtCommand,
  lookAtHook,
  lookAtKey,
  lookAtPasswordLine,
} from "./known-keys.ts";
import type { Look, SecretSpan } from "./look.ts";
import { lookAtName } from "./named-values.ts";

const GRAM_CHARS = 4;
const NAME_GRAMS = "pass secr toke auth bear cook sign cred sess senh kenn rase pgpa _otp _pw=";
/** Too short for a gram: with any of the signs that may follow a name. */
const SHORT_NAMES = "key pwd sig jwt otp sid";
const NAME_ENDS = "=:\"'` ]>\\_-";

const LOOKS: ReadonlyMap<string, readonly Look[]> = makeLooks();

function makeLooks(): ReadonlyMap<string, readonly Look[]> {
  const looks = new Map<string, Look[]>();
  const add = (gram: string, look: Look): void => {
    const known = looks.get(gram) ?? [];
    if (!known.includes(look)) looks.set(gram, [...known, look]);
  };
  for (const gram of NAME_GRAMS.split(" ")) add(gram, lookAtName);
  for (const name of SHORT_NAMES.split(" ")) for (const end of NAME_ENDS) add(name + end, lookAtName);
  for (const [beginnings, rest] of KEY_BEGINNINGS) {
    for (const beginning of beginnings.split(" ")) {
      const look = lookAtKey(beginning, rest);
      const open = beginning.toLowerCase().slice(0, GRAM_CHARS);
      if (open.length === GRAM_CHARS) add(open, look);
      else for (const next of "abcdefghijklmnopqrstuvwxyz0123456789_-./") add(open + next, look);
    }
  }
  for (const [name, argument] of COMMANDS) add(name.slice(0, GRAM_CHARS), lookAtCommand(name, argument));
  add("hook", lookAtHook);
  for (const next of "abcdefghijklmnopqrstuvwxyz0123456789_-") add(`:aa${next}`, lookAtBot);
  add(":543", lookAtPasswordLine);
  return looks;
}

const HASHES = 1 << 14;
const GRAMS = new Uint8Array(HASHES);
for (const gram of LOOKS.keys()) {
  const [first = 0, second = 0, third = 0, fourth = 0] = Array.from(gram, (character) => character.charCodeAt(0));
  GRAMS[hashOf(first, second, third, fourth)] = 1;
}

/** By two neighbours, how far the end of the next gram is at least; and whether a gram begins with them. */
const [STEPS, OPENS] = makeSteps();

function makeSteps(): readonly [Uint8Array, Uint8Array] {
  const steps = new Uint8Array(128 * 128).fill(GRAM_CHARS - 1);
  const opens = new Uint8Array(128 * 128);
  for (const gram of LOOKS.keys()) {
    for (let at = 0; at < GRAM_CHARS - 1; at++) {
      for (const one of casesOf(gram[at] ?? "")) {
        for (const other of casesOf(gram[at + 1] ?? "")) {
          const pair = one * 128 + other;
          steps[pair] = Math.min(steps[pair] ?? 0, GRAM_CHARS - 2 - at);
          if (at === 0) opens[pair] = 1;
        }
      }
    }
  }
  return [steps, opens];
}

function casesOf(character: string): readonly number[] {
  return [...new Set([character.charCodeAt(0), character.toUpperCase().charCodeAt(0)])];
}

export function visitGrams(text: string, found: SecretSpan[]): void {
  const { length } = text;
  for (let at = GRAM_CHARS - 1; at < length; ) {
    const before = text.charCodeAt(at - 1);
    const last = text.charCodeAt(at);
    const step = (before | last) < 128 ? (STEPS[before * 128 + last] as number) : beyondStep(last); // inside the table
    if (step > 0) {
      at += step;
      continue;
    }
    at = nextAfter(lookAt(text, at - GRAM_CHARS + 1, found), at);
  }
}

/** No gram has a unit beyond ASCII in it. */
function beyondStep(last: number): number {
  return last < 128 ? GRAM_CHARS - 1 : GRAM_CHARS;
}

function nextAfter(next: number, at: number): number {
  return Math.max(at + 1, next + GRAM_CHARS - 1);
}

/** Only looks where the four characters may be a gram: most places that their last two lead to are none. */
function lookAt(text: string, start: number, found: SecretSpan[]): number {
  const first = text.charCodeAt(start);
  const second = text.charCodeAt(start + 1);
  if ((first | second) >= 128 || OPENS[first * 128 + second] === 0) return 0;
  if (GRAMS[hashOf(first, second, text.charCodeAt(start + 2), text.charCodeAt(start + 3))] === 0) return 0;
  let next = 0;
  for (const look of LOOKS.get(text.slice(start, start + GRAM_CHARS).toLowerCase()) ?? []) {
    const looked = look(text, start);
    if (looked === undefined) continue;
    next = Math.max(next, looked.next);
    if (looked.span === undefined) continue;
    found.push(looked.span);
    return looked.next;
  }
  return next;
}

/** The same for capitals and small letters. */
function hashOf(first: number, second: number, third: number, fourth: number): number {
  const one = Math.imul((first | 32) * 31 + (second | 32), 0x9e37_79b1);
  return ((one + Math.imul((third | 32) * 31 + (fourth | 32), 0x85eb_ca6b)) >>> 8) & (HASHES - 1);
}
