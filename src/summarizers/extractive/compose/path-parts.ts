/**
 * The parts of a path that may be identifiers of their own: every run of its segments. Most are nobody's name, so a part is only
 * cut out when its hash, which costs no string, is one that somebody looks for. Pure; looks at each character once.
 */

/** Which parts are wanted, by their hashes: a bit for each. It may want others too, but never misses one. */
export type PartFilter = Int32Array;

export const EVERY_PART: PartFilter = Int32Array.of(-1);

/** So few bits are set that hardly any part is cut out in vain, and still all of them fit into the nearest cache. */
const WORDS_PER_PART = 2;

/** Wants nothing yet. */
export function createPartFilter(parts: number): PartFilter {
  return new Int32Array(2 ** Math.ceil(Math.log2(WORDS_PER_PART * parts + 1)));
}

export function addToFilter(filter: PartFilter, part: string): void {
  const units = unitsOf(part);
  let hash = 0;
  for (let at = 0; at < part.length; at++) hash = next(hash, units[at] as number); // as many as the part has
  const word = (hash >>> 5) & (filter.length - 1);
  filter[word] = (filter[word] as number) | (1 << hash); // a word inside the filter
}

function isWanted(filter: PartFilter, hash: number): boolean {
  return (((filter[(hash >>> 5) & (filter.length - 1)] as number) >>> hash) & 1) === 1; // a word inside the filter
}

const SEGMENTS_MAX = 16;
const SLASH = 47;

/** Of a path every run of its first segments, with and without the leading slash, but not the whole. A run may come twice. */
export function visitParts(path: string, filter: PartFilter, visit: (part: string) => void): void {
  const segments = readSegments(path);
  const wanted = path.length < POWERS.length ? filter : EVERY_PART;
  for (let from = 0; from < segments; from++) {
    // Where the slash before the segment stands, -1 before the first, and the hash of all before it.
    const slash = from === 0 ? -1 : (ends[from - 1] as number); // one of the segments that were read
    const slashHash = from === 0 ? 0 : (hashes[from - 1] as number); // the same
    const startHash = from === 0 ? 0 : next(slashHash, SLASH);
    for (let to = from; to < segments; to++) {
      const end = ends[to] as number; // one of the segments that were read
      const hash = hashes[to] as number; // the same
      const length = end - slash - 1;
      if (length > 0 && length < path.length && isWanted(wanted, hashBetween(startHash, hash, length)))
        visit(path.slice(slash + 1, end));
      if (from === 0 || to === from || length + 1 === path.length) continue;
      if (isWanted(wanted, hashBetween(slashHash, hash, length + 1))) visit(path.slice(slash, end));
    }
  }
}

/** Where the first segments of a path end, and the hash of everything before each end. Whoever visits its parts visits no other's. */
const ends = new Int32Array(SEGMENTS_MAX);
const hashes = new Int32Array(SEGMENTS_MAX);

/** Returns how many there are. */
function readSegments(path: string): number {
  const units = unitsOf(path);
  let segments = 0;
  let hash = 0;
  for (let at = 0; at < path.length && segments < SEGMENTS_MAX; at++) {
    const code = units[at] as number; // as many as the path has
    if (code === SLASH) {
      ends[segments] = at;
      hashes[segments++] = hash;
    }
    hash = next(hash, code);
  }
  if (segments < SEGMENTS_MAX) {
    ends[segments] = path.length;
    hashes[segments++] = hash;
  }
  return segments;
}

/** Below this the call costs more than the copy. */
const COPIED_WHOLE_MIN = 16;
/** Longer than nearly every identifier. */
const SCRATCH_UNITS = 512;
/** Scratch space. Whoever fills it reads it before anybody else can, so nothing is ever shared. */
const scratch = new Uint16Array(SCRATCH_UNITS);
const scratchBytes = Buffer.from(scratch.buffer);

/** An identifier is cut out of a long text, and the engine finds its way there anew for every single unit it is asked for. */
function unitsOf(text: string): Uint16Array {
  if (text.length <= SCRATCH_UNITS) {
    if (text.length < COPIED_WHOLE_MIN) for (let at = 0; at < text.length; at++) scratch[at] = text.charCodeAt(at);
    else scratchBytes.write(text, "utf16le");
    return scratch;
  }
  const units = new Uint16Array(text.length);
  Buffer.from(units.buffer).write(text, "utf16le");
  return units;
}

const FACTOR = 0x01000193;

/** A polynomial over the units, so that the hash of a stretch follows from those of what stands before its ends. */
function next(hash: number, code: number): number {
  return (Math.imul(hash, FACTOR) + code) | 0;
}

function hashBetween(hashAt: number, hashTo: number, length: number): number {
  return (hashTo - Math.imul(hashAt, POWERS[length] ?? 0)) | 0;
}

/** Longer than any identifier; in a longer text every part is wanted. */
const POWERS_MAX = 512;
const POWERS: Int32Array = powers();

function powers(): Int32Array {
  const table = new Int32Array(POWERS_MAX).fill(1);
  for (let length = 1; length < POWERS_MAX; length++) table[length] = Math.imul(table[length - 1] ?? 0, FACTOR);
  return table;
}
