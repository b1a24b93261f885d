import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ProviderServer, startProviderServer } from "../../server.ts";

let server: ProviderServer;
beforeEach(async () => {
  server = await startProviderServer({
    reply: ({ index }) => ({
      reasoning: `Thought ${index}.`,
      text: `Said ${index}.`,
      ...(index === 0 && { toolCalls: [{ name: "read", input: { path: "a.ts" } }] }),
    }),
    summarize: ({ conversation }) => `The first ${conversation.messages.length} items in short.`,
  });
});
afterEach(() => server.close());

type Params = OpenAI.Responses.ResponseCreateParamsNonStreaming;
type Item = OpenAI.Responses.ResponseInputItem;

const client = () => new OpenAI({ baseURL: `${server.origin}/v1`, apiKey: "any", maxRetries: 0 });
const MODEL = "gpt-6-sol";
const ask = (input: Params["input"], more: Partial<Params> = {}) =>
  client().responses.create({ model: MODEL, store: false, ...more, ...(input !== undefined && { input }) });
const refusal = (asked: Promise<unknown>): Promise<{ status: number; code: string | null; message: string }> =>
  asked.then(
    () => expect.fail("It was not refused."),
    ({ status, code, error }) => ({ status, code, message: error.message }),
  );

const user = (content: string): Item => ({ role: "user", content });
const output: Item = { type: "function_call_output", call_id: "call_1", output: "done" };
/** What an answer adds to the list, which has the same form on the way back. */
const items = ({ output: given }: OpenAI.Responses.Response): Item[] => given as Item[];

async function talk(): Promise<Item[]> {
  const list = [user("Go.")];
  list.push(...items(await ask(list)), output);
  return list;
}

describe("Responses", () => {
  test("reasoning goes back with what it produced, readable to the server alone", async () => {
    const list = await talk();
    expect(list.map((item) => item.type)).toEqual([undefined, "reasoning", "message", "function_call", output.type]);
    await ask(list);
    const without = list.filter(({ type }) => type !== "reasoning");
    expect(await refusal(ask(without))).toMatchObject({
      status: 400,
      message: "Item 'msg_1' of type 'message' was provided without its required 'reasoning' item: 'rs_1'.",
    });
    const alone = list.filter(({ type }) => type !== "message" && type !== "function_call" && type !== output.type);
    expect((await refusal(ask(alone))).message).toContain("without its required following item");
    const forged = list.map((item) => (item.type === "reasoning" ? { ...item, encrypted_content: "gAAAAABx" } : item));
    expect(await refusal(ask(forged))).toMatchObject({
      code: "invalid_encrypted_content",
      message: expect.stringMatching(/^The encrypted content gAAA\.\.\. could not be verified/),
    });
    const bare = list.map((item) => (item.type === "reasoning" ? { ...item, encrypted_content: null } : item));
    expect(await refusal(ask(bare))).toMatchObject({ status: 404 });
  });

  test("what was stored is found by the id of the response or of the item", async () => {
    const first = await ask("Go.", { store: true });
    const second = await ask([output], { store: true, previous_response_id: first.id });
    const referred: Item[] = first.output.map(({ id = "" }) => ({ type: "item_reference", id }));
    const third = await ask([user("Go."), ...referred, output], { store: true });
    expect(third.usage?.input_tokens).toBe(second.usage?.input_tokens);
    expect(await refusal(ask([output], { previous_response_id: "resp_99" }))).toMatchObject({
      code: "previous_response_not_found",
    });
    expect(await refusal(ask([user("Go."), ...referred, output]))).toMatchObject({ status: 404 });
  });

  test("the endpoint keeps what users said and hides the rest", async () => {
    const list = await talk();
    const made = await client().responses.compact({ model: MODEL, input: list });
    expect(made).toMatchObject({
      object: "response.compaction",
      output: [
        { type: "message", role: "user" },
        { type: "compaction", id: "cmp_1" },
      ],
    });
    expect(JSON.stringify(made.output)).not.toContain("in short");
    // The output of a compaction is input as it is, which the types do not say.
    const window = [...made.output, user("And on.")] as Item[];
    await ask(window);
    expect(server.requests.map(({ kind }) => kind)).toEqual(["answer", "compact", "answer"]);
    const broken = [...window.slice(0, 1), { type: "compaction", encrypted_content: "gAAAAABx" } as const];
    expect(await refusal(ask(broken))).toMatchObject({ code: "invalid_encrypted_content" });
    const refused = client().responses.compact({ model: MODEL, input: list, tools: [] } as never);
    expect(await refusal(refused)).toMatchObject({ message: "Unknown parameter: 'tools'." });
  });

  test.each([false, true])("a trigger item at the end compacts (streamed: %s)", async (isStream) => {
    const trigger = { type: "compaction_trigger" } as const;
    const list = [...(await talk()), trigger];
    const events: string[] = [];
    const stream = client().responses.stream({ model: MODEL, store: false, input: list });
    stream.on("event", ({ type }) => events.push(type));
    const made = isStream ? await stream.finalResponse() : await ask(list);
    if (isStream) expect(events).toContain("response.compaction.compacting");
    else await stream.done();
    expect(made.output).toMatchObject([{ type: "compaction" }]);
    const next = await ask([...items(made), user("And on.")]);
    expect(next.output_text).toBe("Said 1.");
    const misplaced = await refusal(ask([trigger, user("Go.")]));
    expect(misplaced.message).toBe("The 'compaction_trigger' item must be the final input item.");
  });

  test("a threshold compacts within an answer, and what is before the item is read no more", async () => {
    const context_management = [{ type: "compaction", compact_threshold: 1_000 }];
    const list = [...(await talk()), { ...user("word ".repeat(30)) }];
    list.splice(4, 1, { ...output, output: "result ".repeat(3_000) });
    const made = await ask(list, { context_management });
    expect(made.output.map(({ type }) => type)).toEqual(["compaction", "reasoning", "message"]);
    expect(made.usage?.input_tokens).toBeLessThan(300);
    const whole = await ask([...list, ...items(made), user("And on.")]);
    expect(whole.usage?.input_tokens).toBeLessThan(400);
    expect(
      await refusal(ask(list, { context_management: [{ type: "compaction", compact_threshold: 10 }] })),
    ).toMatchObject({
      status: 400,
    });
  });

  test("the model reads what only the server can open", async () => {
    await server.close();
    const seen: string[] = [];
    server = await startProviderServer({
      reply: ({ summaries }) => {
        seen.push(...summaries);
        return "Hm.";
      },
      summarize: () => "The port is 4711.",
    });
    const made = await client().responses.compact({ model: MODEL, input: "Go." });
    await ask([...made.output, user("Which port?")] as Item[]);
    expect(seen).toEqual(["The port is 4711."]);
  });

  test("the count is that of the answer's usage", async () => {
    const { input_tokens } = await client().responses.inputTokens.count({ model: MODEL, input: "Go on then." });
    expect((await ask("Go on then.")).usage?.input_tokens).toBe(input_tokens);
  });

  test("a key of its own keeps caches apart", async () => {
    const input = "word ".repeat(3_000);
    const read = async (key: string) =>
      (await ask(input, { prompt_cache_key: key })).usage?.input_tokens_details.cached_tokens ?? -1;
    expect(await read("a")).toBe(0);
    expect(await read("b")).toBe(0);
    expect(await read("a")).toBeGreaterThan(2_000);
  });

  test("an answer that was cut short says so", async () => {
    await server.close();
    server = await startProviderServer({ reply: () => ({ text: "The first", stop: "output-limit" }) });
    expect(await ask("Go.")).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
    });
    const stream = client().responses.stream({ model: MODEL, input: "Go." });
    expect(await stream.finalResponse()).toMatchObject({ status: "incomplete" });
    const chat = await client().chat.completions.create({
      model: "gpt-5.1",
      messages: [{ role: "user", content: "Go." }],
    });
    expect(chat.choices[0]?.finish_reason).toBe("length");
  });
});

