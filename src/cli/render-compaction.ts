/** A compaction as text for people: sizes, bars, steps, what stayed and what does not fit. No line wider than the terminal. */

import { KIND_LOOKS, KINDS, type KindShares } from "./breakdown.ts";
import type { Compaction, CompactionStep } from "./compaction.ts";
import { repairPlace } from "./load.ts";
import { diffLines } from "./message-diff.ts";
import { count, oneLine, percent, plural, safeText, wrap } from "./one-line.ts";
import { BECAUSE, messageLines, protectedLines } from "./protections.ts";
import { ELASTIC, joinBlocks, LEFT, type OutputShape, RIGHT, type Terminal } from "./terminal.ts";

interface CompactionTextOptions {
  /** Every step in a line of its own, as for a plan. */
  readonly isDryRun: boolean;
  /** Undefined where the target is the profile's own. */
  readonly target?: unknown;
}

/** The report, and what became of each message where that was asked for. */
export function compactionText(
  compaction: Compaction,
  terminal: Terminal,
  { isDryRun, target }: CompactionTextOptions,
): string {
  const { compacted, diff } = compaction;
  const hint = wrap("to compact it all the same: --target 10%, or --keep 4", terminal.columns).map(terminal.note);
  return joinBlocks([
    [...headLines(compaction, terminal), ...(compacted || target !== undefined ? [] : hint)],
    compacted ? barLines(compaction, terminal) : [],
    stepLines(compaction.steps, isDryRun, terminal),
    compacted ? protectedLines(compaction.kept, compaction.tailShrunk, terminal) : [],
    noteLines(compaction, terminal),
    obstacleLines(compaction, terminal),
    diff === undefined ? [] : diffLines(diff, terminal),
  ]);
}

/** As it was written, control characters aside, and broken between words on a terminal; a line that says why where there is none. */
export function summaryText({ summary, reason, compacted }: Compaction, { isTTY, columns }: OutputShape): string {
  const none = compacted ? "(no summary was needed)" : `(no summary: ${BECAUSE[reason] ?? reason})`;
  const lines = safeText(summary ?? none).split("\n");
  const shown = isTTY && columns !== undefined ? lines.flatMap((line) => wrap(line, columns)) : lines;
  return `${shown.join("\n")}\n`;
}

function headLines(compaction: Compaction, terminal: Terminal): readonly string[] {
  const done = compaction.compacted ? sizesLines(compaction, terminal) : nothingDone(compaction, terminal);
  const limit = terminal.fit(`profile ${compaction.profile}, ${limitText(compaction)}`);
  return [terminal.fileTitle(compaction), ...done, limit, ...modelLine(compaction, terminal)];
}

function modelLine({ calls, model, costUsd }: Compaction, terminal: Terminal): readonly string[] {
  if (calls === 0) return [];
  const cost = costUsd === undefined ? "" : `, $${costUsd.toFixed(4)}`;
  return [terminal.fit(`${plural(calls, "call")} to ${oneLine(model ?? "the model")}${cost}`)];
}

function sizesLines(
  { tokensBefore, tokensAfter, messagesBefore, messagesAfter }: Compaction,
  terminal: Terminal,
): readonly string[] {
  const sizes = terminal.signs(`${count(tokensBefore)} → ${count(tokensAfter)} tokens`);
  const share = percent(tokensBefore === 0 ? 1 : tokensAfter / tokensBefore, 1);
  const messages = terminal.signs(`${count(messagesBefore)} → ${count(messagesAfter)} messages`);
  return terminal.headline(sizes, ` (${share} of what it was), ${messages}`);
}

function nothingDone({ tokensBefore, messagesBefore, reason }: Compaction, terminal: Terminal): readonly string[] {
  const size = `${plural(tokensBefore, "token")}, ${plural(messagesBefore, "message")}`;
  const because = `because ${BECAUSE[reason] ?? reason}`;
  return [...terminal.headline(`${size}:`, " nothing was compacted"), ...wrap(because, terminal.columns)];
}

function limitText({ targetTokens, windowTokens, tokensAfter, fits }: Compaction): string {
  const limit = targetTokens ?? windowTokens;
  const name = targetTokens === undefined ? "no target, window of" : "target";
  const verdict = fits ? "it fits" : `missed by ${count(tokensAfter - limit)}`;
  return `${name} ${count(limit)} tokens: ${verdict}`;
}

