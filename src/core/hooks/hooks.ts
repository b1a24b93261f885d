/**
 * The three kinds of hooks and how they are asked. A `gate` may stop a pass, a `notify` hears of every stage and can
 * neither stop nor fail it, a `provide` may replace the built-in compaction or cancel it. The sources' own names are aliases.
 */

import { errorText } from "../error-text.ts";
import { CompactionError } from "../errors.ts";
import { isObject } from "../json.ts";
import type { Message } from "../message.ts";
import type { Plan, Reason } from "../plan/plan.ts";
import { shownValue } from "../settings/check-schema.ts";
import { nearestWord } from "../settings/near-word.ts";
import { untilAborted } from "../until-aborted.ts";
import { aliasNames, type HookAliases, hookOfAlias, isAlias } from "./hook-aliases.ts";
import type { HookContext, HookEvent } from "./hook-events.ts";
import { planCopy, snapshotCopy } from "./hook-events.ts";

/** One object for all hooks: the three kinds and the names of the sources, each one function or several. */
export type Hooks = { readonly [Name in HookName]?: OneOrMore<HookHandlers[Name]> | undefined };

export interface HookHandlers extends HookAliases {
  /** Asked one after the other before anything is done; the first that closes ends the pass. */
  readonly gate: Gate;
  /** Told of every stage, all at once, never waited for. What they throw is logged. */
  readonly notify: Notify;
  /** Asked one after the other when a compaction would take messages out of the view; the first answer counts. */
  readonly provide: Provide;
}

export type HookName = keyof HookHandlers;

/** Adds a handler behind those of its kind, from the next stage on; returns what takes it out again. */
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
   * A trigger fired, or somebody asked; false when tool results are pruned, or messages over a limit left out, on the way. What
   * is called for and comes to no more than that is stored as no compaction (`isCompaction` of its event).
   */
  readonly isCalledFor: boolean;
  readonly signal: AbortSignal;
}

/** Whatever it returns is ignored. */
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

/** What the built-in compaction would do. */
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

/** Files that the leaving messages' tool calls name. */
export interface FileOperations {
  readonly read: readonly string[];
  readonly modified: readonly string[];
}

/** A complete compaction. */
export interface ProvidedCompaction {
  readonly summary: string;
  /** What stands before this message leaves, protected messages excepted. Default: the proposal's. */
  readonly firstKeptEntryId?: string;
  /** Taken for the sake of the source's form; the report has our own count. */
  readonly tokensBefore?: number;
  /** Goes into the report's record. */
  readonly details?: CompactionDetails;
}

export interface CompactionDetails {
  readonly readFiles?: readonly string[];
  readonly modifiedFiles?: readonly string[];
  readonly [key: string]: unknown;
}

/** Those in force now. A list is never changed: who goes through one is not disturbed by who comes or goes. */
export interface HookLists {
  readonly gates: readonly Gate[];
  readonly notifies: readonly Notify[];
  readonly provides: readonly Provide[];
}

export interface HookRegister {
  lists(): HookLists;
  readonly on: OnHook;
}

const KINDS = ["gate", "notify", "provide"] as const;
const NAMES: readonly string[] = [...KINDS, ...aliasNames];

/** Own hooks stand before the sources' names of the same kind. A name that is no hook is refused: it would never be called. */
export function createHooks(hooks: Hooks = {}): HookRegister {
  for (const name of Object.keys(hooks)) refuseUnknown(name);
  const given = NAMES.flatMap((name) => handlersUnder(name, Object.entries(hooks)));
  let handlers = given.map(([name, handler]) => hookOf(name, handler));
  let lists = listsOf(handlers);
  const change = (changed: typeof handlers): void => {
    handlers = changed;
    lists = listsOf(handlers);
  };
  return {
    lists: () => lists,
    on: (name, handler) => {
      refuseUnknown(name);
      if (!isFunction(handler)) throw new CompactionError("invalid-settings", `on("${name}") takes a function`);
      const own = hookOf(name, handler);
      change([...handlers, own]);
      return () => change(handlers.filter((other) => other !== own));
    },
  };
}

