/** The estimator as it would be had it never seen some categories of text: how sane it stays on what it does not know. */

import { scanPiece } from "../src/core/tokens/estimate-scan.ts";
import { characterTables } from "./character-tables.ts";
import { loadCorpora } from "./corpora.ts";
import { fitWeights, scanOf } from "./estimator-fit.ts";

/** Takes most of a minute: it is a whole fit. */
export function fitWithout(categories: readonly string[]): (text: string) => number {
  const characters = characterTables();
  const samples = loadCorpora().filter(({ split, category }) => split === "fit" && !categories.includes(category));
  const weights = fitWeights(samples, characters);
  return (text) => {
    const scan = scanOf(text, characters, weights);
    while (scan.at < text.length) scanPiece(scan);
    return scan.tokens[0] ?? 0;
  };
}
