/**
 * One pass over the messages: who asked for what, which calls were made and how they ended, which files were touched, what was
 * said in prose, and every identifier on the way. Collects references and bounded excerpts; decides nothing, writes nothing.
 */

import type { ToolFailure } from "../../../core/checkpoint/checkpoint.ts";
import { OUTCOME_MARK } from "../../../core/checkpoint/checkpoint.ts";
import { detectLanguage, type Language } from "../../../core/checkpoint/language.ts";
import { createFactLedger, type FactLedger } from "../../../core/facts/facts.ts";
import type { JsonValue } from "../../../core/json.ts";
import { type Message, type ToolCallPart, type ToolResultPart, text as textPart } from "../../../core/message.ts";
import { isForeignSummary, requestOf, type UserVoice, userVoice } from "../../../core/plan/user-voice.ts";
import { filesOfCall } from "../calls/call-files.ts";
import { callKeyOf, failureKeyOf } from "../calls/call-keys.ts";
import { briefOf, excerpt, FAILURE_CHARS_MAX, failureOf, writtenCommand } from "../calls/call-outcome.ts";
import { passedCheck, printedFailure } from "../calls/passed-check.ts";
import { type Settled, settledBy } from "../calls/question-tools.ts";
import { callsForResult } from "../calls/tagged-call.ts";
import { type Todo, todosOf } from "../calls/todo-list.ts";
import { oneLine } from "../text/sentences.ts";
import { sampleOf } from "../text/spoken-words.ts";
import { dropOldest } from "./bounded-map.ts";
import { isChangedOtherwise } from "./evidence.ts";
import { withPrintedFailure } from "./printed-failures.ts";
import { createProse, type Prose } from "./prose.ts";
import { speakerOf } from "./speaker.ts";
import { isObservation, withoutShellState } from "./tool-output.ts";
import { hasWrittenSince } from "./written-since.ts";

export interface Reading {
  readonly language: Language;
  readonly ledger: FactLedger;
  readonly prose: readonly Prose[];
  /** What the user asked, oldest first, without the markup that clients add. */
  readonly requests: readonly string[];
  /** How many user messages were outputs of tools: an agent may talk to its tools through them. */
  readonly observations: number;
  readonly filesRead: ReadonlySet<string>;
  readonly filesModified: ReadonlySet<string>;
  /** Newest last; calls that later succeeded are gone. */
  readonly failures: readonly Failure[];
  /** The newest check whose call returned; where it printed that it failed, it is among the failures. */
  readonly newestCheck: PlacedCall | undefined;
  /** The newest call, when it failed. */
  readonly openFailure: Failure | undefined;
  readonly todos: readonly Todo[] | undefined;
  /** What users answered through tools that speak for them, oldest first. */
  readonly answers: readonly ToolAnswer[];
  /** The newest message that changed a file before a check passed: what was wrong until then is mended. -1 when none did. */
  readonly mendedUpTo: number;
  /** The newest message that changed a file; -1 when none did. */
  readonly editedAt: number;
  /** Calls that succeeded and did more than the lists of files say, by tool and argument, oldest first. */
  readonly log: ReadonlyMap<string, PlacedCall>;
  /** Results that succeeded, oldest first. */
  readonly results: readonly ToolResultPart[];
  /** Whether anybody but users spoke: without that, it is a transcript of people, and nobody asked for anything. */
  readonly hasAssistant: boolean;
}

export interface Failure extends ToolFailure {
  /** How many calls had been made by then. */
  readonly call: number;
  /** Where its result stands. */
  readonly message: number;
}

export interface ToolAnswer extends Settled {
  readonly message: number;
}

export interface LoggedCall {
  readonly name: string;
  readonly brief: string;
  readonly input?: JsonValue;
  readonly result: ToolResultPart;
  /** Of the result, where it was read. */
  readonly excerpt?: string;
}

export interface PlacedCall extends LoggedCall {
  /** Where its result stands, and how many calls had been made by then. */
  readonly message: number;
  readonly call: number;
  /** Where the results of the same call stand that it came after; none where it was made once. */
  readonly times: readonly number[];
}

