/** Whatever looks like a credential stays out of all that is written about a conversation; the conversation itself keeps it. */

import { describe, expect, test } from "vitest";
import { createCompactor } from "../src/compactor.ts";
import type { HookEvent } from "../src/core/hooks/hook-events.ts";
import type { JsonObject } from "../src/core/json.ts";
import { openaiChat } from "../src/formats/openai-chat.ts";
import { convert, formatNamed, formatNames } from "../src/formats.ts";
import { openSession } from "../src/session.ts";
import { memoryStore } from "../src/stores/memory.ts";
import type { Complete } from "../src/summarizers/ask.ts";
import { llm } from "../src/summarizers/llm.ts";
import { CREDENTIAL_KINDS, type Credential, credentialOf } from "./credential-kinds.ts";
import { sampleOf, seed } from "./sample.ts";
import { checkpointText } from "./summarizer-script.ts";

type FormatName = (typeof formatNames)[number];

/** Those of some kinds, in each place others. */
interface Planted {
  readonly all: readonly Credential[];
  /** What stands in a place. */
  text(place: Place): string;
}

const PLACES = ["user", "assistant", "command", "output", "failure"] as const;
type Place = (typeof PLACES)[number];

function planted(...kinds: readonly string[]): Planted {
  const at = (place: Place): readonly Credential[] =>
    kinds.map((kind) => credentialOf(kind, seed + PLACES.indexOf(place) * 7919));
  return {
    all: PLACES.flatMap(at),
    text: (place) =>
      at(place)
        .map(({ text }) => text)
        .join("\n"),
  };
}

const TARGET = { target: { ratio: 0.2 } };

const filler = (index: number): string => `Looked at src/module-${index}.ts and its handler_${index}. `.repeat(20);

function call(id: string, input: JsonObject): JsonObject {
  const fn = { name: "bash", arguments: JSON.stringify(input) };
  return { role: "assistant", content: null, tool_calls: [{ id, type: "function", function: fn }] };
}

/** In a request, an answer, a command, its output and a failure; then much else. */
function chatWith({ text }: Planted): JsonObject {
  return {
    model: "m",
    tools: [{ type: "function", function: { name: "bash", parameters: { type: "object" } } }],
    messages: [
      { role: "system", content: "You are careful." },
      { role: "user", content: "Deploy the billing service." },
      { role: "assistant", content: "With what?" },
      { role: "user", content: `Use this:\n${text("user")}` },
      { role: "assistant", content: `I will deploy it with\n${text("assistant")}` },
      call("c0", { command: text("command") }),
      { role: "tool", tool_call_id: "c0", content: `read config/deploy.conf\n${text("output")}\nread 3 lines` },
      call("c1", { command: "make deploy" }),
      { role: "tool", tool_call_id: "c1", content: `Error: deploy failed, exit code 1\n${text("failure")}` },
      { role: "assistant", content: "The deploy failed; I will try the second host." },
      ...Array.from({ length: 16 }, (_, index): readonly JsonObject[] => [
        { role: "user", content: `Go on with part ${index}.` },
        call(`d${index}`, { command: `cat src/module-${index}.ts` }),
        { role: "tool", tool_call_id: `d${index}`, content: filler(index) },
        { role: "assistant", content: filler(index) },
      ]).flat(),
    ],
  };
}

function bodyFor(name: FormatName, credentials: Planted): JsonObject {
  const format = formatNamed(name);
  // A body that was converted is a body of its format.
  return format.encode(convert(openaiChat.decode(chatWith(credentials)), format).conversation) as JsonObject;
}

/** Tells everything of the planted values that it was shown, as a model does that was asked to lose nothing. */
function echoing(credentials: Planted): Complete {
  return async ({ prompt, body }) => {
    const shown = `${prompt}\n${JSON.stringify(body ?? "")}`;
    const lines = credentials.all.flatMap(({ text, value }) => {
      const quoted = text
        .split("\n")
        .filter((line) => shown.includes(line) || shown.includes(JSON.stringify(line).slice(1, -1)));
      const isSeen = shown.includes(value) || shown.includes(JSON.stringify(value).slice(1, -1));
      return [...quoted, ...(isSeen ? [`It is ${value} as told`] : [])];
    });
    return { text: checkpointText("Deploy the billing service.", ...lines), stopReason: "stop" };
  };
}

