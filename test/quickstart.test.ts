/** docs/quickstart.md shows the files that test/fetch-examples.test.ts runs, and what the README shows; `UPDATE=1` renews the former. */

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const PAGE = join(root, "docs/quickstart.md");
const SHOWN = /<!-- (examples\/fetch\/[\w-]+\.ts) -->\n\n```ts\n([\s\S]*?)```/g;
/** In the repository an example imports the source. */
const SOURCE = '"../../src/fetch.ts"; // in your project: "palimpsest/fetch"';

const read = (path: string): string => readFileSync(path, "utf8");
const asInstalled = (file: string): string => read(join(root, file)).replace(SOURCE, '"palimpsest/fetch";');

if (process.env.UPDATE !== undefined) {
  const renewed = read(PAGE).replace(SHOWN, (_, file) => `<!-- ${file} -->\n\n\`\`\`ts\n${asInstalled(file)}\`\`\``);
  writeFileSync(PAGE, renewed);
}

const page = read(PAGE);
const examples = [...page.matchAll(SHOWN)].map(([, file = "", code = ""]) => ({ file, code }));

test("every example is shown, once", () => {
  const files = globSync("examples/fetch/*.ts", { cwd: root });
  expect(examples.map(({ file }) => file).toSorted()).toEqual(files.toSorted());
});

test.each(examples)("$file is shown as it is", ({ file, code }) => expect(code).toBe(asInstalled(file)));

test.each(examples)("what $file imports is installed by the line above it", ({ code }) => {
  const before = page.slice(0, page.indexOf(code));
  const installed = new Set(before.slice(before.lastIndexOf("npm install ")).split("\n")[0]?.split(" "));
  const imported = [...code.matchAll(/ from "((?:@[\w-]+\/)?[\w-]+)[^"]*"/g)].map(([, name = ""]) => name);
  const packages = imported.filter((name) => name !== "node" && !builtinModules.includes(name));
  expect(packages).toContain("palimpsest");
  expect(packages.filter((name) => !installed.has(name))).toEqual([]);
});

test("the other examples are the README's", () => {
  const others = [...page.replaceAll(SHOWN, "").matchAll(/```ts\n[\s\S]*?```/g)].map(([block]) => block);
  expect(others).toHaveLength(2);
  for (const block of others) expect(read(join(root, "README.md"))).toContain(block);
});
