/**
 * The structured summary: what an agent needs to go on when the messages behind it have left the view. Plain data, so that it
 * can be stored, merged, measured and rendered; the text form is made from it and can be read back.
 */

export interface Checkpoint {
  /** What the user wants, in the user's own words where there are any. */
  readonly goal: readonly string[];
  readonly constraints: readonly string[];
  readonly done: readonly string[];
  readonly inProgress: readonly string[];
  readonly blocked: readonly string[];
  readonly decisions: readonly Decision[];
  readonly nextSteps: readonly string[];
  /** Facts, findings and excerpts that do not fit elsewhere. */
  readonly criticalContext: readonly string[];
  readonly filesRead: readonly string[];
  readonly filesModified: readonly string[];
  readonly toolFailures: readonly ToolFailure[];
  /** Exact strings most likely to be needed again, most important first. */
  readonly identifiers: readonly string[];
  /** The user's newest request, verbatim (bounded). Stands beside every summary, so that no summary can invert it. */
  readonly latestRequest?: string;
}

export interface Decision {
  readonly decision: string;
  readonly reason?: string;
}

/** What failed, so that it is not tried again in the same way. */
export interface ToolFailure {
  readonly toolName: string;
  readonly summary: string;
}

export const EMPTY_CHECKPOINT: Checkpoint = {
  goal: [],
  constraints: [],
  done: [],
  inProgress: [],
  blocked: [],
  decisions: [],
  nextSteps: [],
  criticalContext: [],
  filesRead: [],
  filesModified: [],
  toolFailures: [],
  identifiers: [],
};
