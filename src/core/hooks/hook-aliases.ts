/**
 * The hooks of the sources under their own names and with their own payloads, each translated to one of the three kinds. A
 * pass that only prunes, or keeps to a limit on messages, is not what these sources call a compaction: none of them is called for it.
 */

import type { Message } from "../message.ts";
import type { CompactionStarted, ConversationCompacted, HookContext, HookEvent, HookEventOf } from "./hook-events.ts";
import type { Awaitable, FileOperations, Gate, GateAnswer, Notify, Proposal, Provide, ProvideAnswer } from "./hooks.ts";
import type { MessageSnapshot } from "./snapshot.ts";

export interface HookAliases {
  /** AgentPG, a gate: returning or throwing an error aborts the compaction. The id is empty when no context names one. */
  readonly onBeforeCompaction?: (sessionId: string) => Awaitable<GateAnswer>;
  /** AgentPG, a notify: the compaction that was made. */
  readonly onAfterCompaction?: (event: AfterCompaction) => unknown;
  /** Nous, a notify: messages are about to leave. */
  readonly conversation_compacting?: (event: ConversationCompacting) => unknown;
  /** OpenClaw, a notify. */
  readonly before_compaction?: (event: BeforeCompactionEvent, context: PluginHookContext) => unknown;
  /** OpenClaw, a notify: follows every `before_compaction`, also when nothing was compacted. */
  readonly after_compaction?: (event: AfterCompactionEvent, context: PluginHookContext) => unknown;
  /** OpenClaw and pi, a provide: may return a complete compaction, or cancel. */
  readonly session_before_compact?: (
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

/** R173. */
export interface ConversationCompacting {
  readonly session_id: string;
  readonly messages_being_compacted: readonly MessageSnapshot[];
  readonly compaction_number: number;
}

/** R176. */
export interface BeforeCompactionEvent {
  readonly messageCount: number;
  readonly tokenCount?: number;
}

/** R177. */
export interface AfterCompactionEvent extends BeforeCompactionEvent {
  readonly compactedCount: number;
}

/** R178. */
export type PluginHookContext = Pick<HookContext, "agentId" | "sessionKey" | "workspaceDir" | "messageProvider">;

/** R180. */
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

const ALIASES: Readonly<Record<keyof HookAliases, true>> = {
  onBeforeCompaction: true,
  onAfterCompaction: true,
  conversation_compacting: true,
  before_compaction: true,
  after_compaction: true,
  session_before_compact: true,
};

export const aliasNames: readonly string[] = Object.keys(ALIASES);

/** Where several ids are given, a session's own comes first. */
export function sessionIdOf({ sessionId, sessionKey }: HookContext): string {
  return sessionId ?? sessionKey ?? "";
}

export function aliasGates({ onBeforeCompaction }: HookAliases): readonly Gate[] {
  if (onBeforeCompaction === undefined) return [];
  return [({ isCalledFor }, context) => (isCalledFor ? onBeforeCompaction(sessionIdOf(context)) : undefined)];
}

/** One listener each, so that one that throws does not silence another. */
export function aliasNotifies(aliases: HookAliases): readonly Notify[] {
  const { onAfterCompaction, conversation_compacting, before_compaction, after_compaction } = aliases;
  return [
    ...listener(before_compaction, "compaction-started", (hook, { messageCount, tokenCount }, context) =>
      hook({ messageCount, tokenCount }, pluginContext(context)),
    ),
    ...listener(conversation_compacting, "compaction-started", (hook, event, context) =>
      event.messages.length === 0 ? undefined : hook(conversationCompacting(event, context)),
    ),
    ...listener(onAfterCompaction, "conversation-compacted", (hook, event, context) =>
      event.compactionNumber === undefined ? undefined : hook(afterCompaction(event, context)),
    ),
    ...listener(after_compaction, "compaction-ended", (hook, { messageCount, tokenCount, compactedCount }, context) =>
      hook({ messageCount, tokenCount, compactedCount }, pluginContext(context)),
    ),
  ];
}

function listener<Hook, Type extends HookEvent["type"]>(
  hook: Hook | undefined,
  type: Type,
  tell: (hook: Hook, event: HookEventOf<Type>, context: HookContext) => unknown,
): readonly Notify[] {
  if (hook === undefined) return [];
  const isOfType = (event: HookEvent): event is HookEventOf<Type> => event.type === type;
  return [(event, context) => (isOfType(event) ? tell(hook, event, context) : undefined)];
}

function pluginContext({ agentId, sessionKey, workspaceDir, messageProvider }: HookContext): PluginHookContext {
  return {
    ...(agentId !== undefined && { agentId }),
    ...(sessionKey !== undefined && { sessionKey }),
    ...(workspaceDir !== undefined && { workspaceDir }),
    ...(messageProvider !== undefined && { messageProvider }),
  };
}

function conversationCompacting(event: CompactionStarted, context: HookContext): ConversationCompacting {
  return {
    session_id: sessionIdOf(context),
    messages_being_compacted: event.messages,
    compaction_number: event.compactionNumber,
  };
}

function afterCompaction(event: ConversationCompacted, context: HookContext): AfterCompaction {
  const { eventId = "", strategy, messagesRemoved, preservedMessageIds, durationMs, createdAt } = event;
  const { summary, summarizer, model } = event;
  const modelUsed = model ?? summarizer;
  return {
    id: eventId,
    sessionId: sessionIdOf(context),
    strategy,
    originalTokens: event.tokensBefore,
    compactedTokens: event.tokensAfter,
    messagesRemoved,
    ...(summary !== undefined && { summaryContent: summary }),
    preservedMessageIds,
    ...(modelUsed !== undefined && { modelUsed }),
    durationMs,
    createdAt,
  };
}

export function aliasProvides({ session_before_compact: hook }: HookAliases): readonly Provide[] {
  return hook === undefined
    ? []
    : [(proposal, context) => hook(sessionBeforeCompact(proposal), pluginContext(context))];
}

function sessionBeforeCompact(proposal: Proposal): SessionBeforeCompact {
  const { messages, turnPrefix, tokensBefore, previousSummary, fileOps, reserveTokens, instructions, signal } =
    proposal;
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
    signal,
  };
}
