/**
 * Call ids and tool names as another provider takes them. What fits stays; what does not is brought to the allowed characters and
 * length, each to a name of its own. Pure; the same names give the same result.
 */

import { formatRules, type NameRule } from "../format-rules.ts";
import type { FormatName } from "../message.ts";

/** From each name that the other provider would refuse to the one that it goes by there. */
export type Renamed = ReadonlyMap<string, string>;

export function renamedCallIds(ids: readonly string[], to: FormatName): Renamed {
  return renamed(ids, formatRules(to).callIdNames);
}

export function renamedTools(names: readonly string[], to: FormatName): Renamed {
  return renamed(names, formatRules(to).toolNames);
}

function renamed(names: readonly string[], rule: NameRule): Renamed {
  const distinct = [...new Set(names)].filter((name) => name !== "");
  const taken = new Set(distinct.filter((name) => fitted(name, rule) === name));
  const result = new Map<string, string>();
  for (const name of distinct) {
    if (taken.has(name)) continue;
    const free = freeName(fitted(name, rule), taken, rule.lengthMax);
    taken.add(free);
    result.set(name, free);
  }
  return result;
}

function fitted(name: string, { refused, lengthMax, begins }: NameRule): string {
  const plain = name.replaceAll(refused, "_");
  return (begins.test(plain) ? plain : `_${plain}`).slice(0, lengthMax);
}

/** The first that is free among `name`, `name_2`, `name_3` and so on: one of as many as are taken, and one more, is. */
function freeName(name: string, taken: ReadonlySet<string>, lengthMax: number): string {
  for (let number = 2; taken.has(name) && number <= taken.size + 2; number += 1) {
    const ending = `_${number}`;
    const candidate = `${name.slice(0, lengthMax - ending.length)}${ending}`;
    if (!taken.has(candidate)) return candidate;
  }
  return name;
}
