/** The `minimal` pack: the shortest useful request. */

export const PROMPT_VERSION = 1;

export const minimalTask = (): string =>
  "Summarise the conversation below concisely. Keep the key facts and the decisions.";
