/**
 * When two JSON values are the same text: `isSameJson` compares them exactly, key order included, and `hashJson` gives a
 * number by which a value is found again. Both walk the value; neither builds its text nor changes anything.
 */

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
  const keys = Object.keys(left);
  const others = Object.keys(right);
  if (keys.length !== others.length) return false;
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] ?? "";
    if (key !== others[index] || !isSameJson(Reflect.get(left, key), Reflect.get(right, key))) return false;
  }
  return true;
}

/** Keys and values in turn, as they stand; a member that is undefined does not exist in JSON. */
function membersOf(value: object): readonly unknown[] {
  const members: unknown[] = [];
  for (const [key, member] of Object.entries(value)) if (member !== undefined) members.push(key, member);
  return members;
}

/** 53 bits from two lanes of 32: as many as a number holds exactly, and enough for a cache of many thousand values. */
export function hashJson(value: unknown): number {
  const lanes: Lanes = { one: SEED_ONE, two: SEED_TWO };
  mixValue(lanes, value);
  return (finish(lanes.one) >>> 11) * 2 ** 32 + finish(lanes.two);
}

interface Lanes {
  one: number;
  two: number;
}

/** Odd constants with well spread bits; any would do. */
const SEED_ONE = 0x9e3779b9 | 0;
const SEED_TWO = 0x7f4a7c15 | 0;
const FACTOR_ONE = 0x85ebca6b | 0;
const FACTOR_TWO = 0xc2b2ae35 | 0;

/** One mark per kind of value, so that `[]`, `{}`, `""`, `null` and what they hold cannot be confused. */
const MARK = { string: 1, number: 2, true: 3, false: 4, null: 5, array: 6, object: 7, end: 8 } as const;

function mixValue(lanes: Lanes, value: unknown): void {
  if (typeof value === "string") mixString(lanes, value);
  else if (Array.isArray(value)) mixList(lanes, value, MARK.array);
  else if (typeof value === "object" && value !== null) mixList(lanes, membersOf(value), MARK.object);
  else if (typeof value === "number") {
    mix(lanes, MARK.number);
    mixString(lanes, String(value));
  } else mix(lanes, value === true ? MARK.true : value === false ? MARK.false : MARK.null);
}

function mixList(lanes: Lanes, values: readonly unknown[], mark: number): void {
  mix(lanes, mark);
  for (const value of values) mixValue(lanes, value);
  mix(lanes, MARK.end);
}

/** The lanes live in local variables here, because this loop is where the time goes. */
function mixString(lanes: Lanes, text: string): void {
  mix(lanes, MARK.string);
  mix(lanes, text.length);
  let { one, two } = lanes;
  for (let index = 0; index < text.length; index += 2) {
    // Beyond the end `charCodeAt` is NaN, which `|` takes for 0.
    const pair = text.charCodeAt(index) | (text.charCodeAt(index + 1) << 16);
    one = Math.imul(one ^ pair, FACTOR_ONE);
    one ^= one >>> 15;
    two = Math.imul(two ^ pair, FACTOR_TWO);
    two ^= two >>> 13;
  }
  lanes.one = one;
  lanes.two = two;
}

function mix(lanes: Lanes, value: number): void {
  lanes.one = Math.imul(lanes.one ^ value, FACTOR_ONE);
  lanes.one ^= lanes.one >>> 15;
  lanes.two = Math.imul(lanes.two ^ value, FACTOR_TWO);
  lanes.two ^= lanes.two >>> 13;
}

/** Spreads the last input over all bits. */
function finish(lane: number): number {
  let bits = lane;
  bits = Math.imul(bits ^ (bits >>> 16), FACTOR_ONE);
  bits = Math.imul(bits ^ (bits >>> 13), FACTOR_TWO);
  return (bits ^ (bits >>> 16)) >>> 0;
}
