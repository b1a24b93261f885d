import { expect, test } from "vitest";
import { checkpointText, scripted } from "../../test/summarizer-script.ts";
import { createCompactor } from "../compactor.ts";
import type { JsonObject } from "../core/json.ts";
import { openaiResponses } from "../formats/openai-responses.ts";
import { llm } from "./llm.ts";

const NOTE = "[The messages from here on opened the turn in progress; the rest of it is kept]";

const said = (role: string, content: string): JsonObject => ({ role, content });

/** Each round begins with reasoning that nobody but the model can read. */
const round = (id: number): readonly JsonObject[] => [
  { type: "reasoning", id: `rs${id}`, summary: [], encrypted_content: "c2VjcmV0" },
  { type: "function_call", call_id: `c${id}`, name: "read_file", arguments: `{"path":"src/part-${id}.ts"}` },
  { type: "function_call_output", call_id: `c${id}`, output: `part ${id}: ${"line of code ".repeat(400)}` },
];

/** The model is told where the turn begins whose rest it will not see. */
test.each([
  ["whose request goes too", false, /\n\n\[User\]: Now rewrite all parts\./],
  ["whose request stays", true, /\n\n\[Assistant called read_file\]: \{"path":"src\/part-0\.ts"\}/],
])("the early part of a turn %s is marked", async (_, latestRequest, start) => {
  const model = scripted(checkpointText("Rewrite all parts."));
  const compactor = createCompactor({
    format: openaiResponses,
    protect: { latestRequest, tailTokens: 5_000, tailMessages: 1, firstUser: false },
    summarizer: llm({ complete: model.complete, windowTokens: 200_000, guard: false }),
  });
  const rounds = Array.from({ length: 20 }, (_unused, id) => round(id)).flat();
  const earlier = [said("user", "Which parts are there?"), said("assistant", "Twenty of them.")];
  await compactor.compact({ model: "m", input: [...earlier, said("user", "Now rewrite all parts."), ...rounds] });
  const prompt = model.requests[0]?.prompt ?? "";
  expect(prompt.split(NOTE)).toHaveLength(2);
  expect(prompt.slice(prompt.indexOf(NOTE) + NOTE.length)).toMatch(new RegExp(`^${start.source}`));
});

const call = (id: number, name: string, input: JsonObject): JsonObject => ({
  type: "function_call",
  call_id: `c${id}`,
  name,
  arguments: JSON.stringify(input),
});
const output = (id: number, text: string): JsonObject => ({
  type: "function_call_output",
  call_id: `c${id}`,
  output: text,
});

const BODY = "line of the new code ".repeat(150);
const NEWEST = "Now tell the pilots which parts of the harbour were rewritten, and nothing else.";

/** Each round reads a part and writes it anew; what a wrapper returns is JSON in JSON. */
const work = (rounds: number, chars: number): readonly JsonObject[] =>
  Array.from({ length: rounds }, (_, id): readonly JsonObject[] => [
    call(2 * id, "read_file", { path: `src/part-${id}.ts` }),
    output(2 * id, wrapped(`first line of ${id}\n${"old code, ".repeat(chars / 10)}\nlast line of ${id}`)),
    call(2 * id + 1, "write_file", { path: `src/part-${id}.ts`, content: `begin ${id} ${BODY} end ${id}` }),
    output(2 * id + 1, `written ${id}`),
    said("assistant", `Part ${id} is rewritten.`),
  ]).flat();
const wrapped = (text: string): string =>
  JSON.stringify({ content: [{ type: "text", text: JSON.stringify({ data: { text } }) }] });

async function prompted(rounds: number, chars: number, windowTokens: number, ...first: readonly JsonObject[]) {
  const model = scripted(checkpointText("Rewrite all parts."));
  const summarizer = llm({ complete: model.complete, windowTokens, guard: false });
  const compactor = createCompactor({ format: openaiResponses, summarizer });
  const input = [said("user", "Rewrite all parts."), ...first, ...work(rounds, chars), said("user", NEWEST)];
  const { report } = await compactor.compact({ model: "m", input }, { target: { ratio: 0.1 } });
  return { prompts: model.requests.map(({ prompt }) => prompt), notes: report.notes };
}

test("what fits the summarizer's window is shown whole, and so is what stays", async () => {
  const { prompts } = await prompted(12, 20_000, 200_000);
  const [prompt = ""] = prompts;
  expect(prompts).toHaveLength(1);
  expect(prompt.split("old code, ")).toHaveLength(12 * 2_000 + 1);
  expect(prompt).toMatch(/kind="kept">[\s\S]*Now tell the pilots[\s\S]*kind="request">\nNow tell the pilots/);
});

