/** The headers that a gateway passes on: all of them, in their order and spelling, except those that belong to one connection only. */

/** RFC 9110, section 7.6.1, and the older ones that servers still send. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Ours: what the gateway says about a request, and what clients tell the gateway. */
export const STATE_HEADER = "x-palimpsest";
export const TOKEN_HEADER = "x-palimpsest-token";
/** Never sent to an upstream as they came. */
export const OWN_HEADERS: readonly string[] = ["host", STATE_HEADER, TOKEN_HEADER];

type HeaderPair = readonly [name: string, value: string];

/** Of a request or response as Node lists them: name, value, name, value. */
export function passedHeaders(raw: readonly string[], dropped: readonly string[] = []): readonly HeaderPair[] {
  const pairs: HeaderPair[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([raw[at] ?? "", raw[at + 1] ?? ""]);
  // A connection may declare more headers its own.
  const listed = pairs.filter(([name]) => /^connection$/i.test(name)).flatMap(([, value]) => value.split(","));
  const own = new Set([...HOP_BY_HOP, ...listed.map((name) => name.trim().toLowerCase()), ...dropped]);
  return pairs.filter(([name]) => !own.has(name.toLowerCase()));
}

/** They describe the bytes of a body, and go with them. */
export const BODY_HEADERS: readonly string[] = ["content-length", "content-encoding", "content-digest", "content-md5"];
