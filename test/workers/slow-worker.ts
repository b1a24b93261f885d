/** Compacts with a summarizer that waits for a word on standard input; says whether it was allowed to commit. */

import { once } from "node:events";
import { anthropicMessages } from "../../src/formats/anthropic-messages.ts";
import { openSession } from "../../src/session.ts";
import { say } from "./say.ts";

const [url = "", sessionId = ""] = process.argv.slice(2);

const summarizer = {
  name: "slow",
  version: "1",
  planCalls: () => 0,
  summarize: async () => {
    say({ type: "summarising" });
    await once(process.stdin, "data");
    process.stdin.pause();
    return { text: "The slow one's words.", calls: 0, notes: [] };
  },
};

const session = await openSession(sessionId, {
  store: url,
  compactor: { format: anthropicMessages, summarizer, protect: { tailTokens: 100, tailMessages: 2 } },
});
try {
  const { eventId } = await session.compact();
  say({ type: "ended", eventId });
} catch (error) {
  say({ type: "ended", code: error instanceof Error && "code" in error ? error.code : String(error) });
}
await session.close();
