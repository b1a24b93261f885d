/** Claude Code sessions: branches, split responses, parallel calls, compaction, sidechains, drift. */

import { describe, expect, test } from "vitest";
import { readTranscript } from "./read-transcript.ts";
import type { RecordedConversation, Transcript } from "./transcript.ts";

type Fields = Record<string, unknown>;

const line = (type: string, uuid: string, parent: string | null) => ({
  type,
  uuid,
  parentUuid: parent,
  sessionId: "s1",
});

/** A user line; `parent` is the uuid it hangs on. */
const user = (uuid: string, parent: string | null, content: unknown, more: Fields = {}) => ({
  ...line("user", uuid, parent),
  message: { role: "user", content },
  ...more,
});

/** An assistant line of response `id`. */
const answer = (uuid: string, parent: string | null, id: string, block: Fields | string, more: Fields = {}) => ({
  ...line("assistant", uuid, parent),
  message: { id, role: "assistant", model: "claude-x", content: [typeof block === "string" ? say(block) : block] },
  ...more,
});

const say = (text: string) => ({ type: "text", text });
const call = (id: string) => ({ type: "tool_use", id, name: "Bash", input: {} });
const result = (id: string) => [{ type: "tool_result", tool_use_id: id, content: `out ${id}` }];
const CACHED = { cache_read_input_tokens: 100, cache_creation_input_tokens: 10 };
const usage = (input: number, output: number) => ({ ...CACHED, input_tokens: input, output_tokens: output });

function read(lines: readonly unknown[], tail = ""): Transcript {
  return readTranscript(`${lines.map((line) => JSON.stringify(line)).join("\n")}\n${tail}`);
}

/** Messages as words: `u:hello`, `a:text+c1`, `u:r1+r2+text`. */
function script(messages: readonly unknown[]): string {
  return messages
    .map((message) => {
      const { role, content } = message as { role: string; content: Fields[] };
      const words = content.map((block) => block.text ?? block.id ?? block.tool_use_id ?? block.type);
      const prefixed = content.map((block, index) =>
        block.type === "tool_result" ? `=${words[index]}` : words[index],
      );
      return `${role[0]}:${prefixed.join("+")}`;
    })
    .join(" ");
}

const view = (conversation: RecordedConversation | undefined) => script(conversation?.segments.at(-1)?.messages ?? []);

function check(lines: readonly unknown[], expected: string): RecordedConversation {
  const main = read(lines).conversations[0] as RecordedConversation; // a transcript is never empty
  expect(view(main)).toBe(expected);
  return main;
}

const boundary = (uuid: string, logicalParent: string | undefined, metadata: Fields = {}) => ({
  ...line("system", uuid, null),
  subtype: "compact_boundary",
  ...(logicalParent === undefined ? {} : { logicalParentUuid: logicalParent }),
  compactMetadata: { trigger: "auto", preTokens: 167_000, ...metadata },
});

const summary = (uuid: string, parent: string | null) =>
  user(uuid, parent, "SUMMARY", { isCompactSummary: true, isVisibleInTranscriptOnly: true });

