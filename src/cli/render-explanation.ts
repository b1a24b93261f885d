/** An explanation as text: the verdict first, then the numbers behind it. No line wider than the terminal. */

import { reasonText } from "../core/plan/trigger.ts";
import { barLine } from "./bar.ts";
import { BECAUSE } from "./because.ts";
import type { Explanation, TriggerState } from "./explanation.ts";
import { count, percent, plural } from "./numbers.ts";
import { oneLine } from "./one-line.ts";
import { messageLines, protectedLines } from "./render-protected.ts";
import { type Column, RIGHT, tableLines } from "./table.ts";
import { paint, type Style, type Terminal } from "./terminal.ts";
import { fileTitle, fitted, heading, headline, joinBlocks, plainSigns } from "./text-blocks.ts";

export function renderExplanation(explanation: Explanation, terminal: Terminal): string {
  return joinBlocks([
    headLines(explanation, terminal),
    triggerLines(explanation, terminal),
    protectedBlock(explanation, terminal),
    cutLines(explanation, terminal),
    passLines(explanation, terminal),
  ]);
}

function headLines(explanation: Explanation, terminal: Terminal): readonly string[] {
  const { tokens, windowTokens, profile, wouldCompact, wouldPrune } = explanation;
  const style: Style = ["bold", wouldCompact || wouldPrune ? "yellow" : "green"];
  const used = percent(tokens.total / windowTokens, 1);
  const hidden = usageText(explanation);
  const bar = barLine([{ amount: Math.min(tokens.total, windowTokens), style: "white", letter: "=" }], {
    terminal,
    columns: terminal.columns - 11,
    whole: windowTokens,
  });
  return [
    fileTitle(explanation, terminal),
    ...headline(verdictText(explanation), "", { terminal, style }),
    fitted(`profile ${profile}: ${count(tokens.total)} of ${count(windowTokens)} tokens (${used})`, terminal),
    ...hidden.map((line) => paint(terminal, "gray", fitted(line, terminal))),
    "",
    `  window ${bar}`,
  ];
}

/** Which number is which, where there is recorded usage. */
function usageText({ tokens: { hidden }, nextRequestTokens }: Explanation): readonly string[] {
  if (nextRequestTokens === undefined) return [];
  const text = "in the next request, by recorded usage";
  return [hidden === undefined ? text : `${text}; the file does not show ${count(hidden)}`];
}

function verdictText({ wouldCompact, wouldPrune, reason }: Explanation): string {
  if (wouldCompact) return `would compact now: ${reasonText(reason)}`;
  if (reason === "prune") return "would only leave out messages now: there are more than the limit allows";
  const because = BECAUSE[reason] ?? reason;
  return wouldPrune ? `would only prune tool results now: ${because}` : `would not compact now: ${because}`;
}

function triggerLines({ triggers, prune }: Explanation, terminal: Terminal): readonly string[] {
  const pruneText =
    prune.freesTokens > 0
      ? `fires: frees ${count(prune.freesTokens)} of tool results`
      : `tool results, down to ${count(prune.lowTokens)}${prune.mustPay ? " where it pays" : ""}`;
  const rows = [
    ...(prune.enabled
      ? [["prune", count(prune.tokens), relation(prune.tokens, prune.highTokens), count(prune.highTokens), pruneText]]
      : []),
    ...triggers.map((state) => [
      state.type,
      count(state.tokens),
      state.limitTokens === undefined ? "" : relation(state.tokens, state.limitTokens),
      state.limitTokens === undefined ? "never" : count(state.limitTokens),
      triggerText(state),
    ]),
  ];
  if (rows.length === 0) return [heading("Triggers", terminal), "  none set"];
  const columns: readonly Column[] = [{ align: "left" }, RIGHT, RIGHT, RIGHT, { align: "left", isElastic: true }];
  return [heading("Triggers", terminal), ...tableLines(rows, { columns, widthMax: terminal.columns })];
}

/** As it is, not as the trigger would have it. */
function relation(tokens: number, limit: number): string {
  if (tokens === limit) return "=";
  return tokens > limit ? ">" : "<";
}

function triggerText({ fires, limitTokens, tokens }: TriggerState): string {
  if (fires) return "fires";
  return limitTokens === undefined ? "" : `${plural(Math.max(0, limitTokens - tokens), "token")} to go`;
}

function protectedBlock(explanation: Explanation, terminal: Terminal): readonly string[] {
  const lines = protectedLines(explanation.protected, explanation.tailShrunk, terminal);
  if (lines.length === 0) return [];
  return [...lines, paint(terminal, "gray", "  the largest"), ...messageLines(explanation.largestProtected, terminal)];
}

function cutLines({ cut, messages, mayGo, isTurnSplit }: Explanation, terminal: Terminal): readonly string[] {
  const where =
    cut === null
      ? "nowhere: there is no legal place before the protected tail"
      : `before message ${count(cut.index)} of ${count(messages)}${isTurnSplit ? ", inside a turn" : ""}: ${oneLine(cut.what)}`;
  return [
    heading("Cut", terminal),
    fitted(`  ${where}`, terminal),
    ...(cut === null ? [] : [paint(terminal, "gray", fitted(`  ${oneLine(cut.begins)}`, terminal))]),
    fitted(`  ${plural(mayGo.messages, "message")} with ${plural(mayGo.tokens, "token")} may go`, terminal),
  ];
}

function passLines({ pass, tokens }: Explanation, terminal: Terminal): readonly string[] {
  const steps = Object.entries(pass.steps).map(([type, times]) => (times === 1 ? type : `${type} x${count(times)}`));
  const target = pass.targetTokens === undefined ? "" : `, target ${count(pass.targetTokens)}`;
  const verdict = pass.fits ? "" : ": does not fit";
  const done =
    pass.because === undefined
      ? [
          plainSigns(
            `  ${count(tokens.total)} → at most ${count(pass.tokensAfter)} tokens${target}${verdict}`,
            terminal,
          ),
          `  frees at least ${plural(pass.freesTokens, "token")} by ${steps.join(", ")}`,
        ]
      : [`  nothing: ${BECAUSE[pass.because] ?? pass.because}`];
  return [heading("A compaction now would give", terminal), ...done.map((line) => fitted(line, terminal))];
}
