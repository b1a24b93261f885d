/** A recorded conversation to a body that its provider takes, with what was done and what could not be. Pure. */

import { CompactionError } from "../core/errors.ts";
import type { FormatName } from "../core/message.ts";
import type { Violation } from "../core/ports.ts";
import { type Repair, repair } from "../core/repair/repair.ts";
import { formatNamed } from "../formats.ts";
import type { RecordedConversation } from "../transcripts/index.ts";
import { problemsOf, validateOptions } from "./problems.ts";

export interface RepairedBody {
  readonly format: FormatName;
  readonly body: unknown;
  readonly repairs: readonly Repair[];
  /** What the result still breaks; empty when it may be sent. */
  readonly problems: readonly Violation[];
}

export function repairRecorded(recorded: RecordedConversation): RepairedBody {
  const format = formatNamed(recorded.format);
  const options = validateOptions(recorded);
  try {
    const { conversation, repairs } = repair(format.decode(recorded.body), options);
    const body = format.encode(conversation);
    return { format: format.name, body, repairs, problems: format.validate(body, options) };
  } catch (error) {
    if (!(error instanceof CompactionError)) throw error;
    // What cannot be decoded cannot be mended: its violations say where.
    return { format: format.name, body: recorded.body, repairs: [], problems: problemsOf(recorded) };
  }
}
