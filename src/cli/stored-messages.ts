/** Stored messages as lists show them: id, who, tokens, how it begins, and what stands out about it. Reads only. */

import type { Conversation, Message } from "../core/message.ts";
import type { CountTokens } from "../core/ports.ts";
import type { SessionState, StoredMessage } from "../core/store/store.ts";
import { structureOf } from "../core/structure/structure.ts";
import { countedIn } from "../core/tokens/counted.ts";
import { estimateTokens, type TokenCounter } from "../core/tokens/tokens.ts";
import { modelOf } from "../session/session-view.ts";
import { messageShower } from "./protections.ts";
import { formatOf, messagesOf } from "./stored-session.ts";

export interface ShownStored {
  readonly id: string;
  readonly role: string;
  readonly what: string;
  /** Our estimate. */
  readonly tokens: number;
  readonly begins: string;
  readonly isPinned: boolean;
  readonly isSummary: boolean;
  readonly isEdited: boolean;
  readonly archivedBy: string | null;
  readonly createdAt: string;
}

export function shownMessages(state: SessionState, stored: readonly StoredMessage[]): readonly ShownStored[] {
  const show = showerOf(state, messagesOf(formatOf(state), stored));
  return stored.map(({ id, role, isPinned, isSummary, isEdited, archivedBy, createdAt }, index) => {
    const { what, tokens, begins } = show(index);
    return { id, role, what, tokens, begins, isPinned, isSummary, isEdited, archivedBy, createdAt };
  });
}

/** Calls and results are told apart by those that stand in the same list. */
export function showerOf(state: SessionState, messages: readonly Message[]): ReturnType<typeof messageShower> {
  const conversation: Conversation = { format: state.format, system: [], tools: undefined, messages };
  const tokensOf: CountTokens = counterOf(state).count;
  return messageShower({ conversation, structure: structureOf(messages), tokensOf });
}

export function counterOf({ format, base }: Pick<SessionState, "format" | "base">): TokenCounter {
  return estimateTokens(countedIn(format, base, modelOf(base)));
}
