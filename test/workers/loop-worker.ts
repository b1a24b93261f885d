/**
 * An agent loop on a stored session, for tests that kill it: `node loop-worker.ts ORIGIN DATABASE LOG MODE MODEL HOW`. The mode says how it
 * compacts: `plain` without a model, `llm` by a model, `background` by a model beside the loop, `native` by the provider. HOW is `stream` or
 * `whole`. Prints a line for each event, and `done` at the end.
 */

import { appendFileSync } from "node:fs";
import { runLoop } from "../../src/run-loop.ts";
import { openSession } from "../../src/session.ts";
import { llm } from "../../src/summarizers/llm.ts";
import { LOOP_MODELS, type LoopModel } from "../loop-models.ts";

const [origin = "", database = "", log = "", mode = "", name = "", how = ""] = process.argv.slice(2);
const { make, small, body }: LoopModel = LOOP_MODELS[name as keyof typeof LOOP_MODELS];
const model = make(origin);
const asked = mode === "llm" || mode === "background";
const session = await openSession("s", {
  store: `sqlite:${database}`,
  compactor: {
    format: model.format,
    windowTokens: 20_000,
    ...(asked && { summarizer: llm({ model: make(origin, small) }) }),
    ...(mode === "native" && { native: model.native }),
    ...(mode !== "plain" && { compact: { strategy: mode === "native" ? "native" : "summarize" } }),
  },
  // A killed worker keeps others from compacting for no longer than that.
  leaseMs: 200,
  body,
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
  stream: how === "stream",
  background: mode === "background",
  ...(isNew && { input: "Read all files and say when you are done." }),
  onEvent: ({ type }) => process.stdout.write(`${type}\n`),
});
await session.close();
process.stdout.write("done\n");