describe("both", () => {
  const chat = (messages: OpenAI.ChatCompletionMessageParam[], more: object = {}) =>
    client().chat.completions.create({ model: "gpt-5.1", messages, ...more });

  test("unknown parameters, calls without results and missing keys are refused in OpenAI's words", async () => {
    expect(await refusal(chat([{ role: "user", content: "Go." }], { thinking: true }))).toMatchObject({
      code: "unknown_parameter",
      message: "Unknown parameter: 'thinking'.",
    });
    const orphan = await refusal(chat([{ role: "tool", tool_call_id: "call_1", content: "done" }]));
    expect(orphan.message).toContain("must be a response to a preceeding message with 'tool_calls'");
    expect((await refusal(ask([output]))).message).toContain("No tool call found for function call output");
    const bare = await fetch(`${server.origin}/v1/responses`, { method: "POST", body: "{}" });
    expect(bare.status).toBe(401);
    const nothing = await fetch(`${server.origin}/v1/embeddings`, { method: "POST", body: "{}" });
    expect(nothing.status).toBe(404);
  });

  test("room for the answer counts in a chat's window", async () => {
    const { message } = await refusal(chat([{ role: "user", content: "Go." }], { max_completion_tokens: 200_000 }));
    expect(message).toMatch(/maximum context length is 200000 tokens\. However, you requested \d+ tokens/);
  });

  test("usage comes in a stream only where it was asked for", async () => {
    const messages = [{ role: "user" as const, content: "Go." }];
    const request = { model: "gpt-5.1", messages, stream: true } as const;
    const plain = await Array.fromAsync(await client().chat.completions.create(request));
    expect(plain.filter(({ usage }) => usage)).toEqual([]);
    const stream_options = { include_usage: true };
    const counted = await Array.fromAsync(await client().chat.completions.create({ ...request, stream_options }));
    expect(counted.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
  });
});
