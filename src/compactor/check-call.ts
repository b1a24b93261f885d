/** Options of one call, checked before anything is done: a typo must not silently lose a pin or a target. */

import { CompactionError } from "../core/errors.ts";
import { nearestWord } from "../core/settings/near-word.ts";

const KEYS: readonly string[] = [
  "instructions",
  "target",
  "settings",
  "pinned",
  "isCacheCold",
  "checkPoint",
  "signal",
  "onProgress",
  "hookContext",
];

export function checkCall(call: object, messages: number): void {
  for (const key of Object.keys(call)) {
    if (KEYS.includes(key)) continue;
    const near = nearestWord(key, KEYS);
    throw invalid(`Unknown call option "${key}"${near === undefined ? "" : `; did you mean ${near}?`}`);
  }
  if ("target" in call) checkTarget(call.target);
  if ("pinned" in call && Array.isArray(call.pinned)) {
    for (const index of call.pinned) {
      const isThere = Number.isInteger(index) && index >= 0 && index < messages;
      if (!isThere) throw invalid(`pinned names message ${index}, but the list has ${messages}, counted from 0`);
    }
  }
}

function checkTarget(target: unknown): void {
  if (target === undefined) return;
  const value = typeof target === "object" && target !== null ? Object.entries(target) : [];
  const [key, amount] = value[0] ?? [];
  const isNumber = typeof amount === "number" && Number.isFinite(amount) && amount > 0;
  const isFine = value.length === 1 && isNumber && (key === "tokens" || (key === "ratio" && amount <= 1));
  if (!isFine) throw invalid("target must be { tokens } above 0, or { ratio } above 0 and at most 1");
}

function invalid(message: string): CompactionError {
  return new CompactionError("invalid-options", message);
}
