/** A kind of file that is asked for is read as that, or refused. */

import { expect, test } from "vitest";
import { detectSource, readTranscript } from "./read-transcript.ts";
import type { TranscriptSource } from "./transcript.ts";

const body = { messages: [{ role: "user", content: "hi" }] };
const batch = { custom_id: "a", method: "POST", url: "/v1/chat/completions", body };

/** The source that was read, or what is wrong. */
function check(text: string, source: TranscriptSource | undefined, expected: string): void {
  const read = (): string => readTranscript(text, source === undefined ? {} : { source }).source;
  if (expected.startsWith("the ")) expect(read).toThrow(expected);
  else expect(read()).toBe(expected);
}

test("another kind of plain file is refused", () => {
  const text = JSON.stringify(body);
  check(text, "request-body", "request-body");
  check(text, "http-recording", "the file cannot be read as http-recording: it looks like request-body, so leave the");
  check(
    text,
    "batch-jsonl",
    "the file cannot be read as batch-jsonl: it looks like chat-jsonl, so leave the source out",
  );
  const laidOut = JSON.stringify(body, null, 2);
  check(
    laidOut,
    "chat-jsonl",
    "the file cannot be read as chat-jsonl: it looks like request-body, so leave the source",
  );
});

test("one line may be all there is of a file of lines", () => {
  check(JSON.stringify(body), "chat-jsonl", "chat-jsonl");
  expect(readTranscript(JSON.stringify(body), { source: "chat-jsonl" }).conversations[0]?.id).toBe("line-1");
  check(JSON.stringify(batch), "batch-jsonl", "batch-jsonl");
  check(JSON.stringify(batch), undefined, "batch-jsonl");
});

test("a byte order mark hides nothing from detection", () => {
  const session = {
    type: "user",
    uuid: "u",
    parentUuid: null,
    sessionId: "s",
    message: { role: "user", content: "hi" },
  };
  for (const value of [body, [body.messages[0]], batch, session]) {
    const text = `\uFEFF${JSON.stringify(value)}`;
    expect(detectSource(text)).toBe(readTranscript(text).source);
  }
});
