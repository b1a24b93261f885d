/**
 * The failure that nobody has tried to overcome: that of the newest call, or of a check or a call that changes something, behind which was
 * only looked at things. Reads the messages behind it, no further than the first that does something. Never opens what a new task left behind.
 */

import type { ToolFailure } from "../../../core/checkpoint/checkpoint.ts";
import { OUTCOME_MARK } from "../../../core/checkpoint/checkpoint.ts";
import type { Language } from "../../../core/checkpoint/language.ts";
import type { Message, ToolCallPart } from "../../../core/message.ts";
import { userVoice } from "../../../core/plan/user-voice.ts";
import { isHeldBack, isLooking, isWorthTelling, writtenCommand } from "../calls/call-outcome.ts";
import { isTelling } from "../goal/tasks.ts";
import { isCheckFailure, isGitFailure } from "../outdated/failed-checks.ts";
import { isChange } from "../reading/evidence.ts";
import type { KeptView } from "../reading/kept-view.ts";
import type { Failure, Reading } from "../reading/reading.ts";
import { isObservation } from "../reading/tool-output.ts";
import { onlyLooks } from "../statements/course.ts";

export interface FailureSource {
  readonly leaving: readonly Message[];
  readonly reading: Reading;
  readonly kept: KeptView;
  /** Tools whose results are the user's own words. Default: none. */
  readonly userTools?: readonly string[] | undefined;
}

export function openFailureIn({ leaving, reading, kept, userTools }: FailureSource): Failure | undefined {
  const failed = kept.ends.hasCalls ? undefined : reading.openFailure;
  const newest = failed === undefined || isHeldBack(failed) ? undefined : failed;
  // A search that found nothing is told nowhere, and hides nothing.
  if (newest !== undefined && isWorthTelling(newest)) return newest;
  const wanted = reading.failures.findLast((failure) => isWantedStill(failure));
  if (wanted === undefined) return newest;
  const since = [leaving.slice(wanted.message + 1), kept.messages];
  return since.every((messages) => onlyLookOn(messages, reading.language, userTools)) ? wanted : newest;
}

/** What failed so is wanted until it is done, however much is read and reckoned before the next attempt. */
function isWantedStill(failure: Failure): boolean {
  if (isHeldBack(failure)) return false;
  if (isCheckFailure(failure) || isGitFailure(failure)) return true;
  return isChange({ name: failure.toolName, brief: briefIn(failure) }) && isWorthTelling(failure);
}

function briefIn({ summary }: ToolFailure): string {
  return summary.slice(0, Math.max(0, summary.indexOf(OUTCOME_MARK)));
}

/** What failed so in the messages that stay: there it is told, but not that it is still to be overcome. */
export function keptFailureIn({ reading, kept, userTools }: Omit<FailureSource, "leaving">): ToolFailure | undefined {
  const { failedCheck, failedChange } = kept.ends;
  const failed = (failedChange?.at ?? -1) > (failedCheck?.at ?? -1) ? failedChange : failedCheck;
  if (failed === undefined || isHeldBack(failed)) return undefined;
  const since = kept.messages.slice(failed.at + 1);
  return onlyLookOn(since, reading.language, userTools) ? failed : undefined;
}

/** What is asked for or done with the messages leaves everything as it was. */
function onlyLookOn(messages: readonly Message[], language: Language, userTools: readonly string[] = []): boolean {
  const voice = userVoice(messages, userTools);
  const ownWords = (text: string): string => (isObservation(text, true) ? "" : text);
  return messages.every((message) => {
    const { role, parts } = message;
    if (voice.speaksIn(message)) return voice.wordsIn(message, ownWords).every((text) => !isTelling(text, language));
    return parts.every((part) => {
      if (part.type === "tool-call") return leavesAll(part);
      if (part.type !== "text" || role !== "assistant") return true;
      const command = writtenCommand(part.text);
      return command === undefined || isLooking(`${command.name} ${command.brief}`);
    });
  });
}

/** By its name "update_budget" would get something. */
function leavesAll(call: ToolCallPart): boolean {
  return (onlyLooks(call) || RECKONING.test(call.name)) && !isChange({ name: call.name, brief: "" });
}

/** Tools that think, reckon and look things up, beside those that say so by an English name. */
const RECKONING =
  /^(?:sequential_?)?think(?:ing)?$|calculat|reckon|rechne|nachdenken|suchen|abrufen|anzeigen|nachsehen|calcul(?:er|ar)|réfléchir|chercher|consulter|afficher|pensar|buscar|consultar|calcola|pensare|cercare|(?:вы|по)считать|вычислить|подумать|найти|показать|получить|计算|思考|查询|搜索|查看|計算|考える|検索|取得|계산|생각|검색|조회|حساب|تفكير|بحث|عرض/i;
