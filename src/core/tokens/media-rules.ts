/** The providers' published media prices in tokens, as data per model family. An unknown model gets its provider's newest rule. */

import { isKnownBefore, SINCE_OPUS_4_7 } from "../claude-models.ts";
import { type FormatRules, formatRules } from "../format-rules.ts";
import type { FormatName } from "../message.ts";
import type { ImageSize } from "./image-size.ts";

export interface MediaRules {
  readonly imageTokens: (size: ImageSize, detail?: string) => number;
  /** One page of a PDF, as a picture. */
  readonly pageTokens: (size: ImageSize, detail?: string) => number;
  /** Whether a page's text is sent besides its picture. */
  readonly pageText: boolean;
  readonly audioTokensPerSecond: number;
  readonly videoTokensPerSecond: (detail?: string) => number;
}

export function mediaRules(format: FormatName, model = ""): MediaRules {
  return PRICES[formatRules(format).mediaPrices](model);
}

const PRICES: Readonly<Record<FormatRules["mediaPrices"], (model: string) => MediaRules>> = {
  anthropic: anthropicRules,
  openai: openaiRules,
  gemini: geminiRules,
};

interface PatchBudget {
  readonly patchPixels: number;
  readonly edgePixelsMax: number;
  readonly patchesMax: number;
}

const ANTHROPIC_STANDARD: PatchBudget = { patchPixels: 28, edgePixelsMax: 1_568, patchesMax: 1_568 };
const ANTHROPIC_HIGH: PatchBudget = { patchPixels: 28, edgePixelsMax: 2_576, patchesMax: 4_784 };

/** Anthropic takes no sound and no film: what a converted conversation still holds costs as with OpenAI. */
function anthropicRules(model: string): MediaRules {
  const budget = isKnownBefore(SINCE_OPUS_4_7, model) ? ANTHROPIC_STANDARD : ANTHROPIC_HIGH;
  const imageTokens = (size: ImageSize): number => patches(size, budget);
  return {
    imageTokens,
    pageTokens: imageTokens,
    pageText: true,
    audioTokensPerSecond: 10,
    videoTokensPerSecond: noFilm,
  };
}

function noFilm(): number {
  return 0;
}

interface TileRule {
  readonly baseTokens: number;
  readonly tileTokens: number;
}

const TILE_MODELS: readonly (readonly [RegExp, TileRule])[] = [
  [/gpt-4o-mini/, { baseTokens: 2_833, tileTokens: 5_667 }],
  [/gpt-4\.1(?!-(?:mini|nano))|gpt-4o|gpt-4\.5|gpt-4-/, { baseTokens: 85, tileTokens: 170 }],
  [/gpt-5(?:-chat|-pro|-codex|-20\d\d-|\.1|$)(?!.*(?:mini|nano))/, { baseTokens: 70, tileTokens: 140 }],
  [/\bo[13](?!-mini)/, { baseTokens: 75, tileTokens: 150 }],
];
const PATCH_FACTORS: readonly (readonly [RegExp, number])[] = [
  [/o4-mini/, 1.72],
  [/nano/, 2.46],
  [/mini/, 1.62],
];
/** `low` detail of a patch model: the picture is shown at 512 × 512. */
const LOW_DETAIL_PATCHES = 256;
const PATCHES_MAX = 1_536;
const PATCHES_BY_DETAIL: ReadonlyMap<string, number> = new Map([
  ["high", 2_500],
  ["original", 10_000],
]);
const WIDE_BUDGET_MODELS = /gpt-5\.[45]|gpt-5\.[6-9]|gpt-[6-9]/;
/** Input sound is one token per tenth of a second. */
const OPENAI_AUDIO_TOKENS_PER_SECOND = 10;

function openaiRules(model: string): MediaRules {
  const tileRule = TILE_MODELS.find(([models]) => models.test(model))?.[1];
  const imageTokens =
    tileRule === undefined
      ? openaiPatchTokens(model)
      : (size: ImageSize, detail?: string) => tiles(size, tileRule, detail);
  return {
    imageTokens,
    // Nothing is published of what `detail` does to a file.
    pageTokens: (size) => imageTokens(size),
    pageText: true,
    audioTokensPerSecond: OPENAI_AUDIO_TOKENS_PER_SECOND,
    videoTokensPerSecond: noFilm,
  };
}

