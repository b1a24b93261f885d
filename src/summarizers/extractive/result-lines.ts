/** What tools returned, for the room that nothing else wants: a log of calls with their outcome, and sentences for people. */

import type { ToolResultPart } from "../../core/message.ts";
import { outcomeOf } from "./call-outcome.ts";
import { type LoggedCall, OUTCOME_MARK, type Prose } from "./reading.ts";
import { splitSentences } from "./sentences.ts";

export function logLine({ name, brief, result }: LoggedCall): string {
  const outcome = outcomeOf(result);
  return `${name}: ${brief}${outcome === "" ? "" : `${OUTCOME_MARK}${outcome}`}`;
}

const RESULT_CHARS = 1_200;
const RESULT_SENTENCES_MAX = 12;

/** Sentences from the beginnings of results that are written for people: full stops, few marks of code. */
export function resultProse(results: readonly ToolResultPart[]): readonly Prose[] {
  return results.flatMap((result, message) => {
    const part = result.content.find((inner) => inner.type === "text");
    if (part?.type !== "text") return [];
    const sentences = splitSentences(part.text.slice(0, RESULT_CHARS), { sentencesMax: RESULT_SENTENCES_MAX });
    const text = sentences.filter(isWrittenForPeople).join("\n");
    return text === "" ? [] : [{ message, isUser: false, isFinal: false, speaker: "", text }];
  });
}

function isWrittenForPeople(sentence: string): boolean {
  return /^[\p{Lu}\p{Lo}].{20,}[.!?。！？]$/u.test(sentence) && !/[{}<>=|\\]|::|->|\(\)/.test(sentence);
}
