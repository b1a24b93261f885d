/** Single bytes out of base64 text, without decoding or copying the rest: enough to read a file's header. Never throws. */

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
