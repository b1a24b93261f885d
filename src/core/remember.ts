/** Caches: a value computed once, and a map with a bound. */

export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

export function setBounded<Key, Value>(map: Map<Key, Value>, [key, value]: readonly [Key, Value], max: number): void {
  // Set anew, so that the entry unused for longest is forgotten first.
  map.delete(key);
  map.set(key, value);
  const oldest = map.keys().next();
  if (map.size > max && !oldest.done) map.delete(oldest.value);
}
