/**
 * The order of numbers from large to small, by their bits and in flat memory: sorting as many objects costs several times as
 * much. Linear but for numbers that are nearly equal. Pure.
 */

/** The indexes of `keys`, largest key first, equal keys in the order given. No key is negative. */
export function descendingOrder(keys: Float64Array): Int32Array {
  const highs = highWords(keys);
  const order = byHighWord(highs);
  const compare = (a: number, b: number): number => (keys[b] ?? 0) - (keys[a] ?? 0) || a - b;
  for (let start = 0; start < order.length; ) {
    const key = keys[order[start] ?? 0];
    const high = highs[order[start] ?? 0];
    let end = start + 1;
    let isSettled = true;
    for (; end < order.length && highs[order[end] ?? 0] === high; end++) {
      // Equal keys stand in the order given already.
      if (keys[order[end] ?? 0] !== key) isSettled = false;
    }
    if (end - start > 1 && !isSettled) sortRange(order, start, end, compare);
    start = end;
  }
  return order;
}

/** The upper half of each number's bits, which of two numbers that are not negative is larger for the larger one. */
function highWords(keys: Float64Array): Uint32Array {
  const words = new Uint32Array(keys.buffer, keys.byteOffset, 2 * keys.length);
  const high = IS_LITTLE_ENDIAN ? 1 : 0;
  const highs = new Uint32Array(keys.length);
  for (let index = 0; index < keys.length; index++) highs[index] = words[2 * index + high] ?? 0;
  return highs;
}

const IS_LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;

/** Indexes by falling word, equal ones as given: one round per digit, lowest digit first. */
function byHighWord(highs: Uint32Array): Int32Array {
  const { length } = highs;
  let from = new Int32Array(length);
  for (let index = 0; index < length; index++) from[index] = index;
  let to = new Int32Array(length);
  const ends = new Int32Array(DIGITS);
  for (let shift = 0; shift < 32; shift += DIGIT_BITS) {
    ends.fill(0);
    for (let at = 0; at < length; at++) {
      const digit = ((highs[at] ?? 0) >>> shift) & (DIGITS - 1);
      ends[digit] = (ends[digit] ?? 0) + 1;
    }
    for (let digit = DIGITS - 2; digit >= 0; digit--) ends[digit] = (ends[digit] ?? 0) + (ends[digit + 1] ?? 0);
    for (let at = length - 1; at >= 0; at--) {
      const index = from[at] ?? 0;
      const digit = ((highs[index] ?? 0) >>> shift) & (DIGITS - 1);
      const place = (ends[digit] ?? 0) - 1;
      ends[digit] = place;
      to[place] = index;
    }
    [from, to] = [to, from];
  }
  return from;
}

/** Negative when the first index comes first. */
type Compare = (a: number, b: number) => number;

/** Up to so many are sorted faster by hand. */
const INSERTED_MAX = 12;

function sortRange(order: Int32Array, start: number, end: number, compare: Compare): void {
  if (end - start > INSERTED_MAX) {
    order.subarray(start, end).sort(compare);
    return;
  }
  for (let at = start + 1; at < end; at++) {
    const index = order[at] ?? 0;
    let place = at;
    for (; place > start && compare(order[place - 1] ?? 0, index) > 0; place--) order[place] = order[place - 1] ?? 0;
    order[place] = index;
  }
}
