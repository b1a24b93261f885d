/** The identifiers that later tool calls used: what retention is measured by. Same pattern and same reading as the reference tool. */

const PROBE =
  /https?:\/\/[^\s"'<>)\]}]+|[\p{L}\p{N}_.+-]+@[\p{L}\p{N}_-]+\.[\p{L}\p{N}_.]+|\/?[\p{L}\p{N}_.@-]+(?:\/[\p{L}\p{N}_.@-]+)+|#?[A-Z]{0,3}\p{Nd}{4,}[\p{L}\p{N}_]*|[A-Z0-9]{6,}|[a-z]+(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+|[0-9a-f]{7,40}|[\p{L}\p{N}_-]+\.(?:py|ts|tsx|js|mjs|json|md|ex|exs|rs|go|java|toml|yml|yaml|sh|css|html|sql|csv|txt)/gu;

const UNREAD: ReadonlySet<string> = new Set([
  "id",
  "tool_use_id",
  "type",
  "signature",
  "call_id",
  "tool_call_id",
  "role",
  "data",
]);

export function probesIn(value: string): readonly string[] {
  return [...value.matchAll(PROBE)].map(([probe]) => probe);
}

/** The readable strings of a body, as the reference tool sees them. */
export function flat(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(flat).join("\n");
  if (typeof value !== "object") return String(value);
  return Object.entries(value)
    .filter(([key]) => !UNREAD.has(key))
    .map(([, item]) => flat(item))
    .join("\n");
}

export function scoreText(probes: readonly string[], view: string): number {
  return probes.filter((probe) => view.includes(probe)).length / probes.length;
}
