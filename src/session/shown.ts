/** What a caller gave, as a message repeats it: quoted, and never longer than a line. Models are callers too, and pay for what they read. */

import { headOf } from "../core/well-formed-text.ts";

const SHOWN_CHARACTERS_MAX = 80;

export function shown(given: string): string {
  const isLong = given.length > SHOWN_CHARACTERS_MAX;
  return JSON.stringify(isLong ? `${headOf(given, SHOWN_CHARACTERS_MAX)}…` : given);
}
