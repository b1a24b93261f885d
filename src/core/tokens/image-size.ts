/** Width and height of a PNG, JPEG, GIF or WebP, read from its base64 header. Never decodes pixels, reads a bounded number of bytes. */

import { byteAt, latin1At, uint16At, uint16LittleAt } from "./base64-bytes.ts";

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Camera files hold a dozen segments before the frame header; more than this is no picture we know. */
const JPEG_SEGMENTS_MAX = 64;

/** Undefined when the bytes are of another kind, cut off or damaged. */
export function imageSize(base64: string): ImageSize | undefined {
  const size = sizeByKind(base64);
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
}

function sizeByKind(base64: string): ImageSize | undefined {
  if (base64.startsWith("iVBORw0KGgo")) return pngSize(base64);
  if (base64.startsWith("/9j/")) return jpegSize(base64);
  if (base64.startsWith("R0lGOD")) return { width: uint16LittleAt(base64, 6), height: uint16LittleAt(base64, 8) };
  if (base64.startsWith("UklGR")) return webpSize(base64);
  return undefined;
}

function pngSize(base64: string): ImageSize {
  return {
    width: uint16At(base64, 16) * 65_536 + uint16At(base64, 18),
    height: uint16At(base64, 20) * 65_536 + uint16At(base64, 22),
  };
}

function jpegSize(base64: string): ImageSize | undefined {
  let offset = 2;
  for (let segment = 0; segment < JPEG_SEGMENTS_MAX; segment++) {
    if (byteAt(base64, offset) !== 0xff) return undefined;
    const marker = byteAt(base64, offset + 1);
    if (marker === 0xff) {
      offset += 1; // a fill byte before the marker
      continue;
    }
    if (isFrameHeader(marker)) {
      return { width: uint16At(base64, offset + 7), height: uint16At(base64, offset + 5) };
    }
    const length = uint16At(base64, offset + 2);
    if (!(length >= 2)) return undefined;
    offset += 2 + length;
  }
  return undefined;
}

/** C0–CF are frame headers but for the Huffman table, the reserved marker and the arithmetic table. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function webpSize(base64: string): ImageSize | undefined {
  switch (latin1At(base64, 12, 4)) {
    case "VP8 ":
      return { width: uint16LittleAt(base64, 26) & 0x3fff, height: uint16LittleAt(base64, 28) & 0x3fff };
    case "VP8L": {
      const low = uint16LittleAt(base64, 21);
      const high = uint16LittleAt(base64, 23);
      return { width: (low & 0x3fff) + 1, height: (((high << 2) | (low >> 14)) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: uint24LittleAt(base64, 24) + 1, height: uint24LittleAt(base64, 27) + 1 };
    default:
      return undefined;
  }
}

function uint24LittleAt(base64: string, offset: number): number {
  return uint16LittleAt(base64, offset) + byteAt(base64, offset + 2) * 65_536;
}
