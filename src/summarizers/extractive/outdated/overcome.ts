/**
 * What was said to have failed and has succeeded since: "The push was rejected", and a later push went through. Knows what git does, and commands
 * that stand in marks of code. Looks at few sentences, those that are about to be told; never at what else they say.
 */

import { once } from "../../../core/remember.ts";
import { runs } from "../reading/evidence.ts";
import type { KeptView } from "../reading/kept-view.ts";
import type { PlacedCall, Reading } from "../reading/reading.ts";
import { quick } from "../text/quick-expressions.ts";

export type IsOvercome = (sentence: string, message: number) => boolean;

export function overcomeIn({ log }: Reading, { ends }: KeptView): IsOvercome {
  const calls = once(() => [...log.values()]);
  const stays = once(() => [...ends.succeeded]);
  return (sentence, message) => {
    const commands = failedIn(sentence);
    if (commands.length === 0) return false;
    const isLater = (call: PlacedCall): boolean => call.message > message && commands.some((words) => ran(call, words));
    return calls().some(isLater) || stays().some((key) => commands.some((words) => key.includes(words)));
  };
}

function ran({ name, brief, input }: PlacedCall, words: string): boolean {
  return brief.includes(words) || (input !== undefined && runs({ type: "tool-call", name, input }, words));
}

const DEED = "(commit|push|merge|rebase|pull|cherry-pick)";
const FAILED =
  "(?:fail(?:ed|s|ing)?|rejected|aborted|blocked|denied|did(?:n['’]t| not)|could(?:n['’]t| not)|fehlgeschlagen|schlug fehl|abgelehnt|gescheitert|échoué|rejeté|falló|rechazado|falhou|rejeitado|fallito)(?!\\p{L})";
const BETWEEN = "(?: (?:has|was|is|still|again|itself|also|just|attempt|command|ist|wurde|a|été|ha|fue|foi|è))*";
const DEED_FAILED = quick(`(?<!\\p{L}|-)${DEED}\`?${BETWEEN} ${FAILED}`, "i");
const NOT_ABLE = new RegExp(`\\b(?:failed to|unable to|could(?:n['’]t| not)|cannot|can['’]t) ${DEED}\\b`, "i");
const IN_CONFLICT =
  /\b(?:there (?:are|is)|has|have|hit|still|unresolved)\b[^.,;]{0,30}\b(?:merge|rebase) conflicts?\b/i;
const COMMAND_FAILED = quick(`\`([a-z][^\`\\n]{2,60})\`${BETWEEN} ${FAILED}`, "i");

/** What ends a conflict: each is refused as long as there is one. */
const CONFLICT_ENDS: readonly string[] = ["git commit", "git merge", "git rebase", "git cherry-pick", "git push"];

/** Words of the commands that a sentence says have failed; none for any other sentence. */
function failedIn(sentence: string): readonly string[] {
  const [, deed] = DEED_FAILED.exec(sentence) ?? NOT_ABLE.exec(sentence) ?? [];
  if (deed !== undefined) return [`git ${deed.toLowerCase()}`];
  if (IN_CONFLICT.test(sentence)) return CONFLICT_ENDS;
  const [, command] = COMMAND_FAILED.exec(sentence) ?? [];
  return command?.includes(" ") === true ? [command] : [];
}
