/** What a command takes besides its options, by name: the right number of them, or one clear sentence. */

import { usage, type Words } from "./arguments.ts";
import { plural } from "./numbers.ts";

/** One operand for each name; those beyond `required` may be missing and are then empty. */
export function operandsOf(
  command: string,
  { operands }: Words,
  { names, required = names.length }: { readonly names: readonly string[]; readonly required?: number },
): readonly string[] {
  const missing = names.slice(0, required).find((_, index) => (operands[index] ?? "") === "");
  if (missing !== undefined) throw usage(`${command} needs ${article(missing)} ${missing}`);
  if (operands.length > names.length) {
    const takes = names.length === 0 ? "nothing but options" : names.join(" and ");
    throw usage(`${command} takes ${takes}, but was given ${plural(operands.length, "word")}`);
  }
  return names.map((_, index) => operands[index] ?? "");
}

function article(name: string): string {
  return /^[AEIO]/.test(name) ? "an" : "a";
}
