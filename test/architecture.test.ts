import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize, sep } from "node:path";
import { expect, test } from "vitest";

/** Which folder (or top-level file) of `src` may import which. `node` stands for the platform. Everything else is refused. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: ["core"],
  formats: ["core", "formats"],
  tokens: ["core", "gpt-tokenizer"],
  transcripts: ["core", "transcripts", "node"],
  stores: ["core", "stores", "node", "pg"],
  testing: ["core", "formats.ts", "testing", "node"],
  strategies: ["core", "strategies"],
  summarizers: ["core", "summarizers", "retry.ts"],
  profiles: ["core", "profiles"],
  "formats.ts": ["core", "formats"],
  "counters.ts": ["core"],
  "retry.ts": ["core"],
  models: ["core", "models", "formats", "compactor", "compactor.ts", "summarizers", "retry.ts"],
  "models.ts": ["core", "models"],
  loop: ["core", "loop", "session", "session.ts", "run-loop.ts", "node"],
  "run-loop.ts": ["core", "loop", "session", "retry.ts"],
  "telemetry.ts": ["core", "@opentelemetry/api"],
  "strategies.ts": ["core", "strategies"],
  "settings.ts": ["core", "profiles"],
  compactor: ["core", "compactor", "strategies", "strategies.ts"],
  "compactor.ts": [
    "core",
    "compactor",
    "counters.ts",
    "settings.ts",
    "profiles",
    "summarizers",
    "telemetry.ts",
    "logger.ts",
  ],
  "stores.ts": ["core", "stores"],
  session: ["core", "session", "compactor", "compactor.ts", "formats.ts", "node"],
  "session.ts": ["core", "session", "compactor.ts", "stores.ts"],
  "recall-tool.ts": ["core", "session"],
  exchange: [
    "core",
    "exchange",
    "formats",
    "compactor",
    "compactor.ts",
    "session",
    "recall-tool.ts",
    "summarizers",
    "node",
  ],
  "exchange.ts": ["core", "exchange", "compactor", "compactor.ts", "formats.ts", "stores.ts", "node"],
  "fetch.ts": ["core", "exchange.ts"],
  gateway: ["core", "exchange.ts", "gateway", "telemetry.ts", "node"],
  "gateway.ts": ["gateway"],
  "index.ts": [
    "core",
    "compactor",
    "compactor.ts",
    "profiles",
    "recall-tool.ts",
    "session",
    "session.ts",
    "stores.ts",
    "summarizers",
    "telemetry.ts",
  ],
  "parts.ts": ["core", "compactor", "compactor.ts", "formats.ts", "session", "settings.ts", "summarizers"],
  dashboard: [
    "core",
    "dashboard",
    "compactor",
    "formats.ts",
    "session",
    "session.ts",
    "node",
    ...["preact", "uplot"], // bundled with the page
  ],
  "dashboard.ts": ["core", "dashboard", "node"],
  cli: [
    "core",
    "formats",
    "tokens",
    "transcripts",
    "profiles",
    "compactor",
    "strategies",
    "strategies.ts",
    "summarizers",
    "formats.ts",
    "settings.ts",
    "compactor.ts",
    "counters.ts",
    "models",
    "run-loop.ts",
    "session",
    "session.ts",
    "stores.ts",
    "dashboard.ts",
    "gateway",
    "cli",
    "node",
    // Loaded when `--model` asks for it.
    "@anthropic-ai/sdk",
    "@google/genai",
    "openai",
  ],
};

const root = join(import.meta.dirname, "..");
const files = globSync("src/**/*.{ts,tsx}", { cwd: root }).filter((file) => !file.endsWith(".test.ts"));

function importsOf(file: string): readonly string[] {
  const source = readFileSync(join(root, file), "utf8");
  const statements = source.matchAll(/^(?:import|export)\b[^;"']*?\bfrom\s*["']([^"']+)["']/gm);
  const dynamic = source.matchAll(/\bimport\(\s*["']([^"']+)["']|^import\s*["']([^"']+)["']/gm);
  return [...statements, ...dynamic].map((match) => match[1] ?? match[2] ?? "");
}

/** The folder or top-level file of `src` that a path belongs to. */
function areaOf(path: string): string {
  return path.split(sep)[1] ?? path;
}

function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith("node:")) return "node";
  if (specifier.startsWith(".")) return areaOf(normalize(join(dirname(file), specifier)));
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

test("there are files to check", () => {
  expect(files.length).toBeGreaterThan(20);
  expect(importsOf("src/core/repair/repair.ts").length).toBeGreaterThan(3);
});

test.each(files)("%s imports only what its folder may", (file) => {
  const allowed = MAY_IMPORT[areaOf(file)];
  expect(allowed, `${areaOf(file)} has no row in the table above`).toBeDefined();
  const forbidden = importsOf(file).filter((specifier) => !allowed?.includes(targetOf(file, specifier)));
  expect(forbidden).toEqual([]);
});

/** The files of the extractive summarizer: each imports only those before it. */
const EXTRACTIVE =
  "text cues weights observation values todos commands calls outcome events identifiers log choose units earlier compose".split(
    " ",
  );
const EXTRACTIVE_ROOT = join("src", "summarizers", "extractive");
const extractiveFiles = files.filter((file) => file.startsWith(EXTRACTIVE_ROOT + sep));

function extractiveLayer(path: string): number {
  return EXTRACTIVE.indexOf(basename(path, ".ts"));
}

test("the extractive summarizer's files import in one direction", () => {
  expect(extractiveFiles.map((file) => basename(file, ".ts")).toSorted()).toEqual(EXTRACTIVE.toSorted());
  const upward = extractiveFiles.flatMap((file) =>
    importsOf(file)
      .map((specifier) => normalize(join(dirname(file), specifier)))
      .filter((target) => target.startsWith(EXTRACTIVE_ROOT + sep) && extractiveLayer(target) >= extractiveLayer(file))
      .map((target) => `${file} imports ${target}`),
  );
  expect(upward).toEqual([]);
});

test.each(files)("%s says in its first line what it promises", (file) => {
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  expect(lines[lines[0]?.startsWith("#!") ? 1 : 0]).toMatch(/^\/\*\*/);
});

test("core knows no clock and no chance", () => {
  const guilty = files.filter((file) => {
    const source = readFileSync(join(root, file), "utf8");
    return areaOf(file) === "core" && /\b(?:Date\.now|new Date|Math\.random|performance\.|process\.)/.test(source);
  });
  expect(guilty).toEqual([]);
});

test("no index re-exports everything", () => {
  expect(files.filter((file) => /export \*/.test(readFileSync(join(root, file), "utf8")))).toEqual([]);
});

test("there is no class but the error", () => {
  const isClass = (file: string): boolean => /^(?:export )?class /m.test(readFileSync(join(root, file), "utf8"));
  expect(files.filter(isClass)).toEqual([join("src", "core", "errors.ts")]);
});

test("ARCHITECTURE.md names files that there are", () => {
  const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  const named = [...page.matchAll(/`((?:[\w-]+\/)*[\w-]+\.ts)`/g)].map(([, file = ""]) => file);
  const known = new Set(globSync("{src,test,bench}/**/*.ts", { cwd: root }));
  const isThere = (file: string): boolean => known.has(file) || [...known].some((path) => path.endsWith(`/${file}`));
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((file) => !isThere(file))).toEqual([]);
});
