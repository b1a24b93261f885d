/** pi itself reads what we write: messages of every format, compactions, rollbacks; and we read what it adds. */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import type { JsonValue } from "../../core/json.ts";
import type { FormatName, Role } from "../../core/message.ts";
import { append, begin, compact, ids, isSound, user } from "../../testing/store/world.ts";
import { jsonlStore } from "../jsonl.ts";

/** Installed with the benchmarks, whose peer it is. */
const PI = "bench/node_modules/@earendil-works/pi-coding-agent/dist/core/session-manager.js";

interface PiMessage {
  readonly role: string;
  readonly content?: string | readonly { readonly type: string; readonly text?: string; readonly name?: string }[];
  readonly summary?: string;
  readonly toolName?: string;
}

interface PiSession {
  getSessionId(): string;
  buildSessionContext(): { readonly messages: readonly PiMessage[] };
  appendMessage(message: unknown): string;
  createBranchedSession(leafId: string): string | undefined;
  appendCompaction(summary: string, firstKeptEntryId: string, tokensBefore: number): string;
}

async function openInPi(file: string): Promise<PiSession> {
  // The package has its own types; this is the part of them that is used here.
  const module = (await import(pathToFileURL(PI).href)) as { SessionManager: { open(path: string): PiSession } };
  return module.SessionManager.open(file);
}

function words({ messages }: { readonly messages: readonly PiMessage[] }): string {
  return messages
    .map(({ role, content, summary, toolName }) => {
      if (summary !== undefined) return `summary:${summary}`;
      const blocks = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
      const says = blocks.map((block) =>
        "name" in block ? `${block.type} ${block.name}` : (block.text ?? block.type),
      );
      return `${toolName ?? role}:${says.join("+")}`;
    })
    .join(" | ");
}

function setUp() {
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-pi-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return { store: jsonlStore({ directory, sync: "never" }), file: join(directory, "a.jsonl") };
}

const IMAGE = "iVBORw0KGgo".padEnd(2_000, "Ab9+");

const SAID: readonly (readonly [FormatName, readonly (readonly [Role, JsonValue])[]])[] = [
  [
    "anthropic-messages",
    [
      ["user", { role: "user", content: "look" }],
      ["assistant", { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "see", input: {} }] }],
      ["user", { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "a door" }] }],
      ["assistant", { role: "assistant", content: "done" }],
    ],
  ],
  [
    "openai-chat",
    [
      ["user", { role: "user", content: "look" }],
      [
        "assistant",
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "c1", type: "function", function: { name: "see", arguments: "{}" } }],
        },
      ],
      ["tool", { role: "tool", tool_call_id: "c1", content: "a door" }],
      ["assistant", { role: "assistant", content: "done" }],
    ],
  ],
  [
    "openai-responses",
    [
      ["user", { type: "message", role: "user", content: [{ type: "input_text", text: "look" }] }],
      ["assistant", { type: "function_call", call_id: "c1", name: "see", arguments: "{}" }],
      ["tool", { type: "function_call_output", call_id: "c1", output: "a door" }],
      ["assistant", { type: "message", role: "assistant", content: [{ type: "output_text", text: "done" }] }],
    ],
  ],
  [
    "gemini",
    [
      ["user", { role: "user", parts: [{ text: "look" }] }],
      ["assistant", { role: "model", parts: [{ functionCall: { name: "see", args: {} } }] }],
      ["user", { role: "user", parts: [{ functionResponse: { name: "see", response: { output: "a door" } } }] }],
      ["assistant", { role: "model", parts: [{ text: "done" }] }],
    ],
  ],
];