function openaiPatchTokens(model: string): MediaRules["imageTokens"] {
  const factor = PATCH_FACTORS.find(([models]) => models.test(model))?.[1] ?? 1;
  const wide = WIDE_BUDGET_MODELS.test(model);
  return (size, detail = "auto") => {
    const byDetail = wide ? PATCHES_BY_DETAIL.get(detail) : undefined;
    const patchesMax = detail === "low" ? LOW_DETAIL_PATCHES : (byDetail ?? PATCHES_MAX);
    return Math.ceil(factor * patches(size, { patchPixels: 32, edgePixelsMax: Number.POSITIVE_INFINITY, patchesMax }));
  };
}

function tiles(size: ImageSize, rule: TileRule, detail: string | undefined): number {
  if (detail === "low") return rule.baseTokens;
  const inSquare = Math.min(1, 2_048 / Math.max(size.width, size.height));
  const shortest = Math.min(size.width, size.height) * inSquare;
  const scale = inSquare * Math.min(1, 768 / shortest);
  const count = Math.ceil((size.width * scale) / 512) * Math.ceil((size.height * scale) / 512);
  return rule.baseTokens + rule.tileTokens * count;
}

const GEMINI_TILE_TOKENS = 258;
const GEMINI_IMAGE_TOKENS: ReadonlyMap<string, number> = new Map([
  ["MEDIA_RESOLUTION_LOW", 280],
  ["MEDIA_RESOLUTION_MEDIUM", 560],
  ["MEDIA_RESOLUTION_HIGH", 1_120],
]);
/** A page is a picture, of middle resolution unless one is stated. */
const GEMINI_PAGE_TOKENS = 560;
const GEMINI_FRAME_TOKENS: ReadonlyMap<string, number> = new Map([["MEDIA_RESOLUTION_HIGH", 280]]);
const GEMINI_AUDIO_TOKENS_PER_SECOND = 32;

/** From Gemini 3 on a picture costs by resolution, not by size; one frame per second of film, and its sound. */
function geminiRules(model: string): MediaRules {
  const common = { pageText: false, audioTokensPerSecond: GEMINI_AUDIO_TOKENS_PER_SECOND };
  if (/gemini-(?:1|2)\b/.test(model)) {
    const pageTokens = (): number => GEMINI_TILE_TOKENS;
    return { ...common, imageTokens: geminiTiles, pageTokens, videoTokensPerSecond: () => 263 };
  }
  return {
    ...common,
    imageTokens: (_size, detail = "") => GEMINI_IMAGE_TOKENS.get(detail) ?? 1_120,
    pageTokens: (_size, detail = "") => GEMINI_IMAGE_TOKENS.get(detail) ?? GEMINI_PAGE_TOKENS,
    videoTokensPerSecond: (detail = "") => (GEMINI_FRAME_TOKENS.get(detail) ?? 70) + GEMINI_AUDIO_TOKENS_PER_SECOND,
  };
}

function geminiTiles({ width, height }: ImageSize): number {
  if (width <= 384 && height <= 384) return GEMINI_TILE_TOKENS;
  return GEMINI_TILE_TOKENS * Math.ceil(width / 768) * Math.ceil(height / 768);
}

/** Enough halvings to settle the scale of any picture to well under a pixel. */
const SCALE_STEPS = 24;

/** Patches of a picture, shrunk in proportion until it is inside the budget. */
function patches({ width, height }: ImageSize, budget: PatchBudget): number {
  const at = (scale: number): number =>
    Math.ceil((width * scale) / budget.patchPixels) * Math.ceil((height * scale) / budget.patchPixels);
  let high = Math.min(1, budget.edgePixelsMax / Math.max(width, height));
  if (at(high) <= budget.patchesMax) return at(high);
  let low = 0;
  for (let step = 0; step < SCALE_STEPS; step++) {
    const middle = (low + high) / 2;
    if (at(middle) <= budget.patchesMax) low = middle;
    else high = middle;
  }
  return at(low);
}
