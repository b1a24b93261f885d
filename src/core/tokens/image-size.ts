/** Reads base64 media by single bytes: length, header text, width and height of a PNG, JPEG, GIF or WebP. Never decodes the rest, never throws. */

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

const NOT_BASE64 = -1;
const SEXTETS = sextetTable();

/** Bytes that the text stands for. */
export function base64Bytes(data: string): number {
  let end = data.length;
  while (end > 0 && data.endsWith("=", end)) end--;
  return Math.floor((end * 3) / 4);
}

/** The byte at an offset; NaN beyond the end or where the text is not base64. */
export function byteAt(data: string, offset: number): number {
  const phase = offset % 3;
  const index = ((offset - phase) / 3) * 4 + phase;
  const high = sextetAt(data, index);
  const low = sextetAt(data, index + 1);
  if (high === NOT_BASE64 || low === NOT_BASE64) return Number.NaN;
  return ((high << (phase * 2 + 2)) & 0xff) | (low >> (4 - phase * 2));
}

/** Big-endian 16-bit number; NaN like `byteAt`. */
export function uint16At(data: string, offset: number): number {
  return byteAt(data, offset) * 256 + byteAt(data, offset + 1);
}

/** Little-endian 16-bit number; NaN like `byteAt`. */
export function uint16LittleAt(data: string, offset: number): number {
  return byteAt(data, offset) + byteAt(data, offset + 1) * 256;
}

/** Bytes as Latin-1 text, cut at the end of the data. */
export function latin1At(data: string, offset: number, length: number): string {
  let text = "";
  for (let index = offset; index < offset + length; index++) {
    const byte = byteAt(data, index);
    if (Number.isNaN(byte)) break;
    text += String.fromCharCode(byte);
  }
  return text;
}

function sextetAt(data: string, index: number): number {
  return index < data.length ? (SEXTETS[data.charCodeAt(index)] ?? NOT_BASE64) : NOT_BASE64;
}

function sextetTable(): readonly number[] {
  const table: number[] = Array.from({ length: 128 }, () => NOT_BASE64);
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (let value = 0; value < alphabet.length; value++) table[alphabet.charCodeAt(value)] = value;
  table["-".charCodeAt(0)] = 62;
  table["_".charCodeAt(0)] = 63;
  return table;
}
