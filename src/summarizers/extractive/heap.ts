/** A heap of whole numbers by their keys, in flat memory. Never holds more than its capacity. */

export interface Heap {
  push(item: number, key: number): void;
  /** The item with the largest key; of equal keys the smallest item. */
  pop(): number | undefined;
  /** The largest key, -Infinity when empty. */
  top(): number;
}

export function createHeap(capacity: number): Heap {
  const items = new Int32Array(capacity + 1);
  const keys = new Float64Array(capacity + 1);
  let size = 0;
  const isBefore = (a: number, b: number): boolean => {
    const [keyA = 0, keyB = 0] = [keys[a], keys[b]];
    return keyA > keyB || (keyA === keyB && (items[a] ?? 0) < (items[b] ?? 0));
  };
  const swap = (a: number, b: number): void => {
    const [item = 0, key = 0] = [items[a], keys[a]];
    items[a] = items[b] ?? 0;
    keys[a] = keys[b] ?? 0;
    items[b] = item;
    keys[b] = key;
  };
  return {
    push(item, key) {
      let at = size++;
      items[at] = item;
      keys[at] = key;
      while (at > 0) {
        const parent = (at - 1) >> 1;
        if (!isBefore(at, parent)) break;
        swap(at, parent);
        at = parent;
      }
    },
    pop() {
      if (size === 0) return undefined;
      const item = items[0];
      size--;
      swap(0, size);
      for (let at = 0; ; ) {
        const left = 2 * at + 1;
        let best = left < size && isBefore(left, at) ? left : at;
        if (left + 1 < size && isBefore(left + 1, best)) best = left + 1;
        if (best === at) return item;
        swap(at, best);
        at = best;
      }
    },
    top: () => (size === 0 ? Number.NEGATIVE_INFINITY : (keys[0] ?? 0)),
  };
}
