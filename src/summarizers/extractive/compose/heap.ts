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
  /** Whether what stands there goes before this item. */
  const isAbove = (at: number, item: number, key: number): boolean => {
    const other = keys[at] as number; // below the size, so inside the array
    return other > key || (other === key && (items[at] as number) < item);
  };
  const put = (at: number, item: number, key: number): void => {
    items[at] = item;
    keys[at] = key;
  };
  const move = (from: number, to: number): void => put(to, items[from] as number, keys[from] as number); // inside, too
  return {
    push(item, key) {
      let at = size++;
      while (at > 0) {
        const parent = (at - 1) >> 1;
        if (isAbove(parent, item, key)) break;
        move(parent, at);
        at = parent;
      }
      put(at, item, key);
    },
    pop() {
      if (size === 0) return undefined;
      const top = items[0];
      size--;
      const item = items[size] as number;
      const key = keys[size] as number;
      let at = 0;
      for (let child = 1; child < size; child = 2 * at + 1) {
        const right = child + 1;
        if (right < size && isAbove(right, items[child] as number, keys[child] as number)) child = right;
        if (!isAbove(child, item, key)) break;
        move(child, at);
        at = child;
      }
      put(at, item, key);
      return top;
    },
    top: () => (size === 0 ? Number.NEGATIVE_INFINITY : (keys[0] as number)),
  };
}
