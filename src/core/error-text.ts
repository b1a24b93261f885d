/** What was thrown, in words. Never throws: what comes from plug-ins may be anything, even what has no text. */
export function errorText(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "Something was thrown that has no text.";
  }
}
