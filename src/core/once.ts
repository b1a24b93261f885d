/** A value that is made when somebody first asks for it, and never again: often nobody asks. Pure where the making is. */

export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
