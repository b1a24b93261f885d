/**
 * Finds the newest check, and takes it out of what succeeded where it printed that it failed, though its call returned as if all were well. Looks at the
 * newest calls only, and reads one result. Never judges an older check: what came of it was seen.
 */

import { OUTCOME_MARK } from "../../../core/checkpoint/checkpoint.ts";
import { callKeyOf } from "../calls/call-keys.ts";
import { FAILURE_CHARS_MAX } from "../calls/call-outcome.ts";
import { isCheck, printedFailure } from "../calls/passed-check.ts";
import { oneLine } from "../text/sentences.ts";
import type { Failure, PlacedCall } from "./reading.ts";

export interface CallsMade {
  readonly failures: readonly Failure[];
  readonly log: ReadonlyMap<string, PlacedCall>;
  /** The newest check whose call returned, whatever it printed. */
  readonly newestCheck: PlacedCall | undefined;
}

interface CallsRead {
  readonly failures: ReadonlyMap<string, Failure>;
  readonly log: ReadonlyMap<string, PlacedCall>;
}

/** A check so many calls ago says little by now. */
const CALLS_LOOKED_AT = 200;

export function withPrintedFailure({ failures, log }: CallsRead): CallsMade {
  const known = [...failures.values()];
  const newestCheck = [...log.values()].slice(-CALLS_LOOKED_AT).findLast(({ brief }) => isCheck(brief));
  const printed = newestCheck === undefined ? undefined : printedFailure(newestCheck.brief, newestCheck.result);
  if (newestCheck === undefined || printed === undefined) return { failures: known, log, newestCheck };
  const { name, brief, message, call } = newestCheck;
  const summary = oneLine(`${brief}${OUTCOME_MARK}${printed}`, FAILURE_CHARS_MAX);
  const failed: Failure = { toolName: name, summary, call, message };
  const succeeded = new Map(log);
  succeeded.delete(callKeyOf(name, brief));
  return { failures: [...known, failed].sort((a, b) => a.message - b.message), log: succeeded, newestCheck };
}
