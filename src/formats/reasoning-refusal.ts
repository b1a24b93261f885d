/** Whether an error says that the provider does not accept reasoning of earlier answers, because of its signature. One list for all formats. */

import { errorTexts } from "./overflow.ts";

const WORDINGS = [
  /invalid `?signature`? in `?(?:redacted_)?thinking`? block/i,
  /`?thinking`? or `?redacted_thinking`? blocks in the latest assistant message cannot be modified/i,
  /(?:invalid|corrupted) thought signature/i,
  /invalid_encrypted_content|encrypted content .{0,80}could not be (?:verified|decrypted)/i,
];

/** Takes what `readOverflow` takes. */
export function refusesReasoning(error: unknown): boolean {
  return errorTexts(error).some((text) => WORDINGS.some((wording) => wording.test(text)));
}
