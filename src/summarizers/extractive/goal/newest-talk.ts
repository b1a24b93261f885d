/**
 * Of people who meet again and again only to talk, what was said since they met last: a greeting opens a talk of its own. Looks at
 * the first words of a bounded number of requests.
 */

import { quick } from "../text/quick-expressions.ts";
import type { GoalInput } from "./goal.ts";

const REQUESTS_READ = 60;
const GREETING_CHARS = 40;
/** Whoever says hello once more may only ask whether anybody is there. */
const GREETINGS_MIN = 2;

/** As it is where nobody greeted again. */
export function newestTalk(input: GoalInput): GoalInput {
  const { requests } = input;
  let newest = -1;
  let greetings = 0;
  for (let at = requests.length - 1; at > 0 && at >= requests.length - REQUESTS_READ; at--) {
    if (!GREETING.test(requests[at]?.text.slice(0, GREETING_CHARS) ?? "")) continue;
    if (newest < 0) newest = at;
    if (++greetings < GREETINGS_MIN) continue;
    return { ...input, requests: requests.slice(newest), earlier: [], isMetAgain: true };
  }
  return input;
}

const GREETING = quick(
  String.raw`^(?:hi|hello|hey|good (?:morning|afternoon|evening)|long time no see|hallo|guten (?:morgen|tag|abend)|bonjour|bonsoir|salut|hola|buen[oa]s (?:días|tardes|noches)|olá|oi|bo[ma] (?:dia|tarde|noite)|ciao|buon(?:giorno|asera)|привет|здравствуйте?|добр(?:ое утро|ый (?:день|вечер)))(?!\p{L})|^(?:你好|您好|嗨|哈喽|早上好|上午好|下午好|晚上好|早安|好久不见|こんにちは|こんばんは|おはよう|안녕|مرحبا|السلام عليكم)`,
  "i",
);
