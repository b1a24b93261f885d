/** The pruning tiers of some settings in one line. Reads only. */

import type { Settings } from "../core/settings/settings.ts";
import { listed, percent, shown } from "./shown.ts";

export function describePrune({ prune }: Settings): string {
  const { softTrim, stub } = prune;
  const tiers = [
    ...(prune.capOnArrivalChars > 0 ? [`cap ${shown(prune.capOnArrivalChars)}`] : []),
    ...(softTrim === undefined
      ? []
      : [`trim ${shown(softTrim.overChars)} → ${shown(softTrim.headChars)} + ${shown(softTrim.tailChars)}`]),
    ...(stub === undefined ? [] : [`stub after ${stub.afterResults} from ${shown(stub.minChars)} characters`]),
    ...(prune.clearAfter > 0 ? [`clear after ${prune.clearAfter}`] : []),
    ...(prune.dropTurnsKeep > 0 ? [`drop all but ${prune.dropTurnsKeep} tool turns`] : []),
    ...(prune.keepLast > 0 ? [`keep ${prune.keepLast}`] : []),
  ];
  if (tiers.length === 0) return "nothing";
  return `${prune.enabled ? "" : "if turned on: "}${listed(tiers)}${whenText(prune)}`;
}

function whenText(prune: Settings["prune"]): string {
  const { highWaterRatio, lowWaterRatio, mustPay, softTrim, stub, clearAfter, dropTurnsKeep } = prune;
  const hasTiers = softTrim !== undefined || stub !== undefined || clearAfter > 0 || dropTurnsKeep > 0;
  if (!hasTiers) return "";
  if (highWaterRatio === 0) return "; at every request";
  if (highWaterRatio === 1) return "; only within a compaction";
  const marks = `; above ${percent(highWaterRatio)} down to ${percent(lowWaterRatio)} of the window`;
  return mustPay ? `${marks}, where it pays` : marks;
}
