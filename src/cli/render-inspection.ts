/** An inspection as text for people: no line wider than the terminal, nothing from the file but printable characters. */

import { barLine, swatch } from "./bar.ts";
import { KIND_LOOKS, KINDS } from "./breakdown.ts";
import type { Inspection } from "./inspection.ts";
import { count, percent, plural, signedPercent } from "./numbers.ts";
import { cut, cutStart, displayWidth, oneLine } from "./one-line.ts";
import { groupProblems, withoutPath } from "./problems.ts";
import { ellipsisOf, paint, type Terminal } from "./terminal.ts";
import { ELASTIC, fitted, heading, joinBlocks, LEFT, RIGHT, THIRD, tableLines } from "./text-blocks.ts";

export function renderInspection(inspection: Inspection, terminal: Terminal): string {
  return joinBlocks([
    headLines(inspection, terminal),
    shareLines(inspection, terminal),
    factLines(inspection, terminal),
    usageLines(inspection, terminal),
    largestLines(inspection, terminal),
    conversationLines(inspection, terminal),
    problemLines(inspection, terminal),
  ]);
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
  return facts.map((fact) => fitted(`  ${fact}`, terminal));
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

const TOOLS_SHOWN = 8;

function shareLines({ tokens, window }: Inspection, terminal: Terminal): readonly string[] {
  const slices = KINDS.map((kind) => ({ ...KIND_LOOKS[kind], amount: tokens.byKind[kind] }));
  const bar = barLine(slices, { terminal, columns: terminal.columns - 4 });
  const hidden = tokens.byTool.slice(TOOLS_SHOWN);
  const kinds = KINDS.filter((kind) => tokens.byKind[kind] > 0);
  const rows = [
    ...kinds.map((kind) => [KIND_LOOKS[kind].title, ...amountCells(tokens.byKind[kind], tokens.total), ""]),
    ...tokens.byTool
      .slice(0, TOOLS_SHOWN)
      .map((tool) => [
        `  ${oneLine(tool.name)}`,
        ...amountCells(tool.tokens, tokens.total),
        plural(tool.results, "result"),
      ]),
    ...(hidden.length === 0 ? [] : [moreTools(hidden, tokens.total)]),
  ];
  const lines = tableLines(rows, {
    columns: [{ align: "left", columnsMax: 34 }, RIGHT, RIGHT, LEFT],
    widthMax: terminal.columns - 4,
    indent: 0,
    ellipsis: ellipsisOf(terminal),
  });
  return [
    `  ${bar}`,
    ...(window === undefined ? [] : [gaugeLine(window.usedRatio, terminal)]),
    "",
    ...lines.map((line, index) => {
      const kind = kinds[index];
      return kind === undefined
        ? `    ${paint(terminal, "gray", line)}`
        : `  ${swatch(KIND_LOOKS[kind], terminal)} ${line}`;
    }),
  ];
}

/** How much of the window is used. Full at most, also when there is more than fits. */
function gaugeLine(usedRatio: number, terminal: Terminal): string {
  const label = usedRatio > 1 ? "window, exceeded " : "window ";
  const used = { amount: Math.min(1, usedRatio), style: usedRatio > 1 ? "red" : "white", letter: "=" } as const;
  return `  ${label}${barLine([used], { terminal, columns: terminal.columns - 4 - label.length, whole: 1 })}`;
}

function amountCells(tokens: number, total: number): readonly [string, string] {
  return [count(tokens), percent(total === 0 ? 0 : tokens / total, 1)];
}

function moreTools(tools: Inspection["tokens"]["byTool"], total: number): readonly string[] {
  const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0);
  const results = tools.reduce((sum, tool) => sum + tool.results, 0);
  return [`  ${plural(tools.length, "more tool")}`, ...amountCells(tokens, total), plural(results, "result")];
}

