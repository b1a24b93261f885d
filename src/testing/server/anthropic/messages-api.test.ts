import Anthropic from "@anthropic-ai/sdk";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ProviderServer, startProviderServer } from "../../server.ts";

let server: ProviderServer;
beforeEach(async () => {
  server = await startProviderServer({
    reply: ({ index }) => ({
      reasoning: `Thought ${index}.`,
      text: `Said ${index}.`,
      ...(index % 2 === 0 && { toolCalls: [{ name: "read", input: { path: `${index}.ts` } }] }),
    }),
    summarize: ({ conversation }) => `The first ${conversation.messages.length} messages in short.`,
  });
});
afterEach(() => server.close());

type Params = Anthropic.Beta.MessageCreateParamsNonStreaming;
interface Message {
  readonly role: "user" | "assistant";
  readonly content: string | Anthropic.Beta.BetaContentBlockParam[];
}

const TOOLS = [{ name: "read", input_schema: { type: "object" as const } }];
const BASE = { model: "claude-opus-5-5", max_tokens: 900, system: "Be careful.", tools: TOOLS };
const CLIENT = { apiKey: "any", maxRetries: 0 };

const client = () => new Anthropic({ ...CLIENT, baseURL: server.origin });
const ask = (messages: Message[], more: Partial<Params> = {}) =>
  client().beta.messages.create({ ...BASE, messages, ...more });
interface Refused {
  readonly message: string;
  readonly details: { readonly error_code: string };
}
const refusal = (messages: Message[], more: Partial<Params> = {}): Promise<Refused> =>
  ask(messages, more).then(
    () => expect.fail("It was not refused."),
    ({ status, error }) => {
      expect(status).toBe(400);
      expect(error).toMatchObject({
        type: "error",
        error: { type: "invalid_request_error" },
        request_id: expect.any(String),
      });
      return error.error;
    },
  );

const user = (content: Message["content"]): Message => ({ role: "user", content });
const result = (id: string): Message => user([{ type: "tool_result", tool_use_id: id, content: "done" }]);
const said = ({ content }: Anthropic.Beta.BetaMessage): Message => ({ role: "assistant", content });

/** Two turns of a call and its result, with all that was thought. */
async function talk(): Promise<Message[]> {
  const list = [user("Go.")];
  for (const id of ["toolu_1", undefined, "toolu_2", undefined]) {
    list.push(said(await ask(list)), id === undefined ? user("And on.") : result(id));
  }
  return list;
}

/** The same list with one message changed. */
const changed = (list: readonly Message[], index: number, message: Message): Message[] => list.with(index, message);
const withoutThinking = (message: Message | undefined): Message => {
  const { role, content } = message ?? expect.fail("no message");
  return { role, content: typeof content === "string" ? content : content.filter(({ type }) => type !== "thinking") };
};

