/**
 * Fences text as data. The delimiter carries a nonce that is derived from the fenced texts and occurs in none of them, so
 * nothing inside can close its fence, whatever it says. Deterministic: the same texts get the same fences.
 */

export interface FencedText {
  readonly label: string;
  readonly text: string;
}

export interface Fences {
  readonly nonce: string;
  readonly blocks: readonly string[];
}

/** All texts of one prompt share one nonce, so that none can close the fence of another either. */
export function fenceAll(texts: readonly FencedText[]): Fences {
  const nonce = nonceFor(texts.map(({ text }) => text));
  return { nonce, blocks: texts.map(({ label, text }) => block(label, text, nonce)) };
}

/** `<data-NONCE kind="label">` … `</data-NONCE>`, each on a line of its own. */
function block(label: string, text: string, nonce: string): string {
  return `<data-${nonce} kind="${label}">\n${text}\n</data-${nonce}>`;
}

/** The first candidate that occurs in none of the texts. They can hold only so many of them, so this ends. */
export function firstAbsent(texts: readonly string[], candidate: (round: number) => string): string {
  for (let round = 0; ; round++) {
    const nonce = candidate(round);
    if (!texts.some((text) => text.includes(nonce))) return nonce;
  }
}

function nonceFor(texts: readonly string[]): string {
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  for (const text of texts) {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      high = Math.imul(high ^ code, 0x21f0aaad);
      low = Math.imul(low ^ code, 0x735a2d97);
    }
  }
  return firstAbsent(texts, (round) => base36(mix(high + round)) + base36(mix(low ^ round)));
}

function mix(value: number): number {
  const once = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
  return (once ^ (once >>> 16)) >>> 0;
}

function base36(value: number): string {
  return value.toString(36).padStart(7, "0");
}
