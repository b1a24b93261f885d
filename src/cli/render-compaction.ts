/** A compaction as text for people: sizes, bars, steps, what stayed and what does not fit. No line wider than the terminal. */

import { barLine, type Slice, swatch } from "./bar.ts";
import { KIND_LOOKS, KINDS, type KindShares, type Looks } from "./breakdown.ts";
import type { Compaction, CompactionStep } from "./compaction.ts";
import { diffLines } from "./message-diff.ts";
import { count, percent, plural } from "./numbers.ts";
import { oneLine, safeText, wrap } from "./one-line.ts";
import { repairPlace } from "./problems.ts";
import { BECAUSE, messageLines, protectedLines } from "./protections.ts";
import { ellipsisOf, type OutputShape, paint, type Terminal } from "./terminal.ts";
import {
  ELASTIC,
  fileTitle,
  fitted,
  heading,
  headline,
  joinBlocks,
  LEFT,
  plainSigns,
  RIGHT,
  tableLines,
} from "./text-blocks.ts";

interface CompactionTextOptions {
  readonly isDryRun: boolean;
  readonly target?: unknown;
}

/** The report, and what became of each message where that was asked for. */
export function compactionText(
  compaction: Compaction,
  terminal: Terminal,
  { isDryRun, target }: CompactionTextOptions,
): string {
  const report = renderCompaction(compaction, terminal, { isPlan: isDryRun, isTargetNamed: target !== undefined });
  return compaction.diff === undefined ? report : `${report}\n${diffLines(compaction.diff, terminal).join("\n")}\n`;
}

/** As it was written, control characters aside, and broken between words on a terminal; a line that says why where there is none. */
export function summaryText({ summary, reason, compacted }: Compaction, { isTTY, columns }: OutputShape): string {
  const none = compacted ? "(no summary was needed)" : `(no summary: ${BECAUSE[reason] ?? reason})`;
  const lines = safeText(summary ?? none).split("\n");
  const shown = isTTY && columns !== undefined ? lines.flatMap((line) => wrap(line, columns)) : lines;
  return `${shown.join("\n")}\n`;
}

interface RenderCompactionOptions {
  /** Every step in a line of its own, as for a plan. */
  readonly isPlan: boolean;
  /** True when the target was asked for, and is not the profile's own. */
  readonly isTargetNamed: boolean;
}

function renderCompaction(
  compaction: Compaction,
  terminal: Terminal,
  { isPlan, isTargetNamed }: RenderCompactionOptions,
): string {
  const hint = "to compact it all the same: --target 10%, or --keep 4";
  return joinBlocks([
    [
      ...headLines(compaction, terminal),
      ...(compaction.compacted || isTargetNamed
        ? []
        : wrap(hint, terminal.columns).map((line) => paint(terminal, "gray", line))),
    ],
    compaction.compacted ? barLines(compaction, terminal) : [],
    stepLines(compaction.steps, { terminal, isPlan }),
    compaction.compacted ? protectedLines(compaction.kept, compaction.tailShrunk, terminal) : [],
    noteLines(compaction, terminal),
    obstacleLines(compaction, terminal),
  ]);
}

function headLines(compaction: Compaction, terminal: Terminal): readonly string[] {
  const done = compaction.compacted ? sizesLines(compaction, terminal) : nothingDone(compaction, terminal);
  const limit = fitted(`profile ${compaction.profile}, ${limitText(compaction)}`, terminal);
  return [fileTitle(compaction, terminal), ...done, limit];
}

function sizesLines(
  { tokensBefore, tokensAfter, messagesBefore, messagesAfter }: Compaction,
  terminal: Terminal,
): readonly string[] {
  const sizes = plainSigns(`${count(tokensBefore)} → ${count(tokensAfter)} tokens`, terminal);
  const share = percent(tokensBefore === 0 ? 1 : tokensAfter / tokensBefore, 1);
  const messages = plainSigns(`${count(messagesBefore)} → ${count(messagesAfter)} messages`, terminal);
  return headline(sizes, ` (${share} of what it was), ${messages}`, { terminal });
}

function nothingDone({ tokensBefore, messagesBefore, reason }: Compaction, terminal: Terminal): readonly string[] {
  const size = `${plural(tokensBefore, "token")}, ${plural(messagesBefore, "message")}`;
  const because = `because ${BECAUSE[reason] ?? reason}`;
  return [...headline(`${size}:`, " nothing was compacted", { terminal }), ...wrap(because, terminal.columns)];
}

function limitText({ targetTokens, windowTokens, tokensAfter, fits }: Compaction): string {
  const limit = targetTokens ?? windowTokens;
  const name = targetTokens === undefined ? "no target, window of" : "target";
  const verdict = fits ? "it fits" : `missed by ${count(tokensAfter - limit)}`;
  return `${name} ${count(limit)} tokens: ${verdict}`;
}

const SUMMARY_LOOKS: Looks = { title: "summary", style: "red", letter: "*" };