test("what does not fit loses the middle of results of reads, the oldest first, without the packaging around them", async () => {
  const merged = `${"merged row, ".repeat(300)}merged all`;
  const first = [call(-1, "merge_pages", { page: "p1", action: "update" }), output(-1, merged)];
  const { prompts, notes } = await prompted(12, 4_000, 32_000, ...first);
  const [prompt = ""] = prompts;
  expect(prompts).toHaveLength(1);
  expect(notes.join()).toMatch(/Results in \d+ older messages were shortened/);
  const lost = Array.from({ length: 12 }, (_, id) => !prompt.includes(`first line of ${id}\\\\n`));
  expect(lost[0]).toBe(true);
  expect(lost).toEqual([...lost].sort((a, b) => Number(b) - Number(a)));
  expect(lost.filter((isLost) => !isLost).length).toBeGreaterThan(1);
  // What a change returned is older, and goes only after all reads.
  expect(prompt).toContain(merged);
  // A short form says the same, out of its packaging, and what was written stays whole.
  expect(prompt).toContain("[Result of read_file]: first line of 0\nold code, old code");
  for (let id = 0; id < 12; id++) {
    expect(prompt).toContain(`last line of ${id}`);
    expect(prompt).toContain(`begin ${id} ${BODY} end ${id}`);
  }
});

test("what does not fit so either is told in stages, whole, each with the newest request", async () => {
  const { prompts, notes } = await prompted(40, 8_000, 32_000);
  expect(prompts.length).toBeGreaterThan(3);
  expect(notes.join()).not.toContain("shortened");
  for (const prompt of prompts) expect(prompt).toContain(`kind="request">\n${NEWEST}`);
  const [last = "", ...parts] = prompts.toReversed();
  expect(last).toContain('kind="kept"');
  for (const prompt of parts) expect(prompt).not.toContain('kind="kept"');
  expect(parts.join("\n").split("old code, ").length - 1).toBeGreaterThan(38 * 800);
});

const FINNISH =
  "Tietokantayhteyden ympäristömuuttujat tarkistettiin ja palautettiin oletusasetuksiinsa uudelleenkäynnistyksen jälkeen";

/** Words of several languages take more or fewer tokens: the length is stated by what this conversation says. */
test.each([
  ["English", (id: number) => `src/part-${id % 12}.ts was read and written anew in step ${id}`, "Part is rewritten."],
  ["Finnish", (id: number) => `${FINNISH}, vaihe ${id}`, `${FINNISH}. `],
])(
  "a complete checkpoint of exactly the stated length loses no line, and costs one call: %s",
  async (_, item, word) => {
    const written: string[] = [];
    const model = scripted(async ({ prompt }) => {
      const words = Number(/at most (\d+) words/.exec(prompt)?.[1]);
      const frame = checkpointText(item(0), "");
      const items: string[] = [];
      let left = words - frame.trim().split(/\s+/).length + 1;
      for (let id = 0; left > 0; id++) {
        const line = `- ${item(id)}`.split(" ").slice(0, left);
        left -= line.length;
        items.push(line.join(" "));
      }
      const text = frame.replace("## Critical Context\n- ", `## Critical Context\n${items.join("\n")}`);
      expect(text.split(/\s+/)).toHaveLength(words);
      written.push(...text.split("\n"));
      return { text, stopReason: "stop" };
    });
    const summarizer = llm({ complete: model.complete, windowTokens: 200_000 });
    const rounds = work(12, 20_000).flatMap((message) =>
      "content" in message ? [said("assistant", word.repeat(2))] : [message],
    );
    const input = [said("user", word), ...rounds, said("user", `${word} ${NEWEST}`)];
    for (const ratio of [0.05, 0.1, 0.3]) {
      written.length = 0;
      const compactor = createCompactor({ format: openaiResponses, summarizer, prune: { enabled: false } });
      const { report } = await compactor.compact({ model: "m", input }, { target: { ratio } });
      expect(report.calls).toBe(1);
      const told = new Set(report.result?.summary?.split("\n"));
      expect(written.length).toBeGreaterThan(30);
      expect(written.filter((line) => !told.has(line))).toEqual([]);
      // Nor does the guard lose its own, which were counted before.
      expect([...told]).toContain("## Files Modified");
      expect(report.notes.join()).not.toContain("over its budget");
    }
  },
);

test("what a short summary leaves of its room goes to the tail", async () => {
  const tokensAfter = async (goal: string): Promise<readonly [number, number]> => {
    const summarizer = llm({ complete: scripted(checkpointText(goal)).complete, windowTokens: 200_000 });
    const compactor = createCompactor({ format: openaiResponses, summarizer, prune: { enabled: false } });
    const input = [said("user", "Rewrite all parts."), ...work(60, 2_000), said("user", NEWEST)];
    const { report } = await compactor.compact({ model: "m", input }, { target: { ratio: 0.2 } });
    expect(report).toMatchObject({ calls: 1, fits: true });
    return [report.messagesAfter, report.tokensAfter / (report.targetTokens ?? 1)];
  };
  const [messages, share] = await tokensAfter("Rewrite all parts.");
  const [fewer] = await tokensAfter(`Rewrite all parts. ${"Each part is read and written anew. ".repeat(500)}`);
  expect(messages).toBeGreaterThan(fewer + 5);
  expect(share).toBeGreaterThan(0.85);
});
