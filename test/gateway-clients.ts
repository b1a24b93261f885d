/**
 * Real coding agents from the registry, for tests of the gateway: how each is installed, pointed to an address and asked, as one row each.
 * They are installed into a folder of their own outside the repository, and run with nothing of the caller's environment, a home of their
 * own, a key that is none, and everything off that would speak to anybody but the address that they are given.
 */

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { isArray, isObject, type JsonObject, stringOf } from "../src/core/json.ts";

export interface ClientRow {
  readonly package: string;
  readonly bin: string;
  /** Written into its home before it runs. */
  files?(origin: string): Readonly<Record<string, string>>;
  environment(origin: string, home: string): Readonly<Record<string, string>>;
  arguments(prompt: string, isFirst: boolean, origin: string): readonly string[];
  /** How many turns it can make without a terminal. Default: any number. */
  readonly turns?: number;
  /** Its tool that runs a command, and how a model calls it. */
  readonly shell: { readonly name: string; input(command: string): JsonObject };
  /** Its tool that starts another agent. */
  readonly agent?: { readonly name: string; input(prompt: string): JsonObject };
  /** Its arguments and environment where it is pointed to a gateway by the line that the gateway prints, if it is not so already. */
  readonly printed?: Partial<Pick<ClientRow, "arguments" | "environment" | "files">>;
}

const KEY = "sk-none";

const opencodeConfig = (origin: string): string =>
  JSON.stringify({
    autoupdate: false,
    share: "disabled",
    permission: "allow",
    provider: { anthropic: { options: { baseURL: `${origin}/v1`, apiKey: KEY } } },
  });

const CODEX_QUIET = `check_for_update_on_startup = false
[analytics]
enabled = false
`;

const codexConfig = (origin: string): string => `model = "gpt-5.5"
model_provider = "here"
model_reasoning_effort = "medium"
${CODEX_QUIET}[model_providers.here]
name = "here"
base_url = "${origin}/v1"
env_key = "HERE_KEY"
wire_api = "responses"
`;

