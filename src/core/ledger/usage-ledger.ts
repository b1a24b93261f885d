/**
 * The token account of one conversation. Appending a message, asking for the total and finding the cut cost what is new
 * (and the length of a turn), never the length of the conversation: sizes and their running sums lie in typed arrays, and
 * the structure is kept up to date as messages come. It calls no model and reads no clock; the same calls give the same
 * numbers.
 *
 * `estimatedTokens` is what the counter says. `totalTokens` is the best that is known for the current model: what it was
 * last reported to have read, plus the calibrated estimate of what came since (reported-usage.ts). The trigger, the cut
 * and every per-message number use the same counter and the same ratio. Until usage is observed that ratio is 1, and
 * all of them are the counter's own.
 */

import { CompactionError } from "../errors.ts";
import type { Conversation, Message } from "../message.ts";
import type { Overflow } from "../ports.ts";
import type { CutMode } from "../structure/cut-points.ts";
import { createStructureTracker, type Structure, type StructureTracker } from "../structure/structure.ts";
import type { TokenCounter } from "../tokens/tokens.ts";
import { type Calibration, createCalibration } from "./calibration.ts";
import { isSameJson } from "./json-identity.ts";
import { createLearnedWindows, type LearnedWindow, type LearnedWindows, refusedInput } from "./learned-windows.ts";
import { createReportedUsage, type ReportedUsage } from "./reported-usage.ts";
import { createRunningSums, type RunningSums } from "./running-sums.ts";
import { isSameMessage, isSameParts } from "./same-message.ts";

export interface LedgerOptions {
  readonly counter: TokenCounter;
  /** The model that will be asked next; see `useModel`. */
  readonly model?: string;
  /** Share one to let sessions learn from each other. */
  readonly calibration?: Calibration;
}

export interface Ledger {
  readonly length: number;
  /** The account's own list: it grows and is cut with the account. */
  readonly messages: readonly Message[];
  /** Of the messages as they are now; take it anew after `truncate`. */
  readonly structure: Structure;
  /** System prompt and tool definitions, uncalibrated. */
  readonly baseTokens: number;
  /** Base and messages as the counter has them. */
  readonly estimatedTokens: number;
  /** What the next request is expected to be billed as input. */
  readonly totalTokens: number;
  /** Calibrated tokens of one message. */
  tokensOf(index: number): number;
  /** Calibrated tokens of the messages from an index on. */
  suffixTokens(index: number): number;
  /** One message in the counter's unit, as `append` takes it. */
  sizeOf(index: number): number;
  /** Counts and appends. `knownSize` is its size if it has been counted before. */
  append(message: Message, knownSize?: number): void;
  /** Keeps the first `length` messages. Costs their structure once more; appending does not. */
  truncate(length: number): void;
  /** Takes another wire form of the same message; false, and nothing done, when it says something else. */
  restate(index: number, message: Message): boolean;
  /** What every request carries besides messages. Counted only when it differs from what it was. */
  setBase(base: Pick<Conversation, "system" | "tools">): void;
  findCut(options: CutOptions): number | undefined;
  /** Whose calibration holds from now on. */
  useModel(model: string): void;
  observe(observation: Observation): void;
  /** What an overflow error tells: the window, and by its stated size the calibration. */
  learnWindow(overflow: Overflow, model?: string): void;
  learnedWindow(model?: string): LearnedWindow | undefined;
}

export interface CutOptions {
  /** Keep the shortest suffix that reaches this many tokens. */
  readonly keepTokens?: number;
  /** Keep this many of the newest messages. With both, the larger protected area wins. */
  readonly keepMessages?: number;
  readonly mode: CutMode;
}

/** Reported usage of one request. */
export interface Observation {
  /** Becomes the current model. Default: the one that is. */
  readonly model?: string;
  /** All of it, cached tokens included. Zero is taken for "not reported". */
  readonly reportedInputTokens: number;
  /** How many of the messages, from the first, were in that request. Default: all. */
  readonly messageCount?: number;
}

/** An empty account. */
export function createLedger({ counter, model = "", calibration = createCalibration() }: LedgerOptions): Ledger {
  const account: Account = {
    counter,
    calibration,
    windows: createLearnedWindows(),
    messages: [],
    sums: createRunningSums(),
    structure: createStructureTracker(),
    base: { system: [], tools: undefined },
    baseTokens: 0,
    model,
    usage: createReportedUsage(calibration),
  };
  return {
    get length(): number {
      return account.messages.length;
    },
    get structure(): Structure {
      return account.structure;
    },
    get baseTokens(): number {
      return account.baseTokens;
    },
    get estimatedTokens(): number {
      return prefixEstimate(account, account.messages.length);
    },
    get totalTokens(): number {
      return totalTokens(account);
    },
    messages: account.messages,
    tokensOf: (index) => calibrated(account, account.sums.at(index)),
    suffixTokens: (index) => suffixTokens(account, index),
    sizeOf: (index) => account.sums.at(index),
    append: (message, knownSize) => append(account, message, knownSize),
    truncate: (length) => truncate(account, length),
    restate: (index, message) => restate(account, index, message),
    setBase: (base) => setBase(account, base),
    findCut: (options) => findCut(account, options),
    useModel: (name) => {
      account.model = name;
    },
    observe: (observation) => observe(account, observation),
    learnWindow: (overflow, name = account.model) => learnWindow(account, overflow, name),
    learnedWindow: (name = account.model) => account.windows.of(name),
  };
}

