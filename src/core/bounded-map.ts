/** Maps that live as long as the process and are keyed by what comes from outside: they forget what was set longest ago. */
export function setBounded<Key, Value>(map: Map<Key, Value>, [key, value]: readonly [Key, Value], max: number): void {
  // Set anew, so that the one that was quiet for longest is the one forgotten.
  map.delete(key);
  map.set(key, value);
  const oldest = map.keys().next();
  if (map.size > max && !oldest.done) map.delete(oldest.value);
}
