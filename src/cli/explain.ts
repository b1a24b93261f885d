/** `palimpsest explain`: why a conversation would or would not be compacted now. Reads one file, changes nothing. */

import type { FormatName } from "../core/message.ts";
import { isCompaction } from "../core/plan/apply-plan.ts";
import {
  type ContextSize,
  comparisonOf,
  firedBy,
  limitOf,
  prunesByItself,
  reasonText,
  shareOf,
  triggerTokens,
} from "../core/plan/trigger.ts";
import type { Settings, Trigger } from "../core/settings/settings.ts";
import type { TranscriptSource } from "../transcripts/index.ts";
import { readWindow, type Words } from "./arguments.ts";
import { barLine } from "./bar.ts";
import { type Command, EXIT, type ExitCode, type Io, print } from "./command.ts";
import { PROFILE_OPTION, readProfile } from "./compact-options.ts";
import { chooseConversation, FILE_OPTIONS, loadTranscript, NAMES_NOTE } from "./load.ts";
import { messageShower, type ShownMessage } from "./message-label.ts";
import { count, percent, plural } from "./numbers.ts";
import { oneLine } from "./one-line.ts";
import {
  BECAUSE,
  messageLines,
  type ProtectedGroup,
  protectedGroups,
  protectedLines,
  type ShrunkTail,
  shrunkTail,
  type TailSize,
  usedPartition,
} from "./protections.ts";
import { compareUsage } from "./recorded-usage.ts";
import { calibratedTo, decisionOn, type Subject, sizeTokens, subjectOf } from "./subject.ts";
import { paint, type Style, type Terminal } from "./terminal.ts";
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

