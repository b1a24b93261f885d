import { describe, expect, test } from "vitest";
import { openaiChat } from "../formats/openai-chat.ts";
import { createAnswerReader } from "./answer.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const kind = { format: openaiChat, status: 200, contentType: "text/event-stream; charset=utf-8", isStreamed: true };
const reader = (failed: (error: unknown) => void = () => {}) => createAnswerReader({ ...kind, failed });

const CHUNK = `{"choices":[{"delta":{"content":"é完"},"finish_reason":null}]}`;
const END = `{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":null}`;
const USAGE = `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2}}`;

describe.each(["\n", "\r\n", "\r"])("lines that end with %j", (end) => {
  const stream = [
    ": waiting",
    "",
    `data: ${CHUNK}`,
    "",
    `data:${END}`,
    "",
    `data: ${USAGE}`,
    "",
    "data: [DONE]",
    "",
    "",
  ];
  const bytes = encode(stream.join(end));

  test.each([1, 2, 3, 7, 1_000])("cut after every %i bytes", async (size) => {
    const answer = reader();
    for (let at = 0; at < bytes.length; at += size) await answer.add(bytes.subarray(at, at + size));
    await answer.end();
    expect(answer.usage).toEqual({ prompt_tokens: 9, completion_tokens: 2 });
    expect([answer.stopReason, answer.refusal]).toEqual(["stop", undefined]);
  });
});

test("an answer begins with its first event, and a comment is none", async () => {
  const answer = reader();
  await answer.add(encode(": waiting\n\n"));
  expect(answer.hasBegun).toBe(false);
  await answer.add(encode(`data: ${CHUNK}\n\n`));
  expect(answer.hasBegun).toBe(true);
});

test("what fails while an answer is read is told once, and ends the reading", async () => {
  const errors: unknown[] = [];
  const fails = (): never => {
    throw new Error("defect");
  };
  const answer = createAnswerReader({
    ...kind,
    format: { ...openaiChat, readOverflow: fails },
    failed: (error) => errors.push(error),
  });
  for (let times = 0; times < 2; times++) await answer.add(encode(`data: {"error":{"message":"no"}}\n\n`));
  await answer.end();
  expect(errors).toEqual([new Error("defect")]);
  expect([answer.hasBegun, answer.refusal]).toEqual([true, undefined]);
});
