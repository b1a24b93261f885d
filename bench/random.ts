/** Seeded random numbers and choices, so that every generated text is the same on every machine. */

export interface Random {
  /** A whole number from 0 up to, but not including, the limit. */
  below(limit: number): number;
  pick<Item>(items: ArrayLike<Item>): Item;
  /** So many characters of an alphabet. */
  string(alphabet: string, length: number): string;
  bytes(length: number): Uint8Array;
}

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error("Nothing to pick from.");
      return item;
    },
    string: (alphabet, length) => {
      let text = "";
      for (let index = 0; index < length; index++) text += alphabet[below(alphabet.length)];
      return text;
    },
    bytes: (length) => Uint8Array.from({ length }, () => below(256)),
  };
}
