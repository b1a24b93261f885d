/** `palimpsest chat` as a process with pipes: the scripted model, the official clients over HTTP, Ctrl-C, and what is refused. */

import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { type Outcome, runCli, temporaryFolder } from "../../test/run-cli.ts";
import { runInProcess } from "../../test/run-in-process.ts";
import { CHECKPOINT_SECTIONS } from "../summarizers/prompts.ts";
import { type ProviderServer, startProviderServer } from "../testing/server.ts";
import { displayWidth } from "./one-line.ts";

const KEY = "sk-test-key-of-nobody-0123456789";
const NO_KEYS = { ANTHROPIC_API_KEY: "", ANTHROPIC_AUTH_TOKEN: "", OPENAI_API_KEY: "", GEMINI_API_KEY: "" };

/** A folder with a few files to read, and a store beside it. */
function place() {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const project = join(folder.path, "project");
  mkdirSync(project);
  for (const name of ["fetch", "models"]) cpSync(join("examples", name), join(project, name), { recursive: true });
  const database = join(folder.path, "sessions.db");
  const store = `sqlite:${database}`;
  const say = (lines: readonly string[], options: readonly string[] = [], environment = {}): Promise<Outcome> => {
    // The official clients read the environment of their process.
    const run = options.includes("scripted") ? runInProcess : runCli;
    const stdin = lines.map((line) => `${line}\n`).join("");
    const shell = { PATH: process.env.PATH ?? "" };
    const words = ["chat", "--folder", project, "--store", store, ...options];
    return run(words, { stdin, environment: { ...shell, ...NO_KEYS, ...environment } });
  };
  return { project, database, store, say, cli: (...words: string[]) => runInProcess([...words, "--store", store]) };
}

const SCRIPTED = ["--model", "scripted"];

test("a tour through a folder fills the window; the view is compacted, found again and taken back", async () => {
  const { say, cli } = place();
  const lines = ["tour", "/context", "/history", "/recall GoogleGenAI", "/rollback", "/rollback", "/cost", "/quit"];
  const { code, stdout, stderr } = await say(lines, SCRIPTED);
  expect(code, stderr).toBe(0);
  expect(stderr).toBe("");
  expect(stdout).toContain("File 13 of 13: models/openai-responses.ts.");
  expect(stdout).toMatch(/compacted \(\w+\): [\d,]+ → [\d,]+ tokens, \d+ → \d+ messages/);
  expect(stdout).toMatch(/\* summary +[\d,]+/);
  expect(stdout).toContain("replaced by compaction 1");
  expect(stdout).toContain("took back compaction 1; the view is what it was");
  expect(stdout).toContain("There is no compaction in force to undo.");
  expect(stdout).toMatch(/answers of scripted +\d+ calls .*\$0\.0000/);
  expect(stdout).toMatch(
    /the session stays; to go on:\n {2}palimpsest chat --model scripted --resume chat-1 --store\n {2}sqlite:/,
  );
  for (const line of stdout.split("\n").slice(0, -2)) expect(displayWidth(line), line).toBeLessThanOrEqual(80);
  expect((await cli("history", "chat-1")).stdout).toContain("undone");
  expect((await cli("doctor")).code).toBe(0);
});

test("the same lines give the same conversation", async () => {
  const [one, other] = await Promise.all(
    [place(), place()].map(({ say }) => say(["tour", "what is gemini?"], SCRIPTED)),
  );
  const plain = (outcome: Outcome | undefined) => outcome?.stdout.replace(/sqlite:\S+/, "");
  expect(plain(one)).toBe(plain(other));
});

test("a session is gone on with, under its id", async () => {
  const { say } = place();
  await say(["The gate closes at nine."], SCRIPTED);
  const { stdout } = await say(["When closes the gate?"], [...SCRIPTED, "--resume", "chat-1"]);
  expect(stdout).toContain('What I was sent says: "The gate closes at nine."');
  expect((await say(["hello"], SCRIPTED)).stdout).toContain("session chat-2;");
});

test("a chat in which nothing was said leaves no session", async () => {
  const { say, cli } = place();
  expect((await say(["/help", "/quit"], SCRIPTED)).code).toBe(0);
  expect((await cli("sessions", "--json")).stdout).toContain('"sessions": []');
});

test("without a terminal a command runs only with --yes, and never sees a key", async () => {
  const { say, project } = place();
  const line = "run touch made; env | sort";
  expect((await say([line], SCRIPTED)).stdout).toContain("Nobody could be asked");
  expect(existsSync(join(project, "made"))).toBe(false);
  const { stdout } = await say([line, "/recall ANTHROPIC"], [...SCRIPTED, "--yes"], { ANTHROPIC_API_KEY: KEY });
  expect(stdout).toContain("exit code 0,");
  expect(existsSync(join(project, "made"))).toBe(true);
  expect(stdout).toContain("nothing was found");
});