/** How each kind of content is drawn, summaries too. */
export const SHARE_LOOKS = [
  ...KINDS.map((kind) => ({ kind, ...KIND_LOOKS[kind] })),
  { kind: "summary", title: "summary", style: "red", letter: "*" },
] as const;

function barLines({ shares, tokensBefore, tokensAfter }: Compaction, terminal: Terminal): readonly string[] {
  const bar = (of: KindShares): string => {
    const slices = SHARE_LOOKS.map(({ kind, style, letter }) => ({ style, letter, amount: Math.max(0, of[kind]) }));
    return terminal.bar(slices, terminal.columns - 11, tokensBefore);
  };
  const present = SHARE_LOOKS.filter(({ kind }) => shares.before[kind] > 0 || shares.after[kind] > 0);
  const rows = [
    ["", "before", "after"],
    ...present.map(({ kind, title }) => [title, count(shares.before[kind]), count(shares.after[kind])]),
    ["all", count(tokensBefore), count(tokensAfter)],
  ];
  const layout = { columns: [LEFT, RIGHT, RIGHT], widthMax: terminal.columns - 4, indent: 0 };
  const [titles = "", ...lines] = terminal.table(rows, layout);
  return [
    `  before ${bar(shares.before)}`,
    `  after  ${bar(shares.after)}`,
    "",
    terminal.paint("gray", `    ${titles}`),
    ...lines.map((line, index) => {
      const look = present[index];
      return `  ${look === undefined ? " " : terminal.swatch(look)} ${line}`;
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
  return [
    terminal.heading("Notes"),
    ...lines
      .slice(0, NOTES_SHOWN)
      .flatMap((line) => wrap(oneLine(line), terminal.columns - 2).map((each) => `  ${each}`)),
    ...terminal.more(lines.length - NOTES_SHOWN, "; --json has them all"),
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
  const title = `Does not fit into ${count(targetTokens ?? windowTokens)} tokens. In the way:`;
  return [terminal.heading(title, ["bold", "red"]), ...messageLines(inTheWay, terminal)];
}

const STEPS_SHOWN = 40;

function stepLines(steps: readonly CompactionStep[], isPlan: boolean, terminal: Terminal): readonly string[] {
  if (steps.length === 0) return [];
  const entries = isPlan ? steps : grouped(steps);
  const rows = entries.slice(0, STEPS_SHOWN).map((step) => {
    // Of a shortened text, what that freed; of messages that left, all they had.
    const tokens = step.freesTokens ?? step.tokens;
    return [step.type, count(step.messages), whichText(step), count(tokens), effectText(step)];
  });
  return [
    terminal.heading("Steps"),
    ...terminal.table(rows, {
      titles: ["step", "messages", "which", "tokens", ""],
      columns: [LEFT, RIGHT, LEFT, RIGHT, ELASTIC],
    }),
    ...terminal.more(entries.length - STEPS_SHOWN, "; --json lists them all"),
  ];
}

/** Shortened results of one kind together; what removes messages is one step anyway. */
function grouped(steps: readonly CompactionStep[]): readonly CompactionStep[] {
  return Object.values(Object.groupBy(steps, ({ type }) => type)).flatMap((same) => {
    const [one] = same;
    if (one === undefined || same.length === 1) return same;
    return {
      ...one,
      messages: new Set(same.map(({ first }) => first)).size,
      first: Math.min(...same.map(({ first }) => first)),
      last: Math.max(...same.map(({ last }) => last)),
      tokens: same.reduce((total, { tokens }) => total + tokens, 0),
      freesTokens: same.reduce((total, { freesTokens = 0 }) => total + freesTokens, 0),
    };
  });
}

function whichText({ first, last, messages }: CompactionStep): string {
  if (messages <= 1) return String(first);
  return last - first + 1 === messages ? `${first} to ${last}` : `in ${first} to ${last}`;
}

function effectText({ type, budgetTokens = 0 }: CompactionStep): string {
  return type === "summarize" ? `become a summary of at most ${count(budgetTokens)}` : EFFECTS[type];
}

const EFFECTS: Readonly<Record<Exclude<CompactionStep["type"], "summarize">, string>> = {
  drop: "left out without a summary",
  cap: "freed: results shortened",
  trim: "freed: results shortened",
  stub: "freed: a note of what the result was",
  clear: "freed: results cleared",
  native: "compacted by the provider",
};
