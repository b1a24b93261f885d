/** Lines that stand twice, and what was typed meanwhile. */

import { expect, test } from "vitest";
import { readTranscript } from "./read-transcript.ts";

type Fields = Record<string, unknown>;

const line = (type: string, uuid: string, parentUuid: string | null, more: Fields) => ({
  type,
  uuid,
  parentUuid,
  sessionId: "s1",
  ...more,
});
const user = (uuid: string, parent: string | null, content: unknown) =>
  line("user", uuid, parent, { message: { role: "user", content } });
const answer = (uuid: string, parent: string | null, block: Fields) =>
  line("assistant", uuid, parent, {
    message: { id: `m-${uuid}`, role: "assistant", model: "claude-x", content: [block] },
  });
const queued = (uuid: string, parent: string, attachment: Fields) => line("attachment", uuid, parent, { attachment });
const say = (text: string) => ({ type: "text", text });
const call = { type: "tool_use", id: "t1", name: "Bash", input: {} };
const result = { type: "tool_result", tool_use_id: "t1", content: "out" };

function check(lines: readonly unknown[], expected: readonly unknown[]): void {
  const { conversations } = readTranscript(lines.map((one) => JSON.stringify(one)).join("\n"));
  expect(conversations.map(({ segments }) => segments.at(-1)?.messages)).toEqual([expected]);
}

test("a session that was copied into its own file is read once", () => {
  const session = [user("u1", null, "hi"), answer("a1", "u1", say("yo"))];
  check(
    [...session, ...session, user("u2", "a1", "more")],
    [
      { role: "user", content: [say("hi")] },
      { role: "assistant", content: [say("yo")] },
      { role: "user", content: [say("more")] },
    ],
  );
});

test("a prompt that waited while the model worked is part of the conversation", () => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
  check(
    [
      user("u1", null, "hi"),
      answer("a1", "u1", call),
      user("r1", "a1", [result]),
      queued("q1", "r1", { type: "queued_command", prompt: "use tabs", commandMode: "prompt" }),
      queued("q2", "q1", { type: "queued_command", prompt: [image, say("like this")] }),
      queued("q3", "q2", { type: "todo_reminder", content: [] }),
      queued("q4", "q3", { type: "queued_command", prompt: "" }),
      answer("a2", "q4", say("ok")),
    ],
    [
      { role: "user", content: [say("hi")] },
      { role: "assistant", content: [call] },
      { role: "user", content: [result] },
      { role: "user", content: [say("use tabs")] },
      { role: "user", content: [image, say("like this")] },
      { role: "assistant", content: [say("ok")] },
    ],
  );
});

test("a prompt that waited and has a line of its own is said once", () =>
  check(
    [
      user("u1", null, "hi"),
      answer("a1", "u1", say("yo")),
      queued("q1", "a1", { type: "queued_command", prompt: "on", source_uuid: "u2" }),
      user("u2", "q1", "on"),
    ],
    [
      { role: "user", content: [say("hi")] },
      { role: "assistant", content: [say("yo")] },
      { role: "user", content: [say("on")] },
    ],
  ));
