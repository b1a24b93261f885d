/** A command that is given as a list of words, as it would be typed: without the shell that is only there to run it. */

import type { JsonValue } from "../../../core/json.ts";

/** Undefined for what is no list of words. */
export function commandText(words: readonly JsonValue[]): string | undefined {
  if (words.length === 0 || !words.every((word) => typeof word === "string")) return undefined;
  const [shell = "", flag = "", ...rest] = words;
  return rest.length > 0 && SHELL.test(shell) && RUN_FLAG.test(flag) ? rest.join(" ") : words.join(" ");
}

const SHELL = /(?:^|[\\/])(?:ba|z|da|k)?sh(?:\.exe)?$|(?:^|[\\/])(?:pwsh|powershell|cmd)(?:\.exe)?$/i;
/** "-c", "-lc", "-Command", "/c". */
const RUN_FLAG = /^(?:-[a-z]*c|-command|\/c)$/i;