describe("thinking is bound to what stands before it", () => {
  const INVALID = "bound to a different conversation";

  test("an unchanged list, with and without marks, is accepted", async () => {
    const list = await talk();
    await ask(list);
    const marked: Message = user([{ type: "text", text: "Go.", cache_control: { type: "ephemeral" } }]);
    await ask(changed(list, 0, marked));
  });

  test("an edit makes all later thinking invalid, and says which comes first", async () => {
    const list = await talk();
    const { message } = await refusal(
      changed(list, 2, user([{ type: "tool_result", tool_use_id: "toolu_1", content: "do…" }])),
    );
    expect(message).toMatch(/^messages\.3\.content\.0: Invalid `signature` in `thinking` block\./);
    expect(message).toContain(INVALID);
    expect((await refusal(list, { system: "Be careless." })).message).toContain("messages.1.content.0");
    expect((await refusal(list, { tools: [] })).message).toContain(INVALID);
  });

  test("thinking may go from the front or from the end, not from the middle", async () => {
    const list = await talk();
    await ask(changed(list, 1, withoutThinking(list[1])));
    await ask(changed(list, 7, withoutThinking(list[7])));
    await ask(list.map((message) => (message.role === "assistant" ? withoutThinking(message) : message)));
    expect((await refusal(changed(list, 3, withoutThinking(list[3])))).message).toContain("messages.5.content.0");
  });

  test("on demand what does not match is dropped, reported and not counted", async () => {
    const list = await talk();
    const edited = changed(list, 0, user("Go!"));
    const block_binding = { prefix_mismatch_behavior: "drop_block" as const };
    const thinking = { type: "adaptive" as const, block_binding };
    expect((await refusal(edited, { thinking })).message).toBe(
      "thinking.block_binding: Extra inputs are not permitted",
    );
    const betas = ["thinking-binding-controls-2026-08-01"];
    const answer = await ask(edited, { thinking, betas });
    expect(answer.input_transformations).toHaveLength(4);
    expect(answer.input_transformations?.[0]).toEqual({
      type: "thinking_dropped",
      path: "messages.1.content.0",
      reason: "prefix_binding_mismatch",
    });
    // What was thought then is valid as long as the list stays as it is.
    const next = [...edited, said(answer), answer.stop_reason === "tool_use" ? result("toolu_3") : user("And on.")];
    expect((await ask(next, { thinking, betas })).input_transformations).toHaveLength(4);
    const events = client().beta.messages.stream({ ...BASE, messages: edited, thinking, betas });
    expect((await events.finalMessage()).input_transformations).toHaveLength(4);
  });

  test("models before that accept an edit, and no forged signature", async () => {
    const model = "claude-opus-4-8";
    const list = [user("Go.")];
    list.push(said(await ask(list, { model, thinking: { type: "adaptive" } })), result("toolu_1"));
    await ask(changed(list, 0, user("Go!")), { model });
    const altered = (change: Partial<Anthropic.Beta.BetaThinkingBlockParam>): Message[] => {
      const { role, content } = list[1] ?? expect.fail("no message");
      if (typeof content === "string") expect.fail("no blocks");
      const blocks = content.map((block) => (block.type === "thinking" ? { ...block, ...change } : block));
      return changed(list, 1, { role, content: blocks });
    };
    expect((await refusal(altered({ signature: "c2ln" }), { model })).message).toBe(
      "messages.1.content.0: Invalid `signature` in `thinking` block",
    );
    expect((await refusal(altered({ thinking: "Other." }), { model })).message).toContain("cannot be modified");
    // Another model cannot read it, and is not told of it.
    await ask(list, { model: "claude-sonnet-4-6" });
  });

  test("thinking that is not shown can be sent back", async () => {
    const thinking = { type: "adaptive", display: "omitted" } as const;
    const answer = await ask([user("Go.")], { thinking });
    expect(answer.content[0]).toMatchObject({ type: "thinking", thinking: "" });
    await ask([user("Go."), said(answer), result("toolu_1")], { thinking });
  });
});

describe("on-demand compaction", () => {
  const betas = ["compact-2026-09-04"];
  const compaction = { type: "summarize" as const };

  test.each([false, true])(
    "its block opens the next request, with the thinking kept behind it (streamed: %s)",
    async (isStream) => {
      const list = await talk();
      const request = { ...BASE, messages: list.slice(0, 4), betas, compaction };
      const made = isStream
        ? await client().beta.messages.stream(request).finalMessage()
        : await client().beta.messages.create(request);
      expect(made.stop_reason).toBe("compaction");
      expect(made.usage).toMatchObject({ input_tokens: 0, output_tokens: 0, iterations: [{ type: "compaction" }] });
      const [block] = made.content;
      expect(block).toMatchObject({ type: "compaction", content: "The first 4 messages in short." });
      const { type, content, signature } = block as { type: "compaction"; content: string; signature: string };
      const clean: Message = { role: "assistant", content: [{ type, content, signature }] };
      await ask([clean, ...list.slice(4)], { betas });
      expect((await refusal([clean, ...list.slice(4)])).message).toContain("Input tag 'compaction'");
      // A tail that begins with the role that the summarised messages end with does not join them.
      expect((await refusal([clean, ...list.slice(5)], { betas })).message).toContain(
        "bound to a different conversation",
      );
      expect((await refusal([user("Hm."), clean, user("Go on.")], { betas })).details).toEqual({
        error_code: "compaction_block_misplaced",
      });
      const reworded: Message = { role: "assistant", content: [{ type, content: `${content}.`, signature }] };
      expect((await refusal([reworded, user("Go on.")], { betas })).details.error_code).toBe(
        "compaction_content_mismatch",
      );
      const forged: Message = { role: "assistant", content: [{ type, content, signature: "Eo0BCk" }] };
      expect((await refusal([forged, user("Go on.")], { betas })).details.error_code).toBe(
        "compaction_signature_invalid",
      );
      const extra = { type, content, signature, citations: null } as Anthropic.Beta.BetaCompactionBlockParam;
      expect((await refusal([{ role: "assistant", content: [extra] }, user("Go on.")], { betas })).message).toBe(
        "messages.0.content.0.compaction.citations: Extra inputs are not permitted",
      );
    },
  );

  test("what it cannot be combined with is refused", async () => {
    const list = [user("Go.")];
    expect((await refusal(list, { compaction })).message).toBe("compaction: Extra inputs are not permitted");
    expect((await refusal(list, { compaction, betas, stop_sequences: ["x"] })).message).toContain("stop_sequences");
    expect((await refusal(list, { compaction, betas, tool_choice: { type: "any" } })).message).toContain("tool_choice");
    const open = [...list, said(await ask(list))];
    expect((await refusal(open, { compaction, betas })).details.error_code).toBe("compaction_incomplete_turn");
  });
});

