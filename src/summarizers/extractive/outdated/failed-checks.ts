/**
 * Whether it still holds that checks pass: where the newest check failed, nobody's older word that they do is true. Looks at the newest
 * calls only. Never judges a check by another of which it has the result.
 */

import { OUTCOME_MARK } from "../../../core/checkpoint/checkpoint.ts";
import { isGitDeed } from "../calls/call-keys.ts";
import { withoutPipes } from "../calls/call-outcome.ts";
import { hasFailedCheck, isCheck } from "../calls/passed-check.ts";
import type { KeptView } from "../reading/kept-view.ts";
import type { Failure, Reading } from "../reading/reading.ts";
import { quick } from "../text/quick-expressions.ts";

/** Where the newest check failed, behind everything where that stays in the view; -1 where it passed, or there is none. */
export function failedCheckAt({ failures, newestCheck }: Reading, { ends }: KeptView): number {
  if (ends.newestCheck !== undefined) return ends.newestCheck === "failed" ? Infinity : -1;
  const failed = failures.findLast(isCheckFailure)?.message ?? -1;
  return newestCheck === undefined || newestCheck.message <= failed ? failed : -1;
}

export function isCheckFailure({ toolName, summary }: Failure): boolean {
  const command = commandIn(summary);
  return isCheck(command) || isCheck(`${toolName} ${command}`);
}

/** "git push" and the like: what failed so is wanted until it is done, unless there was nothing to do. */
export function isGitFailure({ summary }: Failure): boolean {
  return isGitDeed(commandIn(summary)) && !NOTHING_TO_DO.test(summary);
}

const NOTHING_TO_DO = /nothing (?:added )?to commit|no changes added|up[- ]to[- ]date|working tree clean/i;

/** Of a line that tells a call and what came of it; empty for any other. */
function commandIn(line: string): string {
  const end = line.indexOf(OUTCOME_MARK);
  return end < 0 ? "" : line.slice(0, end);
}

/** Says in words that checks pass. A check told with its result stands until that same one fails. */
export function claimsPassing(sentence: string): boolean {
  return ANY_WORD.test(sentence) && CLAIM.test(sentence) && !sentence.includes(OUTCOME_MARK);
}

/** Most sentences have none of the words, and one look tells. */
const ANY_WORD =
  /pass|green|clean|succe|bestand|durch|erfolg|grün|réuss|vert|pasa|verde|verdi|superat|прохо|прош|пройд|зел|通|合格|成功|パス|통과|نجح|اجتاز/i;

const CLAIM = quick(
  String.raw`(?<!\p{L})(?:tests?|checks?|suite|specs?|build|lint(?:er|ing)?|type ?check|compilation|ci|everything)(?!\p{L}).{0,40} (?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|green|clean)(?!\p{L})|(?<!\p{L})\d+ (?:\p{L}+ )?(?:tests?|specs?|checks?) (?:pass|are green)|(?<!\p{L})(?:passing|green) (?:tests?|suite|build)(?!\p{L})|(?:tests?|build|prüfung(?:en)?|suite)(?!\p{L}).{0,40} (?:durch|bestanden|grün|erfolgreich)(?!\p{L})|(?:tests?|compilation|vérifications?)(?!\p{L}).{0,40} (?:passent|passe|réussi\p{L}*|verts?)(?!\p{L})|(?:pruebas?|tests?|testes?|compilación)(?!\p{L}).{0,40} (?:pasan|pasa|pasaron|passam|passaram|passou|verdes?)(?!\p{L})|test(?!\p{L}).{0,40} (?:passano|passati|superati|verdi)(?!\p{L})|тест\p{L}*.{0,40} (?:прох\p{L}+|прошл\p{L}+|пройден\p{L}*|зел[её]н\p{L}+)|测试.{0,12}通过|通过.{0,12}测试|テスト.{0,20}(?:通|合格|成功|パス)|테스트.{0,20}통과|(?:نجح|اجتاز).{0,20}(?:اختبار|الاختبارات)|(?:اختبار|الاختبارات).{0,20}(?:نجح|اجتاز)`,
  "i",
);

/** Whether a check that an earlier summary told with its result has failed since. */
export function hasFailedSince(line: string, { failures, log }: Reading, { ends }: KeptView): boolean {
  const command = withoutPipes(commandIn(line));
  if (command === "") return false;
  return (
    [...ends.failed].some((key) => key.endsWith(` ${command}`)) ||
    failures.some(({ summary }) => withoutPipes(commandIn(summary)) === command) ||
    [...log.values()].some(({ brief, result }) => withoutPipes(brief) === command && hasFailedCheck(brief, result))
  );
}
