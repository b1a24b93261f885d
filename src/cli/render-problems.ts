/** What a provider would refuse, as a short list with a way out. */

import type { Inspection } from "./inspection.ts";
import { count, plural } from "./numbers.ts";
import { cut, oneLine } from "./one-line.ts";
import { groupProblems, withoutPath } from "./problems.ts";
import { ellipsisOf, paint, type Terminal } from "./terminal.ts";

const PROBLEMS_SHOWN = 10;

export function problemLines({ problems }: Inspection, terminal: Terminal): readonly string[] {
  if (problems.length === 0) return [];
  const ellipsis = ellipsisOf(terminal);
  const fitted = (line: string): string => cut(line, terminal.columns, ellipsis);
  const groups = groupProblems(problems);
  const more = groups.slice(PROBLEMS_SHOWN).reduce((sum, group) => sum + group.times, 0);
  return [
    paint(terminal, ["bold", "red"], fitted(`${plural(problems.length, "problem")} a provider would refuse`)),
    ...groups.slice(0, PROBLEMS_SHOWN).flatMap(({ first, times }) => {
      const others = times === 1 ? "" : `, and ${count(times - 1)} more in the same message`;
      return [
        fitted(`  ${oneLine(first.path)}  ${oneLine(first.rule)}${others}`),
        paint(terminal, "gray", fitted(`    ${withoutPath(first)}`)),
      ];
    }),
    ...(more > 0 ? [`  ${ellipsis} and ${count(more)} more`] : []),
    fitted("  to mend: palimpsest check FILE --repair --out REPAIRED.json"),
  ];
}
