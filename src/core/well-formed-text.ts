/** Cutting text without cutting a character: a surrogate pair stays whole, so that what is cut can still be encoded. */

/** At most the first `count` code units. */
export function headOf(text: string, count: number): string {
  if (text.length <= count) return text;
  return text.slice(0, isPairAt(text, count - 1) ? count - 1 : count);
}

/** At most the last `count` code units. */
export function tailOf(text: string, count: number): string {
  if (text.length <= count) return text;
  const start = text.length - count;
  return text.slice(isPairAt(text, start - 1) ? start + 1 : start);
}

/** True when the unit at the index is the first half of a pair. */
function isPairAt(text: string, index: number): boolean {
  return index >= 0 && /[\ud800-\udbff]/.test(text[index] ?? "") && /[\udc00-\udfff]/.test(text[index + 1] ?? "");
}
