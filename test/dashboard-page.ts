/** Builds the page of the dashboard before the tests where it is missing or older than its sources. */

import { execFileSync } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

export default function setup(): void {
  const changedMs = (file: string): number => statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = ["rolldown.page.config.ts", ...globSync("src/dashboard/page/*", { cwd: root })];
  const newestMs = Math.max(...sources.map(changedMs));
  if (["page.js", "page.css"].every((name) => changedMs(`src/dashboard/built/${name}`) >= newestMs)) return;
  execFileSync(join(root, "node_modules/.bin/rolldown"), ["--config", "rolldown.page.config.ts"], { cwd: root });
}
