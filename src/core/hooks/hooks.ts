/**
 * The three kinds of hooks and how they are called. A `gate` may stop a pass, a `notify` gets every event and can neither stop nor
 * fail the pass, a `provide` may replace the built-in compaction or cancel it. The hook names of other projects are aliases.
 */

import { errorText } from "../error-text.ts";
import { CompactionError } from "../errors.ts";
import { isObject } from "../json.ts";
import type { Message } from "../message.ts";
import type { Plan, Reason } from "../plan/plan.ts";
import { didYouMean, shownValue } from "../settings/check-schema.ts";
import { untilAborted } from "../waiting.ts";
import { aliasNames, type HookAliases, hookOfAlias, type OwnHook } from "./hook-aliases.ts";
import { type HookContext, type HookEvent, snapshotOf } from "./hook-events.ts";

/** One object for all hooks: the three kinds and the aliases, each one function or several. */
export type Hooks = { readonly [Name in HookName]?: OneOrMore<HookHandlers[Name]> | undefined };

export interface HookHandlers extends HookAliases {
  /** Called one after the other before anything is done; the first that refuses ends the pass. */
  readonly gate: Gate;
  /** Called with every event, all at once, without waiting. What they throw is logged. */
  readonly notify: Notify;
  /** Called one after the other when a compaction would take messages out of the view; the first answer counts. */
  readonly provide: Provide;
}

export type HookName = keyof HookHandlers;

/** Adds a handler behind those of its kind, from the next stage on; returns a function that removes it. */
export type OnHook = <Name extends HookName>(name: Name, handler: HookHandlers[Name]) => () => void;

export type OneOrMore<Hook> = Hook | readonly Hook[];
export type Awaitable<Value> = Value | Promise<Value>;

export type Gate = (event: GateEvent, context: HookContext) => Awaitable<GateAnswer>;

/** Nothing or true: go on. False, a text or an error (returned or thrown): the pass does not happen. */
// biome-ignore lint/suspicious/noConfusingVoidType: a gate that only throws has no return statement.
export type GateAnswer = undefined | void | boolean | string | Error;

export interface GateEvent {
  readonly reason: Reason;
  readonly plan: Plan;
  readonly messageCount: number;
  readonly tokenCount: number;
  readonly compactionNumber: number;
  /**
   * True when a trigger fired or the caller asked; false when the pass only prunes tool results, or leaves out messages over a
   * limit. A pass that was called for but did no more than that is not stored as a compaction (`isCompaction` of its event).
   */
  readonly isCalledFor: boolean;
  readonly signal: AbortSignal;
}

/** Its return value is ignored, except an error, which is logged. */
export type Notify = (event: HookEvent, context: HookContext) => unknown;

export type Provide = (proposal: Proposal, context: HookContext) => Awaitable<ProvideAnswer>;

/** Nothing: the built-in compaction goes on. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook that only looks has no return statement.
export type ProvideAnswer = undefined | void | GivenCompaction | CancelCompaction;

/** OpenClaw and pi have both fields optional: an object in which neither says anything is no answer. */
export interface GivenCompaction {
  readonly cancel?: false | undefined;
  readonly compaction?: ProvidedCompaction | undefined;
}

export interface CancelCompaction {
  readonly cancel: true;
  /** Why, for the report. */
  readonly message?: string;
}

/** The built-in compaction, before it is carried out. */
export interface Proposal {
  readonly reason: Reason;
  readonly plan: Plan;
  /** What will leave the view, oldest first, without the early part of a turn that is split. */
  readonly messages: readonly Message[];
  /** Early messages of a turn whose rest is kept; they leave too. */
  readonly turnPrefix: readonly Message[];
  /** The first message behind what leaves; absent when nothing stands behind it. */
  readonly firstKeptEntryId?: string;
  readonly tokensBefore: number;
  readonly budgetTokens?: number;
  readonly previousSummary?: string;
  readonly fileOps: FileOperations;
  readonly reserveTokens: number;
  readonly instructions?: string;
  readonly signal: AbortSignal;
}

/** Files that are named by tool calls of the messages that leave. */
export interface FileOperations {
  readonly read: readonly string[];
  readonly modified: readonly string[];
}

export interface ProvidedCompaction {
  readonly summary: string;
  /** Everything before this message leaves, except protected messages. Default: the proposal's. */
  readonly firstKeptEntryId?: string;
  /** Accepted because other projects return it; the report has our own count. */
  readonly tokensBefore?: number;
  /** Goes into the report's record. */
  readonly details?: CompactionDetails;
}

export interface CompactionDetails {
  readonly readFiles?: readonly string[];
  readonly modifiedFiles?: readonly string[];
  readonly [key: string]: unknown;
}

/** The handlers in force. A change makes new lists, so that a pass can go through one undisturbed. */
export interface HookLists {
  readonly gates: readonly Gate[];
  readonly notifies: readonly Notify[];
  readonly provides: readonly Provide[];
}

export interface HookRegister {
  lists(): HookLists;
  readonly on: OnHook;
}

const NAMES: readonly string[] = ["gate", "notify", "provide", ...aliasNames];

