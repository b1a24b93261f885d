/**
 * What a picture, document, recording or film costs in tokens, by each provider's published rule. Reads only headers and
 * sizes; never decodes media, never follows a URL. Where a rule needs a fact that cannot be seen, a named default stands in.
 */

import type { FormatName, MediaPart } from "../message.ts";
import { base64Bytes, latin1At } from "./base64-bytes.ts";
import { type ImageSize, imageSize } from "./image-size.ts";
import { partDetail } from "./media-detail.ts";
import { type MediaRules, mediaRules } from "./media-rules.ts";
import { textFactor } from "./text-factor.ts";

/** Tokens of one media part. Pure. */
export type CountMedia = (part: MediaPart) => number;

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
  const rules = mediaRules(format, model);
  const factor = textFactor(model);
  const detailOf = (part: MediaPart): string | undefined => partDetail(part) ?? detail;
  return (part) => {
    switch (part.kind) {
      case "image":
        return rules.imageTokens(sizeOf(part), detailOf(part));
      case "document":
        return textFileTokens(part, factor) ?? pagesIn(part) * pageTokens(rules, detailOf(part), factor);
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
  const head = latin1At(base64, 0, PDF_SCAN_BYTES);
  const tail = latin1At(base64, Math.max(0, bytes - PDF_SCAN_BYTES), PDF_SCAN_BYTES);
  const stated = Math.max(linearizedPages(head), pageTreeCount(head), pageTreeCount(tail));
  const pages = stated > 0 ? stated : Math.ceil(bytes / BYTES_PER_PAGE);
  return Math.min(PAGES_MAX, Math.max(1, pages));
}

/** Undefined for what is shown page by page. */
function textFileTokens({ source, mediaType }: MediaPart, factor: number): number | undefined {
  if (source.type !== "base64" || !mediaType?.startsWith("text/")) return undefined;
  return Math.ceil((base64Bytes(source.data) / TEXT_BYTES_PER_TOKEN) * factor);
}

function pagesIn({ source }: MediaPart): number {
  return source.type === "base64" ? pdfPages(source.data) : UNKNOWN_PAGES;
}

function pageTokens(rules: MediaRules, detail: string | undefined, factor: number): number {
  return (rules.pageText ? PAGE_TEXT_TOKENS * factor : 0) + rules.pageTokens(PAGE_IMAGE, detail);
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

function sizeOf(part: MediaPart): ImageSize {
  const data = part.source.type === "base64" ? part.source.data : base64OfUrl(part);
  return (data === undefined ? undefined : imageSize(data)) ?? UNKNOWN_IMAGE;
}

function base64OfUrl(part: MediaPart): string | undefined {
  if (part.source.type !== "url" || !part.source.url.startsWith("data:")) return undefined;
  const comma = part.source.url.indexOf(",");
  return comma < 0 ? undefined : part.source.url.slice(comma + 1);
}

/** An uncompressed recording states its rate in its header. */
function secondsOf(part: MediaPart, bytesPerSecond: number): number {
  if (part.source.type !== "base64") return UNKNOWN_SECONDS;
  const { data } = part.source;
  const isWave = latin1At(data, 0, 4) === "RIFF" && latin1At(data, 8, 4) === "WAVE";
  const rate = isWave ? littleEndian(latin1At(data, 28, 4)) : bytesPerSecond;
  return base64Bytes(data) / (rate > 0 ? rate : bytesPerSecond);
}

function littleEndian(bytes: string): number {
  let value = 0;
  for (let index = bytes.length - 1; index >= 0; index--) value = value * 256 + bytes.charCodeAt(index);
  return value;
}
