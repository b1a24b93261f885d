/** Options of one call, checked before anything is done: a typo must not silently lose a pin, a target or a check point. */

import { CompactionError } from "../core/errors.ts";
import { checkPointSchema } from "../core/settings/check-point-schema.ts";
import { checkSchema, isPlainObject, shownValue } from "../core/settings/check-schema.ts";
import { nearestWord } from "../core/settings/near-word.ts";
import { refuseProblems } from "../core/settings/refuse-problems.ts";

/** By name, what is allowed and whether a value is that; undefined always is. */
type Kinds = Readonly<Record<string, readonly [allowed: string, fits: (value: unknown) => boolean]>>;

const CALL: Kinds = {
  instructions: ["a text", (value) => typeof value === "string"],
  target: ["{ tokens } above 0, or { ratio } above 0 and at most 1", isTarget],
  // Read with the other layers of settings, which say exactly what is wrong.
  settings: ["an object of settings", isPlainObject],
  pinned: ["a list of message numbers, counted from 0", Array.isArray],
  isCacheCold: ["true or false", (value) => typeof value === "boolean"],
  // Has a check of its own, which knows what was probably meant.
  checkPoint: ["the name of a check point", () => true],
  signal: ["an AbortSignal", isSignal],
  onProgress: ["a function", (value) => typeof value === "function"],
  hookContext: ["an object", (value) => typeof value === "object" && value !== null],
};

const { pinned: _pinned, ...WITHOUT_PINS } = CALL;

/** Over a view that somebody else keeps; its messages carry their pins themselves. */
const VIEW_CALL: Kinds = {
  ...WITHOUT_PINS,
  asked: ['"manual" or "overflow"', (value) => value === "manual" || value === "overflow"],
  model: ["a text", (value) => typeof value === "string"],
  passes: ["what an earlier pass returned", (value) => typeof value === "object" && value !== null],
  originals: ["a function", (value) => typeof value === "function"],
  mayBegin: ["a function", (value) => typeof value === "function"],
  keep: ["a function", (value) => typeof value === "function"],
  failed: ["a function", (value) => typeof value === "function"],
};

export function checkCall(call: unknown): void {
  checkKinds(call, CALL);
}

export function checkViewCall(call: unknown): void {
  if (isPlainObject(call) && call.pinned !== undefined)
    throw invalid("pinned is for a list that is given with the call; messages of a session are pinned in it");
  checkKinds(call, VIEW_CALL);
}

/** Once it is known how many messages there are. */
export function checkPinned(pinned: readonly number[], messages: number): void {
  for (const index of pinned) {
    const isThere = Number.isInteger(index) && index >= 0 && index < messages;
    if (!isThere)
      throw invalid(`pinned names message ${shownValue(index)}, but the list has ${messages}, counted from 0`);
  }
}

function checkKinds(call: unknown, kinds: Kinds): void {
  if (!isPlainObject(call)) throw invalid(`The call options must be an object, but are ${shownValue(call)}`);
  for (const [key, value] of Object.entries(call)) {
    const kind = Object.hasOwn(kinds, key) ? kinds[key] : undefined;
    if (kind === undefined) throw unknownOption(key, Object.keys(kinds));
    const [allowed, fits] = kind;
    if (value !== undefined && !fits(value)) throw invalid(`${key} must be ${allowed}, but is ${shownValue(value)}`);
  }
  const { checkPoint } = call;
  if (checkPoint !== undefined)
    refuseProblems(checkSchema(checkPoint, checkPointSchema, { partial: false, subject: "checkPoint" }));
}

function isTarget(target: unknown): boolean {
  const entries = isPlainObject(target) ? Object.entries(target) : [];
  const [key, amount] = entries[0] ?? [];
  const isNumber = typeof amount === "number" && Number.isFinite(amount) && amount > 0;
  return entries.length === 1 && isNumber && (key === "tokens" || (key === "ratio" && amount <= 1));
}

/** By shape: another realm's is one too. */
function isSignal(value: unknown): boolean {
  return typeof value === "object" && value !== null && "aborted" in value && "addEventListener" in value;
}

function unknownOption(key: string, known: readonly string[]): CompactionError {
  const near = nearestWord(key, known);
  const hint = near === undefined ? `allowed: ${known.join(", ")}` : `did you mean ${near}?`;
  return invalid(`Unknown call option ${shownValue(key)}; ${hint}`);
}

function invalid(message: string): CompactionError {
  return new CompactionError("invalid-settings", message);
}