test("a compaction that fails leaves an empty answer, or an empty block before it", async () => {
  await server.close();
  server = await startProviderServer({ reply: () => "Done.", summarize: () => "" });
  const made = await ask([user("Go.")], { compaction: { type: "summarize" }, betas: ["compact-2026-09-04"] });
  expect(made).toMatchObject({ content: [], stop_reason: "end_turn" });
  const long = user("many words here ".repeat(40_000));
  const context_management = { edits: [{ type: "compact_20260112" as const }] };
  const answer = await ask([long], { betas: ["compact-2026-01-12"], context_management });
  expect(answer.content).toMatchObject([{ type: "compaction", content: null }, { type: "text" }]);
  const next = await ask([long, said(answer), user("And on.")], { betas: ["compact-2026-01-12"] });
  expect(next.usage.input_tokens).toBeGreaterThan(100_000);
});

describe("threshold compaction", () => {
  const betas = ["compact-2026-01-12"];
  const edit = { type: "compact_20260112" as const, trigger: { type: "input_tokens" as const, value: 50_000 } };
  const long = user("many words here ".repeat(20_000));

  test.each([false, true])(
    "the answer begins with the block, and what is before it is read no more (streamed: %s)",
    async (isStream) => {
      const request = { ...BASE, messages: [long], betas, context_management: { edits: [edit] } };
      const answer = isStream
        ? await client().beta.messages.stream(request).finalMessage()
        : await client().beta.messages.create(request);
      expect(answer.content.map(({ type }) => type)).toEqual(["compaction", "thinking", "text", "tool_use"]);
      const [before, after] = answer.usage.iterations ?? [];
      expect(before).toMatchObject({ type: "compaction" });
      expect(before?.input_tokens).toBeGreaterThan(50_000);
      expect(after).toMatchObject({ type: "message", input_tokens: answer.usage.input_tokens });
      const next = [long, said(answer), result("toolu_1")];
      const whole = await ask(next, { betas, context_management: { edits: [edit] } });
      expect(whole.usage.input_tokens).toBeLessThan(2_000);
      const short = await ask(next.slice(1), { betas });
      expect(short.usage.input_tokens).toBe(whole.usage.input_tokens);
    },
  );

  test("it pauses where that is asked for, and the trigger has a minimum", async () => {
    const paused = { ...edit, pause_after_compaction: true };
    const answer = await ask([long], { betas, context_management: { edits: [paused] } });
    expect(answer).toMatchObject({ stop_reason: "compaction", content: [{ type: "compaction" }] });
    const low = { ...edit, trigger: { type: "input_tokens" as const, value: 1_000 } };
    expect((await refusal([long], { betas, context_management: { edits: [low] } })).message).toContain("50000");
  });
});

