/**
 * What an assistant prefers of its own list: "option 2 is cleanest" means what stands there. Such a preference is over once the user
 * asks for what another option of that list says. Compares words; never judges which option is better.
 */

import type { Decision } from "../../../core/checkpoint/checkpoint.ts";
import { stemsOf } from "../text/shared-words.ts";
import { optionsIn } from "./answers.ts";

const OWN_PICK =
  /(?:option|variante|opción|opção|opzione|вариант|方案|옵션) ?([1-9]|[A-E]) (?:is|makes|ist|est|es|é|è) /i;

/** The option itself with the preference as its reason; as it is where no list tells what was preferred. */
export function withOwnOption(decision: Decision, text: string): Decision {
  const mark = OWN_PICK.exec(decision.decision)?.[1]?.toUpperCase();
  const option = mark === undefined ? undefined : optionsIn(text).get(mark);
  return option === undefined ? decision : { decision: option, reason: decision.decision };
}

/** A request this long shares words with anything. */
const REQUEST_CHARS_MAX = 400;
const SHARED_MIN = 3;

/** `since`: what the user said later. */
export function isOutvoted({ reason = "" }: Decision, text: string, since: Iterable<string>): boolean {
  const mark = OWN_PICK.exec(reason)?.[1]?.toUpperCase();
  if (mark === undefined) return false;
  const options = optionsIn(text);
  const own = stemsOf(options.get(mark) ?? "");
  const others = [...options].filter(([other]) => other !== mark).map(([, words]) => stemsOf(words));
  for (const request of since) {
    if (request.length > REQUEST_CHARS_MAX) continue;
    const asked = [...stemsOf(request)];
    const shared = (option: ReadonlySet<string>): number => asked.filter((stem) => option.has(stem)).length;
    const ownShared = shared(own);
    if (others.some((option) => shared(option) >= SHARED_MIN && shared(option) > ownShared)) return true;
  }
  return false;
}