describe.skipIf(!existsSync(PI))(`pi (skipped where ${PI} is not installed)`, () => {
  test.each(SAID)("shows messages of %s", async (format, said) => {
    const { store, file } = setUp();
    await store.create({ id: "a", format, base: { model: "some-model" } });
    await append(
      store,
      "a",
      said.map(([role, body]) => ({ role, body, attachments: [] })),
    );
    const pi = await openInPi(file);
    expect(pi.getSessionId()).toBe("a");
    const door = format === "gemini" ? '{"output":"a door"}' : "a door";
    expect(words(pi.buildSessionContext())).toBe(`user:look | assistant:toolCall see | see:${door} | assistant:done`);
  });

  test("shows pictures", async () => {
    const { store, file } = setUp();
    await store.create({ id: "a", format: "openai-chat", base: {} });
    const url = `data:image/png;base64,${IMAGE}`;
    const body = { role: "user", content: [{ type: "image_url", image_url: { url } }] };
    await append(store, "a", [{ role: "user", body, attachments: [] }]);
    const { messages } = (await openInPi(file)).buildSessionContext();
    expect(messages[0]?.content).toEqual([{ type: "image", data: IMAGE, mimeType: "image/png" }]);
  });

  test("obeys compactions and rollbacks", async () => {
    const { store, file } = setUp();
    await begin(store, "a", 4);
    const shown = async () => words((await openInPi(file)).buildSessionContext());
    await compact(store, "a", { archive: [0], summary: "first", event: { firstKeptId: null } });
    const first = await shown();
    expect(first).toBe("summary:first | assistant:answer 2 | user:question 3 | assistant:answer 4");
    await compact(store, "a", { archive: [0, 1], summary: "second", event: { firstKeptId: null } });
    expect(await shown()).toBe("summary:second | user:question 3 | assistant:answer 4");
    await store.rollback("a", {});
    expect(await shown()).toBe(first);
    await store.rollback("a", {});
    const all = "user:question 1 | assistant:answer 2 | user:question 3 | assistant:answer 4";
    expect(await shown()).toBe(`summary: | ${all}`);
    await compact(store, "a", { archive: [0, 1, 2, 3], summary: "nothing kept", event: { firstKeptId: null } });
    expect(await shown()).toBe("summary:nothing kept");
  });

  test("goes on, and so do we", async () => {
    const { store, file } = setUp();
    await begin(store, "a", 2);
    const pi = await openInPi(file);
    const added = pi.appendMessage({ role: "user", content: "from pi", timestamp: 1 });
    expect(await ids(store, "a")).toBe(`m1 m2 ${added}`);
    pi.appendCompaction("by pi", added, 1_000);
    expect(await ids(store, "a")).toBe(`m4 ${added}`);
    await append(store, "a", [user("ours")]);
    expect(await ids(store, "a")).toBe(`m4 ${added} m5`);
    expect(words((await openInPi(file)).buildSessionContext())).toBe("summary:by pi | user:from pi | user:ours");
    await store.rollback("a", {});
    expect(await ids(store, "a")).toBe(`m1 m2 ${added} m5`);
    await isSound(store);
  });

  test("forks in the middle of a batch of ours, and all of the fork counts and stays", async () => {
    const { store, file } = setUp();
    await begin(store, "a", 6);
    const pi = await openInPi(file);
    const fork = pi.createBranchedSession("m4") ?? "";
    const id = pi.getSessionId();
    expect(await ids(store, id)).toBe("m1 m2 m3 m4");
    const added = pi.appendMessage({ role: "user", content: "from pi", timestamp: 1 });
    await append(store, id, [user("ours")]);
    expect(await ids(store, id)).toBe(`m1 m2 m3 m4 ${added} m6`);
    const shown = words((await openInPi(fork)).buildSessionContext());
    expect(shown).toMatch(/^user:question 1 \|.*answer 4 \| user:from pi \| user:ours$/);
    await isSound(store);
  });

  test("goes on behind a batch that we did not finish, and keeps to ours where we do", async () => {
    const { store, file } = setUp();
    await begin(store, "a", 2);
    const torn = async () => {
      const before = readFileSync(file, "utf8");
      await append(store, "a", [user("torn"), user("never there")]);
      const [first] = readFileSync(file, "utf8").slice(before.length).split("\n");
      writeFileSync(file, `${before}${first}\n`);
    };
    const shown = async () => words((await openInPi(file)).buildSessionContext());
    await torn();
    await append(store, "a", [user("ours")]);
    expect(await shown()).toBe("user:question 1 | assistant:answer 2 | user:ours");
    await torn();
    const added = (await openInPi(file)).appendMessage({ role: "user", content: "from pi", timestamp: 1 });
    await append(store, "a", [user("more")]);
    expect(await ids(store, "a")).toBe(`m1 m2 m3 m4 ${added} m6`);
    expect(await shown()).toBe(
      "user:question 1 | assistant:answer 2 | user:ours | user:torn | user:from pi | user:more",
    );
    await isSound(store);
  });
});
