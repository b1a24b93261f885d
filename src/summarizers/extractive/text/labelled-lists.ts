/** Finds the items of a list that stands under a label, such as "Next steps:" or "## Remaining work". Bounded; never rewords. */

const ITEMS_MAX = 8;
const LABEL_CHARS_MAX = 60;
/** A label is looked for in the end of a long text: that is where plans stand. */
const TEXT_CHARS_MAX = 6_000;

/** Items in their order; the last such list of the text counts. */
export function listUnder(text: string, label: RegExp): readonly string[] {
  let items: string[] = [];
  let isOpen = false;
  for (const line of text.slice(-TEXT_CHARS_MAX).split("\n")) {
    const trimmed = line.trim();
    if (trimmed === "") continue;
    const item = /^(?:[-*+•]|\d{1,2}[.)])\s+(?:\[ \]\s+)?(\S.*)$/.exec(trimmed)?.[1];
    if (item !== undefined && !isLabel(trimmed, label)) {
      // Deeper levels are details of the item above.
      if (isOpen && items.length < ITEMS_MAX && !/^\s{3,}/.test(line)) items.push(item);
    } else {
      isOpen = isLabel(trimmed, label);
      if (isOpen) items = [];
    }
  }
  return items;
}

/** A heading, a bold line or a line that ends in a colon, short, with the cue in it. */
function isLabel(line: string, label: RegExp): boolean {
  if (line.length > LABEL_CHARS_MAX || !/^#{1,6}\s|^\*\*.+\*\*:?$|[:：]\**$/.test(line)) return false;
  return label.test(line.replace(/^#+\s*|[*:：]/g, " ").trim());
}
