/** What `import` is given: a session that `export --all` wrote, or any file that the readers of other commands read. Reads only. */

import { randomBytes } from "node:crypto";
import type { RecordedConversation, Transcript, TranscriptSource } from "../transcripts/index.ts";
import { type ExportedFile, readExported, readExportedFile } from "./exported-file.ts";
import { collect, loadTranscript, STANDARD_INPUT } from "./load.ts";

export type ImportInput =
  | { readonly type: "exported"; readonly exported: ExportedFile }
  | { readonly type: "transcript"; readonly transcript: Transcript };

export async function readImport(
  file: string,
  format: string | undefined,
  stdin: AsyncIterable<Uint8Array>,
): Promise<ImportInput> {
  const bytes = file === STANDARD_INPUT ? await collect(stdin) : undefined;
  const exported = bytes === undefined ? readExportedFile(file) : readExported(bytes.toString("utf8"));
  if (exported !== undefined) return { type: "exported", exported };
  return { type: "transcript", transcript: await loadTranscript(file, format, once(bytes)) };
}

/** The id that the session has where it comes from; a new one where it has none. */
export function importedId(source: TranscriptSource, { id, label }: RecordedConversation): string {
  if (AGENTS.has(source)) return STAND_INS.has(id) ? newId() : id;
  if (source === "request-body") return id === NAMELESS ? newId() : id;
  // Elsewhere an id says only where in the file it stands. Batches name their lines; other labels repeat from file to file.
  return source === "batch-jsonl" && label !== undefined ? label : newId();
}

const AGENTS: ReadonlySet<TranscriptSource> = new Set(["claude-code", "codex", "pi", "openclaw", "gemini-cli"]);
/** What readers call a session that says nothing about its id. */
const STAND_INS: ReadonlySet<string> = new Set(["main", "session"]);
const NAMELESS = "conversation";

/** Short enough to be typed, long enough never to meet another. */
const ID_BYTES = 6;

function newId(): string {
  return randomBytes(ID_BYTES).toString("hex");
}

async function* once(bytes: Uint8Array | undefined): AsyncIterable<Uint8Array> {
  if (bytes !== undefined) yield bytes;
}
