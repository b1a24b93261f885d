/** Fills a store with sessions as agents leave them: real conversations of an official client through `palimpsest/fetch`, none written by hand. */

import Anthropic from "@anthropic-ai/sdk";
import type { JsonObject } from "../src/core/json.ts";
import type { FullStore } from "../src/core/store/store-upkeep.ts";
import type { TrafficStore } from "../src/core/store/traffic.ts";
import { palimpsest } from "../src/fetch.ts";
import { startProviderServer } from "../src/testing/server.ts";

export interface Agent {
  readonly task: string;
  /** Tool calls until it is done. */
  readonly rounds: number;
  readonly client: string;
  readonly model: string;
  readonly windowTokens: number;
}

/** What an engineer's agent does all day: reads, searches, runs, edits; some of it fails. */
export async function work(store: FullStore & TrafficStore, agent: Agent): Promise<void> {
  const { task, rounds, client: name, model, windowTokens } = agent;
  const server = await startProviderServer({
    windowTokens,
    reply: ({ index }) => {
      if (index >= rounds) return "All of it is done. The invoices match, and the tests pass.";
      const { tool, file, input } = stepAt(index);
      if (index % 9 === 8) return `${file} is done; the tests pass.`;
      return { text: `Next I look at ${file}.`, toolCalls: [{ name: tool, input }] };
    },
  });
  const fetch = palimpsest({ store, windowTokens, maxOutputTokens: 2_000 });
  const client = new Anthropic({
    baseURL: server.origin,
    apiKey: "any",
    fetch,
    defaultHeaders: { "user-agent": name },
  });
  const messages: Anthropic.MessageParam[] = [];
  let next: UserMessage = { role: "user", content: task };
  try {
    for (let index = 0; index <= rounds; index++) {
      const list = [...messages, marked(next)];
      const { content } = await client.messages.create({
        model,
        max_tokens: 2_000,
        system: SYSTEM,
        tools: TOOLS,
        messages: list,
      });
      messages.push(next, { role: "assistant", content });
      const call = content.find((block) => block.type === "tool_use");
      const more = NEXT[Math.floor(index / 9) % NEXT.length] ?? "";
      next = { role: "user", content: call === undefined ? more : [resultOf(call.id, index)] };
    }
  } finally {
    await server.close();
  }
}

type UserMessage = Anthropic.UserMessageParam;

/** As agents set it: everything up to the newest message is to be cached. */
function marked({ role, content }: UserMessage): UserMessage {
  const cache_control = { type: "ephemeral" } as const;
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return {
    role,
    content: blocks.map((block) =>
      block.type === "text" || block.type === "tool_result" ? { ...block, cache_control } : block,
    ),
  };
}

const SYSTEM = "You are a careful software engineer. Work in small steps, run the tests after each change.";
const TOOLS = ["read_file", "grep", "bash", "edit_file"].map((name) => ({
  name,
  description: `Runs ${name}.`,
  input_schema: { type: "object" as const, properties: { path: { type: "string" } } },
}));

interface Step {
  readonly tool: string;
  readonly file: string;
  readonly input: JsonObject;
  readonly output: string;
  readonly isError?: boolean;
}

const CODE = Array.from(
  { length: 46 },
  (_, line) =>
    `  const line${line} = roundHalfEven(invoice.lines[${line}].amount * rate, 2); // VAT at ${line % 3 === 0 ? 7 : 19} %`,
).join("\n");
const LOG = Array.from(
  { length: 30 },
  (_, line) => `PASS test/invoice-${line}.test.ts > totals > rounds line ${line} (${12 + line} ms)`,
).join("\n");

const STEPS: readonly [Step, ...Step[]] = [
  {
    tool: "read_file",
    file: "src/billing/invoice.ts",
    input: { path: "src/billing/invoice.ts" },
    output: `export function total(invoice: Invoice, rate: number): number {\n${CODE}\n  return sum(lines);\n}`,
  },
  {
    tool: "grep",
    file: "src/billing/rounding.ts",
    input: { pattern: "Math.round", path: "src" },
    output: Array.from(
      { length: 24 },
      (_, at) => `src/billing/rounding-${at}.ts:${at * 7 + 3}: return Math.round(x * 100) / 100;`,
    ).join("\n"),
  },
  {
    tool: "bash",
    file: "test/invoice.test.ts",
    input: { command: "npm test -- test/invoice.test.ts" },
    output: `${LOG}\nFAIL test/invoice.test.ts > totals > INV-20417: expected 119.00, got 118.99\nexit code 1`,
    isError: true,
  },
  {
    tool: "edit_file",
    file: "src/billing/rounding.ts",
    input: { path: "src/billing/rounding.ts", old: "Math.round(x * 100) / 100", new: "roundHalfEven(x, 2)" },
    output: "Edited src/billing/rounding.ts: 1 replacement.",
  },
  {
    tool: "bash",
    file: "test/invoice.test.ts",
    input: { command: "npm test -- test/invoice.test.ts" },
    output: `${LOG}\n31 passed in 2.4 s`,
  },
];

const NEXT: readonly string[] = [
  "Good. Now do the same for the credit notes, and keep INV-20417 as a test case. Do not touch the migration files.",
  "The export to DATEV must stay byte for byte the same; please check that before you go on.",
  "Use the decimal type from src/money.ts instead of numbers, everywhere in src/billing.",
  "Next: the reminder letters. The fee is 5.00 EUR from the second letter on.",
];

function stepAt(index: number): Step {
  return STEPS[index % STEPS.length] ?? STEPS[0];
}

function resultOf(id: string, index: number): Anthropic.ToolResultBlockParam {
  const { output, isError = false } = stepAt(index);
  return { type: "tool_result", tool_use_id: id, content: `${output}\n(step ${index})`, is_error: isError };
}