export const command: Command = {
  takesFile: true,
  usage: "FILE [options]",
  options: {
    profile: PROFILE_OPTION,
    window: { type: "string", value: "N", about: "the model's window in tokens (200000, 200k, 1m)" },
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
  const transcript = await loadTranscript(given.file, given.text("format"), io.stdin);
  const index = chooseConversation(transcript, given.text("conversation"));
  const explanation = explainSubject(subjectOf(transcript, { file: given.file, index, profile, windowTokens }));
  print({ given, io }, explanation, (terminal) => renderExplanation(explanation, terminal));
  return EXIT.ok;
}

interface Explanation {
  readonly file: string;
  readonly source: TranscriptSource;
  readonly format: FormatName;
  readonly profile: string;
  readonly windowTokens: number;
  readonly tokens: {
    readonly total: number;
    readonly system: number;
    readonly tools: number;
    readonly messages: number;
    /** What recorded usage counts and the file does not show, such as the client's own prompt; absent where none is recorded. */
    readonly hidden?: number;
  };
  /** By recorded usage: what is judged. Absent where none is recorded. */
  readonly nextRequestTokens?: number;
  /** What `fit` would do with it now; what is pruned or left out without a trigger is no compaction, here as in hooks and stores. */
  readonly wouldCompact: boolean;
  readonly wouldPrune: boolean;
  /** The trigger that fires, or why none does; `prune` where messages are over a limit. */
  readonly reason: string;
  readonly triggers: readonly TriggerState[];
  /** What pruning alone does; the triggers are asked before it, and one that fires has its strategy prune instead. */
  readonly prune: {
    /** False where it is switched off, left to compactions, or has nothing that it could do. */
    readonly enabled: boolean;
    readonly tokens: number;
    /** Whether that has to be cheaper than what it does to the prompt cache. */
    readonly mustPay: boolean;
    readonly highTokens: number;
    readonly lowTokens: number;
    readonly freesTokens: number;
  };
  readonly protected: readonly ProtectedGroup[];
  readonly largestProtected: readonly (ShownMessage & { readonly why: ProtectedGroup["why"] })[];
  /** The first message that stays; null when there is no place to cut. */
  readonly cut: ShownMessage | null;
  readonly isTurnSplit: boolean;
  readonly messages: number;
  readonly mayGo: TailSize;
  readonly tailShrunk?: ShrunkTail;
  /** What a compaction now would do, a summary counted with all it may take. */
  readonly pass: {
    readonly steps: Readonly<Record<string, number>>;
    readonly tokensAfter: number;
    readonly freesTokens: number;
    readonly targetTokens?: number;
    readonly fits: boolean;
    readonly because?: string;
  };
}

interface TriggerState {
  readonly type: Trigger["type"];
  /** What is compared, how, and with what. */
  readonly tokens: number;
  readonly comparison: "gt" | "gte";
  readonly limitTokens?: number;
  readonly fires: boolean;
}

const LARGEST_SHOWN = 5;

export function explainSubject(shownSubject: Subject): Explanation {
  const usage = compareUsage(shownSubject);
  const subject = usage === undefined ? shownSubject : asBilled(shownSubject, usage.nextRequestTokens);
  const { settings, size, conversation, format, counter, transcript } = subject;
  const hidden = size.systemTokens - shownSubject.size.systemTokens;
  const decision = decisionOn(subject, { isAsked: false });
  const byItself = decision.plan;
  const messagesTokens = counter.total(decision.input.conversation.messages);
  const pruned: ContextSize = { ...size, messagesTokens };
  const asked = decisionOn(subject, { isAsked: true });
  const parts = usedPartition(asked);
  const shown = messageShower(asked.input);
  const tail = shrunkTail(asked, parts);
  const asTriggered = decision.measured.size;
  const wouldCompact = isCompaction(decision.rest);
  return {
    file: subject.file,
    source: transcript.source,
    format: format.name,
    profile: subject.profile,
    windowTokens: settings.windowTokens,
    tokens: {
      total: sizeTokens(size),
      system: size.systemTokens - Math.max(0, hidden),
      tools: size.toolsTokens,
      messages: size.messagesTokens,
      ...(hidden > 0 && { hidden }),
    },
    ...(usage !== undefined && { nextRequestTokens: usage.nextRequestTokens }),
    wouldCompact,
    wouldPrune: byItself.steps.length > 0 && !wouldCompact,
    reason: decision.rest.because ?? byItself.reason,
    triggers: settings.compact.triggers.map((trigger) => stateOf(trigger, settings, asTriggered)),
    prune: pruneState(settings, size, pruned),
    protected: protectedGroups(asked.input, parts),
    largestProtected: [...parts.protectedBy]
      .map(([index, why]) => ({ ...shown(index), why }))
      .sort((a, b) => b.tokens - a.tokens || a.index - b.index)
      .slice(0, LARGEST_SHOWN),
    cut: parts.cut === 0 || parts.cut >= conversation.messages.length ? null : shown(parts.cut),
    isTurnSplit: parts.isSplitTurn,
    messages: conversation.messages.length,
    mayGo: { messages: parts.zone.length, tokens: parts.zone.reduce((sum, index) => sum + shown(index).tokens, 0) },
    ...(tail !== undefined && { tailShrunk: tail }),
    pass: passOf(asked.plan),
  };
}

/**
 * In the tokens of recorded usage, which is what a session would go by. What is billed beyond what the file shows is not in its messages: it
 * counts with the system prompt. Where less was billed, the estimate is too high all over.
 */
function asBilled(subject: Subject, nextRequestTokens: number): Subject {
  const hidden = nextRequestTokens - sizeTokens(subject.size);
  if (hidden <= 0) return calibratedTo(subject, nextRequestTokens);
  return { ...subject, size: { ...subject.size, systemTokens: subject.size.systemTokens + hidden } };
}

function stateOf(trigger: Trigger, settings: Settings, size: ContextSize): TriggerState {
  const fired = firedBy(trigger, settings, { size });
  const limitTokens = fired?.thresholdTokens ?? limitOf(trigger, settings);
  return {
    type: trigger.type,
    tokens: triggerTokens(trigger, settings, size),
    comparison: comparisonOf(trigger),
    ...(limitTokens !== undefined && { limitTokens }),
    fires: fired !== undefined,
  };
}

function pruneState(settings: Settings, size: ContextSize, pruned: ContextSize): Explanation["prune"] {
  const { prune, windowTokens } = settings;
  const freesTokens = size.messagesTokens - pruned.messagesTokens;
  const hasTiers = prune.softTrim !== undefined || prune.stub !== undefined || prune.clearAfter > 0;
  return {
    enabled: prunesByItself(settings) && (hasTiers || freesTokens > 0),
    tokens: sizeTokens(size),
    freesTokens,
    mustPay: prune.mustPay,
    highTokens: Math.floor(shareOf(windowTokens, prune.highWaterRatio)),
    lowTokens: Math.floor(shareOf(windowTokens, prune.lowWaterRatio)),
  };
}

function passOf(plan: ReturnType<typeof decisionOn>["plan"]): Explanation["pass"] {
  const { steps, tokensBefore, tokensAfter, targetTokens, fits, because } = plan;
  const counts = Object.entries(Object.groupBy(steps, ({ type }) => type)).map(([type, same]) => [type, same.length]);
  return {
    steps: Object.fromEntries(counts),
    tokensAfter,
    freesTokens: tokensBefore - tokensAfter,
    ...(targetTokens !== undefined && { targetTokens }),
    fits,
    ...(because !== undefined && { because }),
  };
}

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
  const columns = [LEFT, RIGHT, RIGHT, RIGHT, ELASTIC];
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
