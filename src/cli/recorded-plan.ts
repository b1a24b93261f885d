/** The plan that a stored event keeps, read back with care: it is JSON of whatever version wrote it. Pure. */

import { isArray, isObject, type JsonObject } from "../core/json.ts";
import type { CompactionEvent } from "../core/store/compaction-event.ts";

/** The messages that it meant to take out. */
export function plannedRemovals(event: CompactionEvent): ReadonlySet<string> {
  const ids = stepsOf(event).flatMap((step) => [...idsIn(step, "messageIds"), ...idsIn(step, "replacesIds")]);
  return new Set(ids);
}

export function isTextPlanned(event: CompactionEvent, messageId: string): boolean {
  return stepsOf(event).some((step) => step.messageId === messageId && typeof step.text === "string");
}

function stepsOf({ plan }: CompactionEvent): readonly JsonObject[] {
  return isObject(plan) && isArray(plan.steps) ? plan.steps.filter(isObject) : [];
}

function idsIn(step: JsonObject, key: string): readonly string[] {
  const ids = step[key];
  return isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
}
