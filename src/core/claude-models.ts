/**
 * What the name of a Claude model says about its age. New names cannot be known, so facts are told apart by the versions that are
 * known to be older; whatever else is called Claude counts as new. Pure.
 */

/** In the order `claude-opus-5-5` and in that of older names, `claude-3-7-sonnet`; dots or dashes, whatever stands around it. */
const FAMILY_FIRST = /claude-(?<family>[a-z]+)-(?<major>\d{1,2})(?:[-.](?<minor>\d{1,2}))?(?!\d|-latest)/;
const VERSION_FIRST = /claude-(?:instant|v?[1-4](?!\d))/;

/** The first version of each family that something holds for. It holds for every family that is not named. */
export type SinceVersions = ReadonlyMap<string, readonly [major: number, minor: number]>;

/** With Opus 4.7 came a tokenizer that makes more tokens of the same text, and pictures of a higher resolution. */
export const SINCE_OPUS_4_7: SinceVersions = new Map([
  ["opus", [4, 7]],
  ["sonnet", [4, 7]],
  ["haiku", [4, 7]],
]);

export function isClaude(model: string): boolean {
  return model.toLowerCase().includes("claude");
}

/** True only where the name says so. */
export function isKnownBefore(since: SinceVersions, model: string): boolean {
  return isBefore(since, model) === true;
}

/** True only where the name says that the model is of a named family and not older than its first version. */
export function isKnownSince(since: SinceVersions, model: string): boolean {
  return isBefore(since, model) === false;
}

/** Undefined where the name does not say. */
function isBefore(since: SinceVersions, model: string): boolean | undefined {
  const name = model.toLowerCase();
  if (VERSION_FIRST.test(name)) return true;
  const { family = "", major, minor } = FAMILY_FIRST.exec(name)?.groups ?? {};
  const from = since.get(family);
  if (from === undefined || major === undefined) return undefined;
  return Number(major) < from[0] || (Number(major) === from[0] && Number(minor ?? 0) < from[1]);
}
