/**
 * Rounds, turns, the open round and the places where a conversation may be cut, decided from parts and kept up to date as
 * messages are appended. A cut before index k splits the list into `[0, k)` and `[k, n)`; a legal cut never separates a
 * call from its result, nor a Responses reasoning item from what it produced. No mode can switch that off.
 */

import type { Message } from "../message.ts";
import { type CutMarks, type CutMode, cutAtOrAfter, cutAtOrBefore, cutPoints, isCut } from "./cut-points.ts";
import { isItemReference } from "./item-reference.ts";
import { createPairingTracker, type PairedCall, type Pairing } from "./pairing.ts";

/** What the assistant said with its calls, and everything up to their last result: `[start, end)`. */
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
  /** The last of them. */
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
    blocked: [],
    freeBefore: [],
    turnStarts: [],
    stepStarts: [],
    rounds: [],
    roundOf: [],
    step: NO_STEP,
    latest: undefined,
    references: undefined,
  };
  const marks = (): CutMarks => ({ ...state, lastCut: openRound(state)?.start ?? state.blocked.length - 1 });
  return {
    append: (message) => appendTo(state, message),
    pairing: state.pairing,
    get length(): number {
      return state.blocked.length;
    },
    rounds: () => state.rounds.map(settle),
    newestRound: () => {
      const newest = state.rounds.at(-1);
      return newest === undefined ? undefined : settle(newest);
    },
    turns: () =>
      state.turnStarts.map((start, at) => ({ start, end: state.turnStarts[at + 1] ?? state.blocked.length })),
    openRound: () => openRound(state),
    isCut: (index, mode) => isCut(marks(), index, mode),
    cutPoints: (mode) => cutPoints(marks(), mode),
    cutAtOrAfter: (index, mode) => cutAtOrAfter(marks(), index, mode),
    cutAtOrBefore: (index, mode) => cutAtOrBefore(marks(), index, mode),
  };
}

/** A user message that says something and carries no tool result: with a result in it, it belongs to a round. */
export function isTurnStart(message: Message): boolean {
  if (message.role !== "user") return false;
  let says = false;
  for (const part of message.parts) {
    if (part.type === "tool-result") return false;
    if (part.type !== "text" || part.text !== "") says = true;
  }
  return says;
}

interface State {
  readonly pairing: ReturnType<typeof createPairingTracker>;
  readonly blocked: boolean[];
  /** For each index one that is not after it and nearer to the last free one: blocked runs are skipped, never walked again. */
  readonly freeBefore: number[];
  readonly turnStarts: number[];
  readonly stepStarts: number[];
  readonly rounds: GrowingRound[];
  /** For each message the round whose calls it made. */
  readonly roundOf: (GrowingRound | undefined)[];
  step: Step;
  /** The newest round, until something other than its results follows. */
  latest: GrowingRound | undefined;
  /** The newest row of item references, until something other than results follows. */
  references: { readonly start: number; readonly isAnswered: boolean } | undefined;
}

interface GrowingRound {
  readonly start: number;
  end: number;
  calls: number;
  answered: number;
}

/** The run of assistant messages that the newest message belongs to. */
interface Step {
  readonly isRunning: boolean;
  /** First reasoning item whose group is still running, -1 when none is. */
  readonly groupStart: number;
  readonly endsInReasoning: boolean;
  readonly round: GrowingRound | undefined;
}

const NO_STEP: Step = { isRunning: false, groupStart: -1, endsInReasoning: false, round: undefined };

function appendTo(state: State, message: Message): void {
  const index = state.blocked.length;
  const isBoundToPrevious = advanceStep(state, message, index);
  const isBlocked = index > 0 && (message.role === "system" || isBoundToPrevious);
  state.blocked.push(isBlocked);
  state.freeBefore.push(isBlocked ? index - 1 : index);
  state.roundOf.push(undefined);
  if (isTurnStart(message)) state.turnStarts.push(index);

  const calls = clientCalls(message);
  if (calls > 0) addCalls(state, index, calls);
  const orphans = state.pairing.orphans.length;
  for (const call of state.pairing.append(message, index)) close(state, call, index);
  advanceReferences(state, message, { index, isOrphan: state.pairing.orphans.length > orphans });
  if (state.latest !== undefined && !continuesRound(state, message)) state.latest = undefined;
}