/** Everything that is written about one compaction. */
async function writtenAbout(name: FormatName, credentials: Planted, complete?: Complete, inBand = false) {
  const body = bodyFor(name, credentials);
  const before = JSON.stringify(body);
  const events: HookEvent[] = [];
  const lines: unknown[] = [];
  const log = (...line: readonly unknown[]): void => void lines.push(line);
  const summarizer = complete === undefined ? {} : { summarizer: llm({ complete, windowTokens: 100_000, inBand }) };
  const compactor = createCompactor({
    format: formatNamed(name),
    ...summarizer,
    windowTokens: 32_000,
    prune: { enabled: false },
    hooks: { notify: (event) => void events.push(event) },
    logger: { debug: log, info: log, warn: log, error: log },
  });
  const { report, request } = await compactor.compact(body, TARGET);
  expect(report).toMatchObject({ compacted: true, steps: { summarize: 1 } });
  expect(JSON.stringify(body)).toBe(before);
  // Messages in events are the conversation's own.
  const told = events.map((event) => (event.type === "compaction-started" ? { ...event, messages: [] } : event));
  return { report, request, written: JSON.stringify({ report, told, lines }) };
}

function expectNone(written: string, credentials: readonly Credential[]): void {
  for (const { value } of credentials) {
    expect(written).not.toContain(value);
    expect(written).not.toContain(JSON.stringify(value).slice(1, -1));
  }
}

const KINDS = Object.keys(CREDENTIAL_KINDS);

test("there are many kinds", () => expect(KINDS.length).toBeGreaterThanOrEqual(60));

/** Several kinds in one conversation; all alone in a soak. */
const GROUP = sampleOf(1, 13);
const GROUPS = Array.from({ length: Math.ceil(KINDS.length / GROUP) }, (_, index) =>
  KINDS.slice(index * GROUP, (index + 1) * GROUP),
);

describe.each(formatNames)("%s", (name) => {
  test.each(GROUPS)("%s and others", async (...kinds) => {
    const credentials = planted(...kinds);
    const own = await writtenAbout(name, credentials);
    expectNone(own.written, credentials.all);
    expectNone(JSON.stringify(own.request), credentials.all);
    const model = await writtenAbout(name, credentials, echoing(credentials));
    expect(model.report.fallbacks).toEqual([]);
    expectNone(model.written, credentials.all);
  });

  test.each(GROUPS)("%s and others, by a model that is shown the request itself", async (...kinds) => {
    const credentials = planted(...kinds);
    const { written, report } = await writtenAbout(name, credentials, echoing(credentials), true);
    expect(report.fallbacks).toEqual([]);
    expectNone(written, credentials.all);
  });
});

test("the line says where it was found", async () => {
  const credentials = planted("DB_PASSWORD=");
  const { report } = await writtenAbout("openai-chat", credentials, async ({ prompt }) => {
    const marks = prompt.split("\n").filter((line) => line.includes("DB_PASSWORD"));
    return { text: checkpointText("Deploy the billing service.", ...marks), stopReason: "stop" };
  });
  for (const place of ["a user message", "an assistant message", "a call of bash", "the result of bash"])
    expect(report.result?.summary).toContain(`DB_PASSWORD=[secret, in ${place}]`);
});

test.each(["hunter2", "correcthorsebatterystaple"])(
  "an id in a call stays readable, and %s, named once as a password, is hidden everywhere",
  async (password) => {
    const id = "1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms";
    const prompts: string[] = [];
    const body = chatWith(planted("DB_PASSWORD="));
    const [system, ...rest] = body.messages as readonly JsonObject[];
    const said = { role: "user", content: `The password: ${password}` };
    const read = [
      call("f", { fileId: id }),
      { role: "tool", tool_call_id: "f", content: `Logged in with ${password}.` },
    ];
    const messages = [system, said, ...read, ...rest] as readonly JsonObject[];
    const complete: Complete = async ({ prompt }) => {
      prompts.push(prompt);
      return { text: checkpointText("Deploy it.", `It used ${password}.`), stopReason: "stop" };
    };
    const summarizer = llm({ complete, windowTokens: 100_000 });
    const { report } = await createCompactor({ format: openaiChat, summarizer, windowTokens: 32_000 }).compact(
      { ...body, messages },
      TARGET,
    );
    expect(prompts.join()).toContain(id);
    expect(report.result?.summary).toContain("It used [secret, in a user message].");
  },
);

