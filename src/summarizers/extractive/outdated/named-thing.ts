/** How the name of a thing stands in an order: sources of expressions, for those that give a thing up and those that forbid it. */

export const NAME = "(`[\\w@./-]{2,60}`|[A-Z_@][\\w./-]*\\w)";
/** The thing itself, not something of it. */
export const END =
  "(?=\\s*(?:[.,;:!?)。，、！？]|$)|\\s+(?:and|then|please|completely|entirely|altogether|now|again|everywhere|any ?more|any longer|because|since|but|so|und|weil|bitte|et|car|y|porque|e|perché|и|потому)(?![\\p{L}]))";
