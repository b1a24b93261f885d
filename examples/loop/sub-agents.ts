/** An agent that has others look things up, each in a session of its own. Needs ANTHROPIC_API_KEY: `node examples/loop/sub-agents.ts "Compare…"`. */

import { readFile } from "node:fs/promises";
import Anthropic from "@anthropic-ai/sdk";
import { openSession } from "../../src/index.ts"; // from "palimpsest"
import { anthropic } from "../../src/models.ts"; // from "palimpsest/models"
import { runLoop, subAgent } from "../../src/run-loop.ts"; // from "palimpsest/loop"

const model = anthropic(new Anthropic(), "claude-opus-5-5");
const compactor = { format: model.format };
const body = { model: model.id, max_tokens: 4096 };
const session = await openSession("example", { store: "memory:", compactor, body });
const read = { name: "read_file", run: (input: unknown) => readFile((input as { path: string }).path, "utf8") };
const look = subAgent({ name: "look", parent: session, model, compactor, body, tools: [read] });
const input = process.argv[2] ?? "Have two agents read package.json and LICENSE, and compare what they say.";
const { text } = await runLoop({ session, model, tools: [look], input });
console.log(text);
await session.close();
