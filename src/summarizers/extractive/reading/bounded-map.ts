/** A map that forgets what it was given first. Keeps the order in which things came. */

export function dropOldest(entries: Map<string, unknown>, limit: number): void {
  if (entries.size <= limit) return;
  for (const [oldest] of entries) {
    entries.delete(oldest);
    return;
  }
}
