/**
 * How faithful a checkpoint is to what was done, measured without a model by the shared reference tool. Recorded sessions are cut where it cuts them,
 * compacted with the defaults, and its own score is printed. Run with `npm run fidelity` in bench; `--out FOLDER` keeps cases and views, and
 * `--cases FOLDER` takes cases that were made before. The measures: docs/fidelity.md.
 */

import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FormatName } from "../src/core/message.ts";
import { compactedView } from "./compacted-view.ts";
import { formatOf, RECORDINGS } from "./recorded-calls.ts";

const TOOL = fileURLToPath(new URL("../../shared/tools/fidelity.py", import.meta.url));
const PERCENTS = [5, 10] as const;

await run();

async function run(): Promise<void> {
  const out = optionOf("--out") ?? temporaryFolder();
  const cases = optionOf("--cases") ?? makeCases(join(out, "cases"));
  if (cases === undefined) return;
  for (const percent of PERCENTS) {
    const views = join(out, `views-${percent}`);
    mkdirSync(views, { recursive: true });
    for (const path of globSync(join(cases, "*.json")).sort()) await writeView(path, views, percent);
    const scored = spawnSync("python3", [TOOL, "score", cases, views, "--percent", String(percent)], {
      encoding: "utf8",
    });
    console.log(`At ${percent} % of the conversation:\n${scored.stdout}${scored.stderr}`);
    if (scored.status !== 0) process.exitCode = 1;
  }
}

/** The compacted body for the tool, and beside it the checkpoint for a person. */
async function writeView(path: string, views: string, percent: number): Promise<void> {
  const item: { readonly format: FormatName; readonly body: unknown } = JSON.parse(readFileSync(path, "utf8"));
  const view = await compactedView(formatOf(item.format), item.body, percent);
  if (!view.fits) console.log(`${basename(path)}: ${view.tokensAfter} tokens, the target is ${view.targetTokens}`);
  writeFileSync(join(views, basename(path)), JSON.stringify(view.body));
  writeFileSync(join(views, `${basename(path, ".json")}.md`), view.summary);
}

function optionOf(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

/** Gone when the process ends. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "fidelity-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Undefined when the recordings or the tool are missing. */
function makeCases(folder: string): string | undefined {
  if (!existsSync(RECORDINGS) || !existsSync(TOOL)) {
    console.log(`There are no recordings in ${RECORDINGS}; nothing was measured.`);
    return undefined;
  }
  const made = spawnSync("python3", [TOOL, "cases", RECORDINGS, folder], { encoding: "utf8" });
  if (made.status === 0) return folder;
  console.log(`The reference tool could not make the cases: ${made.error?.message ?? made.stderr}`);
  return undefined;
}