const FAILURES_KEPT = 64;
const LOG_KEPT = 400;
const RESULTS_KEPT = 2_000;
const ANSWERS_KEPT = 100;
const TIMES_KEPT = 8;

export interface ReadOptions {
  /** An assistant spoke before the first of these messages. Default: none did. */
  readonly isStarted?: boolean;
  /** Tools whose results are the user's own words. Default: none. */
  readonly userTools?: readonly string[] | undefined;
}

export function readMessages(messages: readonly Message[], options: ReadOptions = {}): Reading {
  const { isStarted = false, userTools } = options;
  const state = newState(isStarted);
  // One after the other: in turns, each would drive the other's code and tables out of the processor's caches.
  for (const message of messages) state.ledger.add(message);
  const voice = userVoice(messages, userTools);
  for (const [index, message] of messages.entries()) {
    state.message = index;
    readMessage(state, message, voice);
  }
  const { failures, log, newestCheck } = withPrintedFailure(state);
  const newest = failures.at(-1);
  const isNewest = newest !== undefined && newest.call === state.callsMade;
  const isOpen = isNewest && !(state.observations > 0 && hasWrittenSince(state.prose, newest.message));
  return {
    ...state,
    language: detectLanguage(sampleOf(state.prose)),
    log,
    failures,
    newestCheck,
    openFailure: isOpen ? newest : undefined,
  };
}

/** No tool was called. */
export function isTalk({ log, results, failures }: Reading): boolean {
  return log.size + results.length + failures.length === 0;
}

interface State {
  readonly ledger: FactLedger;
  readonly prose: Prose[];
  readonly requests: string[];
  observations: number;
  readonly filesRead: Set<string>;
  readonly filesModified: Set<string>;
  /** By tool and argument, so that a later success can take it out. */
  readonly failures: Map<string, Failure>;
  readonly log: Map<string, PlacedCall>;
  readonly results: ToolResultPart[];
  readonly waiting: Map<string, ToolCallPart>;
  todos: readonly Todo[] | undefined;
  readonly answers: ToolAnswer[];
  mendedUpTo: number;
  editedAt: number;
  hasAssistant: boolean;
  isStarted: boolean;
  callsMade: number;
  /** The message that is being read. */
  message: number;
}

function newState(isStarted: boolean): State {
  return {
    ledger: createFactLedger(),
    prose: [],
    requests: [],
    observations: 0,
    filesRead: new Set(),
    filesModified: new Set(),
    failures: new Map(),
    log: new Map(),
    results: [],
    waiting: new Map(),
    todos: undefined,
    answers: [],
    mendedUpTo: -1,
    editedAt: -1,
    hasAssistant: false,
    isStarted,
    callsMade: 0,
    message: 0,
  };
}

function readMessage(state: State, message: Message, voice: UserVoice): void {
  const index = state.message;
  const isUser = message.role === "user";
  if (isForeignSummary(message)) return;
  const isRequest = voice.speaksIn(message);
  if (message.role === "assistant") state.hasAssistant = state.isStarted = true;
  const isFinal = message.role === "assistant" && !callsForResult(message);
  for (const part of message.parts) {
    if (part.type === "tool-call") readCall(state, part);
    else if (part.type === "tool-result") {
      const answer = voice.answerIn(part);
      if (answer === "") readResult(state, part, index);
      else readAnswer(state, part, answer);
    } else if (part.type === "text" && (isUser || message.role === "assistant") && part.text !== "") {
      if (isUser && isObservation(part.text, state.isStarted)) {
        readObservation(state, part.text);
        continue;
      }
      const text = isUser ? requestOf(withoutShellState(part.text)) : part.text;
      if (text === "") continue;
      const speaker = isUser ? speakerOf(text) : "";
      state.prose.push(createProse({ message: index, isUser, isRequest, isFinal, speaker, text }));
      if (isRequest) state.requests.push(text);
    }
  }
}

