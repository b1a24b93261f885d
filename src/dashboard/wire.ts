/** What the server of the dashboard tells its page: types alone, shared by both. Times are ISO dates, money is USD. */

export type SessionState = "active" | "idle" | "refused";

export interface SessionRow {
  /** The key of the session in the store. */
  readonly key: string;
  /** The id that its owner gave it. */
  readonly id: string;
  readonly agentId: string;
  readonly client: string | null;
  readonly model: string | null;
  /** How the user's first message begins. */
  readonly title: string;
  readonly state: SessionState;
  readonly turns: number;
  readonly messages: number;
  readonly inView: number;
  readonly compactions: number;
  readonly context: ContextUse;
  readonly requests: number;
  /** From 0 to 1; null where no request is on record. */
  readonly cachedShare: number | null;
  readonly money: Money | null;
  readonly changedAt: string;
}

export interface ContextUse {
  /** Null until known. */
  readonly tokens: number | null;
  readonly isEstimate: boolean;
  readonly windowTokens: number | null;
  readonly triggerTokens: number | null;
}

/** Null where a price is unknown. */
export interface Money {
  readonly spentUsd: number | null;
  /** Of the spent: by compactions. */
  readonly compactionsUsd: number;
  /** What the same requests would have cost with everything in them, in a window without end. */
  readonly everythingUsd: number | null;
  /** Requests that would not have fitted into the window. */
  readonly overWindow: number;
}

export interface SessionsPage {
  readonly store: string;
  readonly total: number;
  readonly matching: number;
  readonly rows: readonly SessionRow[];
}

export type SessionSort = "changed" | "context" | "turns" | "compactions";

export interface SessionReport {
  readonly row: SessionRow;
  readonly format: string;
  readonly createdAt: string;
  readonly parentId: string | null;
  /** What is known of it in words: metadata of the session. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly systemTokens: number;
  readonly toolsTokens: number;
  readonly archived: number;
  readonly series: Series;
  readonly compactions: readonly CompactionRow[];
}

/** Columns of equal length, a place for each request; of a session without recorded requests, for each message. */
export interface Series {
  readonly of: "requests" | "messages";
  readonly at: readonly string[];
  readonly tokens: readonly number[];
  /** What the client had sent. */
  readonly full: readonly number[];
  readonly window: readonly (number | null)[];
  readonly trigger: readonly (number | null)[];
  readonly read: readonly number[];
  readonly written: readonly number[];
  /** Neither read from the cache nor written to it. */
  readonly plain: readonly number[];
  readonly marks: readonly SeriesMark[];
}

export interface SeriesMark {
  readonly place: number;
  readonly eventId: string;
  readonly label: string;
}

export interface CompactionRow {
  readonly id: string;
  readonly number: number;
  readonly at: string;
  readonly trigger: string;
  readonly strategy: string;
  readonly profile: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly removed: number;
  /** False where results were only shortened. */
  readonly isCompaction: boolean;
  readonly model: string | null;
  readonly calls: number;
  readonly costUsd: number | null;
  readonly durationMs: number;
  readonly undoneAt: string | null;
  readonly purgedAt: string | null;
  readonly instructions: string | null;
  /** Compactions in force that rest on it. */
  readonly later: number;
}

export interface CompactionReport {
  readonly session: SessionRow;
  readonly row: CompactionRow;
  /** Empty where no summary was written. */
  readonly summary: readonly SummaryLine[];
  readonly counts: Readonly<Record<Mark, number>>;
  readonly messagesBefore: number;
  readonly messagesAfter: number;
  /** Messages of that time that nobody can show any more. */
  readonly purged: number;
}

export interface SummaryLine {
  readonly type: "heading" | "item" | "quote" | "text";
  readonly depth: number;
  readonly text: string;
  /** Messages that the line was made from; empty where the summarizer did not say. */
  readonly sources: readonly string[];
}

/** Kept, shortened, left, added. */
export type Mark = "=" | "~" | "-" | "+";

export interface MessageRow {
  readonly id: string;
  readonly role: "system" | "user" | "assistant" | "tool";
  /** `user`, `assistant, calls bash`, `result of bash`. */
  readonly what: string;
  readonly tokens: number;
  readonly begins: string;
  readonly at: string;
  readonly isPinned: boolean;
  readonly isSummary: boolean;
  readonly isEdited: boolean;
  /** Number of the compaction that took it out of the view. */
  readonly archivedBy: number | null;
  readonly mark?: Mark;
}

export interface MessagesPage {
  readonly total: number;
  readonly rows: readonly MessageRow[];
}

export interface MessageReport {
  readonly id: string;
  readonly parts: readonly PartText[];
  /** As a compaction left it in the view; absent where that is how it was written. */
  readonly shortened?: readonly PartText[];
}

export interface PartText {
  readonly label: string;
  readonly text: string;
  /** Characters that are not shown. */
  readonly cut: number;
}

export interface RollbackRequest {
  readonly session: string;
  readonly event: string;
  readonly cascade: boolean;
}

export interface RollbackAnswer {
  readonly undone: number;
}

export interface Refusal {
  readonly code: string;
  readonly message: string;
}
