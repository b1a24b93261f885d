/** When two JSON values are the same text. Walks both; builds no text and changes nothing. */

/** True when both are the same JSON with the same key order. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left)) return Array.isArray(right) && isSameList(left, right);
  return !Array.isArray(right) && isSameObject(left, right);
}

function isSameList(left: readonly unknown[], right: readonly unknown[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) if (!isSameJson(left[index], right[index])) return false;
  return true;
}

function isSameObject(left: object, right: object): boolean {
  const keys = Object.keys(right);
  let count = 0;
  for (const key in left) {
    if (keys[count++] !== key) return false;
    // Any object may be asked for a key of its own.
    const one = (left as Record<string, unknown>)[key];
    if (!isSameJson(one, (right as Record<string, unknown>)[key])) return false;
  }
  return count === keys.length;
}