/** A tool that speaks for the user neither failed nor did anything; what they said is asked for, and may settle what the call asked. */
function readAnswer(state: State, result: ToolResultPart, answer: string): void {
  const { message } = state;
  const key = result.callId ?? result.name ?? "";
  const call = state.waiting.get(key);
  state.waiting.delete(key);
  if (call !== undefined && state.answers.length < ANSWERS_KEPT)
    for (const settled of settledBy(call, answer)) state.answers.push({ ...settled, message });
  state.requests.push(answer);
  const said = { message, isUser: true, isRequest: true, isFinal: false, speaker: "", text: answer };
  state.prose.push(createProse(said));
}

function readObservation(state: State, said: string): void {
  state.observations++;
  // Some agents are told everything by one role: where a tool answered, somebody called it.
  state.hasAssistant = true;
  const output: ToolResultPart = {
    type: "tool-result",
    content: [textPart(withoutShellState(said))],
    isError: false,
  };
  const before = state.prose.at(-1);
  const command = before === undefined || before.isUser ? undefined : writtenCommand(before.text);
  if (command !== undefined) {
    state.callsMade++;
    const whole = `${command.name} ${command.brief}`;
    noteFailure(state, command, failureOf(output) ?? printedFailure(whole, output));
  }
  if (state.results.length < RESULTS_KEPT) state.results.push(output);
}

interface Called {
  readonly name: string;
  readonly brief: string;
  /** Where it is known already. */
  readonly callKey?: string;
}

/** What failed stands until the same succeeds. */
function noteFailure(state: State, { name, brief, callKey }: Called, failure: string | undefined): void {
  if (failure === undefined && state.failures.size === 0) return;
  const key = failureKeyOf(name, brief, callKey);
  // Deleted first even when it comes again, so that the newest stands last.
  state.failures.delete(key);
  if (failure === undefined) return;
  const summary = oneLine(brief === "" ? failure : `${brief}${OUTCOME_MARK}${failure}`, FAILURE_CHARS_MAX);
  state.failures.set(key, { toolName: name, summary, call: state.callsMade, message: state.message });
  dropOldest(state.failures, FAILURES_KEPT);
}

function readCall(state: State, call: ToolCallPart): void {
  state.callsMade++;
  state.waiting.set(call.callId ?? call.name, call);
  state.todos = todosOf(call.input) ?? state.todos;
}

function readResult(state: State, result: ToolResultPart, message: number): void {
  const key = result.callId ?? result.name ?? "";
  const call = state.waiting.get(key);
  if (call === undefined) return;
  state.waiting.delete(key);
  const brief = briefOf(call);
  const text = excerpt(result);
  const failure = failureOf(result, text);
  const callKey = callKeyOf(call.name, brief);
  noteFailure(state, { name: call.name, brief, callKey }, failure);
  const logged = state.log.get(callKey);
  if (logged !== undefined) {
    state.log.delete(callKey);
    if (isChangedOtherwise(logged, call.input)) state.log.set(`${callKey} ${logged.message}`, logged);
  }
  if (failure === undefined) {
    const edits = state.editedAt;
    const isListed = noteFiles(state, call, message);
    const times = logged === undefined ? [] : [...logged.times, logged.message].slice(-TIMES_KEPT);
    const { name, input } = call;
    const made = { name, brief, input, result, excerpt: text, message, call: state.callsMade, times };
    if (!isListed) {
      state.log.set(callKey, made);
      dropOldest(state.log, LOG_KEPT);
    }
    // Only a check after an edit mends anything, so that few results are looked at.
    if (edits > state.mendedUpTo && CHECKING.test(brief) && passedCheck(brief, result, text) !== undefined)
      state.mendedUpTo = edits;
    if (state.results.length < RESULTS_KEPT) state.results.push(result);
  }
}

const CHECKING = /test|check|build|lint|spec|compile|verify|make|tsc|mypy|ruff|cargo|jest|gradle|mvn|precommit/i;

/** True when the lists of files say all that the call did. */
function noteFiles(state: State, call: ToolCallPart, message: number): boolean {
  const { read, modified, isCommand } = filesOfCall(call);
  if (modified.length > 0) state.editedAt = message;
  for (const path of modified) {
    state.filesModified.add(path);
    state.filesRead.delete(path);
  }
  for (const path of read) if (!state.filesModified.has(path)) state.filesRead.add(path);
  return isCommand ? modified.length === 0 && read.length > 0 : modified.length + read.length > 0;
}
