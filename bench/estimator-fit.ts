/**
 * Fits the default text estimator and writes src/core/tokens/estimate-weights.ts: `npm run estimator-fit` in bench/.
 *
 * A byte-pair tokenizer splits text into pieces and merges inside each piece, so the fit is made on pieces: the exact
 * o200k count of every distinct piece of the corpora, weighted by how often it occurs, every category of text weighing the
 * same. Non-negative least squares by coordinate descent, drawn slightly towards a prior where data are thin.
 */

import { writeFileSync } from "node:fs";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import {
  ARABIC,
  AT,
  BLOCKS,
  type Characters,
  CYRILLIC,
  LATIN,
  MARK_EMOJI,
  MARK_SYMBOL,
  MARKS,
  SCRIPTS,
  WEIGHTS,
} from "../src/core/tokens/estimate-model.ts";
import { type Scan, scanPiece } from "../src/core/tokens/estimate-scan.ts";
import { createScan, loadWindow } from "../src/core/tokens/estimate-text.ts";
import { characterTables } from "./character-tables.ts";
import { loadCorpora, type Sample } from "./corpora.ts";
import { weightsFile } from "./weights-file.ts";

interface Piece {
  readonly features: readonly number[];
  readonly tokens: number;
  weight: number;
}

const SWEEPS = 40;
/** Strength of the prior, in pieces' worth of evidence per million. */
const PRIOR_STRENGTH = 2e-7;
/** A category that exists to keep the model sane weighs less than one that people write. */
const IMPORTANCE: Readonly<Record<string, number>> = {
  "random-letters": 0.3,
  "base64-text": 0.3,
  "other-script": 0.5,
  "latin-rare": 0.2,
  blanks: 0.1,
  capitals: 0.5,
  "arabic-scripture": 0.3,
  "korean-unspaced": 0.5,
  latin: 2,
  markdown: 2,
  code: 3,
  prose: 4,
};
/** Long runs are made of the same pieces as short ones. */
const PIECE_CHARS_MAX = 600;

export function fitWeights(samples: readonly Sample[], characters: Characters): Float64Array {
  return solve([...collectPieces(samples, characters).values()]);
}

function collectPieces(samples: readonly Sample[], characters: Characters): Map<string, Piece> {
  const pieces = new Map<string, Piece>();
  const tokensOf = new Map<string, number>();
  for (const { category, text } of samples) tokensOf.set(category, (tokensOf.get(category) ?? 0) + text.length / 4);
  const nothing = new Float64Array(WEIGHTS);
  for (const { category, text } of samples) {
    const weight = (IMPORTANCE[category] ?? 1) / (tokensOf.get(category) ?? 1);
    const scan = scanOf(text, characters, nothing);
    while (scan.at < text.length) {
      const start = scan.at;
      scanPiece(scan);
      const piece = text.slice(start, Math.min(scan.at, start + PIECE_CHARS_MAX));
      const known = pieces.get(piece);
      if (known !== undefined) known.weight += weight;
      else
        pieces.set(piece, { features: featuresOf(piece, characters), tokens: countTokens(piece, NO_SPECIAL), weight });
    }
  }
  return pieces;
}

/** The whole text as one window. */
export function scanOf(text: string, characters: Characters, weights: ArrayLike<number>): Scan {
  const scan = createScan(characters, weights, text.length);
  loadWindow(scan, text, 0);
  return scan;
}

const NO_SPECIAL = { disallowedSpecial: new Set<string>() };

/** The model is linear: the weights it reads are its features. */
function featuresOf(piece: string, characters: Characters): readonly number[] {
  const features: number[] = [];
  const weights = new Proxy([], {
    get: (_target, key) => {
      features.push(Number(key));
      return 0;
    },
  });
  const scan = scanOf(piece, characters, weights);
  while (scan.at < piece.length) scanPiece(scan);
  return features;
}

function solve(pieces: readonly Piece[]): Float64Array {
  const prior = priorWeights();
  const weights = Float64Array.from(prior);
  const residuals = Float64Array.from(pieces, ({ features, tokens }) =>
    features.reduce((rest, feature) => rest - (weights[feature] ?? 0), tokens),
  );
  const columns = columnsOf(pieces);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    columns.forEach(({ rows, times, weighted }, feature) => {
      const old = weights[feature] ?? 0;
      let slope = PRIOR_STRENGTH * ((prior[feature] ?? 0) - old);
      let curvature = PRIOR_STRENGTH;
      for (let index = 0; index < rows.length; index++) {
        slope += (weighted[index] ?? 0) * (residuals[rows[index] ?? 0] ?? 0);
        curvature += (weighted[index] ?? 0) * (times[index] ?? 0);
      }
      const change = Math.max(0, old + slope / curvature) - old;
      if (change === 0) return;
      weights[feature] = old + change;
      for (let index = 0; index < rows.length; index++) {
        const row = rows[index] ?? 0;
        residuals[row] = (residuals[row] ?? 0) - change * (times[index] ?? 0);
      }
    });
  }
  return weights;
}

