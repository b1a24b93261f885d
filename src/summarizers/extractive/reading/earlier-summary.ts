/** What an earlier summary of the same conversation says, as far as it can be read. Never merges: that is for who composes the next. */

import type { Checkpoint } from "../../../core/checkpoint/checkpoint.ts";
import { parseCheckpoint } from "../../../core/checkpoint/checkpoint.ts";
import type { Summary } from "../../../core/checkpoint/summary.ts";
import { isCallForm } from "../calls/argument-names.ts";
import { splitSentences } from "../text/sentences.ts";

/** An earlier summary as far as it can be read: free text gives lines of context only. */
export interface Earlier {
  readonly checkpoint: Checkpoint | undefined;
  readonly lines: readonly string[];
  readonly text: string;
}

const FREE_SENTENCES_MAX = 400;

export function earlierOf(previous: Summary | undefined): Earlier {
  if (previous === undefined) return { checkpoint: undefined, lines: [], text: "" };
  const checkpoint = previous.checkpoint ?? parseCheckpoint(previous.text);
  const lines = checkpoint?.criticalContext ?? splitSentences(previous.text, { sentencesMax: FREE_SENTENCES_MAX });
  return { checkpoint, lines: lines.filter((line) => !isCallForm(line)), text: previous.text };
}