describe("the live branch", () => {
  test("a plain exchange", () => {
    const main = check([user("u1", null, "hi"), answer("a1", "u1", "m1", "hello")], "u:hi a:hello");
    expect(main).toMatchObject({ id: "s1", label: "main", format: "anthropic-messages", models: ["claude-x"] });
    expect(main.body).toMatchObject({ model: "claude-x" });
  });

  test("a retried prompt leaves its first branch out", () =>
    check(
      [
        user("u1", null, "hi"),
        answer("a1", "u1", "m1", "first"),
        user("u2", "a1", "wrong"),
        answer("a2", "u2", "m2", "lost"),
        user("u3", "a1", "right"),
        answer("a3", "u3", "m3", "kept"),
      ],
      "u:hi a:first u:right a:kept",
    ));

  test("side records link the chain and are not context", () => {
    const lines = [
      { type: "file-history-snapshot", messageId: "x", snapshot: {} },
      { type: "progress", uuid: "p0", parentUuid: null, sessionId: "s1", data: {} },
      user("u1", "p0", "hi"),
      { type: "attachment", uuid: "t1", parentUuid: "u1", attachment: { type: "todo" } },
      answer("a1", "t1", "m1", "hello"),
      { type: "summary", leafUuid: "a1", summary: "A title" },
    ];
    check(lines, "u:hi a:hello");
    expect(read(lines).records).toEqual({ read: 6, unknown: {}, broken: 0 });
  });

  test("meta lines are context, client errors are not", () =>
    check(
      [
        user("u1", null, "skill text", { isMeta: true }),
        user("u2", "u1", "hi"),
        answer("a1", "u2", "m1", "API Error 529", { isApiErrorMessage: true }),
        answer("a2", "a1", "m2", "hello"),
      ],
      "u:skill text u:hi a:hello",
    ));

  test("unknown records and a broken last line are counted", () => {
    const lines = [
      user("u1", null, "hi"),
      { type: "novelty", uuid: "n1", parentUuid: "u1" },
      answer("a1", "n1", "m1", "yo"),
    ];
    const transcript = read(lines, '{"type":"user","uuid":"u2","mess');
    expect(view(transcript.conversations[0])).toBe("u:hi a:yo");
    expect(transcript.records).toEqual({ read: 3, unknown: { novelty: 1 }, broken: 1 });
  });

  test("a lost line does not cut the branch off", () =>
    check([user("u1", null, "hi"), answer("a1", "gone", "m1", "hello"), user("u2", "a1", "on")], "u:hi a:hello u:on"));

  test("a circle of parents ends", () =>
    check([user("u1", "a1", "hi"), answer("a1", "u1", "m1", "hello")], "u:hi a:hello"));
});

describe("responses and results", () => {
  test("lines of one response are one message, its usage counted once from its last line", () => {
    const first = answer("a1", "u1", "m1", { type: "thinking", thinking: "hm", signature: "sig" });
    const last = answer("a2", "a1", "m1", call("c1"));
    const main = check(
      [
        user("u1", null, "hi"),
        { ...first, message: { ...first.message, usage: usage(5, 1) } },
        { ...last, message: { ...last.message, usage: usage(5, 42) } },
        user("u2", "a2", result("c1")),
        answer("a3", "u2", "m2", "done"),
      ],
      "u:hi a:thinking+c1 u:=c1 a:done",
    );
    expect(main.calls).toEqual([
      {
        segment: 0,
        messageCount: 1,
        model: "claude-x",
        usage: { inputTokens: 115, cacheReadTokens: 100, cacheWriteTokens: 10, outputTokens: 42, reasoningTokens: 0 },
      },
    ]);
  });

  test("parallel calls written between their results are joined again", () =>
    check(
      [
        user("u1", null, "hi"),
        answer("a1", "u1", "m1", call("c1")),
        user("r1", "a1", result("c1")),
        answer("a2", "r1", "m1", call("c2")),
        user("r2", "a2", result("c2")),
        answer("a3", "r2", "m2", "done"),
      ],
      "u:hi a:c1+c2 u:=c1+=c2 a:done",
    ));

  test("calls and results on twigs beside the branch belong to it", () =>
    check(
      [
        user("u1", null, "hi"),
        answer("a1", "u1", "m1", call("c1")),
        answer("a2", "a1", "m1", call("c2")),
        answer("a3", "a2", "m1", call("c3")),
        user("r2", "a2", result("c2")),
        user("r3", "a3", result("c3")),
        user("r1", "a1", result("c1")),
        answer("a4", "r1", "m2", "done"),
      ],
      "u:hi a:c1+c2+c3 u:=c2+=c3+=c1 a:done",
    ));

  test("text typed while calls ran comes after the results", () =>
    check(
      [
        user("u1", null, "hi"),
        answer("a1", "u1", "m1", "looking"),
        user("u2", "a1", "wait"),
        answer("a2", "u2", "m1", call("c1")),
        user("r1", "a2", [say("note"), ...result("c1")]),
      ],
      "u:hi a:looking+c1 u:=c1 u:wait u:note",
    ));

  test("results stand before the text of their own line", () =>
    check(
      [user("u1", null, "hi"), answer("a1", "u1", "m1", call("c1")), user("r1", "a1", [say("note"), ...result("c1")])],
      "u:hi a:c1 u:=c1+note",
    ));

  test("a call that was never answered stays, blank text and lone thinking go", () =>
    check(
      [
        user("u1", null, "hi"),
        answer("a1", "u1", "m1", call("c1")),
        user("u2", "a1", "[Request interrupted by user]"),
        answer("a2", "u2", "m2", { type: "thinking", thinking: "…", signature: "s" }),
        user("u3", "a2", "  "),
        user("u4", "u3", "go on"),
      ],
      "u:hi a:c1 u:[Request interrupted by user] u:go on",
    ));
});

