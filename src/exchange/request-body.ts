/** The body of a request as text, whatever encoding its bytes have, and as JSON. Never changes the bytes; those that came can still be sent. */

import { brotliDecompress, gunzip, inflate, zstdDecompress } from "node:zlib";

/** What a small body may grow to; more is no conversation. */
const DECODED_BYTES_MAX = 128 * 1024 * 1024;

type Decode = (
  bytes: Uint8Array,
  options: { readonly maxOutputLength: number },
  done: (error: Error | null, result: Uint8Array) => void,
) => void;

const ENCODINGS: Readonly<Record<string, Decode>> = {
  gzip: gunzip,
  "x-gzip": gunzip,
  deflate: inflate,
  br: brotliDecompress,
  zstd: zstdDecompress,
};

/** Undefined for an encoding that nobody here knows. */
export type ReadText = (body: string | Uint8Array, contentEncoding: string | null) => Promise<string | undefined>;

/** Decodes one body after the other: small ones that grow without end do not add up. */
export function createTextReader(): ReadText {
  let before: Promise<unknown> = Promise.resolve();
  const read: ReadText = async (body, contentEncoding) => {
    const decoded = await decodedBody(body, contentEncoding);
    return decoded instanceof Uint8Array ? new TextDecoder().decode(decoded) : decoded;
  };
  return (body, contentEncoding) => {
    if (contentEncoding === null) return read(body, contentEncoding);
    const text = before.then(() => read(body, contentEncoding));
    before = text.catch(() => {});
    return text;
  };
}

/** Encodings were applied in the order in which the header names them. */
async function decodedBody(
  body: string | Uint8Array,
  contentEncoding: string | null,
): Promise<string | Uint8Array | undefined> {
  const names = (contentEncoding ?? "").split(",").map((name) => name.trim().toLowerCase());
  let decoded = body;
  for (const name of names.toReversed()) {
    if (name === "" || name === "identity") continue;
    const decode = Object.hasOwn(ENCODINGS, name) ? ENCODINGS[name] : undefined;
    if (decode === undefined || typeof decoded === "string") return undefined;
    decoded = await run(decode, decoded);
  }
  return decoded;
}

function run(decode: Decode, bytes: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    decode(bytes, { maxOutputLength: DECODED_BYTES_MAX }, (error, result) => (error ? reject(error) : resolve(result)));
  });
}

/** Far more than a conversation has that fits into any window; to work through many more takes minutes. */
const VALUES_MAX = 500_000;
const [QUOTE, COMMA, BRACKET, BRACE, BACKSLASH] = [34, 44, 91, 123, 92];

/** Whether a JSON text has more values than a conversation can have. Does not parse it. */
export function hasTooManyValues(text: string): boolean {
  // A value is two characters at least.
  if (text.length < 2 * VALUES_MAX) return false;
  let values = 0;
  for (let at = 0; at < text.length && values <= VALUES_MAX; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(text, at);
    else if (code === COMMA || code === BRACKET || code === BRACE) values++;
  }
  return values > VALUES_MAX;
}

function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

/** Undefined for a text that is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