test.each([
  ["kubectl get secret db -o jsonpath='{.data.url}'", "cG9zdGdyZXM6Ly9k", true],
  ["kubectl get secret db -o jsonpath='{.data.url}' | base64 -d", "hunter2x", true],
  ['echo "$DB_PASSWORD"', "hunter2x", true],
  ["kubectl get secret db -o jsonpath='{.data.url}'", "Error: secret db2 is not found", false],
  ["grep -l password src/*.ts", "src/login2.ts", false],
  ['echo "$TOKEN_FILE"', "/run/secrets/token2", false],
  ["kubectl get pod -o jsonpath='{.items[0].metadata.name}'", "web-7f3c9d21", false],
])("%s answers %s", async (command, output, isHidden) => {
  const [system, ...rest] = chatWith(planted("DB_PASSWORD=")).messages as readonly JsonObject[];
  const printed = [call("p", { command }), { role: "tool", tool_call_id: "p", content: `${output}\n` }];
  const prompts: string[] = [];
  const complete: Complete = async ({ prompt }) => {
    prompts.push(prompt);
    return { text: checkpointText("Deploy it.", `It printed ${output}.`), stopReason: "stop" };
  };
  const summarizer = llm({ complete, windowTokens: 100_000 });
  const body = { model: "m", messages: [system, { role: "user", content: "Deploy it." }, ...printed, ...rest] };
  const { report } = await createCompactor({ format: openaiChat, summarizer, windowTokens: 32_000 }).compact(
    body as JsonObject,
    TARGET,
  );
  expect(prompts[0]?.includes(output)).toBe(!isHidden);
  expect(report.result?.summary?.includes(`It printed ${output}.`)).toBe(!isHidden);
});

test("a failed call that quotes a key: neither the report nor a log line nor the error does", async () => {
  const key = credentialOf("an Anthropic key", seed);
  const failing: Complete = async () => {
    throw new Error(`401 invalid x-api-key: ${key.value}`, { cause: new Error(key.text) });
  };
  const { written, report } = await writtenAbout("openai-chat", planted("DB_PASSWORD="), failing);
  expectNone(written, [key]);
  expect(report.fallbacks).toHaveLength(1);
  const summarizer = llm({ complete: failing, windowTokens: 100_000, retry: { maxAttempts: 1 } });
  const strict = createCompactor({ format: openaiChat, summarizer, failure: { ladder: ["throw"] } });
  const error: unknown = await strict
    .compact(chatWith(planted("an Anthropic key")), TARGET)
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "summary-failed" });
  const shown: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) shown.push(at.message, at.stack ?? "");
  expect(shown.length).toBeGreaterThan(2);
  expectNone(shown.join("\n"), [key]);
});

test("a hook's own summary, and the file names that it is shown", async () => {
  const key = credentialOf("a password in a Postgres address", seed);
  const files: string[] = [];
  const body = chatWith(planted("a password in a Postgres address"));
  const { report } = await createCompactor({
    format: openaiChat,
    hooks: {
      provide: async (proposal) => {
        files.push(...proposal.fileOps.read, ...proposal.fileOps.modified);
        return { compaction: { summary: `Deployed with ${key.text}` } };
      },
    },
  }).compact(body, TARGET);
  expect(report.result?.summary).toMatch(/^Deployed with postgres:.*\[secret\]@/);
  expectNone(files.join("\n"), [key]);
});

test("a session's archive and its originals keep every word", async () => {
  const credentials = planted("a GitHub token");
  const store = memoryStore();
  const session = await openSession("s", { store, compactor: { format: openaiChat, windowTokens: 32_000 } });
  const messages = chatWith(credentials).messages as readonly JsonObject[];
  for (const message of messages) await session.append(message);
  await session.compact(TARGET);
  const shown = JSON.stringify(await session.request());
  expectNone(shown, credentials.all);
  for (const { value } of credentials.all) expect(await session.recall(value)).not.toEqual([]);
});
