/** Tool names in settings: exact, or any suffix after a final `*`. */

export function matchesTool(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}

export function matchesAnyTool(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => matchesTool(pattern, name));
}