function barLines({ shares, tokensBefore, tokensAfter }: Compaction, terminal: Terminal): readonly string[] {
  const looks = [
    ...KINDS.map((kind) => ({ kind, ...KIND_LOOKS[kind] })),
    { kind: "summary" as const, ...SUMMARY_LOOKS },
  ];
  const bar = (of: KindShares): string => {
    const slices = looks.map(({ kind, style, letter }): Slice => ({ style, letter, amount: Math.max(0, of[kind]) }));
    return barLine(slices, { terminal, columns: terminal.columns - 11, whole: tokensBefore });
  };
  const present = looks.filter(({ kind }) => shares.before[kind] > 0 || shares.after[kind] > 0);
  const rows = [
    ["", "before", "after"],
    ...present.map(({ kind, title }) => [title, count(shares.before[kind]), count(shares.after[kind])]),
    ["all", count(tokensBefore), count(tokensAfter)],
  ];
  const columns = [LEFT, RIGHT, RIGHT];
  const [titles = "", ...lines] = tableLines(rows, { columns, widthMax: terminal.columns - 4, indent: 0 });
  return [
    `  before ${bar(shares.before)}`,
    `  after  ${bar(shares.after)}`,
    "",
    paint(terminal, "gray", `    ${titles}`),
    ...lines.map((line, index) => {
      const look = present[index];
      return `  ${look === undefined ? " " : swatch(look, terminal)} ${line}`;
    }),
  ];
}

const NOTES_SHOWN = 6;

function noteLines({ fallbacks, notes, repairs, leftOut }: Compaction, terminal: Terminal): readonly string[] {
  const lines = [
    ...fallbacks.map(({ step, because }) => `fell back to ${step}: ${because}`),
    ...notes,
    ...leftOut.map((what) => `left out: ${what}`),
    ...repairTexts(repairs),
  ];
  if (lines.length === 0) return [];
  const more = lines.length - NOTES_SHOWN;
  return [
    heading("Notes", terminal),
    ...lines.slice(0, NOTES_SHOWN).map((line) => fitted(`  ${oneLine(line)}`, terminal)),
    ...(more > 0 ? [`  ${ellipsisOf(terminal)} and ${count(more)} more; --json has them all`] : []),
  ];
}

/** One line per rule: a long session may break the same one a hundred times. */
function repairTexts(repairs: Compaction["repairs"]): readonly string[] {
  return [...Map.groupBy(repairs, ({ rule }) => rule)].map(([rule, same]) => {
    const [first] = same;
    const times = same.length === 1 ? "" : ` ${count(same.length)} times`;
    return `mended first${times}: ${rule}: ${repairPlace(first?.messageIndex ?? -1)}${first?.change}`;
  });
}

function obstacleLines(
  { inTheWay, fits, targetTokens, windowTokens }: Compaction,
  terminal: Terminal,
): readonly string[] {
  if (fits) return [];
  const limit = targetTokens ?? windowTokens;
  const title = `Does not fit into ${count(limit)} tokens. In the way:`;
  return [paint(terminal, ["bold", "red"], fitted(title, terminal)), ...messageLines(inTheWay, terminal)];
}

interface StepLinesOptions {
  readonly terminal: Terminal;
  readonly isPlan: boolean;
}

const STEPS_SHOWN = 40;

function stepLines(steps: readonly CompactionStep[], { terminal, isPlan }: StepLinesOptions): readonly string[] {
  if (steps.length === 0) return [];
  const entries = isPlan ? steps : grouped(steps);
  const rows = [
    ["step", "messages", "which", "tokens", ""],
    ...entries
      .slice(0, STEPS_SHOWN)
      .map((step) => [step.type, count(step.messages), whichText(step), count(amount(step)), effectText(step)]),
  ];
  const [titles = "", ...lines] = tableLines(rows, {
    columns: [LEFT, RIGHT, LEFT, RIGHT, ELASTIC],
    widthMax: terminal.columns,
    ellipsis: ellipsisOf(terminal),
  });
  const more = entries.length - STEPS_SHOWN;
  return [
    heading("Steps", terminal),
    paint(terminal, "gray", titles),
    ...lines,
    ...(more > 0 ? [`  ${ellipsisOf(terminal)} and ${count(more)} more; --json lists them all`] : []),
  ];
}

/** Shortened results of one kind together; what removes messages is one step anyway. */
function grouped(steps: readonly CompactionStep[]): readonly CompactionStep[] {
  const sum = (same: readonly CompactionStep[], of: (step: CompactionStep) => number | undefined): number =>
    same.reduce((total, step) => total + (of(step) ?? 0), 0);
  return Object.values(Object.groupBy(steps, ({ type }) => type)).flatMap((same) => {
    const [one] = same;
    if (one === undefined || same.length === 1) return same;
    return {
      type: one.type,
      messages: new Set(same.map(({ first }) => first)).size,
      first: Math.min(...same.map(({ first }) => first)),
      last: Math.max(...same.map(({ last }) => last)),
      tokens: sum(same, ({ tokens }) => tokens),
      freesTokens: sum(same, ({ freesTokens }) => freesTokens),
    };
  });
}

function whichText({ first, last, messages }: CompactionStep): string {
  if (messages <= 1) return String(first);
  return last - first + 1 === messages ? `${first} to ${last}` : `in ${first} to ${last}`;
}

/** What a shortened text freed; of messages that left, all they had. */
function amount({ tokens, freesTokens }: CompactionStep): number {
  return freesTokens ?? tokens;
}

function effectText({ type, budgetTokens }: CompactionStep): string {
  switch (type) {
    case "summarize":
      return `become a summary of at most ${count(budgetTokens ?? 0)}`;
    case "drop":
      return "left out without a summary";
    case "cap":
    case "trim":
      return "freed: results shortened";
    case "stub":
      return "freed: a note of what the result was";
    case "clear":
      return "freed: results cleared";
    case "native":
      return "compacted by the provider";
    default:
      return type satisfies never;
  }
}