interface Account {
  readonly counter: TokenCounter;
  readonly calibration: Calibration;
  readonly windows: LearnedWindows;
  readonly messages: Message[];
  readonly sums: RunningSums;
  structure: StructureTracker;
  base: Pick<Conversation, "system" | "tools">;
  baseTokens: number;
  model: string;
  readonly usage: ReportedUsage;
}

function append(account: Account, message: Message, knownSize = account.counter.size(message)): void {
  account.messages.push(message);
  account.sums.push(knownSize);
  account.structure.append(message);
}

function truncate(account: Account, length: number): void {
  if (length >= account.messages.length) return;
  account.messages.length = Math.max(0, length);
  account.sums.truncate(length);
  account.structure = createStructureTracker();
  for (const message of account.messages) account.structure.append(message);
  account.usage.forgetFrom(length);
}

/** The size is asked as well, because a message changed in place compares equal to itself. */
function restate(account: Account, index: number, message: Message): boolean {
  const before = account.messages[index];
  if (before === undefined || !isSameMessage(before, message)) return false;
  if (account.counter.size(message) !== account.sums.at(index)) return false;
  account.messages[index] = message;
  return true;
}

function setBase(account: Account, { system, tools }: Pick<Conversation, "system" | "tools">): void {
  const { base, counter } = account;
  if (isSameParts(base.system, system) && isSameJson(base.tools, tools)) return;
  account.base = { system, tools };
  account.baseTokens = counter.countParts(system) + counter.countTools(tools);
}

function prefixEstimate({ counter, sums, baseTokens }: Account, length: number): number {
  return baseTokens + counter.tokens(sums.before(length));
}

/** Whole tokens of a size; exactly the counter's own while nothing has been learned. */
function calibrated({ counter, calibration, model }: Account, size: number): number {
  return Math.round(counter.tokens(size) * calibration.ratio(model));
}

function suffixTokens(account: Account, index: number): number {
  const { sums } = account;
  return calibrated(account, sums.before(sums.length) - sums.before(index));
}

function totalTokens(account: Account): number {
  return account.usage.expect(account.model, prefixEstimate(account, account.messages.length));
}

/** 0 when everything is kept anyway; undefined when something could go but no legal cut allows it. */
function findCut(account: Account, { keepTokens, keepMessages, mode }: CutOptions): number | undefined {
  const { sums, structure, messages } = account;
  const byTokens =
    keepTokens === undefined ? undefined : sums.shortestSuffix((size) => calibrated(account, size) >= keepTokens);
  const byMessages = keepMessages === undefined ? undefined : messages.length - Math.max(0, keepMessages);
  const wanted = Math.min(byTokens ?? messages.length, byMessages ?? messages.length);
  if (wanted <= 0) return 0;
  // Kept rounds stay whole by growing what is kept; turns by shrinking it to the next one.
  const before = (): number | undefined => structure.cutAtOrBefore(wanted, mode) || undefined;
  if (mode === "pair-safe") return before();
  const after = structure.cutAtOrAfter(wanted, mode);
  return after ?? (mode === "split-turn" ? before() : undefined);
}

function observe(account: Account, observation: Observation): void {
  const { model = account.model, reportedInputTokens, messageCount = account.messages.length } = observation;
  account.model = model;
  if (!Number.isFinite(reportedInputTokens) || reportedInputTokens <= 0) return;
  if (messageCount < 0 || messageCount > account.messages.length) {
    const message = `messageCount is ${messageCount}, but the ledger holds ${account.messages.length} messages.`;
    throw new CompactionError("invalid-settings", message);
  }
  account.windows.accepted(model, reportedInputTokens);
  report(account, reportedInputTokens, messageCount);
}

function learnWindow(account: Account, overflow: Overflow, model: string): void {
  account.model = model;
  account.windows.learn(model, overflow, totalTokens(account));
  const counted = refusedInput(overflow);
  if (counted !== undefined) report(account, counted, account.messages.length);
}

function report(account: Account, reportedTokens: number, messageCount: number): void {
  const estimatedTokens = prefixEstimate(account, messageCount);
  account.usage.report(account.model, { messageCount, reportedTokens, estimatedTokens });
}
