/** `palimpsest explain`: why a conversation would or would not be compacted now. Reads one file, changes nothing. */

import { decide } from "../compactor/decide.ts";
import { isCompaction } from "../core/plan/apply-plan.ts";
import type { Plan } from "../core/plan/plan.ts";
import {
  type ContextSize,
  comparedBy,
  comparisonOf,
  firedBy,
  limitOf,
  prunesByItself,
  reasonText,
  shareOf,
  sizeTokens,
  unitOf,
} from "../core/plan/trigger.ts";
import type { Settings, Trigger } from "../core/settings/settings.ts";
import { type Command, EXIT, type ExitCode, type Io, print, readWindow, WINDOW_OPTION, type Words } from "./command.ts";
import { FILE_OPTIONS, loadSource, NAMES_NOTE } from "./load.ts";
import { messageShower } from "./message-label.ts";
import { count, oneLine, percent, plural } from "./one-line.ts";
import { BECAUSE, messageLines, protectedGroups, protectedLines, shrunkTail, usedPartition } from "./protections.ts";
import { compareUsage } from "./recorded-usage.ts";
import {
  calibratedTo,
  decideInputOf,
  decisionAsked,
  PROFILE_OPTION,
  readProfile,
  type Subject,
  subjectOf,
} from "./subject.ts";
import { type Blocks, ELASTIC, LEFT, RIGHT, type Terminal } from "./terminal.ts";

export const command: Command = {
  takesFile: true,
  usage: "FILE [options]",
  options: {
    profile: PROFILE_OPTION,
    window: WINDOW_OPTION,
    ...FILE_OPTIONS,
  },
  notes: `Shows each trigger with its numbers, what is protected and why, where the cut
would be, and what a compaction now would free. Nothing is changed.

${NAMES_NOTE}
Examples:
  palimpsest explain session.jsonl
  palimpsest explain session.jsonl --profile openclaw --window 64k
  palimpsest explain request.json --json | jq .triggers
`,
  run,
};

async function run(given: Words, io: Io): Promise<ExitCode> {
  const windowTokens = readWindow(given);
  const profile = readProfile(given.text("profile"));
  const explanation = explainSubject(subjectOf(await loadSource(given, io.stdin), { profile, windowTokens }));
  print({ given, io }, explanation, (terminal) => renderExplanation(explanation, terminal));
  return EXIT.ok;
}

type Explanation = ReturnType<typeof explainSubject>;

const LARGEST_SHOWN = 5;

export function explainSubject(shownSubject: Subject) {
  const usage = compareUsage(shownSubject);
  const subject = usage === undefined ? shownSubject : asBilled(shownSubject, usage.nextRequestTokens);
  const { settings, size, conversation, counter } = subject;
  const hiddenTokens = Math.max(0, size.systemTokens - shownSubject.size.systemTokens);
  const decision = decide(decideInputOf(subject));
  const asked = decisionAsked(subject);
  const parts = usedPartition(asked);
  const shown = messageShower(asked.input.conversation, asked.input.tokensOf, asked.input.structure);
  const asTriggered = decision.measured.size;
  const wouldCompact = isCompaction(decision.rest);
  return {
    file: subject.file,
    source: subject.transcript.source,
    format: subject.format.name,
    profile: subject.profile,
    windowTokens: settings.windowTokens,
    tokens: {
      total: sizeTokens(size),
      system: size.systemTokens - hiddenTokens,
      tools: size.toolsTokens,
      messages: size.messagesTokens,
      /** What recorded usage counts and the file does not show, such as the client's own prompt; absent where none is recorded. */
      hidden: hiddenTokens > 0 ? hiddenTokens : undefined,
    },
    /** The tokens that are compared with the triggers, by recorded usage; undefined where none is recorded. */
    nextRequestTokens: usage?.nextRequestTokens,
    /** Whether `fit` would compact now. To prune or leave out messages without a trigger is no compaction, here as in hooks and stores. */
    wouldCompact,
    wouldPrune: decision.plan.steps.length > 0 && !wouldCompact,
    /** The trigger that fires, or why none does; `prune` where messages are over a limit. */
    reason: decision.rest.because ?? decision.plan.reason,
    triggers: settings.compact.triggers.map((trigger) => stateOf(trigger, settings, asTriggered)),
    prune: pruneState(settings, size, counter.total(decision.input.conversation.messages)),
    protected: protectedGroups(asked.input, parts),
    largestProtected: [...parts.protectedBy]
      .map(([index, why]) => ({ ...shown(index), why }))
      .sort((a, b) => b.tokens - a.tokens || a.index - b.index)
      .slice(0, LARGEST_SHOWN),
    /** The first message that stays; null when there is no place to cut. */
    cut: parts.cut === 0 || parts.cut >= conversation.messages.length ? null : shown(parts.cut),
    isTurnSplit: parts.isSplitTurn,
    messages: conversation.messages.length,
    mayGo: { messages: parts.zone.length, tokens: parts.zone.reduce((sum, index) => sum + shown(index).tokens, 0) },
    tailShrunk: shrunkTail(asked, parts),
    pass: passOf(asked.plan),
  };
}

/** The subject in tokens of recorded usage, by which a session would decide. What the file does not show counts with the system prompt. */
function asBilled(subject: Subject, nextRequestTokens: number): Subject {
  const hidden = nextRequestTokens - sizeTokens(subject.size);
  if (hidden <= 0) return calibratedTo(subject, nextRequestTokens);
  return { ...subject, size: { ...subject.size, systemTokens: subject.size.systemTokens + hidden } };
}

