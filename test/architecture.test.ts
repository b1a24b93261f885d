import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";
import { expect, test } from "vitest";

/** Which folder (or top-level file) of `src` may import which. `node` stands for the platform. Everything else is refused. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: ["core"],
  formats: ["core", "formats"],
  tokens: ["core", "gpt-tokenizer"],
  transcripts: ["core", "transcripts", "node"],
  testing: ["core", "testing"],
  "formats.ts": ["core", "formats"],
  "convert.ts": ["core", "formats.ts"],
  "index.ts": ["core", "formats.ts", "convert.ts"],
  cli: ["core", "formats", "tokens", "transcripts", "formats.ts", "convert.ts", "cli", "node"],
};

const root = join(import.meta.dirname, "..");
const files = globSync("src/**/*.ts", { cwd: root }).filter((file) => !file.endsWith(".test.ts"));

function importsOf(file: string): readonly string[] {
  const source = readFileSync(join(root, file), "utf8");
  return [...source.matchAll(/(?:^|\s)(?:from|import)\s*\(?\s*["']([^"']+)["']/g)].map((match) => match[1] ?? "");
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
  expect(importsOf("src/core/repair.ts").length).toBeGreaterThan(3);
});

test.each(files)("%s imports only what its folder may", (file) => {
  const allowed = MAY_IMPORT[areaOf(file)];
  expect(allowed, `${areaOf(file)} has no row in the table above`).toBeDefined();
  const forbidden = importsOf(file).filter((specifier) => !allowed?.includes(targetOf(file, specifier)));
  expect(forbidden).toEqual([]);
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
