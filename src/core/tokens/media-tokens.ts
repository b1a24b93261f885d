/**
 * What a picture, document, recording or film costs in tokens, by each provider's published rule. Reads only headers and
 * sizes; never decodes media, never follows a URL. Where a rule needs a fact that cannot be seen, a named default stands in.
 */

import { type FormatRules, formatRules } from "../format-rules.ts";
import type { FormatName, MediaPart } from "../message.ts";
import { isKnownBefore, SINCE_OPUS_4_7 } from "../thinking.ts";
import { partDetail, textFactor } from "./counted.ts";

/** Tokens of one media part. Pure. */
export type CountMedia = (part: MediaPart) => number;

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** A picture whose size cannot be read is taken for a screenshot of a common screen. */
const UNKNOWN_IMAGE: ImageSize = { width: 1920, height: 1080 };
/** A page is drawn as a picture of this shape (A4 at 150 dots per inch) … */
const PAGE_IMAGE: ImageSize = { width: 1240, height: 1754 };
/** … and its text is sent as well where the provider does so: an ordinary page holds about 500 words. */
const PAGE_TEXT_TOKENS = 700;
/** Documents known only by reference, and bytes per page where the file does not say (text with some figures). */
const UNKNOWN_PAGES = 10;
const BYTES_PER_PAGE = 50_000;
const PAGES_MAX = 1_000;
/** How much of either end of a PDF is searched for its page count. */
const PDF_SCAN_BYTES = 8_192;
/** Bytes per second of compressed speech (128 kbit/s) and of film (2 Mbit/s); length of a recording known only by reference. */
const AUDIO_BYTES_PER_SECOND = 16_000;
const VIDEO_BYTES_PER_SECOND = 250_000;
const UNKNOWN_SECONDS = 60;
/** A base64 document that is plain text: bytes per token. */
const TEXT_BYTES_PER_TOKEN = 4;

/** The rules of the provider behind a format; of its newest models unless one is named. `detail` holds for parts that say nothing themselves. */
export function mediaTokens(format: FormatName, model?: string, detail?: string): CountMedia {
  const rules = PRICES[formatRules(format).mediaPrices](model ?? "");
  const factor = textFactor(model);
  const detailOf = (part: MediaPart): string | undefined => partDetail(part) ?? detail;
  return (part) => {
    switch (part.kind) {
      case "image":
        return rules.imageTokens(sizeOf(part), detailOf(part));
      case "document": {
        const { source, mediaType } = part;
        if (source.type === "base64" && mediaType?.startsWith("text/"))
          return Math.ceil((base64Bytes(source.data) / TEXT_BYTES_PER_TOKEN) * factor);
        const pages = source.type === "base64" ? pdfPages(source.data) : UNKNOWN_PAGES;
        const textTokens = rules.pageText ? PAGE_TEXT_TOKENS * factor : 0;
        return pages * (textTokens + rules.pageTokens(PAGE_IMAGE, detailOf(part)));
      }
      case "audio":
        return Math.ceil(secondsOf(part, AUDIO_BYTES_PER_SECOND) * rules.audioTokensPerSecond);
      case "video":
        return Math.ceil(secondsOf(part, VIDEO_BYTES_PER_SECOND) * rules.videoTokensPerSecond(detailOf(part)));
      default:
        return part.kind satisfies never;
    }
  };
}

/** Pages of a PDF: as its page tree says where that is readable, else by its size. */
export function pdfPages(base64: string): number {
  const bytes = base64Bytes(base64);
  const head = bytesAt(base64, 0, PDF_SCAN_BYTES).toString("latin1");
  const tail = bytesAt(base64, Math.max(0, bytes - PDF_SCAN_BYTES), PDF_SCAN_BYTES).toString("latin1");
  const stated = Math.max(linearizedPages(head), pageTreeCount(head), pageTreeCount(tail));
  const pages = stated > 0 ? stated : Math.ceil(bytes / BYTES_PER_PAGE);
  return Math.min(PAGES_MAX, Math.max(1, pages));
}

/** The root of the page tree counts all pages, so the greatest count is the document's. */
function pageTreeCount(text: string): number {
  let most = 0;
  for (const match of text.matchAll(/\/Count (\d{1,5})\b/g)) most = Math.max(most, Number(match[1]));
  return most;
}

