import { describe, expect, test } from "vitest";
import { open, SMALL, talk } from "../../test/session-world.ts";
import type { CompactorOptions } from "../compactor.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { gemini } from "../formats/gemini.ts";

/** The record says what was done, and a call's settings apply to the whole call. */

describe("the strategy on record is the one that was carried out", () => {
  async function strategyOnRecord(options: Partial<CompactorOptions>, strategy?: "truncate"): Promise<unknown> {
    const told: unknown[] = [];
    const notify: NonNullable<CompactorOptions["hooks"]>["notify"] = (event) =>
      event.type === "conversation-compacted" && told.push(event.strategy);
    const hooks = { notify, ...options.hooks };
    const session = await open({ compactor: { format: anthropicMessages, ...SMALL, ...options, hooks } });
    await talk(session, 12);
    await session.compact(strategy === undefined ? {} : { settings: { compact: { strategy } } });
    const [event] = await session.history();
    expect(told).toEqual([event?.strategy]);
    return event?.strategy;
  }

  test("the settings' own", async () => expect(await strategyOnRecord({})).toBe("hybrid"));
  test("the call's", async () => expect(await strategyOnRecord({}, "truncate")).toBe("truncate"));
  test("a hook's", async () => {
    const provide = () => ({ compaction: { summary: "They talked about the build." } });
    expect(await strategyOnRecord({ hooks: { provide } })).toBe("provided");
  });
  test("a truncation, where no summary could be made", async () => {
    const summarizer = {
      name: "broken",
      version: "1",
      planCalls: () => 1,
      summarize: () => Promise.reject(new Error("no")),
    };
    const failure = { ladder: ["truncate"] } as const;
    expect(await strategyOnRecord({ summarizer, failure })).toBe("truncate");
  });
  test("a summary, where the provider has no compaction of its own (R151)", async () =>
    expect(await strategyOnRecord({ compact: { ...SMALL.compact, strategy: "native" } })).toBe("summarize"));
});

describe("a call's own prune.scope", () => {
  async function eventsOf(own: "stored" | "request", call?: "stored" | "request"): Promise<number> {
    const compactor = { format: anthropicMessages, windowTokens: 16_000, compact: { auto: false } };
    const session = await open({ compactor: { ...compactor, prune: { scope: own } } });
    await session.append({ role: "user", content: "Look around." });
    for (let index = 0; index < 12; index++) {
      const [id, content] = [`t${index}`, "a line of it ".repeat(400)];
      await session.append([
        { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
      ]);
    }
    const { report, request } = await session.fit(call === undefined ? {} : { settings: { prune: { scope: call } } });
    expect(report).toMatchObject({ compacted: true, reason: "prune" });
    expect(JSON.stringify(await session.request())).toBe(JSON.stringify(request));
    return (await session.history()).length;
  }

  test("none", async () => expect([await eventsOf("stored"), await eventsOf("request")]).toEqual([1, 0]));
  test("stores what would not have been", async () => expect(await eventsOf("request", "stored")).toBe(1));
  test("stores nothing of what would have been", async () => expect(await eventsOf("stored", "request")).toBe(0));
});

test("words that were joined with a shortened result are in the store, whatever the scope (Gemini)", async () => {
  const long = "lorem ipsum dolor ".repeat(40);
  const compactor = { format: gemini, profile: "nous", windowTokens: 3_000, telemetry: false } as const;
  const session = await open({ compactor, body: {} });
  const said = (role: string, text: string): object => ({ role, parts: [{ text }] });
  for (let turn = 0; turn < 4; turn++)
    await session.append([said("user", `q${turn} ${long}`), said("model", `a${turn} ${long}`)]);
  await session.append([
    said("user", "Read it."),
    { role: "model", parts: [{ functionCall: { name: "read", args: {} } }] },
    { role: "user", parts: [{ functionResponse: { name: "read", response: { output: long.repeat(2) } } }] },
    said("user", "The newest words."),
  ]);
  await session.compact({ target: { tokens: 900 } });
  const fork = await session.fork("b");
  for (const each of [session, fork]) expect(JSON.stringify(await each.request())).toContain("The newest words.");
});
