/**
 * Looks for better weights of the embedded summarizer, on recorded sessions of anyone: each weight of `src/summarizers/extractive/weights.ts` is halved and
 * doubled, and a change stays while it raises the score on the sources it is fitted to. Each source is left out once and scored with the weights
 * fitted to the others, so that a gain there is no mere fit. Prints what it finds and changes no file.
 *
 * `npm run fidelity-fit -- --cases FOLDER [--only word,reserve]`, with the cases that `npm run fidelity -- --out` keeps.
 */

import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isObject, type JsonValue } from "../src/core/json.ts";
import { WEIGHTS } from "../src/summarizers/extractive/weights.ts";
import { compactedView } from "./compacted-view.ts";
import { formatOf } from "./recorded-calls.ts";

const TOOL = fileURLToPath(new URL("../../shared/tools/fidelity.py", import.meta.url));
const PERCENTS = [5, 10] as const;
/** What counts, and how much. */
const MEASURES = { effects: 1, facts: 1, raw: 0.5 } as const;
const FACTORS = [0.5, 2] as const;
/** A smaller gain is noise. */
const GAIN_MIN = 0.002;

/** By case, its score with some weights. */
type Scores = ReadonlyMap<string, number>;

interface Weight {
  readonly name: string;
  get(): number;
  set(value: number): void;
}

const folder = optionOf("--cases");
if (folder === undefined) console.log("npm run fidelity-fit -- --cases FOLDER [--only word,reserve]");
else await fit(folder);

async function fit(cases: string): Promise<void> {
  const only = optionOf("--only")?.split(",");
  const weights = weightsIn(WEIGHTS, "").filter(
    ({ name }) => only === undefined || only.some((part) => name.startsWith(part)),
  );
  const start = await scored(cases);
  const sources = [...new Set(Array.from(start.keys(), sourceOf))];
  console.log(`As they are: ${sources.map((source) => `${source} ${meanOf(start, source).toFixed(3)}`).join(", ")}`);
  const steps = new Map<string, Scores>();
  for (const weight of weights) {
    const before = weight.get();
    for (const factor of FACTORS) {
      weight.set(before * factor);
      steps.set(`${weight.name} × ${factor}`, await scored(cases));
    }
    weight.set(before);
  }
  const gainOf = (scores: Scores, among: readonly string[]): number =>
    among.reduce((sum, source) => sum + meanOf(scores, source) - meanOf(start, source), 0) / among.length;
  for (const left of sources) {
    const others = sources.filter((source) => source !== left);
    const better = [...steps].filter(([, scores]) => gainOf(scores, others) > GAIN_MIN);
    console.log(`\nFitted without ${left}:`);
    for (const [name, scores] of better.toSorted(([, a], [, b]) => gainOf(b, others) - gainOf(a, others)))
      console.log(`  ${name}: ${gainOf(scores, others).toFixed(3)}, in ${left} ${gainOf(scores, [left]).toFixed(3)}`);
  }
}

function weightsIn(table: Record<string, unknown>, path: string): readonly Weight[] {
  return Object.entries(table).flatMap(([key, value]): readonly Weight[] => {
    const name = path === "" ? key : `${path}.${key}`;
    if (typeof value === "number")
      return [
        {
          name,
          get: () => Number(table[key]),
          set: (next) => {
            table[key] = next;
          },
        },
      ];
    // The table holds numbers and tables of numbers.
    return weightsIn(value as Record<string, unknown>, name);
  });
}

async function scored(cases: string): Promise<Scores> {
  const scores = new Map<string, number>();
  for (const percent of PERCENTS) {
    const views = mkdtempSync(join(tmpdir(), "fidelity-fit-"));
    mkdirSync(views, { recursive: true });
    for (const path of globSync(join(cases, "*.json")).sort()) {
      const { format, body } = JSON.parse(readFileSync(path, "utf8"));
      const view = await compactedView(formatOf(format), body, percent);
      writeFileSync(join(views, basename(path)), JSON.stringify(view.body));
    }
    const { stdout, stderr, status } = spawnSync("python3", [TOOL, "score", cases, views, "--json"], {
      encoding: "utf8",
      maxBuffer: 1 << 26,
    });
    rmSync(views, { recursive: true, force: true });
    if (status !== 0) throw new Error(`The reference tool failed: ${stderr}`);
    for (const line of stdout.split("\n").filter(Boolean)) {
      const row: JsonValue = JSON.parse(line);
      if (!isObject(row)) continue;
      const name = String(row.case);
      scores.set(name, (scores.get(name) ?? 0) + worthOf(row) / PERCENTS.length);
    }
  }
  return scores;
}

/** A measure that does not apply counts for nothing. */
function worthOf(row: Readonly<Record<string, JsonValue | undefined>>): number {
  return Object.entries(MEASURES).reduce((sum, [name, weight]) => sum + weight * Number(row[name] ?? 0), 0);
}

function sourceOf(name: string): string {
  return name.split("-")[0] ?? name;
}

function meanOf(scores: Scores, source: string): number {
  const own = [...scores].filter(([name]) => sourceOf(name) === source);
  return own.reduce((sum, [, score]) => sum + score, 0) / Math.max(1, own.length);
}

function optionOf(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}
