import { execFileSync } from "node:child_process";
import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

/** The package as a user gets it: packed, installed into an empty folder, and used as the documents say. */

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

/** As a user's shell has it, without what an outer npm run leaves behind. */
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
  copyFileSync(join(root, "examples/sample-conversation.json"), join(folder, "request.json"));
  copyFileSync(join(root, "examples/sample-session.jsonl"), join(folder, "session.jsonl"));
  copyFileSync(join(root, "examples/broken-conversation.json"), join(folder, "broken.json"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the README's first example runs", () => {
  const [example = ""] = blocksOf("README.md", "ts");
  expect(example).toContain('from "palimpsest"');
  writeFileSync(join(folder, "example.ts"), example);
  expect(run("node example.ts")).toContain("not-triggered");
});

test("every code block in the documents type-checks against the package", () => {
  const blocks = documents.flatMap((document) => blocksOf(document, "ts"));
  expect(blocks.length).toBeGreaterThan(0);
  blocks.forEach((block, index) => {
    writeFileSync(join(folder, `block-${index}.ts`), `${block}\nexport {};\n`);
  });
  // What a reader of that page would have installed beside the package.
  for (const name of ["@types", "pg", "postgres"]) {
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  }
  const options = "--noEmit --strict --target es2024 --module nodenext --types node --skipLibCheck";
  run(`"${join(root, "node_modules/.bin/tsc")}" ${options} block-*.ts`);
});

/** Commands that stand for what `.ci/run` does anyway, or that would run this very test again. */
const OUTER_COMMANDS: Readonly<Record<string, string>> = {
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
  // What npx finds here, without npm's half second each time; the test below goes through npx itself.
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