describe("compaction", () => {
  const before = [user("u1", null, "hi"), answer("a1", "u1", "m1", "one"), user("u2", "a1", "more")];

  test("a boundary starts a new segment with its summary", () => {
    const main = check(
      [...before, boundary("b1", "u2"), summary("c1", "b1"), answer("a2", "c1", "m2", "two")],
      "u:SUMMARY a:two",
    );
    expect(main.segments.map(({ messages }) => script(messages))).toEqual(["u:hi a:one u:more", "u:SUMMARY a:two"]);
    expect(main.compactions).toEqual([{ afterSegment: 0, trigger: "auto", tokensBefore: 167_000, summary: "SUMMARY" }]);
  });

  const kept = { preservedMessages: { anchorUuid: "c1", uuids: ["a1", "u2"] } };
  const expected = "u:SUMMARY a:one u:more a:two";

  test("preserved messages stand behind the summary, and their call is not counted twice", () => {
    const counted = { ...before[1], message: { ...answer("a1", "u1", "m1", "one").message, usage: usage(1, 1) } };
    const main = check(
      [before[0], counted, before[2], boundary("b1", "u2", kept), summary("c1", "b1"), answer("a2", "c1", "m2", "two")],
      expected,
    );
    expect(main.calls.map(({ segment, messageCount }) => [segment, messageCount])).toEqual([[0, 1]]);
  });

  test("new messages may hang on a preserved one", () =>
    check([...before, boundary("b1", "u2", kept), summary("c1", "b1"), answer("a2", "u2", "m2", "two")], expected));

  test("a preserved stretch is named by its ends", () =>
    check(
      [
        ...before,
        boundary("b1", "u2", { preservedSegment: { headUuid: "a1", anchorUuid: "c1", tailUuid: "u2" } }),
        summary("c1", "b1"),
        answer("a2", "c1", "m2", "two"),
      ],
      expected,
    ));

  test("two compactions give three segments, carried messages between them too", () => {
    const main = check(
      [
        ...before,
        boundary("b1", "u2", kept),
        summary("c1", "b1"),
        answer("a2", "u2", "m2", "two"),
        boundary("b2", "a2", { preservedMessages: { anchorUuid: "c2", uuids: ["u2", "a2"] } }),
        summary("c2", "b2"),
        user("u3", "a2", "last"),
      ],
      "u:SUMMARY u:more a:two u:last",
    );
    expect(main.segments.map(({ messages }) => script(messages)).slice(0, 2)).toEqual(["u:hi a:one u:more", expected]);
  });

  test("a boundary without a logical parent follows the line before it", () => {
    const main = check([...before, boundary("b1", undefined), summary("c1", "b1")], "u:SUMMARY");
    expect(main.segments).toHaveLength(2);
  });

  test("a summary without a boundary counts as one", () => {
    const main = check([...before, summary("c1", "u2"), answer("a2", "c1", "m2", "two")], "u:SUMMARY a:two");
    expect(main.compactions).toEqual([{ afterSegment: 0, summary: "SUMMARY" }]);
  });

  test("a file that begins with a summary was compacted elsewhere", () => {
    const main = check(
      [boundary("b1", "elsewhere"), summary("c1", "b1"), answer("a2", "c1", "m2", "two")],
      "u:SUMMARY a:two",
    );
    expect([main.segments.length, main.compactions.length]).toEqual([1, 0]);
  });

  test("going back to before a compaction undoes it", () => {
    const main = check(
      [
        ...before,
        boundary("b1", "u2"),
        summary("c1", "b1"),
        answer("a2", "c1", "m2", "two"),
        user("u9", "a1", "instead"),
      ],
      "u:hi a:one u:instead",
    );
    expect(main.compactions).toEqual([]);
  });
});

