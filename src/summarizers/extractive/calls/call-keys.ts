/** Which calls are taken for the same. Pure. */

import { withoutPipes } from "./call-outcome.ts";

/** Calls of one tool with the same telling argument are taken for the same, however much of their output was asked for. */
export function callKeyOf(toolName: string, brief: string): string {
  return `${toolName} ${withoutPipes(brief)}`;
}

/** What succeeds later under the same key overcomes a failure: a commit is one, whatever its message, and an edit whatever its lines. */
export function failureKeyOf(toolName: string, brief: string, callKey = callKeyOf(toolName, brief)): string {
  const deeds = brief.includes("git ") ? [...brief.matchAll(GIT_DEED)] : [];
  const deed = deeds.at(-1)?.[1];
  if (deed !== undefined) return `${toolName} git ${deed}`;
  return LINES.test(brief) ? callKeyOf(toolName, brief.replace(LINES, "")) : callKey;
}

/** Whether a command does more with git than look. */
export function isGitDeed(brief: string): boolean {
  return brief.includes("git ") && brief.search(GIT_DEED) >= 0;
}

/** "104:106" before what is written there. */
const LINES = /^\d+[:,]\d+(?=\s|$)/;
const GIT_DEED = /\bgit (?:-C \S+ )?(commit|push|pull|rebase|merge|cherry-pick)\b/g;
