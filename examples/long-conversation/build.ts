/**
 * Builds the long example conversation, `examples/long-conversation.json`, from its story. Deterministic: the same bytes on
 * every machine. Run it after a change to the story: `node examples/long-conversation/build.ts`, then `npm run format`.
 */

import { writeFileSync } from "node:fs";
import type { Entry, StepEntry } from "./script.ts";
import { AFTERMATH } from "./story-aftermath.ts";
import { INCIDENT } from "./story-incident.ts";
import { REPAIR } from "./story-repair.ts";

const SYSTEM = `You are the engineering assistant of Larder, a small web shop for groceries that keep. You work in its repository (TypeScript, Postgres 16.4) with the tools below.

Rules:
1. Nobody writes to the production database by hand. Read through the replica.
2. Say what you are about to do and why, briefly, before you do it.
3. Change as little as possible, and leave a test behind for every bug.
4. Money moves only after a person of finance has approved it.
5. Secrets stay in the vault; never print one.`;

const TOOLS = [
  tool("read_file", "Reads a file of the repository, with line numbers.", { path: "Path from the root." }),
  tool("edit_file", "Replaces a text that occurs exactly once in a file.", {
    path: "Path from the root.",
    old_text: "The text as it stands there.",
    new_text: "What it becomes.",
  }),
  tool("write_file", "Writes a new file.", { path: "Path from the root.", text: "All of it." }),
  tool("run_command", "Runs a shell command in the repository and returns what it prints.", {
    command: "The command.",
  }),
  tool("query_replica", "Runs a reading query on the replica of the production database.", { sql: "One statement." }),
  tool("update_todos", "Replaces the list of things to do.", { todos: "Each with its state: done, doing or open." }),
];

export function buildLongConversation(): unknown {
  const messages: unknown[] = [];
  let calls = 0;
  const nextId = (): string => {
    calls++;
    return `toolu_long_${String(calls).padStart(3, "0")}`;
  };
  for (const entry of [...INCIDENT, ...REPAIR, ...AFTERMATH]) messages.push(...messagesOf(entry, nextId));
  return { model: "claude-sonnet-4-5", max_tokens: 8192, system: SYSTEM, tools: TOOLS, messages };
}

function messagesOf(entry: Entry, nextId: () => string): readonly unknown[] {
  switch (entry.type) {
    case "user":
      return [{ role: "user", content: [{ type: "text", text: entry.text }] }];
    case "step":
      return stepMessages(entry, nextId);
    default:
      return entry satisfies never;
  }
}

/** The assistant's message with its calls, and the one that carries their results. */
function stepMessages({ text, calls }: StepEntry, nextId: () => string): readonly unknown[] {
  const numbered = calls.map((call) => ({ ...call, id: nextId() }));
  const said = { type: "text", text };
  const called = numbered.map(({ id, tool: name, input }) => ({ type: "tool_use", id, name, input }));
  const results = numbered.map(({ id, output, isError }) => ({
    type: "tool_result",
    tool_use_id: id,
    content: output,
    ...(isError && { is_error: true }),
  }));
  const assistant = { role: "assistant", content: [said, ...called] };
  return results.length === 0 ? [assistant] : [assistant, { role: "user", content: results }];
}

function tool(name: string, description: string, properties: Readonly<Record<string, string>>): unknown {
  const described = Object.entries(properties).map(([key, about]) => [
    key,
    { type: key === "todos" ? "array" : "string", description: about },
  ]);
  return {
    name,
    description,
    input_schema: {
      type: "object",
      properties: Object.fromEntries(described),
      required: Object.keys(properties),
    },
  };
}

if (import.meta.main) {
  const file = new URL("../long-conversation.json", import.meta.url);
  writeFileSync(file, `${JSON.stringify(buildLongConversation(), null, 2)}\n`);
}
