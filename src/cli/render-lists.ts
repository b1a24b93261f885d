/** The tables of an inspection: recorded usage, the largest messages, the conversations of the file. */

import type { Inspection } from "./inspection.ts";
import { count, percent, plural, signedPercent } from "./numbers.ts";
import { cut, oneLine } from "./one-line.ts";
import { type Column, RIGHT, tableLines } from "./table.ts";
import { ellipsisOf, paint, type Terminal } from "./terminal.ts";

export function usageLines({ usage }: Inspection, terminal: Terminal): readonly string[] {
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
  const columns: readonly Column[] = [{ align: "left" }, RIGHT, RIGHT, { align: "left", isElastic: true }];
  return [heading(title, terminal), ...tableLines(rows, { columns, widthMax: terminal.columns })];
}

export function largestLines({ largest, tokens }: Inspection, terminal: Terminal): readonly string[] {
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
  const columns: readonly Column[] = [
    RIGHT,
    { align: "left", columnsMax: Math.floor(terminal.columns / 3) },
    RIGHT,
    RIGHT,
    { align: "left", isElastic: true },
  ];
  const [titles = "", ...lines] = tableLines(rows, {
    columns,
    widthMax: terminal.columns,
    ellipsis: ellipsisOf(terminal),
  });
  return [heading("Largest messages", terminal), paint(terminal, "gray", titles), ...lines];
}

const CONVERSATIONS_SHOWN = 8;

export function conversationLines({ conversations, conversation }: Inspection, terminal: Terminal): readonly string[] {
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
  const columns: readonly Column[] = [
    { align: "left" },
    RIGHT,
    { align: "left", columnsMax: Math.floor(terminal.columns / 3) },
    RIGHT,
    { align: "left", isElastic: true },
  ];
  const more = conversations.length - shown.length;
  const ellipsis = ellipsisOf(terminal);
  return [
    heading(`Conversations in this file: ${count(conversations.length)}; choose with --conversation N`, terminal),
    ...tableLines(rows, { columns, widthMax: terminal.columns, ellipsis }),
    ...(more === 0 ? [] : [`  ${ellipsis} and ${count(more)} more`]),
  ];
}

function heading(title: string, terminal: Terminal): string {
  return paint(terminal, "bold", cut(title, terminal.columns, ellipsisOf(terminal)));
}