/** Moves the step on by one message; true when the message belongs to a reasoning item before it. */
function advanceStep(state: State, message: Message, index: number): boolean {
  const { step } = state;
  if (message.role !== "assistant") {
    state.step = NO_STEP;
    return false;
  }
  if (!step.isRunning) state.stepStarts.push(index);
  const onlyReasoning = message.parts.length > 0 && message.parts.every((part) => part.type === "reasoning");
  const isBound = step.groupStart >= 0 && (step.endsInReasoning || !onlyReasoning);
  const groupStart = isBound ? step.groupStart : onlyReasoning ? index : -1;
  state.step = { isRunning: true, groupStart, endsInReasoning: onlyReasoning, round: step.round };
  return isBound;
}

function addCalls(state: State, index: number, calls: number): void {
  let { round } = state.step;
  if (round === undefined) {
    const start = state.step.groupStart >= 0 ? state.step.groupStart : index;
    round = { start, end: index + 1, calls: 0, answered: 0 };
    state.rounds.push(round);
    const { isRunning, groupStart, endsInReasoning } = state.step;
    state.step = { isRunning, groupStart, endsInReasoning, round };
  }
  round.calls += calls;
  round.end = index + 1;
  state.roundOf[index] = round;
  state.latest = round;
}

/** A result whose call nobody sees may answer one of the items that were only referred to right before it: they stay together. */
function advanceReferences(
  state: State,
  message: Message,
  at: { readonly index: number; readonly isOrphan: boolean },
): void {
  const { references } = state;
  if (isItemReference(message)) {
    state.references = references?.isAnswered === false ? references : { start: at.index, isAnswered: false };
  } else if (references === undefined) {
    return;
  } else if (!message.parts.some((part) => part.type === "tool-result")) {
    state.references = undefined;
  } else if (at.isOrphan) {
    bind(state, references.start, at.index);
    state.references = { ...references, isAnswered: true };
  }
}

/** No cut between the two, ever. */
function bind(state: State, from: number, to: number): void {
  for (let free = lastFree(state, to); free > from; free = lastFree(state, free)) {
    state.blocked[free] = true;
    state.freeBefore[free] = free - 1;
  }
}

/** The message at `index` answers a call. */
function close(state: State, call: PairedCall, index: number): void {
  bind(state, call.at.message, index);
  const round = state.roundOf[call.at.message];
  if (round === undefined || call.part.server) return;
  round.end = Math.max(round.end, index + 1);
  if (call.results.length === 1) round.answered++;
}

/** The last index at or before this one that is not blocked; shortens the way for whoever asks next. */
function lastFree({ freeBefore }: State, index: number): number {
  let free = index;
  while (free >= 0 && freeBefore[free] !== free) free = freeBefore[free] ?? -1;
  for (let at = index; at > free; ) {
    const next = freeBefore[at] ?? -1;
    freeBefore[at] = free;
    at = next;
  }
  return free;
}

function openRound({ latest }: State): Round | undefined {
  return latest !== undefined && latest.answered < latest.calls ? settle(latest) : undefined;
}

/** While results are awaited, other results, system notes and the rest of the same step may still come. */
function continuesRound(state: State, message: Message): boolean {
  if (message.role === "assistant") return state.step.round === state.latest;
  return message.role === "system" || message.parts.some((part) => part.type === "tool-result");
}

function clientCalls(message: Message): number {
  let calls = 0;
  for (const part of message.parts) if (part.type === "tool-call" && !part.server) calls++;
  return calls;
}

function settle({ start, end, calls }: GrowingRound): Round {
  return { start, end, calls };
}
