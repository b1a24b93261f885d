/**
 * Which announced deeds calls have carried out since the assistant's last words: a commit, a push, a run of checks, a file that was changed
 * before another. Reads from the end, no further than those words. Never takes a deed for done of which the announcement says more.
 */

import type { Message, ToolCallPart } from "../../../core/message.ts";
import { filesOfCall } from "../calls/call-files.ts";
import { briefOf, failureOf } from "../calls/call-outcome.ts";
import { isCheck } from "../calls/passed-check.ts";
import { runs } from "../reading/evidence.ts";
import { quick } from "../text/quick-expressions.ts";
import { hasWords } from "./course.ts";

interface Deeds {
  hasCommitted: boolean;
  hasPushed: boolean;
  hasChecked: boolean;
  /** In the order in which they were last changed. */
  readonly files: Set<string>;
}

/** Tells whether all that a step announces was done. */
export function carriedOutIn(messages: readonly Message[]): (step: string) => boolean {
  const deeds = deedsIn(messages.slice(Math.max(0, messages.findLastIndex(hasWords))));
  const left = [...deeds.files].slice(0, -1).map((path) => path.slice(path.lastIndexOf("/") + 1));
  return (step) => {
    const [sentence = ""] = step.split(SENTENCE_END).slice(-1);
    const clauses = sentence.split(CLAUSE_END).filter((clause) => clause.trim() !== "");
    return clauses.length > 0 && clauses.every((clause) => isDone(clause, deeds, left));
  };
}

const SENTENCE_END = /(?<=[.!。！])\s+(?=\S)/;
const CLAUSE_END = /[,;，、]|(?:^|\s)(?:and|then|und|dann|et|puis|y|luego|e|poi|и)(?=\s)/i;

function isDone(clause: string, { hasCommitted, hasPushed, hasChecked }: Deeds, left: readonly string[]): boolean {
  if (ORDER.test(clause)) return true;
  if (COMMITTING.test(clause)) return hasCommitted;
  if (PUSHING.test(clause)) return hasPushed;
  if (CHECKING.test(clause)) return hasChecked;
  return left.some((name) => clause.includes(name));
}

/** "Next" before the comma. */
const ORDER = /^\s*(?:next|now|then|finally|first|jetzt|nun|als nächstes)\s*$/i;
/** A deed stands near the beginning of its clause. */
const COMMITTING = quick(String.raw`^.{0,24}(?<!\p{L})commit(?!\p{L}* (?:hook|message|history|log|style))`, "i");
const PUSHING = quick(String.raw`^.{0,24}(?<!\p{L})push(?! (?:notif|button|down|back|event))`, "i");
const CHECKING = quick(
  String.raw`^.{0,24}(?<!\p{L})(?:re-?)?(?:run|execute)(?!\p{L}).{0,40}(?<!\p{L})(?:tests?|checks?|suite|specs?|build|lint\p{L}*|type-?check\p{L}*|tsc)(?!\p{L})`,
  "i",
);

function deedsIn(messages: readonly Message[]): Deeds {
  const deeds: Deeds = { hasCommitted: false, hasPushed: false, hasChecked: false, files: new Set() };
  const waiting = new Map<string, ToolCallPart>();
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type === "tool-call") waiting.set(part.callId ?? part.name, part);
      if (part.type !== "tool-result") continue;
      const call = waiting.get(part.callId ?? part.name ?? "");
      if (call !== undefined) note(call, failureOf(part) !== undefined, deeds);
    }
  }
  return deeds;
}

/** A check that failed was run. */
function note(call: ToolCallPart, hasFailed: boolean, deeds: Deeds): void {
  deeds.hasChecked ||= isCheck(briefOf(call));
  if (hasFailed) return;
  deeds.hasCommitted ||= runs(call, "git commit");
  deeds.hasPushed ||= runs(call, "git push");
  for (const path of filesOfCall(call).modified) {
    deeds.files.delete(path);
    deeds.files.add(path);
  }
}
