/**
 * Which of many names stand anywhere in what was said: one pass over the texts for all names together, since each of them is looked
 * for in all texts. Exact, and inside other words too. Pure.
 */

/** Of shorter names there are few, and nearly all of them stand somewhere. */
const KEY_CHARS = 4;
const KEY_BITS = 16;
const KEY_MASK = 2 ** KEY_BITS - 1;
const SHIFT = KEY_BITS / KEY_CHARS;

export function namesToldIn(texts: readonly string[], names: Iterable<string>): ReadonlySet<string> {
  const told = new Set<string>();
  const byKey = new Map<number, string[]>();
  const isKey = new Uint8Array(KEY_MASK + 1);
  for (const name of names) {
    if (name.length < KEY_CHARS) {
      if (texts.some((text) => text.includes(name))) told.add(name);
      continue;
    }
    const key = keyOf(name);
    isKey[key] = 1;
    const others = byKey.get(key);
    if (others === undefined) byKey.set(key, [name]);
    else others.push(name);
  }
  const note = (text: string, at: number, key: number): void => {
    for (const name of byKey.get(key) ?? []) if (!told.has(name) && text.startsWith(name, at)) told.add(name);
  };
  for (const text of texts) visitKeys(text, isKey, note);
  return told;
}

/** A function of its own, which the engine compiles once: a loop in a loop it compiles anew whenever the inner one ends. */
function visitKeys(text: string, isKey: Uint8Array, note: (text: string, at: number, key: number) => void): void {
  let key = 0;
  for (let at = 0; at < text.length; at++) {
    key = keyWith(key, text.charCodeAt(at));
    if (isKey[key] === 1) note(text, at - KEY_CHARS + 1, key);
  }
}

/** Of the first characters of a name. */
function keyOf(name: string): number {
  let key = 0;
  for (let at = 0; at < KEY_CHARS; at++) key = keyWith(key, name.charCodeAt(at));
  return key;
}

/** What stood before the last few characters is shifted out of it. */
function keyWith(key: number, code: number): number {
  return ((key << SHIFT) ^ code) & KEY_MASK;
}
