/**
 * The hooks of other projects, with their own names and payloads, each translated to one of the three kinds. These projects do not
 * call it a compaction when a pass only prunes or keeps to a limit on messages, so none of the hooks is called for such a pass.
 */

import { present } from "../json.ts";
import type { Message } from "../message.ts";
import { type HookContext, type HookEvent, type HookEventOf, sessionIdOf } from "./hook-events.ts";
import type { Awaitable, FileOperations, Gate, GateAnswer, Notify, Proposal, Provide, ProvideAnswer } from "./hooks.ts";

/** One handler of each name; `hooks` takes one or several. */
export interface HookAliases {
  /** AgentPG, a gate: returning or throwing an error aborts the compaction. The id is empty when no context names one. */
  readonly onBeforeCompaction: (sessionId: string) => Awaitable<GateAnswer>;
  /** AgentPG, a notify: the compaction that was made. */
  readonly onAfterCompaction: (event: AfterCompaction) => unknown;
  /** Nous, a notify: messages are about to leave. */
  readonly conversation_compacting: (event: ConversationCompacting) => unknown;
  /** OpenClaw, a notify. */
  readonly before_compaction: (event: BeforeCompactionEvent, context: PluginHookContext) => unknown;
  /** OpenClaw, a notify: follows every `before_compaction`, also when nothing was compacted. */
  readonly after_compaction: (event: AfterCompactionEvent, context: PluginHookContext) => unknown;
  /** OpenClaw and pi, a provide: may return a complete compaction, or cancel. */
  readonly session_before_compact: (
    event: SessionBeforeCompact,
    context: PluginHookContext,
  ) => Awaitable<ProvideAnswer>;
}

/** The compaction event, under AgentPG's names. */
export interface AfterCompaction {
  /** Of the stored event; empty where nothing is stored. */
  readonly id: string;
  readonly sessionId: string;
  readonly strategy: string;
  readonly originalTokens: number;
  readonly compactedTokens: number;
  readonly messagesRemoved: number;
  readonly summaryContent?: string;
  readonly preservedMessageIds: readonly string[];
  /** The model that made the summary; where none did, or nobody said which, the summarizer's name and version. */
  readonly modelUsed?: string;
  readonly durationMs: number;
  readonly createdAt: string;
}

/** How many messages are about to leave, and of which session; copies of them are in the event `compaction-started`. */
export interface ConversationCompacting {
  readonly session_id: string;
  readonly messages_being_compacted: number;
  readonly compaction_number: number;
}

export interface BeforeCompactionEvent {
  readonly messageCount: number;
  readonly tokenCount?: number;
}

export interface AfterCompactionEvent extends BeforeCompactionEvent {
  readonly compactedCount: number;
}

export type PluginHookContext = Pick<HookContext, "agentId" | "sessionKey" | "workspaceDir" | "messageProvider">;

/** The event of OpenClaw's `session_before_compact`. */
export interface SessionBeforeCompact {
  readonly preparation: {
    readonly messagesToSummarize: readonly Message[];
    readonly turnPrefixMessages: readonly Message[];
    /** Empty when nothing stands behind what leaves. */
    readonly firstKeptEntryId: string;
    readonly tokensBefore: number;
    readonly previousSummary?: string;
    readonly fileOps: FileOperations;
    readonly settings: { readonly reserveTokens: number };
    readonly isSplitTurn: boolean;
  };
  readonly customInstructions?: string;
  readonly signal: AbortSignal;
}

/** A handler under the name of another project, as a hook of its kind. */
export interface OwnHook {
  readonly gate?: Gate;
  readonly notify?: Notify;
  readonly provide?: Provide;
}

const ALIASES: { readonly [Name in keyof HookAliases]: (hook: HookAliases[Name]) => OwnHook } = {
  onBeforeCompaction: (hook) => ({
    gate: ({ isCalledFor }, context) => (isCalledFor ? hook(sessionIdOf(context)) : undefined),
  }),
  before_compaction: (hook) =>
    listener("compaction-started", ({ messageCount, tokenCount }, context) =>
      hook({ messageCount, tokenCount }, pluginContext(context)),
    ),
  conversation_compacting: (hook) =>
    listener("compaction-started", ({ messages, compactionNumber: compaction_number }, context) => {
      const messages_being_compacted = messages.length;
      if (messages_being_compacted === 0) return undefined;
      return hook({ session_id: sessionIdOf(context), messages_being_compacted, compaction_number });
    }),
  session_before_compact: (hook) => ({
    provide: (proposal, context) => hook(sessionBeforeCompact(proposal), pluginContext(context)),
  }),
  onAfterCompaction: (hook) =>
    listener("conversation-compacted", (event, context) =>
      event.compactionNumber === undefined ? undefined : hook(afterCompaction(event, context)),
    ),
  after_compaction: (hook) =>
    listener("compaction-ended", ({ messageCount, tokenCount, compactedCount }, context) =>
      hook({ messageCount, tokenCount, compactedCount }, pluginContext(context)),
    ),
};

export const aliasNames: readonly string[] = Object.keys(ALIASES);

/** Undefined for a name that is no alias. */
export function hookOfAlias(name: string, handler: unknown): OwnHook | undefined {
  // The handler was given under that very name, which the compiler cannot follow through an index.
  const aliases: ReadonlyMap<string, unknown> = new Map(Object.entries(ALIASES));
  const toHook = aliases.get(name) as ((handler: unknown) => OwnHook) | undefined;
  return toHook?.(handler);
}

function listener<Type extends HookEvent["type"]>(
  type: Type,
  tell: (event: HookEventOf<Type>, context: HookContext) => unknown,
): OwnHook {
  const isOfType = (event: HookEvent): event is HookEventOf<Type> => event.type === type;
  return { notify: (event, context) => (isOfType(event) ? tell(event, context) : undefined) };
}

function pluginContext({ agentId, sessionKey, workspaceDir, messageProvider }: HookContext): PluginHookContext {
  return {
    ...present({ agentId, sessionKey, workspaceDir, messageProvider }),
  };
}

function afterCompaction(event: HookEventOf<"conversation-compacted">, context: HookContext): AfterCompaction {
  const { eventId = "", strategy, messagesRemoved, preservedMessageIds, durationMs, createdAt, summary } = event;
  const modelUsed = event.model ?? event.summarizer;
  return {
    id: eventId,
    sessionId: sessionIdOf(context),
    strategy,
    originalTokens: event.tokensBefore,
    compactedTokens: event.tokensAfter,
    messagesRemoved,
    ...present({ summaryContent: summary, modelUsed }),
    preservedMessageIds,
    durationMs,
    createdAt,
  };
}

function sessionBeforeCompact(proposal: Proposal): SessionBeforeCompact {
  const { messages, turnPrefix, tokensBefore, previousSummary, fileOps, reserveTokens, instructions } = proposal;
  return {
    preparation: {
      messagesToSummarize: messages,
      turnPrefixMessages: turnPrefix,
      firstKeptEntryId: proposal.firstKeptEntryId ?? "",
      tokensBefore,
      ...(previousSummary !== undefined && { previousSummary }),
      fileOps,
      settings: { reserveTokens },
      isSplitTurn: turnPrefix.length > 0,
    },
    ...(instructions !== undefined && { customInstructions: instructions }),
    signal: proposal.signal,
  };
}
