/** Every match of an expression in a text. `matchAll` copies the expression at each call, which takes longer than most texts do. */

/** The expression has the flag g, and matches nothing empty. */
export function matchesOf(expression: RegExp, text: string): readonly RegExpExecArray[] {
  const matches: RegExpExecArray[] = [];
  expression.lastIndex = 0;
  for (let match = expression.exec(text); match !== null; match = expression.exec(text)) matches.push(match);
  return matches;
}
