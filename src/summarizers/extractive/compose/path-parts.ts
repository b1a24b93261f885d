/**
 * The parts of a path that may be identifiers of their own: every run of its segments. Most are nobody's name, so a part is only
 * cut out when a few of its characters, which cost no string, are those of one that somebody looks for. Pure.
 */

/** Which parts are wanted, by their signs: a bit for each. It may want others too, but never misses one. */
export type PartFilter = Int32Array;

export const EVERY_PART: PartFilter = Int32Array.of(-1);

/** So few bits are set that hardly any part is cut out in vain, and still all of them fit into the nearest cache. */
const WORDS_PER_PART = 2;

/** Wants nothing yet. */
export function createPartFilter(parts: number): PartFilter {
  return new Int32Array(2 ** Math.ceil(Math.log2(WORDS_PER_PART * parts + 1)));
}

export function addToFilter(filter: PartFilter, part: string): void {
  const sign = signOf(part, 0, part.length);
  const word = (sign >>> 5) & (filter.length - 1);
  filter[word] = (filter[word] as number) | (1 << sign); // a word inside the filter
}

function isWanted(filter: PartFilter, sign: number): boolean {
  return (((filter[(sign >>> 5) & (filter.length - 1)] as number) >>> sign) & 1) === 1; // a word inside the filter
}

const FACTOR = 0x01000193;

/** Of its length and four of its characters: two names that have these in common are hardly ever met, and to read all takes longer. */
function signOf(text: string, start: number, end: number): number {
  const length = end - start;
  let sign = Math.imul(length, FACTOR) ^ text.charCodeAt(start);
  sign = Math.imul(sign, FACTOR) ^ text.charCodeAt(start + (length >> 2));
  sign = Math.imul(sign, FACTOR) ^ text.charCodeAt(start + (length >> 1));
  sign = Math.imul(sign, FACTOR) ^ text.charCodeAt(end - 1);
  return sign ^ (sign >>> 15);
}

const SEGMENTS_MAX = 16;

/** Of a path every run of its first segments, with and without the leading slash, but not the whole. A run may come twice. */
export function visitParts(path: string, filter: PartFilter, visit: (part: string) => void): void {
  const visitRange = (start: number, end: number): void => {
    if (end - start < path.length && isWanted(filter, signOf(path, start, end))) visit(path.slice(start, end));
  };
  const segments = readSegments(path);
  for (let from = 0; from < segments; from++) {
    // Where the slash before the segment stands, -1 before the first.
    const slash = from === 0 ? -1 : (ends[from - 1] as number); // one of the segments that were read
    for (let to = from; to < segments; to++) {
      const end = ends[to] as number; // one of the segments that were read
      if (end > slash + 1) visitRange(slash + 1, end);
      if (from > 0 && to > from) visitRange(slash, end);
    }
  }
}

/** Where the first segments of a path end. Whoever visits its parts visits no other's. */
const ends = new Int32Array(SEGMENTS_MAX);

/** Returns how many there are. */
function readSegments(path: string): number {
  let segments = 0;
  for (let at = path.indexOf("/"); at >= 0 && segments < SEGMENTS_MAX; at = path.indexOf("/", at + 1))
    ends[segments++] = at;
  if (segments < SEGMENTS_MAX) ends[segments++] = path.length;
  return segments;
}
