/** Compactions that really happened: how much of what the agent used afterwards its own summary held, and how much ours does. */

import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { createCompactor } from "../src/compactor.ts";
import type { JsonArray } from "../src/core/json.ts";
import { estimateTokens } from "../src/core/tokens/tokens.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { readTranscriptFile } from "../src/transcripts/index.ts";
import { flat, probesIn, scoreText } from "./probes.ts";
import { RECORDINGS } from "./recorded-calls.ts";

const PROBES_MIN = 5;

/** In no more tokens than the summary that was made. */
export async function printRecordedCompactions(): Promise<void> {
  if (!existsSync(RECORDINGS)) return;
  console.log(
    "\n| recorded compaction | probes | tokens | the summary that was made | ours, in no more |\n|---|---:|---:|---:|---:|",
  );
  for (const file of globSync("spotter_cc/**/*.jsonl", { cwd: RECORDINGS }).sort()) {
    for (const { segments, compactions, format } of readTranscriptFile(join(RECORDINGS, file)).conversations) {
      for (const { afterSegment, summary } of compactions) {
        const before = segments[afterSegment]?.messages;
        const after = segments[afterSegment + 1]?.messages;
        if (format !== "anthropic-messages" || summary === undefined || before === undefined || after === undefined)
          continue;
        await printOne(file, { before, after, summary });
      }
    }
  }
}

interface Recorded {
  readonly before: JsonArray;
  readonly after: JsonArray;
  readonly summary: string;
}

async function printOne(file: string, { before, after, summary }: Recorded): Promise<void> {
  const probes = probesOf(before, after, summary);
  if (probes.length < PROBES_MIN) return;
  const counter = estimateTokens();
  const tokens = counter.countText(summary);
  const compactor = createCompactor({ format: anthropicMessages });
  const { request, report } = await compactor.compact({ messages: before }, { target: { tokens } });
  const ours = report.fits ? scoreText(probes, flat(request)).toFixed(2) : "does not fit";
  console.log(
    `| ${file.split("/").at(-1)?.slice(0, 24)} | ${probes.length} | ${tokens} | ${scoreText(probes, summary).toFixed(2)} | ${ours} |`,
  );
}

/** Used in later calls, known before the cut, and re-introduced by nothing but the summary itself. */
function probesOf(before: JsonArray, after: JsonArray, summary: string): readonly string[] {
  const known = new Set(probesIn(flat(before)));
  const seen = new Set<string>();
  const probes = new Set<string>();
  for (const { parts } of anthropicMessages.decode(after).messages) {
    for (const part of parts) {
      const said =
        part.type === "tool-call" ? flat(part.input) : flat(part.type === "tool-result" ? part.content : part);
      if (said.includes(summary.slice(0, 200))) continue;
      const found = probesIn(said);
      if (part.type === "tool-call")
        for (const probe of found) if (known.has(probe) && !seen.has(probe)) probes.add(probe);
      for (const probe of found) seen.add(probe);
    }
  }
  return [...probes].sort();
}