/** A file made for the web states its pages in its first object. */
function linearizedPages(head: string): number {
  return head.includes("/Linearized") ? Number(/\/N (\d{1,5})\b/.exec(head)?.[1] ?? 0) : 0;
}

function sizeOf({ source }: MediaPart): ImageSize {
  if (source.type === "base64") return imageSize(source.data) ?? UNKNOWN_IMAGE;
  if (source.type !== "url" || !source.url.startsWith("data:")) return UNKNOWN_IMAGE;
  return imageSize(source.url.slice(source.url.indexOf(",") + 1)) ?? UNKNOWN_IMAGE;
}

/** An uncompressed recording states its rate in its header. */
function secondsOf({ source }: MediaPart, bytesPerSecond: number): number {
  if (source.type !== "base64") return UNKNOWN_SECONDS;
  const head = bytesAt(source.data, 0, 32);
  const isWave = head.length === 32 && /^RIFF.{4}WAVE/s.test(head.toString("latin1"));
  return base64Bytes(source.data) / ((isWave && head.readUInt32LE(28)) || bytesPerSecond);
}

/** A provider's published media prices in tokens. An unknown model gets its provider's newest rule. */
interface MediaRules {
  readonly imageTokens: (size: ImageSize, detail?: string) => number;
  /** One page of a PDF, as a picture. */
  readonly pageTokens: (size: ImageSize, detail?: string) => number;
  /** Whether a page's text is sent besides its picture. */
  readonly pageText: boolean;
  readonly audioTokensPerSecond: number;
  readonly videoTokensPerSecond: (detail?: string) => number;
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

/** Width and height of a PNG, JPEG, GIF or WebP in base64; undefined when the bytes are of another kind, cut off or damaged. */
export function imageSize(base64: string): ImageSize | undefined {
  const size = base64.startsWith("/9j/") ? jpegSize(base64) : headerSize(base64);
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
}

function headerSize(base64: string): ImageSize | undefined {
  const head = bytesAt(base64, 0, 30);
  if (base64.startsWith("iVBORw0KGgo") && head.length >= 24)
    return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
  if (base64.startsWith("R0lGOD") && head.length >= 10)
    return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
  return base64.startsWith("UklGR") ? webpSize(head) : undefined;
}

function webpSize(head: Buffer): ImageSize | undefined {
  const chunk = head.toString("latin1", 12, 16);
  if (chunk === "VP8L" && head.length >= 25) {
    const bits = head.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (head.length < 30) return undefined;
  if (chunk === "VP8 ") return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
  return chunk === "VP8X" ? { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 } : undefined;
}

/** Camera files hold a dozen segments before the frame header; more than this is no picture we know. */
const JPEG_SEGMENTS_MAX = 64;
/** Up to the width in a frame header. */
const FRAME_HEADER_BYTES = 9;

function jpegSize(base64: string): ImageSize | undefined {
  let offset = 2;
  for (let count = 0; count < JPEG_SEGMENTS_MAX; count++) {
    const segment = bytesAt(base64, offset, FRAME_HEADER_BYTES);
    if (segment.length < FRAME_HEADER_BYTES || segment[0] !== 0xff) return undefined;
    const marker = segment.readUInt8(1);
    const length = segment.readUInt16BE(2);
    if (isFrameHeader(marker)) return { width: segment.readUInt16BE(7), height: segment.readUInt16BE(5) };
    if (marker !== 0xff && length < 2) return undefined;
    offset += marker === 0xff ? 1 : 2 + length; // a fill byte may stand before the marker
  }
  return undefined;
}

/** C0–CF are frame headers but for the Huffman table, the reserved marker and the arithmetic table. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** Bytes that the text stands for. */
function base64Bytes(data: string): number {
  let end = data.length;
  while (end > 0 && data.endsWith("=", end)) end--;
  return Math.floor((end * 3) / 4);
}

/** Decodes a stretch of base64, at most to its end. */
function bytesAt(data: string, offset: number, length: number): Buffer {
  const skipped = offset % 3;
  const start = ((offset - skipped) / 3) * 4;
  const bytes = Buffer.from(data.slice(start, start + 4 * Math.ceil((skipped + length) / 3)), "base64");
  return bytes.subarray(skipped, skipped + length);
}
