/** An inspection as text for people: no line wider than the terminal, nothing from the file but printable characters. */

import type { Inspection } from "./inspection.ts";
import { count, percent, plural } from "./numbers.ts";
import { cut, cutStart, displayWidth, oneLine } from "./one-line.ts";
import { conversationLines, largestLines, usageLines } from "./render-lists.ts";
import { problemLines } from "./render-problems.ts";
import { shareLines } from "./render-shares.ts";
import { ellipsisOf, paint, type Terminal } from "./terminal.ts";

export function renderInspection(inspection: Inspection, terminal: Terminal): string {
  const blocks = [
    headLines(inspection, terminal),
    shareLines(inspection, terminal),
    factLines(inspection, terminal),
    usageLines(inspection, terminal),
    largestLines(inspection, terminal),
    conversationLines(inspection, terminal),
    problemLines(inspection, terminal),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function headLines({ file, source, format, tokens, usage, window }: Inspection, terminal: Terminal): readonly string[] {
  const kind = source === "request-body" || source === "message-list" ? source.replace("-", " ") : source;
  const about = `${format}, ${kind}`;
  const name = cutStart(oneLine(file), Math.max(10, terminal.columns - displayWidth(about) - 2), ellipsisOf(terminal));
  const total = `${count(tokens.total)} tokens`;
  const ofWindow =
    window === undefined ? "" : `, ${percent(window.usedRatio, 1)} of the ${count(window.tokens)}-token window`;
  const rest = usage === undefined ? ` (estimate)${ofWindow}` : " in the file (estimate)";
  const next =
    usage === undefined
      ? []
      : [cut(`about ${count(usage.nextRequestTokens)} in the next request${ofWindow}`, terminal.columns)];
  return [
    `${paint(terminal, "bold", name)}  ${paint(terminal, "gray", about)}`,
    paint(terminal, "bold", total) + cut(rest, terminal.columns - total.length),
    ...next,
  ];
}

function factLines(inspection: Inspection, terminal: Terminal): readonly string[] {
  const { messages, turns, rounds, openRound, models, compactions, records } = inspection;
  const open = openRound === null ? "" : `, the last one open (from message ${openRound.start})`;
  const facts = [
    `${plural(messages, "message")}, ${plural(turns, "turn")}, ${plural(rounds, "round")}${open}`,
    ...(models.length === 0 ? [] : [`${models.length === 1 ? "model" : "models"} ${models.map(oneLine).join(", ")}`]),
    ...(compactions.length === 0 ? [] : [compactionFact(compactions)]),
    ...recordFacts(records),
  ];
  return facts.map((fact) => cut(`  ${fact}`, terminal.columns, ellipsisOf(terminal)));
}

function compactionFact(compactions: Inspection["compactions"]): string {
  const each = compactions.map(({ trigger, tokensBefore }) =>
    [
      trigger === undefined ? "" : oneLine(trigger),
      tokensBefore === undefined ? "" : `at ${count(tokensBefore)} tokens`,
    ]
      .filter((words) => words !== "")
      .join(" "),
  );
  const known = each.filter((words) => words !== "");
  return `${plural(compactions.length, "recorded compaction")}${known.length === 0 ? "" : ` (${known.join("; ")})`}`;
}

function recordFacts({ read, unknown, broken }: Inspection["records"]): readonly string[] {
  const types = Object.entries(unknown).sort(([, a], [, b]) => b - a);
  const unknownCount = types.reduce((sum, [, times]) => sum + times, 0);
  if (unknownCount === 0 && broken === 0) return [];
  const named = types.map(([type, times]) => `${oneLine(type)} x${times}`).join(", ");
  const parts = [
    `${plural(read, "record")} read`,
    ...(unknownCount === 0 ? [] : [`${count(unknownCount)} of unknown type left out (${named})`]),
    ...(broken === 0 ? [] : [`${plural(broken, "broken line")} skipped`]),
  ];
  return [parts.join(", ")];
}