interface Column {
  /** Pieces that have the feature, how many times, and that times the piece's weight. */
  readonly rows: Int32Array;
  readonly times: Float64Array;
  readonly weighted: Float64Array;
}

function columnsOf(pieces: readonly Piece[]): readonly Column[] {
  const entries: { row: number; times: number }[][] = Array.from({ length: WEIGHTS }, () => []);
  pieces.forEach(({ features }, row) => {
    const times = new Map<number, number>();
    for (const feature of features) times.set(feature, (times.get(feature) ?? 0) + 1);
    for (const [feature, count] of times) entries[feature]?.push({ row, times: count });
  });
  return entries.map((column) => ({
    rows: Int32Array.from(column, ({ row }) => row),
    times: Float64Array.from(column, ({ times }) => times),
    weighted: Float64Array.from(column, ({ row, times }) => times * (pieces[row]?.weight ?? 0)),
  }));
}

/** What a feature costs until data say otherwise: no rare script, letter pair or emoji is ever free or absurd. */
function priorWeights(): Float64Array {
  const prior = new Float64Array(WEIGHTS);
  const fill = (at: number, size: number, value: number): void => void prior.fill(value, at, at + size);
  fill(AT.wordLength, 4 * 17, 1);
  fill(AT.wordPrefix + 3, MARKS, 0.6);
  fill(AT.latinPair, LATIN * LATIN, 0.35);
  fill(AT.latinUpperPair, LATIN * LATIN, 0.45);
  fill(AT.digits, 2, 1);
  fill(AT.blankRun, 16, 1);
  fill(AT.markStart, 2 * MARKS, 1);
  fill(AT.markPair, MARKS * MARKS, 0.5);
  for (let before = 0; before < MARKS; before++) {
    for (let rarity = 0; rarity < 3; rarity++)
      prior[AT.markPair + before * MARKS + MARK_SYMBOL + rarity] = 0.7 + 0.7 * rarity;
    for (let rarity = 0; rarity < 4; rarity++) prior[AT.markPair + before * MARKS + MARK_EMOJI + rarity] = 1 + rarity;
    if (before < 32) prior[AT.markPair + before * MARKS + before] = 0.15;
  }
  for (let rarity = 0; rarity < 3; rarity++) prior[AT.markStart + MARK_SYMBOL + rarity] = 1 + rarity;
  for (let rarity = 0; rarity < 4; rarity++) prior[AT.markStart + MARK_EMOJI + rarity] = 1 + rarity;
  for (let index = 0; index < 16; index++) prior[AT.character + index] = 0.9 + (index % 4);
  fill(AT.characterPair, 4, 1);
  for (let index = 0; index < 60; index++) prior[AT.characterStart + index] = [1, 2, 3, 4, 1.2][index % 5] ?? 1;
  fill(AT.knownWord, SCRIPTS * 3, 1);
  fill(AT.scriptPrefix, SCRIPTS * 3, 0.3);
  fill(AT.scriptLetter, SCRIPTS * 3, 0.3);
  for (let index = 0; index < 3 * BLOCKS; index++) prior[AT.blockLetter + index] = 0.2 + (index % 3);
  fill(AT.blockMark, BLOCKS, 0.7);
  fill(AT.cyrillicPair, CYRILLIC * CYRILLIC, 0.1);
  fill(AT.arabicPair, ARABIC * ARABIC, 0.1);
  return prior;
}

if (import.meta.main) {
  const characters = characterTables();
  const samples = loadCorpora().filter(({ split }) => split === "fit");
  const weights = fitWeights(samples, characters);
  const path = `${import.meta.dirname}/../src/core/tokens/estimate-weights.ts`;
  writeFileSync(path, weightsFile(weights, characters));
  console.log(
    `Fitted ${weights.length} weights to ${samples.length} texts; wrote src/core/tokens/estimate-weights.ts.`,
  );
}
