/** The words of a sentence that carry its content, lower-cased: no small words, no marks. Ideographs count one by one. */

/** Words that say nothing by themselves. */
export const SMALL_WORDS: ReadonlySet<string> = new Set(
  (
    "the and but for nor yet with from into onto over under after before about this that these those there here then than they them their " +
    "theirs you your yours our ours his her hers him she its who whom whose which what when where why how not don didn doesn isn wasn " +
    "aren are was were been being have has had having does did done can could will would shall should may might must just also very too " +
    "only own same such some any all each both few more most other others because while during until again further once now well okay " +
    "yeah yes uhm hmm let got get gets getting going gonna wanna like know think mean say said says one two out off its it's i'm don't that's " +
    "we're you're they're there's i've we've i'll we'll can't didn't doesn't isn't wasn't he's she's let's what's really actually right sort kind thing things " +
    "der die das und ist nicht ein eine einen mit auf für von den dem des sich auch noch aber oder wie " +
    "les des est une dans pas que pour qui sur avec vous nous ils sont cette aux plus mais " +
    "los las una por con para del como está pero más esto esta hay son también " +
    "não uma com para mais isso são você foi che non per una della sono anche " +
    "это как что так для его она они мы вы был была были или если"
  ).split(" "),
);

const SMALL_CHARS_MAX = Math.max(...Array.from(SMALL_WORDS, ({ length }) => length));

/** Calls `visit` for each content word, in order; a word may come more than once. For many texts a `WordTable` takes half the time. */
export function visitContentWords(sentence: string, visit: (word: string) => void): void {
  visitWords(sentence, (word) => {
    if (word.length > SMALL_CHARS_MAX || !SMALL_WORDS.has(word)) visit(word);
  });
}

/** The same with small words. */
function visitWords(sentence: string, visit: (word: string) => void): void {
  const text = sentence.toLowerCase();
  let start = -1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isWordUnit(code)) {
      if (start < 0) start = at;
      continue;
    }
    if (start >= 0) {
      if (code === 39 && isWordUnit(text.charCodeAt(at + 1))) continue;
      if (mayCarry(text, start, at)) visit(text.slice(start, at));
      start = -1;
    }
    if (isIdeograph(code)) visit(text.charAt(at));
  }
  if (start >= 0 && mayCarry(text, start, text.length)) visit(text.slice(start));
}

/** Not in one or two letters; numbers may be short. */
function mayCarry(text: string, start: number, end: number): boolean {
  return end - start > 2 || text.charCodeAt(start) <= 57;
}

export function isWordUnit(code: number): boolean {
  if (code < 128) return (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
  if (code < 0xc0) return false;
  if (code < 0x2000) return code !== 0xd7 && code !== 0xf7;
  return code >= 0xac00 && code <= 0xd7a3;
}

/** Scripts written without blanks; kana that only bind are left out. */
export function isIdeograph(code: number): boolean {
  return (code >= 0x4e00 && code <= 0x9fff) || (code >= 0x30a1 && code <= 0x30fa) || (code >= 0x3400 && code <= 0x4dbf);
}
