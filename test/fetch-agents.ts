/** What the agents of the tests of `palimpsest/fetch` ask and read: the same in every SDK and framework. */

export const QUESTION = "Read every module of src and list what each of them exports.";

const WORDS = ["the", "module", "exports", "function", "returns", "number", "list", "parse", "state", "of", "a"];

/** A few thousand characters, other ones for each call. */
export function fileText(call: number): string {
  const lines = Array.from({ length: 40 }, (_, line) => {
    const words = Array.from({ length: 10 }, (__, word) => WORDS[(call * 7 + line * 3 + word * 5) % WORDS.length]);
    return `${words.join(" ")} name_${call}_${line};`;
  });
  return lines.join("\n");
}
