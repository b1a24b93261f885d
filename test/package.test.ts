import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

/** Packs the package, installs it in an empty folder, and uses it as the documents say. */

const root = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "palimpsest-package-"));
const documents = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", ...globSync("docs/**/*.md", { cwd: root })];

function run(command: string, cwd: string = folder): string {
  return execFileSync("sh", ["-c", command], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: environment,
  });
}

/** The environment of a user's shell, without the variables that an outer `npm run` sets. */
const environment = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith("npm_")));

function blocksOf(document: string, language: string): readonly string[] {
  const source = readFileSync(join(root, document), "utf8");
  return [...source.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map((match) => match[1] ?? "");
}

function commandsOf(document: string): readonly string[] {
  const lines = blocksOf(document, "sh").flatMap((block) => block.split("\n"));
  return lines.map((line) => line.replace(/\s+#.*$/, "").trim()).filter((line) => line !== "");
}

let packed: { readonly filename: string; readonly files: readonly { readonly path: string }[] };

beforeAll(() => {
  packed = JSON.parse(run(`npm pack --silent --json --pack-destination ${folder}`, root))[0];
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }));
  run(`npm install --silent --no-audit --no-fund --offline ./${packed.filename}`);
  // The other packages that the examples import.
  for (const name of [
    "@types",
    "pg",
    "postgres",
    "openai",
    "@anthropic-ai/sdk",
    "@google/genai",
    "@ai-sdk",
    "ai",
    "zod",
    "langchain",
    "@langchain",
    "@openai/agents",
    "@mastra/core",
    "gpt-tokenizer",
  ]) {
    const place = join(folder, "node_modules", name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(root, "node_modules", name), place);
  }
  copyFileSync(join(root, "examples/sample-conversation.json"), join(folder, "request.json"));
  copyFileSync(join(root, "examples/sample-session.jsonl"), join(folder, "session.jsonl"));
  copyFileSync(join(root, "examples/broken-conversation.json"), join(folder, "broken.json"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the README's example by hand runs", () => {
  const example = blocksOf("README.md", "ts").find((block) => block.includes("createCompactor")) ?? "";
  expect(example).toContain('from "palimpsest"');
  writeFileSync(join(folder, "example.ts"), example);
  expect(run("node example.ts")).toContain("not-triggered");
});

test("the examples of docs/parts.md run", () => {
  const examples = blocksOf("docs/parts.md", "ts");
  expect(examples.length).toBeGreaterThan(2);
  expect(examples.filter((example) => !example.includes('from "palimpsest/parts"'))).toEqual([]);
  examples.forEach((example, index) => {
    writeFileSync(join(folder, `parts-${index}.ts`), example);
    expect(() => run(`node parts-${index}.ts`)).not.toThrow();
  });
});

test("the example of docs/testing.md runs", () => {
  const [example = ""] = blocksOf("docs/testing.md", "ts");
  writeFileSync(join(folder, "testing.ts"), example);
  const lines = run("node testing.ts").trimEnd().split("\n");
  expect(lines.map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
    "answer failed",
    ...Array<string>(4).fill("answer answered"),
  ]);
});

test("every code block in the documents type-checks against the package", () => {
  const blocks = documents.flatMap((document) => blocksOf(document, "ts"));
  expect(blocks.length).toBeGreaterThan(0);
  blocks.forEach((block, index) => {
    writeFileSync(join(folder, `block-${index}.ts`), `${block}\nexport {};\n`);
  });
  typeCheck("block-*.ts");
});

function typeCheck(files: string): void {
  const options = "--noEmit --strict --target es2024 --module nodenext --types node --skipLibCheck";
  run(`"${join(root, "node_modules/.bin/tsc")}" ${options} ${files}`);
}

test("the official clients accept the requests that sessions return", () => {
  const clients = [
    ["anthropicMessages", "anthropic-messages", "anthropic.messages.create"],
    ["openaiChat", "openai-chat", "openai.chat.completions.create"],
    ["openaiResponses", "openai-responses", "openai.responses.create"],
    ["gemini", "gemini", "google.models.generateContent"],
  ] as const;
  const lines = clients.flatMap(([name, path, call]) => [
    `import { ${name} } from "palimpsest/formats/${path}";`,
    `for (const compactor of [{ format: ${name} }, createCompactor({ format: ${name} })]) {`,
    '  const session = await (await openSession("a", { store: "memory:", compactor })).fork("b");',
    `  await ${call}(await session.request());`,
    `  await ${call}((await session.fit()).request);`,
    `  await ${call}((await session.compact()).request);`,
    "}",
  ]);
  const head = [
    'import Anthropic from "@anthropic-ai/sdk";',
    'import { GoogleGenAI } from "@google/genai";',
    'import OpenAI from "openai";',
    'import { createCompactor, openSession } from "palimpsest";',
    "const [anthropic, openai, google] = [new Anthropic(), new OpenAI(), new GoogleGenAI({})];",
  ];
  writeFileSync(join(folder, "requests.ts"), [...head, ...lines].join("\n"));
  typeCheck("requests.ts");
  writeFileSync(
    join(folder, "mixed.ts"),
    [...head, ...lines].join("\n").replace("format: gemini", "format: openaiChat"),
  );
  expect(() => typeCheck("mixed.ts")).toThrow();
});

/** Answers by the end of the address. */
const WIRE_ANSWERS: Readonly<Record<string, object>> = {
  "/messages": {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-opus-5-5",
    content: [{ type: "text", text: "Done." }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 2 },
  },
  "/completions": {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "gpt-5.2",
    choices: [
      {
        index: 0,
        finish_reason: "stop",
        logprobs: null,
        message: { role: "assistant", content: "Done.", refusal: null },
      },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
  },
  "/responses": {
    id: "resp_1",
    object: "response",
    created_at: 1,
    status: "completed",
    model: "gpt-5.2",
    output: [
      {
        id: "msg_1",
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "Done.", annotations: [] }],
      },
    ],
    usage: { input_tokens: 10, output_tokens: 2, total_tokens: 12 },
  },
  ":generateContent": {
    candidates: [{ content: { role: "model", parts: [{ text: "Done." }] }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 },
  },
};

/** An answer as the events of an Anthropic stream. */
function streamed(answer: { readonly content?: readonly object[] }): string {
  const events = [
    { type: "message_start", message: { ...answer, content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Done." } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 2 } },
    { type: "message_stop" },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

/** Starts a server that answers the four APIs and records the request bodies. */
async function startProviders() {
  const bodies: object[] = [];
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as { readonly stream?: boolean };
    bodies.push(body);
    const [, end = ""] = /([/:]\w+)(?:\?.*)?$/.exec(request.url ?? "") ?? [];
    const answer = WIRE_ANSWERS[end];
    const isStream = body.stream === true;
    response.writeHead(answer === undefined ? 404 : 200, {
      "content-type": isStream ? "text/event-stream" : "application/json",
    });
    response.end(isStream ? streamed(answer ?? {}) : JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has an address of this form.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const keys = { ANTHROPIC_API_KEY: "none", OPENAI_API_KEY: "none", GEMINI_API_KEY: "none" };
  const addresses = { ANTHROPIC_BASE_URL: url, OPENAI_BASE_URL: `${url}/v1`, GOOGLE_GEMINI_BASE_URL: url };
  return { bodies, env: { ...environment, ...keys, ...addresses }, close: () => server.close() };
}

test.each(["README.md", "docs/sessions.md"])("the examples with the official clients in %s run", async (document) => {
  const isWithClient = (block: string): boolean => /from "(?:@anthropic-ai\/sdk|openai|@google\/genai)"/.test(block);
  const examples = blocksOf(document, "ts").filter(isWithClient);
  expect(examples).toHaveLength(document === "README.md" ? 3 : 4);
  const { bodies, env, close } = await startProviders();
  onTestFinished(() => void close());
  for (const [index, example] of examples.entries()) {
    writeFileSync(join(folder, `client-${index}.ts`), example);
    const { stdout } = await promisify(execFile)("node", [`client-${index}.ts`], { cwd: folder, env });
    if (document !== "README.md") expect(stdout.trim()).toMatch(/^[23]$/);
    expect(JSON.stringify(bodies.at(-1))).toContain("Fix the build");
    if (document !== "README.md") expect(JSON.stringify(bodies.at(-1))).toContain("You are a build agent.");
  }
  expect(bodies).toHaveLength(examples.length);
});

const GATEWAY_COMMANDS = [
  "npx palimpsest gateway --store sqlite:./sessions.db",
  "ANTHROPIC_BASE_URL=http://127.0.0.1:4100 claude",
];

/** Asks as Claude Code does: its base address, its key, and one question. */
const CLAUDE = `#!/usr/bin/env node
import Anthropic from "@anthropic-ai/sdk";
const messages = [{ role: "user", content: "Fix the build" }];
console.log((await new Anthropic().messages.create({ model: "claude-opus-5-5", max_tokens: 1024, messages })).content[0].text);
`;

test("the README's example of the gateway runs, and its dashboard is where it says", async () => {
  const { bodies, env, close } = await startProviders();
  onTestFinished(() => void close());
  const config = join(folder, "gateway.json");
  writeFileSync(config, JSON.stringify({ upstreams: { anthropic: env.ANTHROPIC_BASE_URL } }));
  writeFileSync(join(folder, "node_modules/.bin/claude"), CLAUDE, { mode: 0o755 });
  const [start = "", ask = ""] = GATEWAY_COMMANDS;
  // The provider is this test's, and so is the port.
  const words = `${start.replace("npx ", "node_modules/.bin/")} --port 0 --config ${config}`.split(" ");
  const gateway = spawn(words[0] ?? "", words.slice(1), { cwd: folder, env, stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void gateway.kill("SIGKILL"));
  const greeting = String((await once(gateway.stdout, "data"))[0]);
  const [origin = ""] = /http:\/\/[\d.:]+/.exec(greeting) ?? [];
  expect(greeting).toContain(ask.replace("http://127.0.0.1:4100", origin));
  expect(greeting).toContain(`Dashboard: ${origin}/\n`);
  const line = ask.replace("http://127.0.0.1:4100", origin).replace("claude", "node_modules/.bin/claude");
  const { stdout } = await promisify(execFile)("sh", ["-c", line], { cwd: folder, env });
  expect([stdout, bodies.length]).toEqual(["Done.\n", 1]);
  expect(await (await fetch(`${origin}/`)).text()).toContain("<title>Palimpsest</title>");
  expect(await (await fetch(`${origin}/dashboard/sessions`)).text()).toContain("Fix the build");
  expect(readFileSync(join(root, "README.md"), "utf8")).toMatch(/dashboard\S+ at\s+<http:\/\/127\.0\.0\.1:4100\/>/);
  gateway.kill("SIGTERM");
  expect(await once(gateway, "close")).toEqual([0, null]);
});

/** Commands that are run in another way, because another test, `.ci/run` or `beforeAll` runs them already. */
const OUTER_COMMANDS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(GATEWAY_COMMANDS.map((command) => [command, "the test above"])),
  "npm install palimpsest": "done above, with the packed file",
  "npm install && npm start": "npm start",
  "npm install && npm test": "done by .ci/run, word for word",
};

test.each(commandsOf("README.md"))("README: %s", (command) => {
  const isOuter = command in OUTER_COMMANDS;
  if (!isOuter) expect(command).toMatch(/^npx palimpsest /);
  if (command === "npm install && npm test")
    expect(readFileSync(join(root, ".ci/run"), "utf8")).toContain(`\n${command}\n`);
  else if (command === "npm install && npm start") expect(run("npm start --silent", root)).toContain("tokens");
  // Runs the program directly, because npx takes half a second each time; the test below uses npx itself.
  else if (!isOuter) expect(() => run(command.replace("npx ", "node_modules/.bin/"))).not.toThrow();
});

test("npx palimpsest --help names the commands", () => {
  expect(run("npx palimpsest --help")).toMatch(/inspect[\s\S]*check/);
});

test("the package holds what it needs and nothing else", () => {
  const files = packed.files.map(({ path }) => path);
  expect(files).toEqual(expect.arrayContaining(["README.md", "LICENSE", "dist/index.js", "dist/index.d.ts"]));
  expect(files.filter((path) => /\.test\.|^src\/|^test\/|^bench\//.test(path))).toEqual([]);
});

test("declarations and documents contain no codes of unshipped documents, such as R167", () => {
  const files = packed.files.map(({ path }) => path).filter((path) => /\.(?:d\.ts|md)$/.test(path));
  const coded = files.filter((path) =>
    /\b[RDCX]\d{2,3}\b/.test(readFileSync(join(folder, "node_modules/palimpsest", path), "utf8")),
  );
  expect(coded).toEqual([]);
});
