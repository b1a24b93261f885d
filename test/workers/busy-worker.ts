/** Appends to and compacts a session that others work on too, so many turns long; says what was acknowledged and when it summarised. */

import { setTimeout as pause } from "node:timers/promises";
import { anthropicMessages } from "../../src/formats/anthropic-messages.ts";
import { openSession } from "../../src/session.ts";
import { say } from "./say.ts";

const [url = "", sessionId = "", name = "", turnsText = "0"] = process.argv.slice(2);

const summarizer = {
  name: "scripted",
  version: "1",
  planCalls: () => 0,
  summarize: async () => {
    // One clock for all processes of a machine.
    const begin = process.hrtime.bigint().toString();
    await pause(5);
    say({ type: "summarised", begin, end: process.hrtime.bigint().toString() });
    return { text: "They talked.", calls: 0, notes: [] };
  },
};

/** What a worker may meet when others are at work; anything else is a fault. */
const EXPECTED = new Set(["already-in-progress", "nothing-to-compact", "store-conflict"]);

const session = await openSession(sessionId, {
  store: url,
  compactor: { format: anthropicMessages, summarizer, protect: { tailTokens: 100, tailMessages: 2 } },
  body: { model: "m", max_tokens: 1 },
});
say({ type: "opened" });
const acknowledged: string[] = [];
let compactions = 0;
// It goes on until it has compacted: where nobody else is at work any more, nobody hinders it.
for (let turn = 0; turn < Number(turnsText) || compactions === 0; turn++) {
  const texts = [`${name}-${turn}-0 ${"word ".repeat(20)}`, `${name}-${turn}-1 ${"word ".repeat(20)}`];
  await session.append([
    { role: "user", content: texts[0] },
    { role: "assistant", content: texts[1] },
  ]);
  acknowledged.push(...texts);
  if (turn % 5 !== 4) continue;
  try {
    await session.compact();
    compactions++;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && EXPECTED.has(String(error.code)))) throw error;
  }
}
say({ type: "done", acknowledged, compactions });
await session.close();