function listsOf(handlers: readonly ReturnType<typeof hookOf>[]): HookLists {
  return {
    gates: handlers.flatMap(({ gate }) => gate ?? []),
    notifies: handlers.flatMap(({ notify }) => notify ?? []),
    provides: handlers.flatMap(({ provide }) => provide ?? []),
  };
}

function hookOf(name: string, handler: unknown): ReturnType<typeof hookOfAlias> {
  // An object of its own each time: one function may be registered twice, and is taken out once.
  return isAlias(name) ? hookOfAlias(name, handler) : { [name]: handler };
}

function handlersUnder(name: string, hooks: readonly [string, unknown][]): readonly [string, unknown][] {
  const hook = hooks.find(([key]) => key === name)?.[1];
  if (hook === undefined) return [];
  const list: readonly unknown[] = Array.isArray(hook) ? hook : [hook];
  if (!list.every(isFunction)) {
    throw new CompactionError("invalid-settings", `hooks.${name} must be a function or a list of functions`);
  }
  return list.map((handler) => [name, handler]);
}

function refuseUnknown(name: string): void {
  if (!NAMES.includes(name)) throw unknownHook(name, NAMES);
}

function unknownHook(name: string, known: readonly string[]): CompactionError {
  const near = nearestWord(name, known);
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  return new CompactionError("invalid-settings", `Unknown hook ${name}; there are ${known.join(", ")}${hint}`);
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

/** Why the pass may not happen; undefined when every gate is open. Each gets a copy of its own. */
export async function askGates(
  gates: readonly Gate[],
  event: GateEvent,
  context: HookContext,
): Promise<string | undefined> {
  const { signal } = event;
  for (const gate of gates) {
    const own = { ...event, plan: planCopy(event.plan) };
    const because = closedBecause(await answerOf(() => untilAborted(gate(own, { ...context }), signal)));
    signal.throwIfAborted();
    if (because !== undefined) return because;
  }
  return undefined;
}

/** What a gate throws is its answer. */
async function answerOf(ask: () => Promise<GateAnswer>): Promise<unknown> {
  try {
    return await ask();
  } catch (error) {
    return errorText(error);
  }
}

function closedBecause(answer: unknown): string | undefined {
  if (answer instanceof Error || typeof answer === "string") return errorText(answer);
  return answer === false ? "A gate said no." : undefined;
}

export interface AskProvides {
  readonly proposal: Proposal;
  readonly context: HookContext;
  /** A hook that throws is passed over; this hears of it. */
  failed(error: unknown): void;
}

/** Each gets a copy of its own, but for the messages themselves. */
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
    plan: planCopy(plan),
    messages: [...messages],
    turnPrefix: [...turnPrefix],
    fileOps: { read: [...fileOps.read], modified: [...fileOps.modified] },
  };
}

export interface Provided {
  readonly compaction: ProvidedCompaction;
}

/** Hooks come from plug-ins, so what they say is looked at before it is believed. */
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
  // Summary and cut are looked at by whoever takes it.
  return { compaction: compaction as unknown as ProvidedCompaction };
}

const ANSWER_KEYS = ["cancel", "compaction", "message"];
const ANSWERS = "an answer is { compaction: { summary } }, { cancel: true } or nothing";

/** All at once, each with a copy of its own; returns without waiting for any. */
export function notifyAll(
  notifies: readonly Notify[],
  told: { readonly event: HookEvent; readonly context: HookContext },
  failed: (error: unknown) => void,
): void {
  for (const notify of notifies) {
    try {
      const answer = notify(eventCopy(told.event), { ...told.context });
      // An error that is returned is one, too: AgentPG's hooks return theirs.
      Promise.resolve(answer).then((value) => value instanceof Error && failed(value), failed);
    } catch (error) {
      failed(error);
    }
  }
}

/** Events hold plain data, but for an error, which goes on as it is; messages in them are copies already. */
function eventCopy(event: HookEvent): HookEvent {
  switch (event.type) {
    case "plan-made":
      return { ...event, plan: planCopy(event.plan) };
    case "compaction-started":
      return { ...event, messages: event.messages.map(snapshotCopy) };
    case "pass-failed":
      return { ...event };
    default:
      return structuredClone(event);
  }
}
