/**
 * Works on one session until it is killed: appends, compacts, rewinds, rolls back, opens the store anew. Says what it is about to do and
 * what was acknowledged, so that whoever kills it can tell what must be there afterwards.
 */

import { createHash } from "node:crypto";
import { anthropicMessages } from "../../src/formats/anthropic-messages.ts";
import type { Session } from "../../src/session/session-port.ts";
import { openSession } from "../../src/session.ts";
import { createRandom } from "../../src/testing/random.ts";
import { say } from "./say.ts";

const [url = "", sessionId = "", seedText = "1"] = process.argv.slice(2);
const random = createRandom(Number(seedText));

const compactor = {
  format: anthropicMessages,
  // Quick, so that kills fall into the storing rather than into the summarising.
  summarizer: {
    name: "scripted",
    version: "1",
    planCalls: () => 0,
    summarize: async () => ({ text: "They talked.", calls: 0, notes: [] }),
  },
  protect: { tailTokens: 100, tailMessages: 2 },
};

function open(): Promise<Session> {
  return openSession(sessionId, { store: url, compactor, body: { model: "m", max_tokens: 1 }, leaseMs: 300 });
}

/** How many messages the view has, and what they are. */
async function viewMark(session: Session): Promise<{ readonly count: number; readonly hash: string }> {
  const bodies = (await session.view()).map(({ body }) => body);
  return { count: bodies.length, hash: createHash("sha256").update(JSON.stringify(bodies)).digest("hex") };
}

async function append(session: Session, turn: number): Promise<void> {
  const count = 1 + random.below(3);
  const texts = Array.from(
    { length: count },
    (_, index) => `${seedText}-${turn}-${index} ${"word ".repeat(random.below(200))}`,
  );
  const messages = texts.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content }));
  say({ type: "appending", texts });
  await session.append(messages);
  say({ type: "appended", texts });
}

async function compact(session: Session): Promise<void> {
  say({ type: "compacting", before: await viewMark(session) });
  try {
    const { eventId } = await session.compact();
    say({ type: "compacted", eventId });
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    // Nothing to do yet, or a lease that a killed worker left behind, or one of its own that a slow machine let expire.
    if (!["nothing-to-compact", "already-in-progress", "lease-lost"].includes(String(error.code))) throw error;
    say({ type: "not-compacted" });
  }
}

/** An event like a compaction, and told as one. */
async function pop(session: Session): Promise<void> {
  say({ type: "compacting", before: await viewMark(session) });
  try {
    const popped = await session.pop();
    const eventId = (await session.history()).at(-1)?.id;
    say(popped.length === 0 ? { type: "not-compacted" } : { type: "compacted", eventId });
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    if (error.code !== "already-in-progress" && error.code !== "lease-lost") throw error;
    say({ type: "not-compacted" });
  }
}

async function rollback(session: Session): Promise<void> {
  const newest = (await session.history()).findLast(({ undoneAt }) => undoneAt === null);
  if (newest === undefined) return;
  say({ type: "rolling-back", eventId: newest.id });
  await session.rollback();
  say({ type: "rolled-back", eventId: newest.id });
}

say({ type: "starting" });
let session = await open();
say({ type: "opened" });
for (let turn = 0; ; turn++) {
  const choice = random.below(10);
  if (choice < 6) await append(session, turn);
  else if (choice < 7) await pop(session);
  else if (choice < 8) await compact(session);
  else if (choice < 9) await rollback(session);
  else {
    await session.close();
    session = await open();
  }
}
