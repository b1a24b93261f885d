/** Which Claude a model's name means, as far as it says so. Reads only; a name that says nothing is neither older nor newer. */

/** In the order `claude-opus-5-5` and in that of older names, `claude-3-7-sonnet`; dots or dashes, whatever stands around it. */
const FAMILY_FIRST = /claude-(?<family>[a-z]+)-(?<major>\d{1,2})(?:[-.](?<minor>\d{1,2}))?(?!\d|-latest)/;
const VERSION_FIRST = /claude-(?:instant-)?v?(?<major>[1-4])(?!\d)/;

/** The version of each family from which on something holds. */
export type FirstVersions = ReadonlyMap<string, readonly [major: number, minor: number]>;

/** True only for a model that is known to be older than the first of its family; names that begin with the version are older than all. */
export function isOlderClaude(model: string | undefined, first: FirstVersions): boolean {
  const name = model?.toLowerCase() ?? "";
  if (VERSION_FIRST.test(name)) return true;
  const { family = "", major, minor } = FAMILY_FIRST.exec(name)?.groups ?? {};
  const from = first.get(family);
  if (from === undefined || major === undefined) return false;
  return Number(major) < from[0] || (Number(major) === from[0] && Number(minor ?? 0) < from[1]);
}
