/** Values that are kept once they were made: one, or as many as a bound allows. */

export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

export function setBounded<Key, Value>(map: Map<Key, Value>, [key, value]: readonly [Key, Value], max: number): void {
  // Set anew, so that the one that was quiet for longest is the one forgotten.
  map.delete(key);
  map.set(key, value);
  const oldest = map.keys().next();
  if (map.size > max && !oldest.done) map.delete(oldest.value);
}
