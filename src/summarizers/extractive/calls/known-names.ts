/**
 * What is known of a name, found out once: a conversation has few names of tools and arguments, and each comes hundreds of times. Remembers
 * short names only, and a bounded number of them; never what anybody said.
 */

import { setBounded } from "../../../core/remember.ts";

/** Conversations have some dozens. */
const NAMES_MAX = 512;
/** What is longer is no name, and is looked at anew. */
const NAME_CHARS_MAX = 64;

/** The same function, for one that depends on the name alone. */
export function knownByName<Known extends object | boolean>(tell: (name: string) => Known): (name: string) => Known {
  const known = new Map<string, Known>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const told = tell(name);
    if (name.length <= NAME_CHARS_MAX) setBounded(known, [name, told], NAMES_MAX);
    return told;
  };
}
