/** Checks docs/api.md against the code: it has every name of every entry point, every option and every reason, and nothing else. */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { COMMANDS } from "../src/cli/dispatch.ts";
import { runInProcess } from "./run-in-process.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const page = read("docs/api.md");

/** The text under a heading, up to the next heading of its level or above. */
function sectionOf(heading: string): string {
  const level = /^#+/.exec(heading)?.[0].length ?? 0;
  const start = page.indexOf(`\n${heading}\n`);
  expect(start, `docs/api.md has no ${heading}`).toBeGreaterThanOrEqual(0);
  const rest = page.slice(start + heading.length + 2);
  const end = rest.search(new RegExp(`^#{1,${level}} `, "m"));
  return end < 0 ? rest : rest.slice(0, end);
}

/** The words in code marks: `name`, or `name(…)`. */
function codeWords(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/`(\w+)(?:`|\()/g)].map(([, word = ""]) => word));
}

/** The names in the first column of its tables. */
function listedIn(text: string): readonly string[] {
  const cells = [...text.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = ""]) => cell);
  return cells.flatMap((cell) => [...codeWords(cell)]);
}

/** The names that a file exports, types too. */
function exportsOf(source: string): readonly string[] {
  const lists = [...source.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = ""]) => names.split(","));
  const listed = lists.map((name) => name.replace(/\btype\b/, "").trim()).filter((name) => name !== "");
  const declared = source.matchAll(/^export (?:async )?(?:const|function|class|interface|type) (\w+)/gm);
  return [...listed, ...[...declared].map(([, name = ""]) => name)];
}

const entries = Object.entries(manifest.exports)
  .filter(([, file]) => file.endsWith(".js"))
  .map(([path, file]) => {
    const source = file.replace("./dist/", "src/").replace(/\.js$/, ".ts");
    return { heading: `## palimpsest${path.slice(1)}`, source, names: exportsOf(read(source)) };
  });

test.each(entries)("$heading has every name that it exports", ({ heading, names }) => {
  expect(names.length).toBeGreaterThan(0);
  const known = codeWords(sectionOf(heading));
  expect(names.filter((name) => !known.has(name))).toEqual([]);
});

/** Matches the declaration of a name. */
const DECLARED = (name: string): RegExp =>
  new RegExp(`^export (?:async )?(const|function|class|interface|type) ${name}\\b`, "m");

/** Whether a name has a doc comment where it is declared, here or in the file that it comes from. Types need none: their fields have them. */
function isDescribed(source: string, name: string): boolean {
  const text = read(source);
  const declared = DECLARED(name).exec(text);
  if (declared !== null) {
    const isType = declared[1] === "interface" || declared[1] === "type";
    return isType || text.slice(0, declared.index).trimEnd().endsWith("*/");
  }
  const lists = [...text.matchAll(/^(?:export|import) (?:type )?\{([^}]*)\} from "(.*?)"/gm)];
  const from = lists.find(([, names = ""]) => new RegExp(`\\b${name}\\b`).test(names))?.[2];
  return from !== undefined && isDescribed(join(dirname(source), from), name);
}

test.each(entries)("$heading: every function and value has a doc comment", ({ source, names }) => {
  expect(names.filter((name) => !isDescribed(source, name))).toEqual([]);
});

test.each(["## palimpsest", "## palimpsest/parts"])("%s lists only names that it exports", (heading) => {
  const section = sectionOf(heading).split("### ")[0] ?? "";
  const types = section.slice(section.indexOf("\nTypes:"));
  const named = [...listedIn(section), ...codeWords(types)];
  const exported = entries.find((entry) => entry.heading === heading)?.names ?? [];
  expect(named.filter((name) => !exported.includes(name))).toEqual([]);
});

