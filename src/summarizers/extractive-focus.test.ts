import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createCompactor } from "../compactor.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";

/** Instructions steer the embedded summary too. */

const LONG = JSON.parse(readFileSync("examples/long-conversation.json", "utf8"));

async function summaryOf(body: object, ratio: number, instructions?: string): Promise<string> {
  const call = { target: { ratio }, ...(instructions !== undefined && { instructions }) };
  const { report } = await createCompactor({ format: anthropicMessages }).compact(body, call);
  expect(report.fits).toBe(true);
  return report.result?.summary ?? "";
}

const timesIn = (text: string, word: RegExp): number => text.match(word)?.length ?? 0;

test.each([0.02, 0.03])("at %f of the bundled example, what is named comes in", async (ratio) => {
  expect(await summaryOf(LONG, ratio)).not.toContain("press campaign");
  expect(await summaryOf(LONG, ratio, "the press campaign and its coupon codes")).toContain("press campaign");
});

test.each([0.03, 0.05, 0.1])("at %f, more is said of what is named", async (ratio) => {
  const word = /idempotency/gi;
  const focused = await summaryOf(LONG, ratio, "the idempotency key of the gateway");
  expect(timesIn(focused, word)).toBeGreaterThan(timesIn(await summaryOf(LONG, ratio), word));
});

test.each([0.03, 0.1])("at %f, instructions that name nothing in it change nothing", async (ratio) => {
  const plain = await summaryOf(LONG, ratio);
  expect(await summaryOf(LONG, ratio, "zeppelins")).toBe(plain);
  expect(await summaryOf(LONG, ratio, "please focus")).toBe(plain);
});

test("one of several topics", async () => {
  const topics = ["billing", "search", "login", "export", "camera", "weather"];
  const messages = Array.from({ length: 120 }, (_, turn) => {
    const topic = topics[turn % topics.length];
    return [
      { role: "user", content: `About the ${topic} module: the ${topic} gadget blinks ${turn} times in a row.` },
      { role: "assistant", content: `The ${topic} gadget was inspected and the reading in ledger ${turn} is fine.` },
    ];
  }).flat();
  const body = { messages: [...messages, { role: "user", content: "go on" }] };
  const plain = timesIn(await summaryOf(body, 0.1), /camera/g);
  expect(timesIn(await summaryOf(body, 0.1, "focus on the camera module"), /camera/g)).toBeGreaterThan(2 * plain);
});
