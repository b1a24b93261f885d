import { expect, test } from "vitest";
import { type Message, type Part, text } from "../message.ts";
import { quoteResult } from "../repair/pass.ts";
import { firstRequest, isRequest } from "./partition-request.ts";

const user = (...parts: Part[]): Message => ({ id: "m", role: "user", parts });
const QUOTED = quoteResult({ type: "tool-result", callId: "c1", content: [text("3 rows")], isError: false });

test.each([
  ["what a user says", user(text("Count the boats.")), true],
  ["a result that was quoted for want of its call", user(...QUOTED), false],
  ["an observation of a tool", user(text("OBSERVATION:\n3 rows")), false],
  ["a result beside what a user says", user(...QUOTED, text("Count the boats.")), true],
  ["another tool's summary", user(text("This session is being continued from a previous conversation.")), false],
  [
    "an image alone",
    user({
      type: "media",
      kind: "image",
      mediaType: "image/png",
      source: { type: "url", url: "https://x.example/a.png" },
    }),
    true,
  ],
])("%s", (_, message, expected) => expect(isRequest(message)).toBe(expected));

test("the first request is the first in a user's own words", () => {
  const note = user(text("<local-command-caveat>Generated while running local commands.</local-command-caveat>"));
  const command = user(text("<command-name>/clear</command-name>\n<command-args></command-args>"));
  const task = user(text("Count the boats."));
  const summary = user(text("This session is being continued from a previous conversation."));
  expect(firstRequest([summary, note, command, task, task], isRequest)).toBe(3);
  expect(firstRequest([summary, command, note], isRequest)).toBe(1);
  expect(firstRequest([summary], isRequest)).toBe(-1);
});