describe("sidechains and streams", () => {
  test("sidechains are conversations of their own", () => {
    const side = { isSidechain: true };
    const { conversations } = read([
      user("u1", null, "hi"),
      answer("a1", "u1", "m1", call("c1")),
      user("x1", null, "task", { ...side, agentId: "ag1" }),
      user("y1", null, "other task", side),
      answer("x2", "x1", "m2", "did it", { ...side, agentId: "ag1" }),
      answer("y2", "y1", "m3", "that too", side),
      user("r1", "a1", result("c1")),
    ]);
    expect(conversations.map((conversation) => [conversation.label, view(conversation)])).toEqual([
      ["main", "u:hi a:c1 u:=c1"],
      ["sidechain ag1", "u:task a:did it"],
      ["sidechain y1", "u:other task a:that too"],
    ]);
  });

  test("stream-json output reads the same", () => {
    const { source, conversations } = read([
      { type: "system", subtype: "init", session_id: "s9", uuid: "i" },
      { type: "user", session_id: "s9", parent_tool_use_id: null, message: { role: "user", content: "hi" } },
      {
        type: "assistant",
        session_id: "s9",
        parent_tool_use_id: null,
        message: { id: "m1", role: "assistant", content: [say("yo")] },
      },
      { type: "result", session_id: "s9", subtype: "success" },
    ]);
    expect([source, conversations[0]?.id, view(conversations[0])]).toEqual(["claude-code", "s9", "u:hi a:yo"]);
  });
});

describe("lines that stand for others", () => {
  const queued = (uuid: string, parent: string, attachment: Fields) => ({
    ...line("attachment", uuid, parent),
    attachment,
  });

  test("a session that was copied into its own file is read once", () => {
    const session = [user("u1", null, "hi"), answer("a1", "u1", "m1", "yo")];
    const lines = [...session, ...session, user("u2", "a1", "more")];
    check(lines, "u:hi a:yo u:more");
    expect(read(lines).conversations).toHaveLength(1);
  });

  test("a prompt that waited while the model worked is part of the conversation", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
    const { segments } = check(
      [
        user("u1", null, "hi"),
        answer("a1", "u1", "m1", call("t1")),
        user("r1", "a1", result("t1")),
        queued("q1", "r1", { type: "queued_command", prompt: "use tabs", commandMode: "prompt" }),
        queued("q2", "q1", { type: "queued_command", prompt: [image, say("like this")] }),
        queued("q3", "q2", { type: "todo_reminder", content: [] }),
        queued("q4", "q3", { type: "queued_command", prompt: "" }),
        answer("a2", "q4", "m2", "ok"),
      ],
      "u:hi a:t1 u:=t1 u:use tabs u:image+like this a:ok",
    );
    expect(segments[0]?.messages[4]).toEqual({ role: "user", content: [image, say("like this")] });
  });

  test("a prompt that waited and has a line of its own is said once", () =>
    check(
      [
        user("u1", null, "hi"),
        answer("a1", "u1", "m1", "yo"),
        queued("q1", "a1", { type: "queued_command", prompt: "on", source_uuid: "u2" }),
        user("u2", "q1", "on"),
      ],
      "u:hi a:yo u:on",
    ));
});
