/** Names of tools: the recall tool's name, and patterns in settings, which are exact or end in `*` for any suffix. */

/** The recall tool's name. */
export const RECALL_NAME = "recall";

export function matchesTool(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}

export function matchesAnyTool(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => matchesTool(pattern, name));
}
