import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type CompactorOptions, createCompactor } from "../src/compactor.ts";
import type { FormatName } from "../src/core/message.ts";
import type { Format } from "../src/core/ports.ts";
import type { SettingsInput } from "../src/core/settings/settings.ts";
import { openaiChat } from "../src/formats/openai-chat.ts";
import { convert, formatNamed } from "../src/formats.ts";
import { openSession } from "../src/session.ts";
import type { Complete } from "../src/summarizers/ask.ts";
import { llm } from "../src/summarizers/llm.ts";
import { listOf } from "./session-world.ts";
import { checkpointText } from "./summarizer-script.ts";

/** A summary is written from what tools returned, not from what pruning left of it. */

const FORMATS: readonly FormatName[] = ["anthropic-messages", "openai-chat", "openai-responses", "gemini"];

/** Of the kinds that a summary keeps. */
const FACTS = Array.from({ length: 12 }, (_, index) => {
  const number = (index + 3) * 7919;
  return [`INV-${number}-Q${index}`, `ledger/accounts_${number}.sql`, `balance_table_${number}`][index % 3] ?? "";
});

/** An output whose only fact stands behind the part that a stub quotes. */
function page(index: number): string {
  const fact = FACTS[index];
  const filler = (line: number): string => `${line}: the service answered as it always does, nothing to see here`;
  const lines = Array.from({ length: 12 }, (_, line) => filler(line));
  if (fact !== undefined) lines[5] = `5: the balance is kept in ${fact}`;
  return lines.join("\n");
}

function round(index: number, result: string = page(index)): readonly object[] {
  return [
    {
      role: "assistant",
      content: `I turn to page ${index}, because every page may name another place, and I read it to its end. ${"The pages before it were read in the same way. ".repeat(6)}`,
      tool_calls: [{ id: `c${index}`, type: "function", function: { name: "read", arguments: `{"page":${index}}` } }],
    },
    { role: "tool", tool_call_id: `c${index}`, content: result },
  ];
}

const ROUNDS = 20;
const CHAT = [
  { role: "user", content: "Read the pages one after the other and tell me where the balances are kept." },
  ...Array.from({ length: ROUNDS }, (_, index) => round(index)).flat(),
  { role: "assistant", content: "I have read all pages." },
  { role: "user", content: "Good. Now write the report." },
];

/** Of lengths that look like numbers somebody may need. */
const LONG_PAGES = Array.from({ length: 12 }, (_, index) => "nothing to see here\n".repeat(1_003 + index * 37));
const LONG_CHAT = [
  { role: "user", content: "Read them." },
  ...LONG_PAGES.flatMap((page, index) => round(index, page)),
  { role: "assistant", content: "I have read all pages." },
  { role: "user", content: "Good. Now write the report." },
];

function listIn(format: Format, messages: readonly object[]): readonly object[] {
  const { conversation } = convert(openaiChat.decode({ messages }), format);
  // A whole body was decoded, and its list holds messages.
  return listOf(format.encode(conversation) as object) as readonly object[];
}

const PRUNED: SettingsInput["prune"] = {
  enabled: true,
  highWaterRatio: 0,
  lowWaterRatio: 0,
  keepLast: 1,
  softTrim: false,
  stub: { afterResults: 2, minChars: 100 },
  clearAfter: 6,
};

const TRIMMED = { overChars: 400, headChars: 100, tailChars: 100 };

/** A model that tells every fact it was shown, and nothing else. */
const tellsAll: Complete = async ({ prompt }) => ({
  text: checkpointText("Find the tables", ...FACTS.filter((fact) => prompt.includes(fact))),
  stopReason: "stop",
});

const SUMMARIZERS = {
  extractive: {},
  model: { summarizer: llm({ complete: tellsAll, windowTokens: 100_000 }) },
} satisfies Record<string, Partial<CompactorOptions>>;

function optionsFor(format: Format, summarizer: Partial<CompactorOptions>, isPruned: boolean): CompactorOptions {
  return {
    format,
    windowTokens: 40_000,
    compact: { strategy: "summarize" },
    protect: { tailTokens: 300, tailMessages: 2 },
    prune: isPruned ? PRUNED : { enabled: false },
    ...summarizer,
  };
}

const countIn = (request: unknown): number => FACTS.filter((fact) => JSON.stringify(request).includes(fact)).length;

/** Pieces of what we put in the place of a result. */
const OUR_WORDS = /removed: \d+|Call it again|Output cleared|It began|--- trimmed|Output cut at/;

