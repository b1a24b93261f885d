/**
 * How long a program waits for `import "palimpsest"`, beside libraries that people use for the same: the built package, each library in a
 * process of its own, the best of several. Exits with 1 when ours takes more than half as long as `langchain`, whose middleware
 * summarises too. Run with `npm run load-time`, after `npm run build` beside it.
 */

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const RUNS = 7;
const BUILT = join(import.meta.dirname, "../dist/index.js");
const PEER = "langchain";
/** Of what the peer takes. */
const SHARE_MAX = 0.5;

const LIBRARIES = ["palimpsest", "ai", "@langchain/core/messages", PEER, "@earendil-works/pi-coding-agent"];

run();

function run(): void {
  if (!existsSync(BUILT)) {
    console.error("There is no build; make one: npm run build");
    process.exitCode = 1;
    return;
  }
  const times = measured();
  const share = (times.get("palimpsest") ?? Infinity) / (times.get(PEER) ?? 0);
  console.log("| library | ms to load |\n|---|---:|");
  for (const [name, ms] of times) console.log(`| ${name} | ${ms.toFixed(0)} |`);
  if (share <= SHARE_MAX) return;
  console.error(`Missed: ${share.toFixed(2)} of what ${PEER} takes, where ${SHARE_MAX} is allowed.`);
  process.exitCode = 1;
}

/** By turns, so that a busy moment of the machine meets all of them. */
function measured(): ReadonlyMap<string, number> {
  const best = new Map<string, number>();
  for (let round = 0; round < RUNS; round++)
    for (const name of LIBRARIES) best.set(name, Math.min(best.get(name) ?? Infinity, loadMs(name)));
  return best;
}

function loadMs(name: string): number {
  const module = JSON.stringify(name === "palimpsest" ? BUILT : name);
  const code = `const start = performance.now(); await import(${module}); console.log(performance.now() - start);`;
  const options = { encoding: "utf8", cwd: import.meta.dirname } as const;
  return Number(execFileSync(process.execPath, ["--input-type=module", "--eval", code], options));
}
