import { expect, test } from "vitest";
import { anthropicMessages } from "./formats/anthropic-messages.ts";
import { recallTool } from "./recall-tool.ts";
import { openSession } from "./session.ts";

const compactor = { format: anthropicMessages, telemetry: false } as const;

test.each([2, 3, 8_000])("a message that is read in pieces of %i is read to the letter", async (charactersMax) => {
  const session = await openSession("a", { store: "memory:", compactor });
  const said = `a${"😀".repeat(charactersMax < 10 ? 5 : 5_000)}b`;
  const [messageId = ""] = await session.append(said);
  const tool = recallTool(session, anthropicMessages, { charactersMax });
  let [read, offset] = ["", 0];
  for (let pieces = 0; pieces < 20; pieces++) {
    const answer = await tool.run({ message_id: messageId, offset });
    read += /<message[^>]*>\n([\s\S]*)\n<\/message>/.exec(answer)?.[1];
    const next = /Go on with offset (\d+)/.exec(answer)?.[1];
    if (next === undefined) break;
    offset = Number(next);
  }
  expect(read).toBe(said);
});

test.each([
  { charactersMax: 1 },
  { charactersMax: Number.NaN },
  { charactersMax: 2.5 },
  { hitsMax: 0 },
  { hitsMax: -1 },
])("limits with which nothing could be read are refused: %j", async (options) => {
  const session = await openSession("a", { store: "memory:", compactor });
  expect(() => recallTool(session, anthropicMessages, options)).toThrow("must be a whole number from");
});