test("what is pinned outlasts a compaction, and what is not there is said", async () => {
  const { say } = place();
  const lines = ["The gate closes at nine.", "/pin m2", "/pin m99", "tour", "/pin", "/nothing", "/quit"];
  const { code, stdout } = await say(lines, SCRIPTED);
  expect(code).toBe(0);
  expect(stdout).toContain("pinned m2");
  expect(stdout).toContain("m99");
  expect(stdout).toMatch(/ m2 +P +user +\d+ +The gate closes at nine\./);
  expect(stdout).toContain("there is no /nothing; /help lists what there is");
});

test("a full window under a profile that does not compact by itself is refused, and /compact makes room", async () => {
  const { say } = place();
  const options = [...SCRIPTED, "--profile", "auto-compact"];
  const full = await say(["tour", "tour"], options);
  expect(full.code).toBe(2);
  expect(full.stderr).toContain("The provider refused the request as too long");
  const resumed = await say(["/compact", "list", "/hist", "/rolback"], [...options, "--resume", "chat-1"]);
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(resumed.stdout).toMatch(/compacted \(manual\): [\d,]+ → [\d,]+ tokens/);
  expect(resumed.stdout).toContain("It has 13 lines");
  expect(resumed.stdout).toContain("there is no /hist; did you mean /history?");
  expect(resumed.stdout).toContain("there is no /rolback; did you mean /rollback?");
});

test("a profile that flushes memory keeps its notes in the folder, and says so", async () => {
  const { say, project } = place();
  const server = await startProviderServer({
    windowTokens: 4_000,
    reply: ({ conversation, body }) => {
      const newest = JSON.stringify(conversation.messages.at(-1));
      if (newest.includes("Appended to memory")) return "NO_REPLY";
      if (JSON.stringify(body).includes("Memory flush"))
        return { toolCalls: [{ name: "memory_append", input: { note: "The gate closes at nine." } }] };
      return newest.includes("tool-result") ? "It is read." : { toolCalls: [{ name: "list_files", input: {} }] };
    },
  });
  onTestFinished(() => server.close());
  const options = ["--model", "anthropic:claude-haiku-4-5", "--window", "4k", "--profile", "openclaw"];
  const environment = { ...addressesOf(server), ANTHROPIC_API_KEY: KEY };
  const { code, stdout, stderr } = await say([`Read. ${"word ".repeat(2_500)}`, "/cost"], options, environment);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain("before a compaction the model was asked to note what must outlast the session");
  expect(stdout).not.toContain("NO_REPLY");
  expect(stdout).toMatch(/answers of \S+ +4 calls/);
  const [notes = ""] = readdirSync(join(project, "memory"));
  expect(readFileSync(join(project, "memory", notes), "utf8")).toBe("The gate closes at nine.\n\n");
});

const MODELS = [
  ["anthropic:claude-haiku-4-5", "ANTHROPIC_API_KEY", "anthropic-messages"],
  ["openai:gpt-5-mini", "OPENAI_API_KEY", "openai-responses"],
  ["openai-chat:gpt-5-mini", "OPENAI_API_KEY", "openai-chat"],
  ["gemini:gemini-2.5-flash", "GEMINI_API_KEY", "gemini"],
] as const;

const SUMMARY = CHECKPOINT_SECTIONS.map((heading) =>
  [heading, /Goal/.test(heading) ? "- Read five files" : "- (none)"].join("\n"),
).join("\n\n");

function addressesOf({ origin }: ProviderServer) {
  return { ANTHROPIC_BASE_URL: origin, OPENAI_BASE_URL: `${origin}/v1`, GOOGLE_GEMINI_BASE_URL: origin };
}

test.each(MODELS)("%s works in the folder, and summarizes in its own window", async (model, key, format) => {
  const { say, database } = place();
  const files = [
    "fetch/anthropic.ts",
    "fetch/gemini.ts",
    "fetch/mastra.ts",
    "fetch/openai-chat.ts",
    "models/gemini.ts",
  ];
  let answers = 0;
  const server = await startProviderServer({
    windowTokens: 4_000,
    reply: ({ conversation }) => {
      // A summary is asked for in a request without tools.
      if (conversation.tools === undefined) return SUMMARY;
      const path = files[answers++];
      return path === undefined
        ? "All are read."
        : { text: "Next.", toolCalls: [{ name: "read_file", input: { path } }] };
    },
  });
  onTestFinished(() => server.close());
  const environment = { ...addressesOf(server), [key]: KEY };
  const lines = ["Read them.", "/compact", "/cost", "/recall five files", "/quit"];
  const { code, stdout, stderr } = await say(lines, ["--model", model, "--window", "4k"], environment);
  expect(code, stderr + stdout).toBe(0);
  expect(stdout).toContain("read_file models/gemini.ts: 20 lines");
  expect(stdout).toContain("All are read.");
  expect(stdout).toMatch(/answers of \S+ +6 calls .*\$0\.\d{4}/);
  expect(stdout).toMatch(/compacted \(manual\): [\d,]+ → [\d,]+ tokens, \d+ → \d+ messages, \d calls? to\s+\S+/);
  expect(stdout).toMatch(/summaries +\d calls? +\$0\.\d{4}/);
  expect(stdout).toContain("- Read five files");
  expect(server.requests.filter(({ outcome }) => outcome?.type !== "answered")).toEqual([]);
  expect(new Set(server.requests.map((request) => request.format))).toEqual(new Set([format]));
  expect(JSON.stringify(server.requests[0]?.body)).toContain("You are an agent in a terminal");
  expect(stdout + stderr + readFileSync(database, "latin1")).not.toContain(KEY);
});

