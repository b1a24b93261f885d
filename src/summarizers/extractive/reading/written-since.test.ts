import { expect, test } from "vitest";
import type { Checkpoint } from "../../../core/checkpoint/checkpoint.ts";
import { type Message, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";

let next = 0;
const user = (words: string): Message => ({ id: `m${next++}`, role: "user", parts: [text(words)] });
const writes = (command: string): Message => ({
  id: `m${next++}`,
  role: "assistant",
  parts: [text(`On it.\n\`\`\`\n${command}\n\`\`\``)],
});
const output = (words: string): Message => user(`OBSERVATION:\n${words}`);

const TASK = user("Please open the northern sluice gate.");
const REFUSED = output("Error: the gate is stuck\nexit code 1");

/** Messages, of which those at `pinned` stay in the view. */
async function told(all: readonly Message[], ...pinned: readonly number[]): Promise<Partial<Checkpoint>> {
  const isKept = (_: Message, at: number): boolean => pinned.includes(at);
  const { checkpoint } = await extractive().summarize(
    {
      messages: all.filter((message, at) => !isKept(message, at)),
      turnPrefix: [],
      kept: all.filter(isKept),
      keptAfter: pinned.map((at, before) => at - before),
      budgetTokens: 2_000,
      counter: estimateTokens(),
    },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  return checkpoint ?? {};
}

const again = [TASK, writes("open north.gate"), REFUSED, writes("open north.gate"), output("12 lines")];

test("a command that was written since comes after the failure", async () => {
  const stuck = await told(again.slice(0, 3));
  expect(stuck.blocked).toEqual(["open: north.gate → Error: the gate is stuck"]);
  expect(stuck.nextSteps).toEqual(["overcome the failure of: open: north.gate"]);
  for (const rest of [again.slice(3, 4), [writes("ls gates")]]) {
    const passed = await told([...again.slice(0, 3), ...rest]);
    expect(passed.blocked).toEqual([]);
    expect(passed.nextSteps?.join()).toMatch(/^go on from: /);
  }
});

test("an output that stays among what leaves overcomes the failure of its command", async () => {
  const leaves = [...again, writes("ls gates")];
  expect((await told(leaves, 4)).toolFailures).toEqual([]);
  // Another command's does not.
  const other = [...again.slice(0, 3), writes("open south.gate"), output("12 lines"), writes("ls gates")];
  expect((await told(other, 4)).toolFailures).toHaveLength(1);
  // Nor does one before it failed.
  const earlier = [TASK, writes("open north.gate"), output("12 lines"), ...again.slice(1, 3), writes("ls gates")];
  expect((await told(earlier, 2)).toolFailures).toHaveLength(1);
});

test("an edit that succeeds overcomes one of other lines, but not another command", async () => {
  const refused = [TASK, writes("edit 10:12\ngate.open()\nend_of_edit"), REFUSED];
  const edited = [...refused, writes("edit 10:14\ngate.open()\nend_of_edit"), output("edited"), writes("ls gates")];
  expect((await told(edited)).toolFailures).toEqual([]);
  const looked = [...refused, writes("goto 10:14"), output("12 lines"), writes("ls gates")];
  expect((await told(looked)).toolFailures).toHaveLength(1);
});