/** Own hooks stand before aliases of the same kind. An unknown name is refused: its handler would never be called. */
export function createHooks(hooks: Hooks = {}): HookRegister {
  for (const name of Object.keys(hooks)) refuseUnknown(name);
  const given = new Map<string, unknown>(Object.entries(hooks));
  let handlers: readonly OwnHook[] = NAMES.flatMap((name) => {
    const hook = given.get(name);
    const list = hook === undefined ? [] : [hook].flat();
    if (list.every((handler) => typeof handler === "function")) return list.map((handler) => hookOf(name, handler));
    throw new CompactionError("invalid-settings", `hooks.${name} must be a function or a list of functions`);
  });
  let lists = listsOf(handlers);
  const change = (changed: readonly OwnHook[]): void => {
    handlers = changed;
    lists = listsOf(handlers);
  };
  return {
    lists: () => lists,
    on: (name, handler) => {
      refuseUnknown(name);
      if (typeof handler !== "function") {
        throw new CompactionError("invalid-settings", `on("${name}") takes a function`);
      }
      const own = hookOf(name, handler);
      change([...handlers, own]);
      return () => change(handlers.filter((other) => other !== own));
    },
  };
}

function listsOf(handlers: readonly OwnHook[]): HookLists {
  return {
    gates: handlers.flatMap(({ gate }) => gate ?? []),
    notifies: handlers.flatMap(({ notify }) => notify ?? []),
    provides: handlers.flatMap(({ provide }) => provide ?? []),
  };
}

/** A new object each time: one function may be registered twice, and is taken out once. */
function hookOf(name: string, handler: unknown): OwnHook {
  return hookOfAlias(name, handler) ?? { [name]: handler };
}

function refuseUnknown(name: string): void {
  if (NAMES.includes(name)) return;
  const message = `Unknown hook ${name}; there are ${NAMES.join(", ")}${didYouMean(name, NAMES)}`;
  throw new CompactionError("invalid-settings", message);
}

/** Why the pass may not happen; undefined when every gate is open. Each gate gets its own copy of the event. */
export async function askGates(
  gates: readonly Gate[],
  event: GateEvent,
  context: HookContext,
): Promise<string | undefined> {
  const { signal } = event;
  for (const gate of gates) {
    const own = { ...event, plan: structuredClone(event.plan) };
    let answer: GateAnswer;
    try {
      answer = await untilAborted(gate(own, { ...context }), signal);
    } catch (error) {
      answer = errorText(error);
    }
    signal.throwIfAborted();
    if (answer instanceof Error || typeof answer === "string") return errorText(answer);
    if (answer === false) return "A gate said no.";
  }
  return undefined;
}

export interface AskProvides {
  readonly proposal: Proposal;
  readonly context: HookContext;
  /** Called with what a hook threw; the next hook is asked. */
  failed(error: unknown): void;
}

/** Each hook gets its own copy of the proposal, but the same messages. */
export async function askProvides(
  provides: readonly Provide[],
  { proposal, context, failed }: AskProvides,
): Promise<Provided | CancelCompaction | undefined> {
  const { signal } = proposal;
  for (const provide of provides) {
    try {
      const answer = readProvided(await untilAborted(provide(proposalCopy(proposal), { ...context }), signal));
      if (answer !== undefined) return answer;
    } catch (error) {
      signal.throwIfAborted();
      failed(error);
    }
  }
  return undefined;
}

function proposalCopy(proposal: Proposal): Proposal {
  const { plan, messages, turnPrefix, fileOps } = proposal;
  return {
    ...proposal,
    plan: structuredClone(plan),
    messages: [...messages],
    turnPrefix: [...turnPrefix],
    fileOps: { read: [...fileOps.read], modified: [...fileOps.modified] },
  };
}

export interface Provided {
  readonly compaction: ProvidedCompaction;
}

/** Hooks come from plug-ins, so their answers are checked. */
function readProvided(answer: unknown): Provided | CancelCompaction | undefined {
  if (answer === undefined || answer === null) return undefined;
  const strangers = isObject(answer) ? Object.keys(answer).filter((key) => !ANSWER_KEYS.includes(key)) : [];
  if (!isObject(answer) || strangers.length > 0) {
    throw new Error(`It answered with ${strangers[0] ?? shownValue(answer)}; ${ANSWERS}.`);
  }
  const { cancel, compaction, message } = answer;
  if (cancel === true) return { cancel, ...(typeof message === "string" && { message }) };
  if (compaction === undefined || compaction === null) return undefined;
  if (!isObject(compaction)) throw new Error(`Its compaction is ${shownValue(compaction)}; ${ANSWERS}.`);
  // The pass checks summary and cut when it applies them.
  return { compaction: compaction as unknown as ProvidedCompaction };
}

const ANSWER_KEYS = ["cancel", "compaction", "message"];
const ANSWERS = "an answer is { compaction: { summary } }, { cancel: true } or nothing";

/** Calls all at once, each with its own copy of the event, and does not wait for them. */
export function notifyAll(
  notifies: readonly Notify[],
  told: { readonly event: HookEvent; readonly context: HookContext },
  failed: (error: unknown) => void,
): void {
  for (const notify of notifies) {
    try {
      const answer = notify(eventCopy(told.event), { ...told.context });
      // AgentPG's hooks return their errors.
      Promise.resolve(answer).then((value) => value instanceof Error && failed(value), failed);
    } catch (error) {
      failed(error);
    }
  }
}

/** Events hold plain data, except an error, which is passed on as it is; large texts in messages are not copied. */
function eventCopy(event: HookEvent): HookEvent {
  switch (event.type) {
    case "plan-made":
      return { ...event, plan: structuredClone(event.plan) };
    case "compaction-started":
      return { ...event, messages: event.messages.map(snapshotOf) };
    case "pass-failed":
      return { ...event };
    default:
      return structuredClone(event);
  }
}