/** A trigger: what it compares, how, and the limit; in tokens, unless `unit` says what is counted. */
function stateOf(trigger: Trigger, settings: Settings, size: ContextSize) {
  const { type } = trigger;
  const unit = unitOf(trigger);
  const amount = comparedBy(trigger, settings, size);
  const limit = limitOf(trigger, settings);
  const comparison = comparisonOf(trigger);
  const fires = firedBy(trigger, settings, { size }) !== undefined;
  return unit === "token"
    ? { type, tokens: amount, comparison, limitTokens: limit, fires }
    : { type, unit, amount, comparison, limit, fires };
}

/** What pruning alone does; the triggers are asked before it, and one that fires has its strategy prune instead. */
function pruneState(settings: Settings, size: ContextSize, prunedTokens: number) {
  const { prune, windowTokens } = settings;
  const freesTokens = size.messagesTokens - prunedTokens;
  const hasTiers = prune.softTrim !== undefined || prune.stub !== undefined || prune.clearAfter > 0;
  return {
    /** False where it is switched off, left to compactions, or has nothing that it could do. */
    enabled: prunesByItself(settings) && (hasTiers || freesTokens > 0),
    tokens: sizeTokens(size),
    freesTokens,
    /** Whether pruning has to save more than it costs by invalidating the prompt cache. */
    mustPay: prune.mustPay,
    highTokens: Math.floor(shareOf(windowTokens, prune.highWaterRatio)),
    lowTokens: Math.floor(shareOf(windowTokens, prune.lowWaterRatio)),
  };
}

/** What a compaction now would do, a summary counted with all it may take. */
function passOf({ steps, tokensBefore, tokensAfter, targetTokens, fits, because }: Plan) {
  const counts: Record<string, number> = {};
  for (const { type } of steps) counts[type] = (counts[type] ?? 0) + 1;
  const freesTokens = tokensBefore - tokensAfter;
  return { steps: counts, tokensAfter, freesTokens, targetTokens, fits, because };
}

export function renderExplanation(explanation: Explanation, terminal: Terminal): Blocks {
  return [
    headLines(explanation, terminal),
    triggerLines(explanation, terminal),
    protectedBlock(explanation, terminal),
    cutLines(explanation, terminal),
    passLines(explanation, terminal),
  ];
}

function headLines(explanation: Explanation, terminal: Terminal): readonly string[] {
  const { tokens, windowTokens, profile, wouldCompact, wouldPrune } = explanation;
  const used = { amount: Math.min(tokens.total, windowTokens), style: "white", letter: "=" } as const;
  const share = percent(tokens.total / windowTokens, 1);
  return [
    terminal.fileTitle(explanation),
    ...terminal.headline(verdictText(explanation), "", ["bold", wouldCompact || wouldPrune ? "yellow" : "green"]),
    terminal.fit(`profile ${profile}: ${count(tokens.total)} of ${count(windowTokens)} tokens (${share})`),
    ...usageText(explanation).map(terminal.note),
    "",
    `  window ${terminal.bar([used], terminal.columns - 11, windowTokens)}`,
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
    ...triggers.map((state) => {
      const { type, fires } = state;
      const { amount, limit, unit } =
        state.unit === undefined ? { amount: state.tokens, limit: state.limitTokens, unit: "token" } : state;
      if (limit === undefined) return [type, count(amount), "", "never", fires ? "fires" : ""];
      const distance = `${plural(Math.max(0, limit - amount), unit)} to go`;
      return [type, count(amount), relation(amount, limit), count(limit), fires ? "fires" : distance];
    }),
  ];
  if (rows.length === 0) return [terminal.heading("Triggers"), "  none set"];
  return [terminal.heading("Triggers"), ...terminal.table(rows, { columns: [LEFT, RIGHT, RIGHT, RIGHT, ELASTIC] })];
}

/** How the two numbers stand, whatever the comparison of the trigger is. */
function relation(tokens: number, limit: number): string {
  if (tokens === limit) return "=";
  return tokens > limit ? ">" : "<";
}

function protectedBlock(explanation: Explanation, terminal: Terminal): readonly string[] {
  const lines = protectedLines(explanation.protected, explanation.tailShrunk, terminal);
  if (lines.length === 0) return [];
  return [...lines, terminal.paint("gray", "  the largest"), ...messageLines(explanation.largestProtected, terminal)];
}

function cutLines({ cut, messages, mayGo, isTurnSplit }: Explanation, terminal: Terminal): readonly string[] {
  const where =
    cut === null
      ? "nowhere: there is no legal place before the protected tail"
      : `before message ${count(cut.index)} of ${count(messages)}${isTurnSplit ? ", inside a turn" : ""}: ${oneLine(cut.what)}`;
  return [
    terminal.heading("Cut"),
    terminal.fit(`  ${where}`),
    ...(cut === null ? [] : [terminal.note(`  ${oneLine(cut.begins)}`)]),
    terminal.fit(`  ${plural(mayGo.messages, "message")} with ${plural(mayGo.tokens, "token")} may go`),
  ];
}

function passLines({ pass, tokens }: Explanation, terminal: Terminal): readonly string[] {
  const { because, targetTokens } = pass;
  const steps = Object.entries(pass.steps).map(([type, times]) => (times === 1 ? type : `${type} x${count(times)}`));
  const target = targetTokens === undefined ? "" : `, target ${count(targetTokens)}`;
  const after = `at most ${count(pass.tokensAfter)} tokens${target}${pass.fits ? "" : ": does not fit"}`;
  const done =
    because === undefined
      ? [
          terminal.signs(`  ${count(tokens.total)} → ${after}`),
          `  frees at least ${plural(pass.freesTokens, "token")} by ${steps.join(", ")}`,
        ]
      : [`  nothing: ${BECAUSE[because] ?? because}`];
  return [terminal.heading("A compaction now would give"), ...done.map((line) => terminal.fit(line))];
}
