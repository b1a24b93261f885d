/** An agent loop on a stored session, for tests that kill it: `node loop-worker.ts ORIGIN DATABASE LOG`. Prints a line for each event, and `done` at the end. */

import { appendFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";
import { anthropic } from "../../src/models.ts";
import { runLoop } from "../../src/run-loop.ts";
import { openSession } from "../../src/session.ts";

const [origin = "", database = "", log = ""] = process.argv.slice(2);
const model = anthropic(new Anthropic({ baseURL: origin, apiKey: "any", maxRetries: 0 }), "claude-opus-5-5");
const session = await openSession("s", {
  store: `sqlite:${database}`,
  compactor: { format: model.format, windowTokens: 20_000 },
  // A killed worker keeps others from compacting for no longer than that.
  leaseMs: 200,
  body: { model: "claude-opus-5-5", max_tokens: 900, thinking: { type: "adaptive" } },
});
const isNew = (await session.view()).length === 0;
await runLoop({
  session,
  model,
  tools: [
    {
      name: "read",
      parameters: { type: "object", properties: { path: { type: "string" } } },
      run: (input) => {
        const { path } = input as { path: string };
        appendFileSync(log, `${path}\n`);
        return `${path}: ${"a line of the file\n".repeat(80)}`;
      },
    },
  ],
  ...(isNew && { input: "Read all files and say when you are done." }),
  onEvent: ({ type }) => process.stdout.write(`${type}\n`),
});
await session.close();
process.stdout.write("done\n");
