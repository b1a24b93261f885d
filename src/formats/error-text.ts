/** For formats without an error flag: the text of a failed result has to say that it failed. */

import { type Part, text, textsOf } from "../core/message.ts";

const SAYS_ERROR = /^\W*(error|failed|failure|exception|traceback)/i;

export function withErrorText(content: readonly Part[]): readonly Part[] {
  const position = content.findIndex((part) => part.type === "text" && part.text !== "");
  const first = content[position];
  if (first?.type !== "text") return [text("ERROR: the tool call failed"), ...content];
  if (SAYS_ERROR.test(textsOf(content)[0] ?? "")) return content;
  return content.with(position, { ...first, text: `ERROR: ${first.text}` });
}