export const CLIENTS = {
  "claude-code": {
    package: "@anthropic-ai/claude-code",
    bin: "claude",
    environment: (origin) => ({
      ANTHROPIC_BASE_URL: origin,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      IS_SANDBOX: "1",
    }),
    arguments: (prompt, isFirst) => [
      ...["-p", prompt, "--model", "claude-opus-5-5", "--dangerously-skip-permissions"],
      ...(isFirst ? [] : ["--continue"]),
    ],
    shell: { name: "Bash", input: (command) => ({ command, description: "Read a file" }) },
    agent: {
      name: "Agent",
      input: (prompt) => ({ description: "Read files", prompt, subagent_type: "general-purpose" }),
    },
  },
  codex: {
    package: "@openai/codex",
    bin: "codex",
    files: (origin) => ({ ".codex/config.toml": codexConfig(origin) }),
    environment: () => ({ HERE_KEY: KEY }),
    arguments: (prompt, isFirst) => [
      "exec",
      ...(isFirst ? [] : ["resume", "--last"]),
      ...["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt],
    ],
    shell: { name: "exec_command", input: (command) => ({ cmd: command }) },
    // Its own provider asks for a WebSocket first.
    printed: {
      files: () => ({ ".codex/config.toml": CODEX_QUIET }),
      environment: () => ({ CODEX_API_KEY: KEY }),
      arguments: (prompt, isFirst, origin) => [
        ...["exec", "-c", `openai_base_url=${origin}/v1`, "-m", "gpt-5.5", ...(isFirst ? [] : ["resume", "--last"])],
        ...["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt],
      ],
    },
  },
  opencode: {
    package: "opencode-ai",
    bin: "opencode",
    environment: (origin) => ({
      OPENCODE_CONFIG_CONTENT: opencodeConfig(origin),
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    }),
    arguments: (prompt, isFirst) => [
      "run",
      ...(isFirst ? [] : ["--continue"]),
      ...["--model", "anthropic/claude-opus-5-5", prompt],
    ],
    shell: { name: "bash", input: (command) => ({ command, description: "Read a file" }) },
    agent: { name: "task", input: (prompt) => ({ description: "Read files", prompt, subagent_type: "general" }) },
  },
  pi: {
    package: "@earendil-works/pi-coding-agent@0.87.1",
    bin: "pi",
    files: (origin) => ({
      ".pi/agent/models.json": JSON.stringify({ providers: { anthropic: { baseUrl: origin } } }),
    }),
    environment: () => ({ ANTHROPIC_API_KEY: KEY, PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1", PI_TELEMETRY: "0" }),
    arguments: (prompt, isFirst) => [
      ...["--provider", "anthropic", "--model", "claude-opus-5-5"],
      ...(isFirst ? [] : ["--continue"]),
      ...["-p", prompt],
    ],
    shell: { name: "bash", input: (command) => ({ command }) },
  },
  "gemini-cli": {
    package: "@google/gemini-cli",
    bin: "gemini",
    // When it resumes it sends every result twice, which the provider refuses without a gateway too.
    turns: 1,
    files: () => ({
      ".gemini/settings.json": JSON.stringify({
        general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        security: { auth: { selectedType: "gemini-api-key" } },
      }),
    }),
    environment: (origin) => ({
      GEMINI_API_KEY: KEY,
      GOOGLE_GEMINI_BASE_URL: origin,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    }),
    arguments: (prompt, isFirst) => [
      ...["-m", "gemini-2.5-pro", "--yolo", ...(isFirst ? [] : ["--resume", "latest"])],
      ...["-p", prompt],
    ],
    shell: { name: "run_shell_command", input: (command) => ({ command, description: "Read a file" }) },
  },
} as const satisfies Readonly<Record<string, ClientRow>>;

export type ClientName = keyof typeof CLIENTS;

const CACHE = join(tmpdir(), "palimpsest-clients");
const INSTALL_MS = 600_000;

/** The path of the client's program, installed where it was not; or why there is none. */
export async function installed(name: ClientName): Promise<{ readonly path: string } | { readonly missing: string }> {
  const { package: wanted, bin } = CLIENTS[name];
  const folder = join(CACHE, wanted.replace(/[^a-z0-9]/g, "_"));
  const path = join(folder, "node_modules", ".bin", bin);
  if (existsSync(path)) return { path };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), `{"private":true}`);
  try {
    const options = { cwd: folder, timeout: INSTALL_MS };
    await promisify(execFile)("npm", ["install", "--no-audit", "--no-fund", wanted], options);
    return existsSync(path) ? { path } : { missing: `${wanted} has no program ${bin}` };
  } catch (error) {
    return {
      missing: `${wanted} cannot be installed: ${error instanceof Error ? error.message.slice(0, 200) : error}`,
    };
  }
}

/** A client with a home and a folder to work in, which stay from one turn to the next. */
export interface Client {
  ask(prompt: string): Promise<{ readonly code: number | null; readonly output: string }>;
  /** From the next question on. */
  pointTo(origin: string): void;
}

const TURN_MS = 900_000;

export function createClient(name: ClientName, path: string, origin: string, isPrinted = false): Client {
  const own: ClientRow = CLIENTS[name];
  const row: ClientRow = isPrinted ? { ...own, ...own.printed } : own;
  const home = mkdtempSync(join(tmpdir(), `palimpsest-${name}-`));
  const folder = join(home, "work");
  mkdirSync(folder);
  let turns = 0;
  let base = origin;
  return {
    pointTo: (next) => {
      base = next;
    },
    ask: async (prompt) => {
      for (const [file, content] of Object.entries(row.files?.(base) ?? {})) {
        mkdirSync(dirname(join(home, file)), { recursive: true });
        writeFileSync(join(home, file), content);
      }
      const environment = { HOME: home, PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, TERM: "dumb", CI: "1" };
      const child = spawn(path, [...row.arguments(prompt, turns++ === 0, base)], {
        cwd: folder,
        env: { ...environment, ...row.environment(base, home) },
        stdio: ["ignore", "pipe", "pipe"],
        timeout: TURN_MS,
      });
      const [output, errors, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, "close"),
      ]);
      return { code, output: `${output}\n${errors}` };
    },
  };
}

/** Whether a request offers the tool of that name. */
export function offers(body: JsonObject, name: string): boolean {
  const tools = isArray(body.tools) ? body.tools.filter(isObject) : [];
  const names = tools.flatMap((tool) => [
    stringOf(tool.name),
    isObject(tool.function) ? stringOf(tool.function.name) : undefined,
    ...(isArray(tool.functionDeclarations)
      ? tool.functionDeclarations.filter(isObject).map((one) => stringOf(one.name))
      : []),
  ]);
  return names.includes(name);
}