function usageLines({ usage }: Inspection, terminal: Terminal): readonly string[] {
  if (usage === undefined) return [];
  const off = (tokens: number): string => signedPercent(tokens / usage.inputTokens - 1, 1);
  const rows = [
    ["billed", count(usage.inputTokens), "", `${count(usage.cacheReadTokens)} of them read from the cache`],
    ["our estimate", count(usage.estimatedTokens), off(usage.estimatedTokens), "of what the file shows of it"],
    ...(usage.calibratedTokens === undefined
      ? []
      : [
          [
            "calibrated",
            count(usage.calibratedTokens),
            off(usage.calibratedTokens),
            `foretold from the ${usage.calls === 2 ? "call" : `${count(usage.calls - 1)} calls`} before`,
          ],
        ]),
  ];
  const which = usage.calls === 1 ? "the recorded call" : `the last of ${count(usage.calls)} recorded calls`;
  const title = `Input of ${which} (${plural(usage.messages, "message")})`;
  const columns = [LEFT, RIGHT, RIGHT, ELASTIC];
  return [heading(title, terminal), ...tableLines(rows, { columns, widthMax: terminal.columns })];
}

function largestLines({ largest, tokens }: Inspection, terminal: Terminal): readonly string[] {
  const rows = [
    ["#", "message", "tokens", "%", "begins"],
    ...largest.map((message) => [
      String(message.index),
      oneLine(message.what),
      count(message.tokens),
      percent(tokens.total === 0 ? 0 : message.tokens / tokens.total, 1),
      oneLine(message.begins),
    ]),
  ];
  const columns = [RIGHT, THIRD, RIGHT, RIGHT, ELASTIC];
  const [titles = "", ...lines] = tableLines(rows, {
    columns,
    widthMax: terminal.columns,
    ellipsis: ellipsisOf(terminal),
  });
  return [heading("Largest messages", terminal), paint(terminal, "gray", titles), ...lines];
}

const CONVERSATIONS_SHOWN = 8;

function conversationLines({ conversations, conversation }: Inspection, terminal: Terminal): readonly string[] {
  if (conversations.length < 2) return [];
  const shown = conversations.slice(0, CONVERSATIONS_SHOWN);
  if (conversation.number > shown.length) shown.push(conversation);
  const rows = shown.map((entry) => [
    entry.number === conversation.number ? ">" : "",
    String(entry.number),
    oneLine(entry.label ?? ""),
    plural(entry.messages, "message"),
    oneLine(entry.id),
  ]);
  const columns = [LEFT, RIGHT, THIRD, RIGHT, ELASTIC];
  const more = conversations.length - shown.length;
  const ellipsis = ellipsisOf(terminal);
  return [
    heading(`Conversations in this file: ${count(conversations.length)}; choose with --conversation N`, terminal),
    ...tableLines(rows, { columns, widthMax: terminal.columns, ellipsis }),
    ...(more === 0 ? [] : [`  ${ellipsis} and ${count(more)} more`]),
  ];
}

const PROBLEMS_SHOWN = 10;

function problemLines({ problems }: Inspection, terminal: Terminal): readonly string[] {
  if (problems.length === 0) return [];
  const ellipsis = ellipsisOf(terminal);
  const groups = groupProblems(problems);
  const more = groups.slice(PROBLEMS_SHOWN).reduce((sum, group) => sum + group.times, 0);
  return [
    paint(terminal, ["bold", "red"], fitted(`${plural(problems.length, "problem")} a provider would refuse`, terminal)),
    ...groups.slice(0, PROBLEMS_SHOWN).flatMap(({ first, times }) => {
      const others = times === 1 ? "" : `, and ${count(times - 1)} more in the same message`;
      return [
        fitted(`  ${oneLine(first.path)}  ${oneLine(first.rule)}${others}`, terminal),
        paint(terminal, "gray", fitted(`    ${withoutPath(first)}`, terminal)),
      ];
    }),
    ...(more > 0 ? [`  ${ellipsis} and ${count(more)} more`] : []),
    fitted("  to mend: palimpsest check FILE --repair --out REPAIRED.json", terminal),
  ];
}
