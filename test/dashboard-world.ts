/** Fills a store with sessions as agents leave them, through the public API: real appends, real compactions, nothing written by hand. */

import type { JsonObject } from "../src/core/json.ts";
import type { FullStore } from "../src/core/store/store-upkeep.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { openSession } from "../src/session.ts";

export interface Agent {
  readonly id: string;
  readonly task: string;
  readonly rounds: number;
  readonly client?: string;
  readonly model?: string;
  readonly windowTokens?: number;
}

/** What an engineer's agent does all day: reads, searches, runs, edits; some of it fails. */
export async function work(store: FullStore, agent: Agent): Promise<void> {
  const { id, task, rounds, client = "agent/2.1", model = "claude-opus-5-5", windowTokens = 24_000 } = agent;
  const session = await openSession(id, {
    store,
    compactor: { format: anthropicMessages, windowTokens, maxOutputTokens: 2_000 },
    body: { model, max_tokens: 2_000, system: SYSTEM, tools: TOOLS },
    metadata: { client, project: "billing" },
  });
  await session.append(task);
  for (let round = 0; round < rounds; round++) {
    await session.request();
    const step = STEPS[round % STEPS.length] ?? STEPS[0];
    await session.append([call(round, step), result(round, step)]);
    if (round % 9 === 8) {
      await session.request();
      await session.append([
        said(`${step.file} is done; the tests pass.`),
        { role: "user", content: NEXT[((round / 9) % NEXT.length) | 0] },
      ]);
    }
  }
  await session.request();
  await session.append(said("All of it is done. The invoices match, and the tests pass."));
}

const SYSTEM = "You are a careful software engineer. Work in small steps, run the tests after each change.";
const TOOLS = ["read_file", "grep", "bash", "edit_file"].map((name) => ({
  name,
  description: `Runs ${name}.`,
  input_schema: { type: "object", properties: { path: { type: "string" } } },
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

function call(round: number, { tool, file, input }: Step): object {
  const use = { type: "tool_use", id: `toolu_${round}`, name: tool, input };
  return { role: "assistant", content: [{ type: "text", text: `Next I look at ${file}.` }, use] };
}

function result(round: number, { output, isError = false }: Step): object {
  return {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: `toolu_${round}`, content: `${output}\n(step ${round})`, is_error: isError },
    ],
  };
}

function said(text: string): object {
  return { role: "assistant", content: [{ type: "text", text }] };
}