test("a model that cannot be reached ends a script with one line, and the session can be gone on with", async () => {
  const server = await startProviderServer({ reply: () => "Here I am." });
  onTestFinished(() => server.close());
  const { say } = place();
  const environment = { ...addressesOf(server), ANTHROPIC_API_KEY: KEY };
  const model = ["--model", "anthropic:claude-haiku-4-5"];
  server.failNext({ type: "garbage" });
  const failed = await say(["Are you there?", "Never said."], model, environment);
  expect(failed.code).toBe(2);
  expect(failed.stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(failed.stdout).not.toContain("Never said.");
  expect(failed.stdout).toContain("--resume chat-1");
  const resumed = await say(["And now?"], [...model, "--resume", "chat-1"], environment);
  expect(resumed.stdout).toContain("Here I am.");
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("Are you there?");
});

test("Ctrl-C stops the turn; the call that was under way counts as interrupted, and does not run again", async () => {
  const { project, store, say } = place();
  writeFileSync(join(project, "slow.sh"), "echo x >> runs; sleep 60\n");
  const words = ["src/cli/main.ts", "chat", ...SCRIPTED, "--yes", "--folder", project, "--store", store];
  const child = spawn(process.execPath, words, { env: { ...process.env, LC_ALL: "C.UTF-8" } });
  const output = text(child.stdout);
  child.stdin.write("run sh slow.sh\n");
  while (!existsSync(join(project, "runs"))) await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill("SIGINT");
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect(code).toBe(130);
  expect(await output).toContain("stopped; what was said and done so far stays in the session");
  const { stdout } = await say(["Which call was interrupted?"], [...SCRIPTED, "--yes", "--resume", "chat-1"]);
  expect(stdout).toMatch(/This tool call was interrupted before it returned\s+a result/);
  expect(readFileSync(join(project, "runs"), "utf8")).toBe("x\n");
});

test("a session from elsewhere keeps its system prompt, and is given the tools of the chat", async () => {
  const server = await startProviderServer({ reply: () => "Going on." });
  onTestFinished(() => server.close());
  const { say, cli } = place();
  await cli("import", "examples/long-conversation.json", "--id", "incident");
  const environment = { ...addressesOf(server), ANTHROPIC_API_KEY: KEY };
  const { stdout } = await say(
    ["And now?"],
    ["--model", "anthropic:claude-haiku-4-5", "--resume", "incident"],
    environment,
  );
  expect(stdout).toContain("Going on.");
  const [request] = server.requests;
  const sent = JSON.stringify(request?.body);
  expect(sent).toContain("You are the engineering assistant of Larder");
  expect(sent).not.toContain("You are an agent in a terminal");
  expect(sent).toContain('"name":"run_command"');
  expect(sent).toContain('"model":"claude-haiku-4-5"');
  expect(request?.outcome?.type).toBe("answered");
});

test("a session is not gone on with in another format", async () => {
  const { say } = place();
  await say(["hello"], SCRIPTED);
  const { code, stderr } = await say(["hello"], ["--model", "anthropic:x", "--resume", "chat-1"], {
    ANTHROPIC_API_KEY: KEY,
  });
  expect(code).toBe(2);
  expect(stderr).toContain('session "chat-1" is in openai-chat, and --model anthropic:x answers in anthropic-messages');
});

test.each([
  [[], "chat needs --model; palimpsest chat --model scripted works without a key"],
  [["--model", "anthropic:claude-haiku-4-5"], "needs a key: set ANTHROPIC_API_KEY"],
  [["--model", "scriptd"], "did you mean scripted?"],
  [["--model", "scripted", "--folder", "nowhere"], "is no folder"],
  [["--model", "scripted", "hello"], 'was given "hello"'],
  [["--model", "scripted", "--resume", "chat-9"], "there is no store"],
] as const)("%j: one clear line", async (options, said) => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const { code, stderr } = await runInProcess(["chat", "--store", `sqlite:${folder.path}/a.db`, ...options]);
  expect(code).toBe(2);
  expect(stderr).toContain(said);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
});
