/** The `narrative` pack: a concise account in prose. Says what to keep; never asks for raw tool output. */

export const PROMPT_VERSION = 1;

export const narrativeTask = (): string =>
  `Tell in a concise narrative what happened in the conversation below. Keep:
- what the user asked for at the start, with every criterion and limit that was given;
- each decision that was made, and why;
- data points that matter: URLs, file paths, identifiers, names, amounts;
- scores and rankings, with their values;
- where things stand now, and which steps come next.
Do not reproduce tool output. Say what was looked up or run, and what it showed.`;
