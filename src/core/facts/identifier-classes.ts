/** What each UTF-16 unit may be part of when identifiers are looked for: one bit per class, in one flat table. Data only. */

/** Who reads them in a hot loop makes constants of them: the engine folds those into the code, and neither properties nor imports. */
export const CLASS = {
  lower: 1,
  upper: 2,
  digit: 4,
  underscore: 8,
  dot: 16,
  slash: 32,
  dash: 64,
  at: 128,
  /** A letter of another alphabet: it may stand in a path, and nowhere else. */
  beyond: 512,
} as const;

/** Half-open ranges. Elsewhere beyond ASCII stands what ends a run: punctuation, symbols, surrogates, full-width forms. */
const LETTERS_BEYOND: readonly (readonly [from: number, to: number])[] = [
  [0xc0, 0x2000],
  [0x2c00, 0x3000],
  [0x3040, 0xd800],
  [0xe000, 0xff00],
];

/** Classes by unit; 0 ends every run. */
export const CLASSES: Uint16Array = classTable();

/** The class of a unit that is known to be inside a run. */
export function bitsAt(units: Uint16Array, at: number): number {
  const code = units[at] as number; // inside a run, so inside the array
  return code < 128 ? (CLASSES[code] as number) : CLASS.lower; // the table has every unit
}

function classTable(): Uint16Array {
  const table = new Uint16Array(65_536);
  for (let code = 97; code <= 122; code++) table[code] = CLASS.lower;
  for (let code = 65; code <= 90; code++) table[code] = CLASS.upper;
  for (let code = 48; code <= 57; code++) table[code] = CLASS.digit;
  table[95] = CLASS.underscore;
  table[46] = CLASS.dot;
  table[47] = CLASS.slash;
  table[45] = CLASS.dash;
  table[64] = CLASS.at;
  for (const [from, to] of LETTERS_BEYOND) table.fill(CLASS.beyond, from, to);
  return table;
}
