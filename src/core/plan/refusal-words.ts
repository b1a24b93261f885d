/** What a user says in refusing a call: clients write it into the result, behind a sentence of their own. Reads a bounded beginning. */

import type { Part, ToolResultPart } from "../message.ts";

/** Whether a result says that the user did not let the call run. */
export function isRefusal({ content: [first] }: ToolResultPart): boolean {
  if (first?.type !== "text" || !mayRefuse(first.text.charCodeAt(0))) return false;
  return REFUSED.test(first.text.slice(0, OPENING_CHARS));
}

/** Empty for any other result, and where they refused without a word. */
export function refusalWords(result: ToolResultPart): string {
  const [first] = result.content;
  if (first?.type !== "text" || !isRefusal(result)) return "";
  const said = SAID.exec(first.text.slice(0, NOTE_CHARS));
  if (said === null) return "";
  return first.text
    .slice(said.index + said[0].length)
    .replace(CLIENT_ADVICE, "")
    .trim();
}

/** By its first unit: most results begin with another letter, or with a digit, and every list is looked through several times. */
function mayRefuse(code: number): boolean {
  const letter = code | 32;
  if (letter >= 97 && letter <= 122) return letter === LETTER_T || letter === LETTER_U || letter === LETTER_E;
  return (code < 48 || code > 57) && code !== OPENING_BRACE;
}

const LETTER_E = 101;
const LETTER_T = 116;
const LETTER_U = 117;
const OPENING_BRACE = 123;

/** Everything in a user's message that may be their words: what stands as text, and what they refused a call with. */
export function userTexts(parts: readonly Part[]): readonly string[] {
  return parts.flatMap((part) => {
    if (part.type === "text") return [part.text];
    const words = part.type === "tool-result" ? refusalWords(part) : "";
    return words === "" ? [] : [words];
  });
}

const OPENING_CHARS = 80;
const NOTE_CHARS = 600;
const REFUSED =
  /^\W*(?:error: )?(?:the )?user (?:doesn['’]t want to (?:proceed|take)(?!\w)|(?:has )?(?:denied|rejected|declined|refused))/i;
const SAID =
  /(?:the )?user (?:said|says|gave (?:this|the following) (?:reason|feedback)|provided (?:this|the following) (?:reason|feedback)(?: for the rejection)?)\s*:\s*/i;
/** What clients put behind the words. */
const CLIENT_ADVICE = /\n\s*\n(?:Note|IMPORTANT): [^\n]*\s*$/;
