/** What the store's bench needs of a database: the store over it, the bare statements beside it, and large sessions in seconds. */

import type { FullStore } from "../src/core/store/store-upkeep.ts";
import { texts } from "./store-messages.ts";

export interface Subject {
  readonly name: string;
  readonly durability: string;
  /** Empty tables of their own. */
  open(place: string): Promise<Place>;
  close(): Promise<void>;
}

export interface Place {
  readonly store: FullStore;
  /** What `openStore` takes to open the same tables again, over connections of its own. */
  readonly address: string;
  /** Statements that the store has sent so far. */
  statements(): readonly string[];
  fill(session: FilledSession): Promise<void>;
  /** Sessions that grow side by side and are compacted from time to time, as in production. */
  age(sessions: AgedSessions): Promise<void>;
  /** What the database would do in the background some time after so many rows came. */
  settle(): Promise<void>;
  readonly bare: Bare;
  sizes(): Promise<readonly Size[]>;
  close(): Promise<void>;
}

/** The newest `live` messages are the view, one event archived the others. */
export interface FilledSession {
  readonly id: string;
  readonly messages: number;
  readonly live: number;
}

export interface AgedSessions {
  readonly sessions: number;
  /** How often each of them was compacted. */
  readonly stages: number;
  /** Messages that came in a stage; all but the newest `live` are archived at its end. */
  readonly messagesPerStage: number;
  readonly live: number;
}

/** One statement each, prepared, with the durability of the store. */
export interface Bare {
  insert(message: {
    readonly sessionId: string;
    readonly sequence: number;
    readonly role: string;
    readonly body: unknown;
  }): Promise<void>;
  /** `SELECT body` and `JSON.parse`. */
  load(sessionId: string): Promise<readonly unknown[]>;
  /** An event that rows may refer to. */
  makeEvent(sessionId: string): Promise<string>;
  /** One UPDATE of every row in the view. */
  archive(sessionId: string, eventId: string): Promise<void>;
}

export interface Size {
  readonly name: string;
  readonly bytes: number;
}

/** The request body around the messages. */
export const BASE = { model: "claude-opus-4-5", max_tokens: 1_000 };

/** As long as a real one: the ids that it names, and what it says. */
export function eventTexts({ messagesPerStage }: AgedSessions): { readonly plan: string; readonly summary: string } {
  const messageIds = Array.from({ length: messagesPerStage }, (_, index) => `m${10_000 + index}`);
  const text = texts.slice(0, 2).join("\n");
  return { plan: JSON.stringify({ reason: "ratio", steps: [{ type: "summarize", messageIds }] }), summary: text };
}
