/**
 * Rounds, turns, the open round and the places where a conversation may be cut, decided from parts and kept up to date as
 * messages are appended. A cut before index k splits the list into `[0, k)` and `[k, n)`; a legal cut never separates a
 * call from its result, nor a Responses reasoning item from what it produced. No mode can switch that off.
 */

import { isItemReference } from "../items.ts";
import type { Message } from "../message.ts";
import { createPairingTracker, type PairedCall, type Pairing } from "./pairing.ts";

/** The assistant messages with the calls, and everything up to their last result: `[start, end)`. */
export interface Round {
  readonly start: number;
  readonly end: number;
  readonly calls: number;
}

/** From one real user message to the next: `[start, end)`. What stands before the first is no turn. */
export interface Turn {
  readonly start: number;
  readonly end: number;
}

export interface Structure {
  readonly length: number;
  readonly pairing: Pairing;
  rounds(): readonly Round[];
  newestRound(): Round | undefined;
  turns(): readonly Turn[];
  /** The newest round while some of its calls wait for a result and nothing but results has come since. */
  openRound(): Round | undefined;
  isCut(index: number, mode: CutMode): boolean;
  /** All legal cuts in order. 0 (nothing before) always is one; the end of the list never is. */
  cutPoints(mode: CutMode): readonly number[];
  /** The first legal cut at or after an index, so that what is kept shrinks; undefined when there is none. */
  cutAtOrAfter(index: number, mode: CutMode): number | undefined;
  /** The last legal cut at or before an index; 0 at the latest. */
  cutAtOrBefore(index: number, mode: CutMode): number;
}

export interface StructureTracker extends Structure {
  append(message: Message): void;
}

/** Turns, rounds and legal cuts of a list. */
export function structureOf(messages: readonly Message[]): Structure {
  const tracker = createStructureTracker();
  for (const message of messages) tracker.append(message);
  return tracker;
}

export function createStructureTracker(): StructureTracker {
  const state: State = {
    pairing: createPairingTracker(),
    freeBefore: [],
    turnStarts: [],
    stepStarts: [],
    rounds: [],
    roundOf: [],
    step: undefined,
    latest: undefined,
    references: undefined,
  };
  const { freeBefore, turnStarts, stepStarts } = state;
  const marks: CutMarks = {
    ...{ freeBefore, turnStarts, stepStarts },
    get lastCut(): number {
      return openRound(state)?.start ?? freeBefore.length - 1;
    },
  };
  return {
    append: (message) => appendTo(state, message),
    pairing: state.pairing,
    get length(): number {
      return state.freeBefore.length;
    },
    rounds: () => state.rounds.map(roundFrom),
    newestRound: () => state.rounds.slice(-1).map(roundFrom)[0],
    turns: () =>
      state.turnStarts.map((start, at) => ({ start, end: state.turnStarts[at + 1] ?? state.freeBefore.length })),
    openRound: () => openRound(state),
    isCut: (index, mode) => isCut(marks, index, mode),
    cutPoints: (mode) => cutPoints(marks, mode),
    cutAtOrAfter: (index, mode) => cutAtOrAfter(marks, index, mode),
    cutAtOrBefore: (index, mode) => cutAtOrBefore(marks, index, mode),
  };
}

/** A user message that says something and carries no tool result: with a result in it, it belongs to a round. */
export function isTurnStart({ role, parts }: Message): boolean {
  if (role !== "user" || holdsResult(parts)) return false;
  return parts.some((part) => part.type !== "text" || part.text !== "");
}

interface State {
  readonly pairing: ReturnType<typeof createPairingTracker>;
  /** As in the marks. */
  readonly freeBefore: number[];
  readonly turnStarts: number[];
  readonly stepStarts: number[];
  readonly rounds: GrowingRound[];
  /** For each message the round that its calls belong to. */
  readonly roundOf: (GrowingRound | undefined)[];
  /** The run of assistant messages that the newest message belongs to. */
  step: Step | undefined;
  /** The newest round, until something other than its results follows. */
  latest: GrowingRound | undefined;
  /** The newest row of item references, until something other than results follows. */
  references: { readonly start: number; isAnswered: boolean } | undefined;
}

interface GrowingRound {
  readonly start: number;
  end: number;
  calls: number;
  answered: number;
}

interface Step {
  isRunning: boolean;
  /** First reasoning item whose group is still running, -1 when none is. */
  groupStart: number;
  endsInReasoning: boolean;
  round: GrowingRound | undefined;
}

function newStep(): Step {
  return { isRunning: false, groupStart: -1, endsInReasoning: false, round: undefined };
}

function appendTo(state: State, message: Message): void {
  const index = state.freeBefore.length;
  const isBound = message.role === "assistant" && continueStep(state, message, index);
  if (message.role !== "assistant") state.step = undefined;
  state.freeBefore.push(index > 0 && (message.role === "system" || isBound) ? index - 1 : index);
  state.roundOf.push(undefined);
  if (isTurnStart(message)) state.turnStarts.push(index);

  const calls = clientCalls(message);
  if (calls > 0) addCalls(state, index, calls);
  const orphans = state.pairing.orphans.length;
  for (const call of state.pairing.append(message, index)) closeCall(state, call, index);
  if (isItemReference(message)) {
    if (state.references?.isAnswered !== false) state.references = { start: index, isAnswered: false };
  } else if (state.references !== undefined && !holdsResult(message.parts)) {
    state.references = undefined;
  } else if (state.references !== undefined && state.pairing.orphans.length > orphans) {
    // A result whose call nobody sees may answer one of the items referred to right before it: they stay together.
    bind(state, state.references.start, index);
    state.references.isAnswered = true;
  }
  if (state.latest !== undefined && !continuesRound(state, message)) state.latest = undefined;
}