const folder = mkdtempSync(join(tmpdir(), "originals-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let sessions = 0;

describe.each(FORMATS)("%s", (name) => {
  const format = formatNamed(name);
  const list = listIn(format, CHAT);
  const longList = listIn(format, LONG_CHAT);
  /** Where a model would be asked: each result ends a request. */
  const ends = format
    .decode(list)
    .messages.flatMap(({ parts }, index) => (parts.some(({ type }) => type === "tool-result") ? [index + 1] : []));
  describe.each(Object.entries(SUMMARIZERS))("%s", (_, summarizer) => {
    async function stateless(isPruned: boolean): Promise<unknown> {
      const compactor = createCompactor(optionsFor(format, summarizer, isPruned));
      let shortened = 0;
      for (const end of ends) {
        const { report } = await compactor.fit({ [format.listKey]: list.slice(0, end) });
        shortened += (report.steps.stub ?? 0) + (report.steps.clear ?? 0);
      }
      expect(shortened > 0).toBe(isPruned);
      const { request, report } = await compactor.compact({ [format.listKey]: list });
      expect(report.steps).toHaveProperty("summarize", 1);
      return request;
    }

    test("pruned and summarised in one pass: as many facts as without pruning", async () => {
      // Results are pruned at every request, in the tail too, before the summary is asked for.
      const compactAt = async (prune: SettingsInput["prune"]): Promise<unknown> => {
        const options = optionsFor(format, summarizer, true);
        return (await createCompactor({ ...options, prune }).compact({ [format.listKey]: list })).request;
      };
      const [pruned, whole] = [await compactAt({ ...PRUNED, sparesTail: false }), await compactAt({ enabled: false })];
      expect(countIn(pruned)).toBeGreaterThanOrEqual(countIn(whole));
      expect(countIn(pruned)).toBeGreaterThanOrEqual(10);
    });

    test("a host that goes on from the result has no originals: neither words nor numbers of ours are summarised", async () => {
      const trim = { ...PRUNED, stub: false, clearAfter: 0, softTrim: TRIMMED } as const;
      for (const prune of [trim, { ...PRUNED, clearAfter: 0 }, PRUNED]) {
        const compactor = createCompactor({ ...optionsFor(format, summarizer, true), windowTokens: 400_000, prune });
        const fitted = await compactor.fit({ [format.listKey]: longList });
        expect(fitted.report.compacted).toBe(true);
        const { request } = await createCompactor(optionsFor(format, summarizer, false)).compact(fitted.request);
        expect(JSON.stringify(request)).not.toMatch(OUR_WORDS);
        for (const { length } of LONG_PAGES) expect(JSON.stringify(request)).not.toContain(String(length));
      }
    });

    async function inSession(isPruned: boolean, { isReopened = false, scope = "stored" as "stored" | "request" } = {}) {
      const options = optionsFor(format, summarizer, isPruned);
      const compactor = { ...options, prune: { ...options.prune, scope } };
      const id = `s${sessions++}`;
      const store = `sqlite:${join(folder, "sessions.db")}`;
      let session = await openSession(id, { store, compactor });
      for (const [index, end] of [...ends, list.length].entries()) {
        await session.append(list.slice(ends[index - 1] ?? 0, end));
        await session.request();
      }
      expect((await session.shortened()).length > 0).toBe(isPruned);
      if (isReopened) {
        await session.close();
        session = await openSession(id, { store, compactor });
      }
      const { request, report } = await session.compact();
      expect(report.steps).toHaveProperty("summarize", 1);
      await session.close();
      return request;
    }

    test("stateless: as many facts as without pruning, and no words of ours", async () => {
      const [pruned, whole] = [await stateless(true), await stateless(false)];
      expect(countIn(pruned)).toBeGreaterThanOrEqual(countIn(whole));
      expect(countIn(pruned)).toBeGreaterThanOrEqual(10);
      expect(JSON.stringify(pruned)).not.toMatch(OUR_WORDS);
    });

    test.each([{}, { isReopened: true }, { scope: "request" as const }])(
      "a session %j: as many facts as without pruning",
      async (more) => {
        const [pruned, whole] = [await inSession(true, more), await inSession(false, more)];
        expect(countIn(pruned)).toBeGreaterThanOrEqual(countIn(whole));
        expect(countIn(pruned)).toBeGreaterThanOrEqual(10);
      },
    );
  });
});

test("results of one round that were appended one by one, and joined since: each is found again", async () => {
  // Gemini refuses neighbours of one role, so a repair joins them, and a stored edit makes that one row.
  const format = formatNamed("gemini");
  const compactor = optionsFor(format, SUMMARIZERS.model, true);
  const session = await openSession("joined", { store: "memory:", compactor });
  await session.append("Read the pages.");
  for (let index = 0; index < FACTS.length; index += 2) {
    const both = [index, index + 1];
    const calls = both.map((each) => ({ functionCall: { id: `t${each}`, name: "read", args: { page: each } } }));
    await session.append([{ role: "model", parts: calls }]);
    for (const each of both) {
      const functionResponse = { id: `t${each}`, name: "read", response: { output: page(each) } };
      await session.append([{ role: "user", parts: [{ functionResponse }] }]);
    }
    await session.request();
  }
  await session.append([{ role: "model", parts: [{ text: "I have read them. ".repeat(200) }] }]);
  await session.append("Go on.");
  expect((await session.view()).length).toBeLessThan(FACTS.length + 9);
  expect(countIn((await session.compact()).request)).toBe(FACTS.length);
});