test("context editing clears for the model and says what", async () => {
  const list = await talk();
  const clear = {
    type: "clear_tool_uses_20250919" as const,
    trigger: { type: "tool_uses" as const, value: 2 },
    keep: { type: "tool_uses" as const, value: 1 },
  };
  const long: Message = user([{ type: "tool_result", tool_use_id: "toolu_1", content: "result ".repeat(500) }]);
  const messages = changed(list, 2, long).map((message) => withoutThinking(message));
  const request = { betas: ["context-management-2025-06-27"], context_management: { edits: [clear] } };
  const { max_tokens: _, ...counted } = { ...BASE, messages, ...request };
  const count = await client().beta.messages.countTokens(counted);
  const original = count.context_management?.original_input_tokens ?? 0;
  expect(original - count.input_tokens).toBeGreaterThan(400);
  const answer = await ask(messages, request);
  expect(answer.usage.input_tokens).toBe(count.input_tokens);
  expect(answer.context_management?.applied_edits).toEqual([
    { type: "clear_tool_uses_20250919", cleared_tool_uses: 1, cleared_input_tokens: original - count.input_tokens },
  ]);
  expect((await refusal(messages, { context_management: { edits: [clear] } })).message).toBe(
    "context_management: Extra inputs are not permitted",
  );
});

test("the cache is read behind marks only, from its minimum on", async () => {
  const system = (text: string) => [{ type: "text" as const, text, cache_control: { type: "ephemeral" as const } }];
  const long = "You know many things. ".repeat(300);
  expect((await ask([user("a")], { system: long })).usage).toMatchObject({ cache_creation_input_tokens: 0 });
  const { usage: first } = await ask([user("a")], { system: system(long) });
  const { usage: second } = await ask([user("b")], { system: system(long) });
  expect(first.cache_creation_input_tokens).toBeGreaterThan(1_000);
  expect(second).toMatchObject({
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: first.cache_creation_input_tokens,
  });
  expect((await ask([user("c")], { system: system("Short.") })).usage.cache_creation_input_tokens).toBe(0);
  const tools = [{ ...TOOLS[0], name: "write", input_schema: { type: "object" as const } }];
  expect((await ask([user("b")], { system: system(long), tools })).usage.cache_read_input_tokens).toBe(0);
});

test("a system message that steers is known with its beta, and is part of what thinking is bound to", async () => {
  const steering = { role: "system" as const, content: [], output_config: { effort: "low" as const } };
  const send = (messages: Params["messages"], betas: string[]) =>
    client().beta.messages.create({ ...BASE, messages, betas });
  const betas = ["mid-conversation-output-config-2026-07-01"];
  await expect(send([user("Go."), steering], [])).rejects.toThrow(
    "messages.1.output_config: Extra inputs are not permitted",
  );
  const answer = await send([user("Go."), steering], betas);
  const next = [said(answer), result("toolu_1")];
  await send([user("Go."), steering, ...next], betas);
  await expect(send([user("Go."), ...next], betas)).rejects.toThrow("bound to a different conversation");
});

test("unknown fields, threads, missing keys and unknown models are refused as the provider does", async () => {
  const extra = { ...user("Go."), id: "m1" };
  expect((await refusal([extra])).message).toBe("messages.0.id: Extra inputs are not permitted");
  expect((await refusal([user("Go.")], { reasoning: {} } as Partial<Params>)).message).toBe(
    "reasoning: Extra inputs are not permitted",
  );
  const thread = { thread: { type: "create" as const }, betas: ["message-threads-2026-08-12"] };
  expect((await refusal([user("Go.")], thread)).details.error_code).toBe("thread_unsupported_request");
  expect((await refusal([user("Go."), result("toolu_9")])).message).toContain("unexpected `tool_use_id`");
  const bare = await fetch(`${server.origin}/v1/messages`, { method: "POST", body: "{}" });
  expect([bare.status, await bare.text()]).toEqual([
    400,
    expect.stringContaining("anthropic-version: header is required"),
  ]);
  await server.close();
  server = await startProviderServer({ reply: () => "Hi.", windowTokens: { "claude-haiku-4-5": 200_000 } });
  await expect(ask([user("Go.")])).rejects.toMatchObject({ status: 404 });
});