test("no name stands in two entry points, but for the format and the model of one API", () => {
  const formats = entries.filter(({ heading }) => heading.startsWith("## palimpsest/formats/"));
  const ofFormats = new Set(formats.flatMap((entry) => entry.names));
  const names = entries.flatMap(({ heading, names: all }) =>
    heading === "## palimpsest/models" ? all.filter((name) => !ofFormats.has(name)) : all,
  );
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

/** The fields of an interface, without inherited ones. */
function fieldsOf(file: string, name: string): readonly string[] {
  const body = new RegExp(`^export interface ${name}\\b[^{]*\\{\\n(.*?)^\\}`, "ms").exec(read(file))?.[1] ?? "";
  const fields = [...body.matchAll(/^ {2}(?:readonly )?(\w+)[?<(:]/gm)].map(([, field = ""]) => field);
  expect(fields.length, `${name} in ${file}`).toBeGreaterThan(0);
  return fields;
}

const COMPACTOR = [
  ["src/compactor.ts", "CompactorOptions"],
  ["src/compactor/events.ts", "WatchOptions"],
  ["src/compactor/retention.ts", "RetentionOptions"],
  ["src/compactor.ts", "Compactor"],
] as const;

test.each([
  ["### createCompactor", COMPACTOR],
  ["### A call", [["src/compactor/options.ts", "CallOptions"]]],
  ["### The report", [["src/compactor/report.ts", "Report"]]],
  ["### llm", [["src/summarizers/llm-options.ts", "LlmOptions"]]],
  ["### openSession", [["src/session.ts", "SessionOptions"]]],
  ["## palimpsest/stores/memory", [["src/stores/memory.ts", "MemoryStoreOptions"]]],
  ["## palimpsest/stores/jsonl", [["src/stores/jsonl.ts", "JsonlStoreOptions"]]],
  ["## palimpsest/stores/sqlite", [["src/stores/sqlite.ts", "SqliteStoreOptions"]]],
  ["## palimpsest/stores/postgres", [["src/stores/postgres.ts", "PostgresStoreOptions"]]],
] as const)("%s lists the options that there are", (heading, interfaces) => {
  const [tables = ""] = sectionOf(heading).split("Reasons why");
  const fields = interfaces.flatMap(([file, name]) => fieldsOf(file, name));
  const known = codeWords(tables);
  expect(fields.filter((field) => !known.has(field))).toEqual([]);
  expect(listedIn(tables).filter((option) => !fields.includes(option))).toEqual([]);
});

test("groups of options and numbers are listed with all of their fields", () => {
  const session = codeWords(sectionOf("### openSession"));
  const counted = [
    ...fieldsOf("src/session/session-port.ts", "SessionStats"),
    ...fieldsOf("src/core/store/counters.ts", "Counters"),
  ];
  expect(counted.filter((field) => !session.has(field))).toEqual([]);
  const retry = codeWords(sectionOf("### llm"));
  expect(fieldsOf("src/retry.ts", "RetrySettings").filter((field) => !retry.has(field))).toEqual([]);
});

test("every reason why nothing was done is explained", () => {
  const union = /^export type NothingToDo =(.*?);$/ms.exec(read("src/core/plan/plan.ts"))?.[1] ?? "";
  const reasons = [...union.matchAll(/"([\w-]+)"/g)].map(([, reason]) => reason);
  const rows = sectionOf("### The report").split("Reasons why")[1] ?? "";
  const explained = [...rows.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = ""]) => cell.match(/[\w-]+/g) ?? []);
  expect(explained.sort()).toEqual(reasons.sort());
});

test("docs/cli.md has the options of every command, and no others", async () => {
  const commands = [[], ...Object.keys(COMMANDS).map((name) => [name])];
  const helps = await Promise.all(commands.map((words) => runInProcess([...words, "--help"])));
  const options = optionsIn(helps.map(({ stdout }) => stdout).join(""), /^ {2}(?:-\w, )?--([a-z-]+)/gm);
  const told = optionsIn(read("docs/cli.md"), /(?<![\w-])--([a-z][a-z-]*)/g);
  expect(options.filter((option) => !told.includes(option))).toEqual([]);
  expect(told.filter((option) => !options.includes(option))).toEqual([]);
});

function optionsIn(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, option = ""]) => option);
}
