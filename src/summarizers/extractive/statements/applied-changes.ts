/**
 * What the assistant announced and a call beside those words has changed in a file, where nobody has told it as done yet: whoever goes on
 * would change it again. Reads the newest turn from its end. Never what failed, nor what was doubted since.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import type { Message, TextPart, ToolCallPart, ToolResultPart } from "../../../core/message.ts";
import { filesOfCall } from "../calls/call-files.ts";
import { failureOf } from "../calls/call-outcome.ts";
import { never } from "../cues/cue-table.ts";
import { CUES } from "../cues/cues.ts";
import { quick } from "../text/quick-expressions.ts";
import { openIn } from "./assistant-statements.ts";
import { hasWords } from "./course.ts";

const MESSAGES_READ = 60;
/** The others stand among the files. */
const CHANGES_MAX = 1;
/** Less does not say what was changed. */
const CHANGE_CHARS_MIN = 28;
const DENSE_CHARS_MIN = 9;

/** Newest first, of the messages behind `since`. */
export function appliedIn(messages: readonly Message[], language: Language, since: number): readonly string[] {
  const cues = CUES[language];
  // Where no words stand before the verb, it says no more than that something will be done.
  if (cues.lead === never) return [];
  const first = Math.max(since + 1, messages.length - MESSAGES_READ, 0);
  const ended = new Map<string, ToolResultPart>();
  // What was said last may still be going on, and what was changed last stands in the next step.
  const open = messages.findLastIndex(hasWords);
  const applied: string[] = [];
  for (let at = messages.length - 1; at >= first && applied.length < CHANGES_MAX; at--) {
    const { role, parts } = messages[at] ?? NO_MESSAGE;
    for (const part of parts) if (part.type === "tool-result") ended.set(part.callId ?? part.name ?? "", part);
    const said = parts.filter((part): part is TextPart => part.type === "text").map(({ text }) => text);
    if (said.length === 0) continue;
    if (role !== "assistant" || said.some((text) => DOUBTING.test(text))) break;
    const calls = parts.filter((part): part is ToolCallPart => part.type === "tool-call");
    if (at === open || !calls.some((call) => hasChanged(call, ended))) continue;
    const announced = openIn(said.join("\n"), language).announced.at(-1) ?? "";
    if (isOneChange(announced) && !cues.looking.test(announced)) applied.push(announced);
  }
  return applied;
}

const NO_MESSAGE: Pick<Message, "role" | "parts"> = { role: "user", parts: [] };

/** A shell command may do anything: only a call that names the file it changes. */
function hasChanged(call: ToolCallPart, ended: ReadonlyMap<string, ToolResultPart>): boolean {
  const result = ended.get(call.callId ?? call.name);
  if (result === undefined || failureOf(result) !== undefined) return false;
  const { modified, isCommand } = filesOfCall(call);
  return modified.length > 0 && !isCommand;
}

/** One call may have done it, and it says what: not "Update both tables", of which this may be the first, nor "Put it there". */
function isOneChange(announced: string): boolean {
  const charsMin = /[\u3040-\u9fff]/.test(announced) ? DENSE_CHARS_MIN : CHANGE_CHARS_MIN;
  if (announced.length < charsMin || SENTENCE_END.test(announced)) return false;
  return !SEVERAL.test(announced.replace(QUOTED, "")) && !POINTING.test(announced);
}

/** What stands there is a name, or what is written. */
const QUOTED = /`[^`]*`|"[^"]*"/g;

const SENTENCE_END = /[.!。！]\s+\S/;
const SEVERAL = quick(
  String.raw`[,;，；、]|(?<!\p{L})(?:and|then|all|both|each|every|two|three|four|five|several|remaining|rest|parts|steps|files|und|dann|alle[rsn]?|beide[rsn]?|jede[rsn]?|zwei|drei|vier|mehrere|übrigen|dateien|schritte|et|puis|tou(?:s|tes)|chaque|deux|trois|plusieurs|fichiers|étapes|y|luego|tod[oa]s|cada|dos|tres|vari[oa]s|archivos|pasos|e|poi|tutt[ei]|ogni|due|tre|dois|duas|três|vári[oa]s|arquivos)(?!\p{L})|[和并与]|所有|全部`,
  "i",
);
const POINTING = quick(
  String.raw`^(?:\p{L}+ )?(?:it|th(?:em|is|at|ese|ose)|es|sie|dies\p{L}*|cela|ça|ceci|esto|eso|isso|isto|questo|ciò)(?!\p{L})|^.{1,3}[它这那]`,
  "i",
);

/** Something before was not as it should be. */
const DOUBTING = quick(
  String.raw`(?<!\p{L})(?:revert|undo|roll(?:ed|ing)? back|instead|wrong(?:ly)?|mistake|didn['’]t work|doesn['’]t work|still (?:fails?|failing|broken)|actually|oops|rückgängig|stattdessen|falsch|annuler|plutôt|erreur|deshacer|en su lugar|error|desfazer|em vez|erro|annullare|invece|errore)(?!\p{L})|撤销|回滚|错误`,
  "i",
);
