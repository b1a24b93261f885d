/** Prints how many source files run in one call, by V8's own coverage: `node reach.ts fit|compact|session`. What is imported, but not called, does not count. */

import { mkdtempSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anthropicMessages } from "../../src/formats/anthropic-messages.ts";
import { createCompactor, openSession, type Summarizer } from "../../src/index.ts";

const summarizer: Summarizer = {
  name: "scripted",
  version: "1",
  planCalls: () => 1,
  summarize: () => Promise.resolve({ text: "The build is fixed.", calls: 1, notes: [] }),
};

const turn = (index: number): readonly object[] => [
  { role: "user", content: `Look at part ${index}.` },
  { role: "assistant", content: [{ type: "tool_use", id: `t${index}`, name: "read", input: { path: `${index}.ts` } }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: `t${index}`, content: `line ${index}\n`.repeat(40) }] },
  { role: "assistant", content: [{ type: "text", text: `Part ${index} is fine.` }] },
];
const messages = Array.from({ length: 50 }, (_, index) => turn(index)).flat();
const body = {
  model: "claude-sonnet-4-5",
  max_tokens: 1_024,
  messages: [...messages, { role: "user", content: "Go on." }],
};
const options = { format: anthropicMessages, windowTokens: 100_000, summarizer, telemetry: false } as const;

const calls: Readonly<Record<string, () => Promise<() => Promise<unknown>>>> = {
  fit: async () => {
    const compactor = createCompactor(options);
    return () => compactor.fit(body);
  },
  again: async () => {
    const compactor = createCompactor(options);
    await compactor.fit(body);
    return () => compactor.fit({ ...body, messages: [...body.messages] });
  },
  compact: async () => {
    const compactor = createCompactor(options);
    return () => compactor.compact(body, { target: { ratio: 0.3 } });
  },
  session: async () => {
    const session = await openSession("s", { store: `sqlite:${join(folder, "s.db")}`, compactor: options, body });
    return () => session.compact({ target: { ratio: 0.3 } });
  },
};

const folder = mkdtempSync(join(tmpdir(), "palimpsest-reach-"));
const call = await calls[process.argv[2] ?? ""]?.();
if (call === undefined) throw new Error(`one of ${Object.keys(calls).join(", ")}`);
const inspector = new Session();
inspector.connect();
await inspector.post("Profiler.enable");
await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
await call();
const { result } = await inspector.post("Profiler.takePreciseCoverage");
inspector.disconnect();
rmSync(folder, { recursive: true, force: true });
const source = new URL("../../src/", import.meta.url).href;
const files = result
  .filter(({ url, functions }) => url.startsWith(source) && functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
  .map(({ url }) => url.slice(source.length));
console.log(files.sort().join("\n"));