/** Adds an assistant message to the step; true when it belongs to a reasoning item before it. */
function continueStep(state: State, { parts }: Message, index: number): boolean {
  state.step ??= newStep();
  const { step } = state;
  if (!step.isRunning) state.stepStarts.push(index);
  const onlyReasoning = parts.length > 0 && parts.every(({ type }) => type === "reasoning");
  const isBound = step.groupStart >= 0 && (step.endsInReasoning || !onlyReasoning);
  if (!isBound) step.groupStart = onlyReasoning ? index : -1;
  step.isRunning = true;
  step.endsInReasoning = onlyReasoning;
  return isBound;
}

function addCalls(state: State, index: number, calls: number): void {
  state.step ??= newStep();
  const { groupStart, round: running } = state.step;
  const round = running ?? { start: groupStart >= 0 ? groupStart : index, end: index, calls: 0, answered: 0 };
  if (running === undefined) state.rounds.push(round);
  round.calls += calls;
  round.end = index + 1;
  state.step.round = round;
  state.roundOf[index] = round;
  state.latest = round;
}

/** Allows no cut between the two messages. */
function bind({ freeBefore }: State, from: number, to: number): void {
  for (let free = lastFree(freeBefore, to); free > from; free = lastFree(freeBefore, free)) freeBefore[free] = free - 1;
}

/** The message at `index` answers a call. */
function closeCall(state: State, call: PairedCall, index: number): void {
  bind(state, call.at.message, index);
  const round = state.roundOf[call.at.message];
  if (round === undefined || call.part.server) return;
  round.end = Math.max(round.end, index + 1);
  if (call.results.length === 1) round.answered++;
}

/** The last free index at or before this one. Shortens the way for the next search, so that a run is not walked twice. */
function lastFree(freeBefore: number[], index: number): number {
  let free = index;
  while (freeBefore[free] !== free) free = freeBefore[free] ?? 0;
  for (let at = index; at > free; ) {
    const next = freeBefore[at] ?? 0;
    freeBefore[at] = free;
    at = next;
  }
  return free;
}

function openRound({ latest }: State): Round | undefined {
  return latest !== undefined && latest.answered < latest.calls ? roundFrom(latest) : undefined;
}

/** While results are awaited, other results, system notes and the rest of the same step may still come. */
function continuesRound({ step, latest }: State, { role, parts }: Message): boolean {
  if (role === "assistant") return step?.round === latest;
  return role === "system" || holdsResult(parts);
}

function holdsResult(parts: Message["parts"]): boolean {
  for (const { type } of parts) if (type === "tool-result") return true;
  return false;
}

function clientCalls({ parts }: Message): number {
  let calls = 0;
  for (const part of parts) if (part.type === "tool-call" && !part.server) calls++;
  return calls;
}

function roundFrom({ start, end, calls }: GrowingRound): Round {
  return { start, end, calls };
}

/** `pair-safe`: anywhere legal. `turn-start`: only before a real user message. `split-turn`: also where the model begins to speak. */
export type CutMode = "pair-safe" | "turn-start" | "split-turn";

export interface CutMarks {
  /** As long as the conversation: an index itself where a cut before it breaks nothing, else one nearer to the last such index. */
  readonly freeBefore: readonly number[];
  /** Indices of real user messages, ascending. */
  readonly turnStarts: readonly number[];
  /** Indices where the model begins to speak, ascending. */
  readonly stepStarts: readonly number[];
  /** The start of an open round, else the end: the results of an open round are still to come, so nothing may be cut behind it. */
  readonly lastCut: number;
}

export function isCut(marks: CutMarks, index: number, mode: CutMode): boolean {
  if (index === 0) return marks.freeBefore.length > 0;
  if (index < 0 || index > marks.lastCut || marks.freeBefore[index] !== index) return false;
  if (mode === "pair-safe") return true;
  return includes(marks.turnStarts, index) || (mode === "split-turn" && includes(marks.stepStarts, index));
}

export function cutPoints(marks: CutMarks, mode: CutMode): readonly number[] {
  return [...marks.freeBefore.keys()].filter((index) => isCut(marks, index, mode));
}

export function cutAtOrAfter(marks: CutMarks, index: number, mode: CutMode): number | undefined {
  const { freeBefore, turnStarts, lastCut } = marks;
  if (index <= 0) return freeBefore.length > 0 ? 0 : undefined;
  if (mode === "turn-start") {
    return turnStarts.slice(lowerBound(turnStarts, index)).find((start) => isCut(marks, start, mode));
  }
  for (let candidate = index; candidate <= lastCut; candidate++) if (isCut(marks, candidate, mode)) return candidate;
  return undefined;
}

export function cutAtOrBefore(marks: CutMarks, index: number, mode: CutMode): number {
  const { turnStarts, lastCut } = marks;
  const from = Math.min(index, lastCut);
  if (mode === "turn-start") {
    return turnStarts.slice(0, lowerBound(turnStarts, from + 1)).findLast((start) => isCut(marks, start, mode)) ?? 0;
  }
  for (let candidate = from; candidate > 0; candidate--) if (isCut(marks, candidate, mode)) return candidate;
  return 0;
}

/** First position in an ascending list whose value is at least `value`. */
export function lowerBound(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function includes(sorted: readonly number[], value: number): boolean {
  return sorted[lowerBound(sorted, value)] === value;
}
