/**
 * Expressions that the engine compiles quickly: those of the cues took several times as long to compile as a megabyte takes to
 * summarise. They match what they would match as written, in the scripts of the eleven languages.
 *
 * `\p{L}` has 650 ranges, and where case does not count each of them is looked up anew for every expression that names it. So a letter
 * is told by what it is not, in a few ranges. The text of a set must stay short, too: behind 20 KB the engine optimises no more.
 * With the flag `u` the engine looks up the cases of every single letter, which takes twice as long as all else; without it nothing
 * beyond the basic plane is a letter, which only rare characters are. Sources are given as text: a literal with `\p{L}` in it takes a sixth
 * of a millisecond before anything is compiled.
 */

/** Marks, symbols and blanks. Without the three signs that are capitals of letters: where case does not count, those would go too. */
const SIGNS =
  "\\0-/:-@[-`{-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7\u02c2-\u02c5\u02d2-\u02df\u037e\u0387\u055a-\u055f" +
  "\u0600-\u061f\u064b-\u065f\u066a-\u066d\u0670\u06d4\u06d6-\u06e4\u06e7-\u06ed\u0964\u0965\u2000-\u206f\u208a-\u208f\u20a0-\u2101" +
  "\u2116-\u2118\u211e-\u2123\u2190-\u245f\u2500-\u2775\u2794-\u2bff\u2e00-\u3004\u3008-\u3020\u302a-\u3030\u3036\u3037\u303d-\u3040" +
  "\u3099-\u309c\u30a0\u30fb\u3200-\u321f\u322a-\u3247\u3260-\u327f\u328a-\u32b0\u32c0-\u33ff\ud800-\uf8ff\ufd3e-\ufd4f\ufdfc-\ufe6f" +
  "\ufeff-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uffe0-\uffff";
const NUMBERS =
  "0-9\u00b2\u00b3\u00b9\u00bc-\u00be\u0660-\u0669\u06f0-\u06f9\u2070\u2074-\u2079\u2080-\u2089\u2150-\u2189\u2460-\u249b\u2776-\u2793\u3007\u3021-\u3029\uff10-\uff19";

const LETTER = `[^${SIGNS}${NUMBERS}]`;
const LETTER_OR_NUMBER = `[^${SIGNS}]`;

/**
 * Before a long list to which several ways lead, such as "(?:now|also)? (?:LIST)": the engine would compile the list once for each of
 * them, up to ten times, but what stands behind a loop only once. No text has the character that it loops over.
 */
export const ONCE = "\\0*";

/** The expression of a source that may name letters and numbers. Sets in which they stand beside other things stay as they are. */
export function quick(source: string, flags: string): RegExp {
  const quickSource = source.replace(SETS, (set) => {
    if (set === "\\p{L}" || set === "[\\p{L}]") return LETTER;
    return set === "[\\p{L}\\p{N}]" ? LETTER_OR_NUMBER : set;
  });
  return quickSource.includes("\\p{") ? new RegExp(source, `${flags}u`) : new RegExp(quickSource, flags);
}

/** Whole sets first, so that nothing inside of one is replaced. */
const SETS = /\[(?:\\.|[^\]\\])*\]|\\p\{L\}|\\./g;
