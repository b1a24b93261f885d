import { expect, test } from "vitest";
import { createCompactor } from "../src/compactor.ts";
import type { JsonObject } from "../src/core/json.ts";
import type { SettingsInput } from "../src/core/settings/settings.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { gemini } from "../src/formats/gemini.ts";

/** A list that is sent again, as clients do it: with cache marks that move on, or with more said by the same speaker. */

const MARK = { cache_control: { type: "ephemeral" } };
const MARK_TEXT = JSON.stringify(MARK).slice(1, -1);

const long = (turn: number): string => `part ${turn} of src/part-${turn}.ts was looked at `.repeat(60);
const say = (role: string, text: string): Said => ({ role, content: [{ type: "text", text }] });
const turns = (count: number): readonly Said[] =>
  Array.from({ length: count }, (_, turn) => [say("user", long(turn)), say("assistant", long(turn))]).flat();

interface Said {
  readonly role: string;
  readonly content: readonly JsonObject[];
}

/** With one mark, on the last block of the last message. */
function marked(messages: readonly Said[]): readonly Said[] {
  const last = messages.at(-1);
  if (last === undefined) return messages;
  const content = last.content.map((block, at) => (at === last.content.length - 1 ? { ...block, ...MARK } : block));
  return messages.with(-1, { ...last, content });
}

const unmarked = (json: unknown): string => JSON.stringify(json).replaceAll(`,${MARK_TEXT}`, "");
const marksIn = (json: unknown): number => JSON.stringify(json).split(MARK_TEXT).length - 1;

async function checkSticky(start: readonly Said[], settings: SettingsInput = {}): Promise<void> {
  const compactor = createCompactor({ format: anthropicMessages, windowTokens: 6_000, ...settings });
  let messages = start;
  let before: readonly unknown[] = [];
  let systemBefore = "";
  for (let request = 0; request < 4; request++) {
    const system = [{ type: "text", text: "Be brief.", ...(request % 2 === 0 && MARK) }];
    const fitted = await compactor.fit({ model: "claude-opus-4-8", system, messages: marked(messages) });
    expect(fitted.report.compacted, `request ${request}`).toBe(request === 0);
    const sent = fitted.request.messages;
    expect(unmarked(sent.slice(0, before.length))).toBe(unmarked(before));
    expect(marksIn(sent)).toBe(1);
    expect(marksIn(fitted.request.system)).toBe(request % 2 === 0 ? 1 : 0);
    systemBefore ||= unmarked(fitted.request.system);
    expect(unmarked(fitted.request.system)).toBe(systemBefore);
    before = sent;
    messages = [...messages, say("assistant", `done ${request}`), say("user", `go on ${request}`)];
  }
}

test("an edit stays while the client's cache mark moves on, and no mark stays behind", () =>
  checkSticky([...turns(12), say("user", "go on")]));

test("also where the summary stands in the system prompt", () =>
  checkSticky([...turns(12), say("user", "go on")], { render: { renderer: "system" } }));

test("nor does one on a result that was shortened", () => {
  const call = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "bash", input: {} }] };
  const text = "a line of the log\n".repeat(3_000);
  const result = {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "a", content: [{ type: "text", text }] }],
  };
  return checkSticky([...turns(4), say("user", "run it"), call, result]);
});

test("what the same speaker says after a pass is not taken for what was said before it", async () => {
  const content = (role: string, text: string): JsonObject => ({ role, parts: [{ text }] });
  const contents = Array.from({ length: 12 }, (_, turn) => [content("user", long(turn)), content("model", long(turn))]);
  const compactor = createCompactor({ format: gemini, windowTokens: 6_000 });
  const asked = [...contents.flat(), content("user", "first"), content("user", "second")];
  expect((await compactor.fit({ contents: asked })).report.compacted).toBe(true);
  const { request } = await compactor.fit({ contents: [...asked, content("user", "third")] });
  expect(request.contents.at(-1)).toEqual({
    role: "user",
    parts: [{ text: "first" }, { text: "second" }, { text: "third" }],
  });
});

test("a system message that a pass left at the end does not stand between two things that the user says then", async () => {
  const lastAsked = [say("user", "Only the footer."), say("user", "And the header.")];
  const instructed = { role: "system", content: "Answer in French." };
  const start = [say("user", long(0)), instructed, say("assistant", long(1)), ...turns(8)];
  const compactor = createCompactor({ format: anthropicMessages, compact: { strategy: "truncate" } });
  const model = "claude-opus-5";
  const first = await compactor.compact(
    { model, messages: [...start, ...lastAsked.slice(0, 1)] },
    { target: { tokens: 60 } },
  );
  expect(first.request.messages).toEqual([lastAsked[0], instructed]);
  const { request } = await compactor.fit({ model, messages: [...start, ...lastAsked] });
  expect(request.messages).toEqual([...lastAsked, instructed]);
});
