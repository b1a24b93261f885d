/** The name of the tool for each result, from its call: most formats do not repeat it in the result. */

import type { Part } from "../message.ts";
import type { Pairing } from "./pairing.ts";

export function resultNames({ calls }: Pick<Pairing, "calls">): ReadonlyMap<Part, string> {
  const names = new Map<Part, string>();
  for (const { part, results } of calls) for (const result of results) names.set(result.part, part.name);
  return names;
}
