/** The tool behind each result, by its call: most formats name it there alone. */

import type { Part } from "../message.ts";
import type { Pairing } from "./pairing.ts";

export function resultNames({ calls }: Pick<Pairing, "calls">): ReadonlyMap<Part, string> {
  const names = new Map<Part, string>();
  for (const { part, results } of calls) for (const result of results) names.set(result.part, part.name);
  return names;
}
