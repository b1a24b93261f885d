/**
 * The parts of a path that may be identifiers of their own: every run of its segments. Most are nobody's name, so a part is only
 * cut out when its hash, which costs no string, is one that somebody looks for. Pure; looks at each character once.
 */

/** Which parts are wanted, by their hashes: 1 in the slot of each. It may want others too, but never misses one. */
export type PartFilter = Uint8Array;

export const EVERY_PART: PartFilter = Uint8Array.of(1);

const SLOTS_PER_PART = 16;

/** Wants nothing yet. */
export function createPartFilter(parts: number): PartFilter {
  return new Uint8Array(2 ** Math.ceil(Math.log2(SLOTS_PER_PART * parts + 1)));
}

export function addToFilter(filter: PartFilter, part: string): void {
  const units = unitsOf(part);
  let hash = 0;
  for (let at = 0; at < part.length; at++) hash = next(hash, units[at] as number); // as many as the part has
  filter[hash & (filter.length - 1)] = 1;
}

const SEGMENTS_MAX = 16;
const SLASH = 47;

/** Of a path every run of its first segments, with and without the leading slash, but not the whole. A run may come twice. */
export function visitParts(path: string, filter: PartFilter, visit: (part: string) => void): void {
  const { ends, hashes } = segmentsOf(path);
  const wanted = path.length < POWERS.length ? filter : EVERY_PART;
  const mask = wanted.length - 1;
  for (let from = 0; from < ends.length; from++) {
    // Where the slash before the segment stands, -1 before the first, and the hash of all before it.
    const slash = from === 0 ? -1 : (ends[from - 1] ?? 0);
    const slashHash = from === 0 ? 0 : (hashes[from - 1] ?? 0);
    const startHash = from === 0 ? 0 : next(slashHash, SLASH);
    for (let to = from; to < ends.length; to++) {
      const end = ends[to] ?? 0;
      const hash = hashes[to] ?? 0;
      const length = end - slash - 1;
      if (length > 0 && length < path.length && wanted[hashBetween(startHash, hash, length) & mask] === 1)
        visit(path.slice(slash + 1, end));
      if (from === 0 || to === from || length + 1 === path.length) continue;
      if (wanted[hashBetween(slashHash, hash, length + 1) & mask] === 1) visit(path.slice(slash, end));
    }
  }
}

interface Segments {
  readonly ends: readonly number[];
  /** Of everything before each end. */
  readonly hashes: readonly number[];
}

function segmentsOf(path: string): Segments {
  const units = unitsOf(path);
  const ends: number[] = [];
  const hashes: number[] = [];
  let hash = 0;
  for (let at = 0; at < path.length && ends.length < SEGMENTS_MAX; at++) {
    const code = units[at] as number; // as many as the path has
    if (code === SLASH) {
      ends.push(at);
      hashes.push(hash);
    }
    hash = next(hash, code);
  }
  if (ends.length < SEGMENTS_MAX) {
    ends.push(path.length);
    hashes.push(hash);
  }
  return { ends, hashes };
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
