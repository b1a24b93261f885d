/**
 * Tells which task a request goes on with: one of those since which the assistant has been waiting for answers. Looks back from the
 * newest, and a bounded number of requests far.
 */

import { quick } from "../text/quick-expressions.ts";
import type { Request } from "./goal.ts";

const SERVED_REQUESTS_MAX = 8;
const READ_CHARS = 400;
const QUESTION_CHARS = 240;

/** Whether the request answers, or was said while the assistant waited for something. */
export function goesOn(requests: readonly Request[], at: number): boolean {
  const request = requests[at];
  const before = requests[at - 1];
  if (request === undefined || before === undefined) return false;
  if (request.isReply) return true;
  const said = before.said?.at(-1);
  return before.isClosed === false && said !== undefined && !OFFERING_MORE.test(said.slice(-QUESTION_CHARS));
}

/**
 * "I need to change a booking." "Which?" "To a direct train to Brest on May 4.": the places of what names more than the task did that
 * the work began with, most first.
 */
export function servedPlaces(now: number, { at, text }: Began, requests: readonly Request[]): readonly number[] {
  let from = now;
  while (from > at + 1 && now - from < SERVED_REQUESTS_MAX && goesOn(requests, from)) from--;
  const known = namesIn(text);
  return requests
    .slice(from, now)
    .map((request, place) => ({ place: from + place, names: namesIn(request.text) }))
    .filter(({ names }) => names > known)
    .sort((a, b) => b.names - a.names)
    .map(({ place }) => place);
}

/** Of what a request goes on with, the newest that leaves the view and says something. */
export function leavingWish(
  now: number,
  requests: readonly Request[],
  tells: (request: Request) => boolean,
): Request | undefined {
  for (let at = now; at > 0 && now - at < SERVED_REQUESTS_MAX && goesOn(requests, at); at--) {
    const before = requests[at - 1];
    if (before?.isKept === false && tells(before)) return before;
  }
  return undefined;
}

interface Began {
  readonly at: number;
  readonly text: string;
}

function namesIn(text: string): number {
  return UNKNOWN.test(text) ? 0 : (text.slice(0, READ_CHARS).match(NAMES)?.length ?? 0);
}

/** "I don't have the number with me.": names what is missing. */
const UNKNOWN = quick(
  String.raw`^[^.!?]{0,30}(?<!\p{L})(?:(?:don['’]?t|do not|can['’]?t) (?:have|know|remember|recall|find)|not sure|no idea|weiß (?:ich )?(?:\p{L}+ )?nicht|ne (?:sais|connais) pas|no (?:sé|recuerdo|tengo)|não (?:sei|tenho|lembro)|non (?:so|ricordo|ho)|не (?:знаю|помню))(?!\p{L})`,
  "i",
);

/** Numbers, and capitals within a sentence. */
const NAMES = /\d+|(?<=[\p{Ll},] )(?!I[ '’]|ID(?!\p{L}))\p{Lu}/gu;

/** "Is there anything else?": whatever is asked then is new. */
export const OFFERING_MORE = quick(
  String.raw`(?<!\p{L})(?:anything (?:else|more)|something else|how (?:can|may|else can) i (?:help|assist)|what (?:else|can i (?:help|do))|any (?:other|more|further) questions|sonst noch|wie kann ich|autre chose|comment puis-je|algo más|en qué puedo|algo mais|como posso|altro|come posso|ещё чем|чем могу)(?!\p{L})|其他(?:需要|问题)|还有什么|他に|다른 (?:도움|질문)`,
  "i",
);
